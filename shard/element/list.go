package element

import (
	"bytes"
	"cmp"
	"errors"
	"slices"

	"shoal/shard/docset"
)

// ErrDamaged reports a name that no document can have.
var ErrDamaged = errors.New("element: a name is damaged")

// List holds the posting lists of elements of a few documents. The zero value is ready.
type List struct {
	items  []item
	sorted bool
}

type item struct {
	name []byte
	doc  uint32
}

// Add adds a document to the list of a name, which is copied.
func (l *List) Add(name []byte, doc uint32) {
	l.items = append(l.items, item{bytes.Clone(name), doc})
	l.sorted = false
}

// Sort prepares the list for Elements, which may be called concurrently until the next Add.
func (l *List) Sort() {
	if l.sorted {
		return
	}
	slices.SortFunc(l.items, func(a, b item) int {
		return cmp.Or(bytes.Compare(a.name, b.name), cmp.Compare(a.doc, b.doc))
	})
	l.sorted = true
}

// Elements returns the objects with a value in the range.
func (l *List) Elements(r *Range) (Set, error) {
	l.Sort()
	found := map[string][]uint32{}
	from, _ := slices.BinarySearchFunc(l.items, r.Start(), func(i item, start []byte) int { return bytes.Compare(i.name, start) })
	for _, i := range l.items[from:] {
		place, verdict := r.Judge(i.name)
		switch verdict {
		case Inside:
			found[string(place)] = append(found[string(place)], i.doc)
			continue
		case Outside:
			continue
		case Damaged:
			return nil, ErrDamaged
		}
		break
	}
	out := make(Set, len(found))
	for place, docs := range found {
		slices.Sort(docs)
		out[place] = docset.FromSorted(docs)
	}
	return out, nil
}
