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

// unite counts the documents that any query of an index found. For facets it opens sessions
// that hold them.
func (j *job) unite(ctx context.Context, cut *search.Attempt, x *localIndex) error {
	x.total = x.rankings[0].Total
	if len(x.rankings) == 1 {
		return nil
	}
	sets := make([]*roaring.Bitmap, len(x.rankings[0].Sessions))
	for i := range sets {
		sets[i] = roaring.New()
	}
	for _, r := range x.rankings {
		lists := make([][]uint32, len(sets))
		err := r.EachSource(ctx, search.EverySource, func(ctx context.Context, i int, s wire.Session) error {
			take := &wire.TakeStep{Level: wire.WholeUniverse, Hi: wire.AllItems, Limit: wire.AllItems}
			reply, err := s.Step(ctx, &wire.SearchStep{Take: take})
			if err == nil {
				lists[i] = reply.Take.Ordinals
			}
			return err
		})
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
	return x.openUnion(ctx, cut, sets)
}

// openUnion opens sessions without a query, narrowed to the given documents.
func (x *localIndex) openUnion(ctx context.Context, cut *search.Attempt, sets []*roaring.Bitmap) error {
	first := x.rankings[0]
	sessions, err := cut.Open(ctx, x.record, first.Plan.Drive.Deadline.Add(search.DefaultCutoff), nil)
	if err != nil {
		return err
	}
	x.union = &search.Ranking{Plan: first.Plan, Ranked: first.Ranked, Total: x.total, Sessions: sessions}
	return x.union.EachSource(ctx, search.EverySource, func(ctx context.Context, i int, s wire.Session) error {
		if _, err := s.Step(ctx, &wire.SearchStep{Begin: &wire.BeginStep{}}); err != nil {
			return err
		}
		_, err := s.Step(ctx, &wire.SearchStep{Narrow: &wire.NarrowStep{Ordinals: sets[i].ToArray()}})
		return err
	})
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

// keysOf reads the values that hits have at a path, as texts that are equal for equal values.
func (x *localIndex) keysOf(ctx context.Context, path string, hits []localHit) ([][]string, error) {
	r := x.found()
	plain := make([]driver.Hit, len(hits))
	for i := range hits {
		plain[i] = hits[i].hit
	}
	ordinals, place := r.BySource(plain)
	replies := make([][][]string, len(ordinals))
	err := r.EachSource(ctx, func(i int) bool { return len(ordinals[i]) > 0 }, func(ctx context.Context, i int, s wire.Session) error {
		reply, err := s.Step(ctx, &wire.SearchStep{FieldValues: &wire.FieldValuesStep{Path: path, Ordinals: ordinals[i]}})
		if err == nil {
			replies[i] = reply.FieldValues.Keys
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	keys := make([][]string, len(hits))
	for i, h := range plain {
		keys[i] = replies[h.Source][place[i]]
	}
	return keys, nil
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
	hits := make([]localHit, len(x.merged))
	for i := range x.merged {
		hits[i] = x.hits[x.merged[i].Ref]
	}
	keys, err := x.keysOf(ctx, *path, hits)
	if err != nil {
		return err
	}
	seen := search.DistinctKeys{}
	var kept []merge.Ranked
	var dropped []localHit
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
func (x *localIndex) drop(ctx context.Context, dropped []localHit) error {
	if len(dropped) == 0 {
		return nil
	}
	for i := range dropped {
		if x.counted[dropped[i].hit.Source].CheckedRemove(dropped[i].hit.Ordinal) {
			x.total--
		}
	}
	r := x.found()
	r.Total = x.total
	plain := make([]driver.Hit, len(dropped))
	for i := range dropped {
		plain[i] = dropped[i].hit
	}
	ordinals, _ := r.BySource(plain)
	return r.EachSource(ctx, func(i int) bool { return len(ordinals[i]) > 0 }, func(ctx context.Context, i int, s wire.Session) error {
		_, err := s.Step(ctx, &wire.SearchStep{Drop: &wire.DropStep{Listed: true, Ordinals: ordinals[i]}})
		return err
	})
}
