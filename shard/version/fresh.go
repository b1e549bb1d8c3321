package version

import (
	"slices"
	"sync"

	"shoal/shard/docset"
)

// fresh caches the token records of recently changed documents. Until these have
// columns, every search reads their records, each from a different block of the store.
// Immutable. nil caches nothing.
type fresh struct {
	// layers are the changes by delta, oldest first.
	layers []freshLayer
	docs   docset.Set
}

// freshLayer are records by row, ascending. A nil record was deleted.
type freshLayer struct {
	ords    []uint32
	records [][]byte
	bytes   int
	// untold: the delta does not contain the records.
	untold bool
}

const (
	// freshBytes and freshLayers bound the cache of one shard.
	freshBytes, freshLayers = 12 << 20, 8
	// MaxFresh is the largest number of documents with cached records.
	MaxFresh = 12 << 10
)

// FreshLeast is the least number of documents of a shard with cached fresh records. In
// smaller shards reading records is fast. It changes no answer; tests lower it.
var FreshLeast = 4096

// add adds the record of a document; rows must ascend. The record is copied. A
// record is never empty, except in a digest without records.
func (l *freshLayer) add(ord uint32, rec []byte, gone bool) {
	if l.untold = l.untold || !gone && len(rec) == 0; l.untold {
		return
	}
	var own []byte
	if !gone {
		own = append(make([]byte, 0, len(rec)), rec...)
	}
	l.ords, l.records, l.bytes = append(l.ords, ord), append(l.records, own), l.bytes+len(rec)
}

// with returns the cache after a delta.
func (f *fresh) with(l freshLayer) *fresh {
	if l.untold {
		return nil
	}
	out := &fresh{}
	if f != nil {
		out.layers = slices.Clone(f.layers)
	}
	if len(l.ords) > 0 {
		out.layers = append(out.layers, l)
	}
	out.bound()
	// As in a dictionary, a small layer is merged with the previous one.
	for n := len(out.layers); n > 1 && (n > freshLayers || len(out.layers[n-2].ords) < 4*len(out.layers[n-1].ords)); n = len(out.layers) {
		out.layers = append(out.layers[:n-2], joined(out.layers[n-2], out.layers[n-1]))
	}
	if len(out.layers) == 0 {
		return nil
	}
	sets := make([]docset.Set, len(out.layers))
	for i := range out.layers {
		sets[i] = docset.FromSorted(out.layers[i].ords)
	}
	out.docs = docset.Union(sets...)
	return out
}

// bound drops the oldest layers until the bounds hold. Newer layers do not depend on
// them.
func (f *fresh) bound() {
	docs, bytes := 0, 0
	for i := range f.layers {
		docs, bytes = docs+len(f.layers[i].ords), bytes+f.layers[i].bytes
	}
	for len(f.layers) > 0 && (docs > MaxFresh || bytes > freshBytes) {
		docs, bytes = docs-len(f.layers[0].ords), bytes-f.layers[0].bytes
		f.layers = f.layers[1:]
	}
}

// joined merges two layers.
func joined(old, fresh freshLayer) (out freshLayer) {
	i := 0
	put := func(from *freshLayer, at int) {
		out.ords, out.records = append(out.ords, from.ords[at]), append(out.records, from.records[at])
		out.bytes += len(from.records[at])
	}
	for k, ord := range fresh.ords {
		for ; i < len(old.ords) && old.ords[i] < ord; i++ {
			put(&old, i)
		}
		if i < len(old.ords) && old.ords[i] == ord {
			i++
		}
		put(&fresh, k)
	}
	for ; i < len(old.ords); i++ {
		put(&old, i)
	}
	return out
}

// FreshBytes returns the bytes of cached records.
func (c *Version) FreshBytes() (n int) {
	if f := c.fresh.Load(); f != nil {
		for i := range f.layers {
			n += f.layers[i].bytes
		}
	}
	return n
}

// read returns the record of a document. known is false if it is not cached, ok is
// false if the document has none.
func (f *fresh) read(ord uint32) (rec []byte, ok, known bool) {
	if f == nil {
		return nil, false, false
	}
	for i := len(f.layers) - 1; i >= 0; i-- {
		if at, found := slices.BinarySearch(f.layers[i].ords, ord); found {
			rec = f.layers[i].records[at]
			return rec, rec != nil, true
		}
	}
	return nil, false, false
}

// freshRoom bounds the fresh records of all shards of a node, because there may be many
// shards. Safe for concurrent use; the zero value is ready.
type freshRoom struct {
	mu sync.Mutex
	// of are the bytes of the newest versions with records, used is their sum.
	of   map[*Version]int
	used int
}

// follow records the size of a version that replaces another one. If the total exceeds
// most, it drops records, those of other shards first. 0 means no bound.
func (r *freshRoom) follow(before, c *Version, most int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.remove(before)
	n := c.FreshBytes()
	if n == 0 {
		return
	}
	if r.of == nil {
		r.of = make(map[*Version]int)
	}
	r.of[c], r.used = n, r.used+n
	if most == 0 {
		return
	}
	for other := range r.of {
		if r.used > most && other != c {
			other.fresh.Store(nil)
			r.remove(other)
		}
	}
	if r.used > most {
		c.fresh.Store(nil)
		r.remove(c)
	}
}

// forget removes a version that caches nothing any more.
func (r *freshRoom) forget(c *Version) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.remove(c)
}

// remove removes a version. The caller holds mu.
func (r *freshRoom) remove(c *Version) {
	r.used -= r.of[c]
	delete(r.of, c)
}
