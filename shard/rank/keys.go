package rank

import (
	"slices"

	"shoal/query"
	"shoal/shard/docset"
)

// nodeKeys names the single words of a node: first its word or prefix range, if
// plain tells that there is one, then its typos.
func (s *Scope) nodeKeys(ref query.Ref) (keys []columnKey, plain bool) {
	t := &s.terms[ref.Term]
	if ref.Sub&(query.Zero|query.ExactForm) != 0 && !t.IsPhrase() {
		switch {
		case t.UsesCache(ref.Sub):
			keys = append(keys, columnKey{text: t.Text, prefix: true})
		case ref.Sub&query.Zero != 0 && len(t.Extensions) > 0:
			keys = append(keys, columnKey{text: t.Text, prefix: true, last: lastExtension(t)})
		case t.Known:
			keys = append(keys, columnKey{text: t.Text})
		}
	}
	plain = len(keys) > 0
	for _, group := range [2]query.Subset{query.One, query.Two} {
		if ref.Sub&group != 0 {
			for _, w := range typoList(t, group) {
				keys = append(keys, columnKey{text: w})
			}
		}
	}
	return keys, plain
}

func hasPrefix(word []byte, prefix string) bool {
	return len(word) >= len(prefix) && string(word[:len(prefix)]) == prefix
}

// columnDocs returns the documents of a column.
func (s *Scope) columnDocs(key columnKey) (docset.Set, error) {
	if key.prefix {
		return s.prefix(&query.Term{Text: key.text}, key.last)
	}
	return s.word(key.text, false)
}

// rangeWords returns the words of a prefix range in order.
func (s *Scope) rangeWords(key columnKey) (words []string) {
	for w := range s.ix.Dictionary().Prefix(key.text, false) {
		if key.last != "" && w > key.last {
			break
		}
		words = append(words, w)
	}
	for w := range s.ix.ExactDictionary().Prefix(key.text, false) {
		if key.last != "" && w > key.last {
			break
		}
		words = append(words, w)
	}
	slices.Sort(words)
	return slices.Compact(words)
}

// columns are those a step reads. What it found is believed only when they are not
// faulty after it; else it begins anew with those that are sound.
func (s *Scope) columns() *Columns { return s.ix.Columns().Sound() }

// reading calls f, again when the columns it read turn out to be faulty.
func (s *Scope) reading(f func(*Columns) error) error {
	for {
		columns := s.columns()
		if err := f(columns); err != nil || !columns.Faulty() {
			return err
		}
	}
}
