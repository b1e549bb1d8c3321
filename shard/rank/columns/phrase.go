package columns

import (
	"shoal/shard/docset"
	"shoal/shard/record"
)

// Holding returns the documents of a set for which test accepts the places of some words,
// and those whose records must be read. test gets a list for each word, which ascends and
// is valid during the call; the list of "" is empty.
func (c *Columns) Holding(words []string, set docset.Set, test func(places [][]record.Occurrence) bool) (held, unknown docset.Set) {
	f := finder{words: words, codes: make([]uint16, len(words)), places: make([][]record.Occurrence, len(words)), test: test}
	return c.sift(set, f.holding, func(ahead *Ahead, covered docset.Set) { ahead.orders(c, covered) })
}

// finder finds the places of some words in the word order of documents. codes are those of
// the words, places those in the present document.
type finder struct {
	words  []string
	codes  []uint16
	places [][]record.Occurrence
	test   func(places [][]record.Occurrence) bool
	order  []uint16 // scratch
}

// holding is Holding for one file.
func (f *finder) holding(b *BlockColumns, docs docset.Container) (held, unknown docset.Container) {
	for i, w := range f.words {
		n, ok := b.Find(w)
		if !ok && w != "" {
			return held, docs
		}
		if f.codes[i] = NoCode; ok {
			f.codes[i] = uint16(2*n + 1)
		}
	}
	var found, rest []uint16
	docs.Each(func(low uint16) bool {
		switch order := b.OrderOf(low, &f.order); {
		case len(order) == 0:
			rest = append(rest, low)
		case f.holds(order):
			found = append(found, low)
		}
		return true
	})
	return docset.ContainerOf(found), docset.ContainerOf(rest)
}

// holds tests a document by its codes.
func (f *finder) holds(order []uint16) bool {
	for i := range f.places {
		f.places[i] = f.places[i][:0]
	}
	field, next := uint16(0), uint16(0)
	for _, code := range order {
		switch {
		case code < CodeBack:
			for i, own := range f.codes {
				if own == code {
					f.places[i] = append(f.places[i], record.Occurrence{Field: field, Position: next})
				}
			}
			next++
		case code == CodeBack:
			next--
		case code < CodeGap:
			field, next = code-CodeField, 0
		default:
			next += code - CodeGap
		}
	}
	return f.test(f.places)
}
