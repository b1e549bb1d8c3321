package version

import (
	"slices"

	"shoal/shard/docset"
)

// fresh keeps the token records of documents that changed lately: until they have
// columns every search reads them, each from a block of the store of its own.
// Immutable; nil keeps nothing.
type fresh struct {
	// layers are what one delta changed after the other, the oldest first.
	layers []freshLayer
	docs   docset.Set
}

// freshLayer are records by ordinal, ascending; one that is nil is gone.
type freshLayer struct {
	ords    []uint32
	records [][]byte
	bytes   int
	// untold: the delta does not tell the records.
	untold bool
}

const (
	// freshBytes bounds what is kept of a shard, freshLayers in how many pieces.
	freshBytes, freshLayers = 12 << 20, 8
	// MaxFresh is the number of documents whose records are kept at most.
	MaxFresh = 12 << 10
)

// FreshLeast is the number of documents of a shard from which on fresh records are kept:
// those of smaller ones are soon read. It changes no answer; tests lower it.
var FreshLeast = 4096

// add notes the record of a document; ordinals ascend. The record is copied. Records are
// never empty: that of a digest without them is.
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

// with returns what is kept after a delta.
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
	// Like the runs of a dictionary: a small layer is joined to the one before.
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

// bound lets the oldest layers go until the bounds hold: newer ones do not need them.
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

// joined returns two layers as one.
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

// FreshBytes is what the records take of documents that changed lately.
func (c *Version) FreshBytes() (n int) {
	if f := c.fresh.Load(); f != nil {
		for i := range f.layers {
			n += f.layers[i].bytes
		}
	}
	return n
}

// read returns the record of a document; known is false when it is not kept, ok when the
// document has none.
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
