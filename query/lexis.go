package query

import (
	"slices"
	"strings"
	"unicode/utf8"

	"shoal/api/settings"
	"shoal/text"
	"shoal/text/dictionary"
	"shoal/text/language"
)

// Lexis holds the settings of one index about the words of a query: the tokenizers, the
// typo budgets and the synonyms. Immutable and safe for concurrent use; build one per
// settings version and keep it.
type Lexis struct {
	settings   *settings.Settings
	exactWords map[string]struct{}
	stopWords  []string
	// synonyms maps the words of a key, joined by a zero byte, to its values as written.
	synonyms map[string][]string

	// plain is the tokenizer of queries in any language.
	plain *text.Tokenizer
}

// NewLexis prepares the settings of an index for queries. dictionaries are the dictionaries
// that cut the texts of the index.
func NewLexis(settings *settings.Settings, dictionaries dictionary.Set) *Lexis {
	l := &Lexis{settings: settings}
	for _, w := range settings.StopWords {
		l.stopWords = append(l.stopWords, text.StopWordForm(w))
	}
	l.plain = text.New(text.Options{
		StopWords: l.stopWords, Separators: settings.SeparatorTokens,
		NonSeparators: settings.NonSeparatorTokens, Dictionary: settings.Dictionary,
		Dictionaries: dictionaries,
	})
	if words := settings.TypoTolerance.DisableOnWords; len(words) > 0 {
		l.exactWords = make(map[string]struct{}, len(words))
		for _, w := range words {
			l.exactWords[w] = struct{}{} // normalised when the setting was made
		}
	}
	l.loadSynonyms(l.Tokenizer(nil))
	return l
}

// loadSynonyms merges entries whose keys have the same normalised form. It sorts their
// values and removes duplicates (spec ranking 3.5).
func (l *Lexis) loadSynonyms(tokenizer *text.Tokenizer) {
	if len(l.settings.Synonyms) == 0 {
		return
	}
	l.synonyms = make(map[string][]string, len(l.settings.Synonyms))
	for key, values := range l.settings.Synonyms {
		words := normalizedWords(tokenizer, key)
		size := len(words)
		for _, w := range words {
			size += len(w)
		}
		if len(words) == 0 || size >= maxSynonymKey {
			continue
		}
		joined := strings.Join(words, "\x00")
		l.synonyms[joined] = append(l.synonyms[joined], values...)
	}
	for key, values := range l.synonyms {
		slices.Sort(values)
		l.synonyms[key] = slices.Compact(values)
	}
}

// maxSynonymKey is the size, in bytes plus words, from which a synonym key is dropped.
const maxSynonymKey = 500

// Settings returns the settings the Lexis was built from.
func (l *Lexis) Settings() *settings.Settings { return l.settings }

// Tokenizer returns the tokenizer of queries in the given languages (none means any), with
// the stop words. Only the tokenizer for any language is cached, because clients choose the
// languages.
func (l *Lexis) Tokenizer(locales []language.Language) *text.Tokenizer {
	if len(locales) == 0 {
		return l.plain
	}
	return l.plain.WithLocales(locales)
}

// Budget is the number of typos allowed in a word (spec ranking 3.3).
func (l *Lexis) Budget(word string) uint8 {
	tolerance := &l.settings.TypoTolerance
	if !tolerance.Enabled {
		return 0
	}
	chars := utf8.RuneCountInString(word)
	if chars < tolerance.OneTypo {
		return 0
	}
	if l.ExactWord(word) {
		return 0
	}
	if chars < tolerance.TwoTypos {
		return 1
	}
	return 2
}

// ExactWord tells whether a word is listed in disableOnWords.
func (l *Lexis) ExactWord(word string) bool {
	_, exact := l.exactWords[word]
	return exact
}

// synonymsOf returns the synonyms, as phrases, of a key of one or more words. bounded
// applies the limits of the single-word look-up.
func (l *Lexis) synonymsOf(key string, tokenizer *text.Tokenizer, bounded bool) [][]string {
	values := l.synonyms[key]
	if bounded && len(values) > maxSynonyms {
		values = values[:maxSynonyms]
	}
	var out [][]string
	total := 0
	for _, v := range values {
		words := normalizedWords(tokenizer, v)
		if len(words) == 0 || bounded && total+len(words) > maxSynonymWords {
			continue
		}
		total += len(words)
		out = append(out, words)
	}
	return out
}

// normalizedWords returns the lemmas of the words of a text.
func normalizedWords(tokenizer *text.Tokenizer, s string) []string {
	var words []string
	for token := range tokenizer.Tokenize(s) {
		if token.Kind == text.Word && token.Lemma != "" {
			words = append(words, strings.Clone(token.Lemma))
		}
	}
	return words
}

// uniquePhrases drops repeated phrases, keeping the first.
func uniquePhrases(phrases [][]string) [][]string {
	var out [][]string
	for _, p := range phrases {
		if !slices.ContainsFunc(out, func(q []string) bool { return slices.Equal(p, q) }) {
			out = append(out, p)
		}
	}
	return out
}
