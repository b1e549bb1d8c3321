package search

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/coordinator/driver"
	"shoal/coordinator/search/sources"
	"shoal/query/filter"
	"shoal/wire"
	"shoal/wire/span"
)

// Ranking is a ranked search with its sessions still open, for pages, facets and federated
// merges. Close it. Not safe for concurrent use.
type Ranking struct {
	Plan   *Plan
	Ranked *driver.Ranked
	// Hits are the hits from the first one to the end of the window, after the second distinct
	// pass and without pinned ones. Total is the number of documents found.
	Hits  []driver.Hit
	Total uint64

	// Sources are open until Close.
	Sources sources.Set
	match   *wire.MatchList
	attempt *Attempt
	// Vector is the vector that documents were compared with, nil for none.
	Vector []float32
}

// Rank runs a plan on the shards of its index.
func (c *Attempt) Rank(ctx context.Context, p *Plan) (*Ranking, error) {
	r, err := c.RankForMerge(ctx, p)
	if err != nil {
		return nil, err
	}
	if err := r.distinctAgain(ctx); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// RankForMerge is Rank without the second distinct pass, which federated searches make over
// the merged list, and only for the distinct attribute of the federation.
func (c *Attempt) RankForMerge(ctx context.Context, p *Plan) (*Ranking, error) {
	if p.badSort != nil {
		return nil, c.refuseSort(ctx, p)
	}
	p, err := c.withRules(ctx, p)
	if err != nil {
		return nil, err
	}
	return c.rankScaled(ctx, p)
}

// rankBy runs one of the plans of a search.
func (c *Attempt) rankBy(ctx context.Context, p *Plan, drive driver.Plan) (r *Ranking, err error) {
	drive.Pins, drive.Scaling = p.pins, p.scaling
	drive.Words = c.Search.words.of(p.Index)
	drive.Recall()
	// A successful ranking is lost too when a later step fails.
	begun, opened := time.Now(), sources.Set(nil)
	defer func() { c.lost.add(p.Request, time.Since(begun)-opened.Waited()) }()
	opening, s := span.Start(ctx, "open")
	opened, err = c.sources.Open(opening, p.Index, drive.Deadline, &drive)
	s.End()
	if err != nil {
		return nil, p.withIndexName(err)
	}
	// The cutoff bounds ranking. It excludes the time in which shards publish the version
	// first, right after a batch. It includes the work that other nodes did ahead, and the wait
	// for a node that did not answer.
	drive.Deadline = drive.Deadline.Add(opened.Waited())
	r = &Ranking{Plan: p, Sources: opened, attempt: c}
	ranking, s := span.Start(ctx, "rank")
	r.Ranked, err = driver.Run(ranking, opened.Sessions(), &drive)
	s.End()
	if err == nil {
		r.Ranked.MakeRoom(drive.Length)
		r.Hits, r.Total = r.Ranked.Hits, r.Ranked.Total
	}
	if err != nil {
		r.Close()
		return nil, p.withIndexName(err)
	}
	return r, nil
}

// refuseSort returns the error of the sort criteria, or the error of evaluating the filter if
// there is one. Nothing is ranked.
func (c *Attempt) refuseSort(ctx context.Context, p *Plan) error {
	r, err := c.rankBy(ctx, p, driver.Plan{Filter: p.Drive.Filter, MaxTotalHits: p.Drive.MaxTotalHits, Deadline: p.Drive.Deadline})
	if err != nil {
		return err
	}
	r.Close()
	return p.named(p.badSort)
}

// withIndexName names the index in errors that are meant for the client.
func (p *Plan) withIndexName(err error) error {
	var client *apierr.Error
	if errors.As(err, &client) {
		return p.named(client)
	}
	return err
}

// Close closes the sessions. It is idempotent.
func (r *Ranking) Close() {
	r.Sources.Close()
	r.Sources = nil
}

// BySource lists the ordinals of some hits by source, ascending, and for each hit its position
// in that list.
func (r *Ranking) BySource(hits []driver.Hit) (ordinals [][]uint32, place []int) {
	ordinals = make([][]uint32, len(r.Sources))
	for _, h := range hits {
		ordinals[h.Source] = append(ordinals[h.Source], h.Ordinal)
	}
	for _, list := range ordinals {
		slices.Sort(list)
	}
	place = make([]int, len(hits))
	for i, h := range hits {
		place[i], _ = slices.BinarySearch(ordinals[h.Source], h.Ordinal)
	}
	return ordinals, place
}

// Found lists the documents that count as found, by source.
func (r *Ranking) Found(ctx context.Context) ([][]uint32, error) {
	lists := make([][]uint32, len(r.Sources))
	err := r.Sources.Each(ctx, sources.Every, func(ctx context.Context, i int, s wire.Session) error {
		take := &wire.TakeStep{Level: wire.WholeUniverse, Hi: wire.AllItems, Limit: wire.AllItems}
		reply, err := s.Step(ctx, &wire.SearchStep{Take: take})
		if err == nil {
			lists[i] = reply.Take.Ordinals
		}
		return err
	})
	return lists, err
}

// Of returns a ranking of no hits that found just some documents, given by source, total in
// number. It has sources of its own; close it. r must not be closed before.
func (r *Ranking) Of(ctx context.Context, documents []*roaring.Bitmap, total uint64) (*Ranking, error) {
	opened, err := r.attempt.sources.Open(ctx, r.Plan.Index, r.Plan.Drive.Deadline.Add(DefaultCutoff), nil)
	if err != nil {
		return nil, err
	}
	err = opened.Each(ctx, sources.Every, func(ctx context.Context, i int, s wire.Session) error {
		if _, err := s.Step(ctx, &wire.SearchStep{Begin: &wire.BeginStep{}}); err != nil {
			return err
		}
		_, err := s.Step(ctx, &wire.SearchStep{Narrow: &wire.NarrowStep{Ordinals: documents[i].ToArray()}})
		return err
	})
	if err != nil {
		opened.Close()
		return nil, err
	}
	return &Ranking{Plan: r.Plan, Ranked: r.Ranked, Total: total, Sources: opened, attempt: r.attempt}, nil
}

// FieldValues reads the values that hits have at a path of their documents, as texts that are
// equal for equal values.
func (r *Ranking) FieldValues(ctx context.Context, path string, hits []driver.Hit) ([][]string, error) {
	ordinals, place := r.BySource(hits)
	replies := make([][][]string, len(r.Sources))
	err := r.Sources.Ask(ctx, func(i int) *wire.SearchStep {
		if len(ordinals[i]) == 0 {
			return nil
		}
		return &wire.SearchStep{FieldValues: &wire.FieldValuesStep{Path: path, Ordinals: ordinals[i]}}
	}, func(i int, reply *wire.SearchReply) error {
		replies[i] = reply.FieldValues.Keys
		return nil
	})
	if err != nil {
		return nil, err
	}
	keys := make([][]string, len(hits))
	for i := range hits {
		keys[i] = replies[hits[i].Source][place[i]]
	}
	return keys, nil
}

// distinctAgain is the second distinct pass of spec ranking 6.2. It applies a distinct
// attribute of the request once more, to the values in the documents themselves. Hits that
// share one with an earlier hit are dropped and no longer count as found.
func (r *Ranking) distinctAgain(ctx context.Context) error {
	path := r.Plan.Request.Distinct
	if path == nil || len(r.Hits) == 0 || r.Plan.legacy {
		return nil
	}
	keys, err := r.FieldValues(ctx, *path, r.Hits)
	if err != nil {
		return err
	}
	seen := DistinctKeys{}
	kept := make([]driver.Hit, 0, len(r.Hits))
	dropped := make([][]uint32, len(r.Sources))
	for i, h := range r.Hits {
		if seen.Keep(keys[i]) {
			kept = append(kept, h)
		} else {
			dropped[h.Source] = append(dropped[h.Source], h.Ordinal)
		}
	}
	return r.forget(ctx, kept, dropped)
}

// forget removes dropped hits from the candidates. With exact totals some of them are none: another
// document stands for their value.
func (r *Ranking) forget(ctx context.Context, kept []driver.Hit, dropped [][]uint32) error {
	r.Total -= min(r.Total, uint64(len(r.Hits)-len(kept)))
	r.Hits = kept
	drop := func(ctx context.Context, i int, s wire.Session) error {
		if len(dropped[i]) == 0 {
			return nil
		}
		slices.Sort(dropped[i])
		_, err := s.Step(ctx, &wire.SearchStep{Drop: &wire.DropStep{Listed: true, Ordinals: dropped[i]}})
		return err
	}
	if !r.Plan.Drive.Exhaustive || r.Vector != nil {
		return r.Sources.Each(ctx, sources.Every, drop)
	}
	total, err := r.countCandidates(ctx, drop)
	if err != nil {
		return err
	}
	r.Total = total
	for i := range r.Ranked.Pinned {
		if r.Ranked.Pinned[i].Counted {
			r.Total++
		}
	}
	return nil
}

// respond makes the answer of a single search: the window of the hits, rendered up to room
// bytes, and the facets. If the answer has More hits, closing them closes the ranking.
// Otherwise, and on error, the caller closes it.
func (r *Ranking) respond(ctx context.Context, room int) (*api.SearchResponse, error) {
	q := r.Plan.Request
	from, to := q.Window()
	facets := len(q.Facets) > 0
	if r.Plan.legacy {
		facets = q.Facets != nil
	}
	if facets && !r.Plan.legacy { // a fault of theirs is named before one of foreign keys
		if err := filter.CheckFacets(q.Facets, r.Plan.Settings); err != nil {
			return nil, err
		}
	}
	all := r.Ranked.Placed(r.Hits, r.Plan.Drive.Length)
	n := uint64(len(all))
	window := all[min(from, n):max(min(from, n), min(to, n))]
	pages := r.pages(window, r.complete)
	hits, err := pages.Fill(ctx, room)
	if err != nil {
		return nil, err
	}
	answer := &api.SearchResponse{
		Hits: hits, More: pages.More(),
		Pagination: r.Plan.pagination(r.Total), PrimaryKey: r.Plan.Index.PrimaryKey, InlineRule: r.Plan.InlineRule, Degraded: r.Ranked.Degraded,
		Deadline: r.Plan.Drive.Deadline,
	}
	if q.Q != nil {
		answer.Query = *q.Q
	}
	if len(r.Ranked.Reached) > 0 { // hits before the page count, too
		window = r.Hits
	}
	answer.SemanticHitCount = r.Plan.semanticHits(window)
	if q.RetrieveVectors {
		answer.QueryVector = r.Vector
	}
	if facets {
		if answer.Facets, err = r.Facets(ctx, q.Facets); err != nil {
			return nil, err
		}
	}
	return answer, nil
}

// pagination returns the request's window with the number of documents found. A legacy search
// never counts more than it may show, nor begins beyond that (spec ranking 6.2).
func (p *Plan) pagination(total uint64) api.Pagination {
	out := p.Request.Pagination(total)
	if p.legacy {
		most := uint64(p.Settings.MaxTotalHits)
		out.Total, out.Offset = min(out.Total, most), min(out.Offset, most)
	}
	return out
}
