package listing

import (
	"cmp"
	"context"
	"math"
	"slices"

	"shoal/query/filter"
	"shoal/shard/docset"
	"shoal/shard/record"
	"shoal/wire"
)

// pollEvery is the number of documents looked up between two checks of the context.
const pollEvery = 256

// margin is the distance in metres beyond the last shown document at which others
// cannot influence the buckets before it.
const margin = 3.0

// arrangement puts candidates into listing order, as far as a page needs it.
type arrangement struct {
	ctx context.Context
	ix  Index
	by  []filter.SortBy
	// The page shows the documents from from on, before to.
	from, to int
	// skipped is the number of documents before docs, which has documents with their keys.
	skipped int
	docs    []wire.Document
	keys    []wire.SortValue // of all documents of the group that is being arranged
}

// smallGroup is the number of documents of equal keys whose next keys are looked up one by
// one. It changes no answer; tests set it.
var smallGroup = 64

// arranged returns the candidates that a page shows, in listing order and with their keys,
// and others around them. skipped is the number of candidates before the first one. Behind
// the page it has those that could bring documents of other shards into it.
func arranged(ctx context.Context, ix Index, candidates docset.Set, by []filter.SortBy, from, to int) (docs []wire.Document, skipped int, err error) {
	a := &arrangement{ctx: ctx, ix: ix, by: by, from: from, to: to, keys: make([]wire.SortValue, 0, len(by))}
	if err := a.add(candidates); err != nil {
		return nil, 0, err
	}
	return a.docs[:enough(a.docs, by, to-a.skipped)], a.skipped, nil
}

// add appends the documents of a group that are equal by a.keys, or skips them.
func (a *arrangement) add(group docset.Set) error {
	at, n := a.skipped+len(a.docs), group.Len()
	switch {
	case at >= a.to || a.skip(n):
		return nil
	case len(a.keys) == len(a.by):
		a.append(group, at)
		return nil
	case a.by[len(a.keys)].Geo || n <= smallGroup:
		return a.lookUp(group)
	}
	return a.divide(group)
}

// skip skips the next n documents if all are before the page.
func (a *arrangement) skip(n int) bool {
	if a.skipped+len(a.docs)+n > a.from && n > 0 {
		return false
	}
	a.skipped += n
	return true
}

// append appends the documents of a group in their order. The first one would be at at.
func (a *arrangement) append(group docset.Set, at int) {
	order := a.ix.Order()
	list := order.First(group, min(group.Len(), a.to-at))
	if before := a.from - at; before > 0 {
		a.skipped, list = a.skipped+before, list[before:]
	}
	keys := slices.Clone(a.keys)
	for _, row := range list {
		a.docs = append(a.docs, wire.Document{Ordinal: order.Ordinal(row), Keys: keys})
	}
}

// divide divides a group by the values of the next key, which it reads in the order of the
// sort.
func (a *arrangement) divide(group docset.Set) error {
	by, depth := a.by[len(a.keys)], len(a.keys)
	docs, skipped := len(a.docs), a.skipped
	fid, _ := a.ix.FieldID(by.Field)
	d := division{rest: group, left: group.Len()}
	// With many values before them, looking up the documents' own values is cheaper.
	budget := 2 * group.Len()
	var err error
	take := func(v wire.SortValue, docs docset.Set) bool {
		if budget--; budget < 0 || a.ctx.Err() != nil {
			return false
		}
		if own := d.take(docs); !a.skip(len(own)) {
			a.keys = append(a.keys[:depth], v)
			err = a.add(docset.FromSorted(slices.Clone(own)))
		}
		return err == nil && d.left > 0 && a.skipped+len(a.docs) < a.to
	}
	walkErr := a.ix.Numbers(fid, by.Desc, func(v float64, docs docset.Set) bool {
		return take(wire.SortValue{Kind: wire.SortNumber, Number: v}, docs)
	})
	if walkErr == nil && err == nil && d.left > 0 && a.skipped+len(a.docs) < a.to && budget >= 0 {
		walkErr = a.ix.Strings(fid, by.Desc, func(v string, docs docset.Set) bool {
			return take(wire.SortValue{Kind: wire.SortString, Text: v}, docs)
		})
	}
	if err = cmp.Or(err, walkErr, a.ctx.Err()); err == nil && budget >= 0 {
		a.keys = append(a.keys[:depth], wire.SortValue{Kind: wire.SortNone})
		err = a.add(d.remaining())
	}
	a.keys = a.keys[:depth]
	if err == nil && budget < 0 {
		a.docs, a.skipped = a.docs[:docs], skipped
		err = a.lookUp(group)
	}
	return err
}

// division divides a group into disjoint sets.
type division struct {
	rest  docset.Set // the group
	left  int        // the number of its documents that were not taken
	taken []uint64   // by row, one bit each
	own   []uint32   // scratch
}

