package federated

import (
	"context"

	"github.com/RoaringBitmap/roaring/v2"

	"shoal/api/apierr"
	"shoal/coordinator/driver"
	"shoal/coordinator/merge"
	"shoal/coordinator/search"
	"shoal/query/filter"
	"shoal/wire"
)

// unite counts the documents that any query of an index found. For facets it opens sources
// that hold them.
func (j *job) unite(ctx context.Context, x *localIndex) error {
	x.total = x.rankings[0].Total
	if len(x.rankings) == 1 {
		return nil
	}
	sets := make([]*roaring.Bitmap, len(x.rankings[0].Sources))
	for i := range sets {
		sets[i] = roaring.New()
	}
	for _, r := range x.rankings {
		lists, err := r.Found(ctx)
		if err != nil {
			return err
		}
		for i, list := range lists {
			sets[i].AddMany(list)
		}
		for _, p := range r.Ranked.Pinned {
			if p.Counted {
				sets[p.Source].Add(p.Ordinal)
			}
		}
	}
	x.total, x.counted = 0, sets
	for _, set := range sets {
		x.total += set.GetCardinality()
	}
	if len(j.facets[x.record.UID]) == 0 && j.request.Federation.Distinct == nil {
		return nil
	}
	var err error
	x.union, err = x.rankings[0].Of(ctx, sets, x.total)
	return err
}

// prepareFacets counts the requested facets over what the index found.
func (j *job) prepareFacets(ctx context.Context, x *localIndex) error {
	entries := j.facets[x.record.UID]
	if entries == nil {
		return nil // an empty list gets an empty entry in the answer
	}
	if err := filter.CheckFacets(entries, x.record.DecodedSettings()); err != nil {
		if j.bare {
			return err
		}
		return j.at(&x.queries[0], apierr.InsideFacets(x.record.UID, true, err))
	}
	facets, err := x.found().Facets(ctx, entries)
	x.facets = facets
	return err
}

// distinctInIndex applies federation.distinct to the merged list of one index and cuts it after
// the last hit that a page can show. Duplicates after that place are not looked for; they still
// count (spec search-api 9.3).
func (j *job) distinctInIndex(ctx context.Context, x *localIndex) error {
	path := j.request.Federation.Distinct
	_, limit := j.request.Federation.Window()
	limit = min(limit, uint64(x.record.DecodedSettings().MaxTotalHits))
	if path == nil || len(x.rankings) == 1 { // a single query has applied it already
		x.makeRoom(limit)
		return nil
	}
	hits := make([]driver.Hit, len(x.merged))
	for i := range x.merged {
		hits[i] = x.hits[x.merged[i].Ref].hit
	}
	keys, err := x.found().FieldValues(ctx, *path, hits)
	if err != nil {
		return err
	}
	seen := search.DistinctKeys{}
	var kept []merge.Ranked
	var dropped []driver.Hit
	for i := range x.merged {
		if uint64(len(kept)) == limit {
			break
		}
		if seen.Keep(keys[i]) {
			kept = append(kept, x.merged[i])
		} else {
			dropped = append(dropped, hits[i])
		}
	}
	x.merged = kept
	x.makeRoom(limit)
	return x.drop(ctx, dropped)
}

// drop removes rejected hits from what the index found. With exact totals some are not counted.
func (x *localIndex) drop(ctx context.Context, dropped []driver.Hit) error {
	if len(dropped) == 0 {
		return nil
	}
	for i := range dropped {
		if x.counted[dropped[i].Source].CheckedRemove(dropped[i].Ordinal) {
			x.total--
		}
	}
	r := x.found()
	r.Total = x.total
	ordinals, _ := r.BySource(dropped)
	return r.Sources.Each(ctx, func(i int) bool { return len(ordinals[i]) > 0 }, func(ctx context.Context, i int, s wire.Session) error {
		_, err := s.Step(ctx, &wire.SearchStep{Drop: &wire.DropStep{Listed: true, Ordinals: ordinals[i]}})
		return err
	})
}
