package listing

import (
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

// arranged returns at least the first n candidates in listing order, with their keys.
// It returns more if documents of other shards could bring them among the first n.
func arranged(ctx context.Context, ix Index, candidates docset.Set, by []filter.SortBy, n int) ([]wire.Document, error) {
	if len(by) == 0 {
		docs := make([]wire.Document, 0, n)
		order := ix.Order()
		for _, row := range order.First(candidates, n) {
			docs = append(docs, wire.Document{Ordinal: order.Ordinal(row)})
		}
		return docs, nil
	}
	head := candidates
	if !by[0].Geo {
		var err error
		if head, err = leading(ctx, ix, candidates, by[0], n); err != nil {
			return nil, err
		}
	}
	docs, err := keyed(ctx, ix, head, by)
	if err != nil {
		return nil, err
	}
	wire.ArrangeDocuments(docs, by)
	return docs[:enough(docs, by, n)], nil
}

// leading returns the documents that come first by one sort element, in whole groups of
// equals, at least n if there are that many.
func leading(ctx context.Context, ix Index, candidates docset.Set, by filter.SortBy, n int) (docset.Set, error) {
	if candidates.Len() <= 2*n {
		return candidates, nil
	}
	fid, _ := ix.FieldID(by.Field)
	found, count := []docset.Set(nil), 0
	rest := candidates
	// With many values before them, looking up the candidates' own values is cheaper.
	budget := 2 * candidates.Len()
	take := func(docs docset.Set) bool {
		if budget--; budget < 0 || ctx.Err() != nil {
			return false
		}
		if got := docs.And(rest); !got.Empty() {
			found = append(found, got)
			rest = rest.AndNot(got)
			count += got.Len()
		}
		return count < n
	}
	if err := ix.Numbers(fid, by.Desc, func(_ float64, docs docset.Set) bool { return take(docs) }); err != nil {
		return docset.Set{}, err
	}
	if count < n && budget >= 0 {
		if err := ix.Strings(fid, by.Desc, func(_ string, docs docset.Set) bool { return take(docs) }); err != nil {
			return docset.Set{}, err
		}
	}
	if err := ctx.Err(); err != nil {
		return docset.Set{}, err
	}
	if count < n {
		return candidates, nil // the budget is spent, or the rest has no value
	}
	return docset.Union(found...), nil
}

// keyed looks up the sort keys of documents.
func keyed(ctx context.Context, ix Index, set docset.Set, by []filter.SortBy) ([]wire.Document, error) {
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
		for i := range own {
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
