package state

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"shoal/wire"
)

// indexList is the listing of all indexes by uid, built at most once. It is built from the
// listing of an earlier catalogue if there is one: every node lists the indexes after each
// change, and sorting ten thousand names took longer than the rest of the work for a change
// of one index. Safe for concurrent use.
type indexList struct {
	once  sync.Once
	items []*wire.Index
	made  atomic.Bool
	// since are the changes since a listing that was built; nil if there is none.
	since atomic.Pointer[listChanges]
}

// listChanges are records by uid that differ from a listing, nil for those that are gone.
type listChanges struct {
	from    []*wire.Index
	changed map[string]*wire.Index
}

// mostListChanges is the number of changes from which a listing is sorted anew.
const mostListChanges = 256

// after is the listing of a catalogue in which some records have changed.
func (l *indexList) after(changed map[string]*wire.Index) *indexList {
	next := new(indexList)
	switch since := l.since.Load(); {
	case l.made.Load():
		next.remember(l.items, changed, nil)
	case since != nil:
		next.remember(since.from, since.changed, changed)
	}
	return next
}

func (l *indexList) remember(from []*wire.Index, changed, later map[string]*wire.Index) {
	if len(changed)+len(later) > mostListChanges {
		return
	}
	all := maps.Clone(changed)
	maps.Copy(all, later)
	l.since.Store(&listChanges{from: from, changed: all})
}

// get returns the listing of a table.
func (l *indexList) get(all table[uint32, *wire.Index]) []*wire.Index {
	l.once.Do(func() {
		if since := l.since.Load(); since != nil {
			l.items = since.merge()
		} else {
			l.items = make([]*wire.Index, 0, all.size)
			all.each(func(_ uint32, x *wire.Index) { l.items = append(l.items, x) })
			slices.SortFunc(l.items, func(a, b *wire.Index) int { return cmp.Compare(a.UID, b.UID) })
		}
		l.made.Store(true)
		l.since.Store(nil) // lets go of records of the past
	})
	return l.items
}

// merge puts the changed records in the place of those of the listing.
func (s *listChanges) merge() []*wire.Index {
	out, rest := make([]*wire.Index, 0, len(s.from)+len(s.changed)), s.from
	for _, uid := range slices.Sorted(maps.Keys(s.changed)) {
		at, there := slices.BinarySearchFunc(rest, uid, func(x *wire.Index, uid string) int { return strings.Compare(x.UID, uid) })
		out, rest = append(out, rest[:at]...), rest[at:]
		if there {
			rest = rest[1:]
		}
		if x := s.changed[uid]; x != nil {
			out = append(out, x)
		}
	}
	return append(out, rest...)
}
