package scope

import (
	"slices"

	"shoal/query"
	"shoal/shard/docset"
	"shoal/shard/lexicon"
	"shoal/shard/rank/columns"
)

// NodeKeys lists the single words of a node: first its word or prefix range, if plain,
// then its typos.
func (s *Scope) NodeKeys(ref query.Ref) (keys []columns.Key, plain bool) {
	t := &s.Terms[ref.Term]
	if ref.Sub&(query.Zero|query.ExactForm) != 0 && !t.IsPhrase() {
		switch {
		case t.UsesCache(ref.Sub):
			keys = append(keys, columns.Key{Text: t.Text, Prefix: true})
		case ref.Sub&query.Zero != 0 && len(t.Extensions) > 0:
			keys = append(keys, columns.Key{Text: t.Text, Prefix: true, Last: LastExtension(t)})
		case t.Known:
			keys = append(keys, columns.Key{Text: t.Text})
		}
	}
	plain = len(keys) > 0
	for _, group := range [2]query.Subset{query.One, query.Two} {
		if ref.Sub&group != 0 {
			for _, w := range TypoList(t, group) {
				keys = append(keys, columns.Key{Text: w})
			}
		}
	}
	return keys, plain
}

func hasPrefix(word []byte, prefix string) bool {
	return len(word) >= len(prefix) && string(word[:len(prefix)]) == prefix
}

// columnDocs returns the documents of a column.
func (s *Scope) columnDocs(key columns.Key) (docset.Set, error) {
	if key.Prefix {
		return s.Prefix(&query.Term{Text: key.Text}, key.Last)
	}
	return s.Word(key.Text, false)
}

// RangeWords returns the words of a prefix range in order.
func (s *Scope) RangeWords(key columns.Key) ([]string, error) {
	tolerant, exact, err := s.Index.Dictionaries()
	if err != nil {
		return nil, err
	}
	var words []string
	for _, dictionary := range []*lexicon.Dictionary{tolerant, exact} {
		for w := range dictionary.Prefix(key.Text, false) {
			if key.Last != "" && w > key.Last {
				break
			}
			words = append(words, w)
		}
	}
	slices.Sort(words)
	return slices.Compact(words), nil
}

// columns returns the columns for one step. If one turns out to be faulty, the step
// must be repeated with the sound ones; see Reading.
func (s *Scope) columns() *columns.Columns { return s.Index.Columns().Sound() }

// Reading calls f with the columns, and again if they turn out to be faulty.
func (s *Scope) Reading(f func(*columns.Columns) error) error {
	for {
		columns := s.columns()
		if err := f(columns); err != nil || !columns.Faulty() {
			return err
		}
	}
}
