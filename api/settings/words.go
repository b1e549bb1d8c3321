package settings

import (
	"slices"
	"sort"

	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
)

// stopWords are words that searches ignore.
var stopWords = row[[]string]{
	Name: "stopWords", Path: "stop-words", Verb: "PUT", Code: apierr.Declare("invalid_settings_stop_words"),
	decode: decode.StringSet,
	write:  decode.WriteStrings,
	slot:   func(s *Settings) *[]string { return &s.StopWords },
	apply: func(s *Settings, f decode.Field[[]string], env *Env) *apierr.Error {
		words := make([]string, 0, len(f.Or(nil)))
		for _, w := range f.Or(nil) {
			words = append(words, env.StopWord(w))
		}
		s.StopWords = sortedSet(words)
		return nil
	},
	rebuilt: rewrites{text: true},
}.setting()

// nonSeparatorTokens are separators that do not end a word.
var nonSeparatorTokens = row[[]string]{
	Name: "nonSeparatorTokens", Path: "non-separator-tokens", Verb: "PUT", Code: apierr.Declare("invalid_settings_non_separator_tokens"),
	decode:  decode.StringSet,
	write:   decode.WriteStrings,
	slot:    func(s *Settings) *[]string { return &s.NonSeparatorTokens },
	rebuilt: rewrites{text: true},
}.setting()

// separatorTokens are texts that also end a word.
var separatorTokens = row[[]string]{
	Name: "separatorTokens", Path: "separator-tokens", Verb: "PUT", Code: apierr.Declare("invalid_settings_separator_tokens"),
	decode:  decode.StringSet,
	write:   decode.WriteStrings,
	slot:    func(s *Settings) *[]string { return &s.SeparatorTokens },
	rebuilt: rewrites{text: true},
}.setting()

// dictionary holds texts that each count as one word.
var dictionary = row[[]string]{
	Name: "dictionary", Path: "dictionary", Verb: "PUT", Code: apierr.Declare("invalid_settings_dictionary"),
	decode:  decode.StringSet,
	write:   decode.WriteStrings,
	slot:    func(s *Settings) *[]string { return &s.Dictionary },
	rebuilt: rewrites{text: true},
}.setting()

// synonyms map a word to its other meanings.
var synonyms = row[[]decode.Entry[[]string]]{
	Name: "synonyms", Path: "synonyms", Verb: "PUT", Code: apierr.Declare("invalid_settings_synonyms"),
	decode: synonymMap,
	write:  writeSynonyms,
	show:   func(dst []byte, s *Settings) []byte { return writeSynonyms(dst, decode.EntriesOf(s.Synonyms), true) },
	apply: func(s *Settings, f decode.Field[[]decode.Entry[[]string]], _ *Env) *apierr.Error {
		s.Synonyms = nil
		if list := f.Or(nil); len(list) > 0 {
			s.Synonyms = make(map[string][]string, len(list))
			for _, e := range list {
				s.Synonyms[e.Name] = e.Value
			}
		}
		return nil
	},
}.setting()

// synonymMap sorts the members by name.
func synonymMap(at *decode.Loc, v *jsonvalue.Value) ([]decode.Entry[[]string], *apierr.Error) {
	list, err := decode.Map(decode.Strings)(at, v)
	return decode.SortEntries(list), err
}

func writeSynonyms(dst []byte, list []decode.Entry[[]string], _ bool) []byte {
	return decode.WriteMap(dst, list, func(dst []byte, words []string) []byte { return decode.WriteStrings(dst, words, true) })
}

func sortedSet(list []string) []string {
	sort.Strings(list)
	return slices.Compact(list)
}