// take returns the documents of a set that belong to the group and were not taken before, in
// ascending order. The slice is valid until the next call.
func (d *division) take(docs docset.Set) []uint32 {
	const few = 8 // that many are looked up faster than a set of them is made
	own := d.own[:0]
	if docs.Len() <= few {
		for row := range docs.All() {
			if d.rest.Contains(row) {
				own = append(own, row)
			}
		}
	} else {
		own = docs.And(d.rest).AppendTo(own)
	}
	d.own = own
	if len(own) == 0 {
		return nil
	}
	if more := int(own[len(own)-1]>>6) + 1 - len(d.taken); more > 0 {
		d.taken = append(d.taken, make([]uint64, more)...)
	}
	free := own[:0]
	for _, row := range own {
		if bit := uint64(1) << (row & 63); d.taken[row>>6]&bit == 0 {
			d.taken[row>>6] |= bit
			free = append(free, row)
		}
	}
	d.left -= len(free)
	return free
}

// remaining returns the documents that were not taken.
func (d *division) remaining() docset.Set {
	if d.left == 0 {
		return docset.Set{}
	}
	free := make([]uint32, 0, d.left)
	for row := range d.rest.All() {
		if int(row>>6) >= len(d.taken) || d.taken[row>>6]&(1<<(row&63)) == 0 {
			free = append(free, row)
		}
	}
	return docset.FromSorted(free)
}

// lookUp appends the documents of a group by their own values.
func (a *arrangement) lookUp(group docset.Set) error {
	docs, err := keyed(a.ctx, a.ix, group, a.by, a.keys)
	if err != nil {
		return err
	}
	wire.ArrangeDocuments(docs, a.by)
	a.docs = append(a.docs, docs...)
	return nil
}

// keyed looks up the sort keys of documents, whose first ones are known.
func keyed(ctx context.Context, ix Index, set docset.Set, by []filter.SortBy, known []wire.SortValue) ([]wire.Document, error) {
	docs := make([]wire.Document, 0, set.Len())
	fids := make([]uint16, len(by))
	for i, s := range by {
		if !s.Geo {
			fids[i], _ = ix.FieldID(s.Field)
		}
	}
	keys := make([]wire.SortValue, set.Len()*len(by))
	order := ix.Order()
	for row := range set.All() {
		v, ok, err := ix.Values(row)
		if len(docs)%pollEvery == 0 && err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		own := keys[:len(by):len(by)]
		keys = keys[len(by):]
		copy(own, known)
		for i := len(known); i < len(by); i++ {
			switch {
			case !ok:
				own[i].Kind = wire.SortNone
			case by[i].Geo:
				own[i] = distance(v, by[i].Point)
			default:
				own[i] = best(v, fids[i], by[i].Desc)
			}
		}
		docs = append(docs, wire.Document{Ordinal: order.Ordinal(row), Keys: own})
	}
	return docs, nil
}

func distance(v record.Values, from filter.GeoPoint) wire.SortValue {
	p, ok := v.Point()
	if !ok {
		return wire.SortValue{Kind: wire.SortNone}
	}
	return wire.SortValue{Kind: wire.SortNumber, Number: filter.GeoDistance(from, filter.GeoPoint{Lat: p.Lat, Lng: p.Lng})}
}

// best returns the value that a document is sorted by: its smallest number, or the
// largest if descending, else its smallest or largest string (spec ranking 5.8).
func best(v record.Values, fid uint16, desc bool) wire.SortValue {
	f, ok := v.Field(fid)
	switch {
	case ok && f.NumberCount() > 0 && desc:
		return wire.SortValue{Kind: wire.SortNumber, Number: f.Number(f.NumberCount() - 1)}
	case ok && f.NumberCount() > 0:
		return wire.SortValue{Kind: wire.SortNumber, Number: f.Number(0)}
	case !ok || f.StringCount() == 0:
		return wire.SortValue{Kind: wire.SortNone}
	}
	var text []byte
	for form := range f.Strings() {
		if text = form; !desc {
			break
		}
	}
	return wire.SortValue{Kind: wire.SortString, Text: string(text)}
}

// enough returns how many of the arranged documents the front needs to determine the
// first n over all shards.
func enough(docs []wire.Document, by []filter.SortBy, n int) int {
	n = min(n, len(docs))
	if n == len(docs) || n == 0 {
		return n
	}
	geo := slices.IndexFunc(by, func(s filter.SortBy) bool { return s.Geo })
	if geo < 0 {
		return n
	}
	// Buckets of distances depend on all documents before them: those equal in the
	// earlier elements and near enough must be known.
	last := docs[n-1].Keys
	for n < len(docs) && slices.Equal(docs[n].Keys[:geo], last[:geo]) {
		k := docs[n].Keys[geo]
		if k.Kind != last[geo].Kind || k.Kind != wire.SortNone && math.Abs(k.Number-last[geo].Number) > margin {
			break
		}
		n++
	}
	return n
}
