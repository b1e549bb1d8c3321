package search

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"time"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/coordinator/driver"
	"shoal/coordinator/fanout"
	"shoal/coordinator/score"
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

	Sessions []*source
	match    *wire.MatchList
	attempt  *Attempt
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
	begun, sessions := time.Now(), []*source(nil)
	defer func() { c.lost.add(p.Request, time.Since(begun)-waited(sessions)) }()
	opening, s := span.Start(ctx, "open")
	sessions, err = c.Open(opening, p.Index, drive.Deadline, &drive)
	s.End()
	if err != nil {
		return nil, p.withIndexName(err)
	}
	// The cutoff bounds ranking. It excludes the time in which shards publish the version
	// first, right after a batch. It includes the work that other nodes did ahead, and the wait
	// for a node that did not answer.
	drive.Deadline = drive.Deadline.Add(waited(sessions))
	r = &Ranking{Plan: p, Sessions: sessions, attempt: c}
	executors := make([]wire.Session, len(sessions))
	for i, s := range sessions {
		executors[i] = s.front
	}
	ranking, s := span.Start(ctx, "rank")
	r.Ranked, err = driver.Run(ranking, executors, &drive)
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
	closeSources(r.Sessions)
	r.Sessions = nil
}

// EachSource runs f for the chosen sources, concurrently when there are several.
func (r *Ranking) EachSource(ctx context.Context, chosen func(i int) bool, f func(ctx context.Context, i int, s wire.Session) error) error {
	if len(r.Sessions) == 1 {
		if !chosen(0) {
			return nil
		}
		return f(ctx, 0, r.Sessions[0].front)
	}
	g, ctx := fanout.WithContext(ctx)
	for i, s := range r.Sessions {
		if chosen(i) {
			g.Go(func() error { return f(ctx, i, s.front) })
		}
	}
	return g.Wait()
}

// Ask sends each source the step that step returns for it (nil: none), to other nodes at the
// same time, and passes the answers to take.
func (r *Ranking) Ask(ctx context.Context, step func(i int) *wire.SearchStep, take func(i int, r *wire.SearchReply) error) error {
	sessions := make([]wire.Session, len(r.Sessions))
	for i, s := range r.Sessions {
		sessions[i] = s.front
	}
	return fanout.Ask(ctx, sessions, step, take)
}

// BySource lists the ordinals of some hits by source, ascending, and for each hit its position
// in that list.
func (r *Ranking) BySource(hits []driver.Hit) (ordinals [][]uint32, place []int) {
	ordinals = make([][]uint32, len(r.Sessions))
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

// distinctAgain is the second distinct pass of spec ranking 6.2. It applies a distinct
// attribute of the request once more, to the values in the documents themselves. Hits that
// share one with an earlier hit are dropped and no longer count as found.
func (r *Ranking) distinctAgain(ctx context.Context) error {
	path := r.Plan.Request.Distinct
	if path == nil || len(r.Hits) == 0 || r.Plan.legacy {
		return nil
	}
	ordinals, place := r.BySource(r.Hits)
	keys := make([][][]string, len(r.Sessions))
	err := r.Ask(ctx, func(i int) *wire.SearchStep {
		if len(ordinals[i]) == 0 {
			return nil
		}
		return &wire.SearchStep{FieldValues: &wire.FieldValuesStep{Path: *path, Ordinals: ordinals[i]}}
	}, func(i int, reply *wire.SearchReply) error {
		keys[i] = reply.FieldValues.Keys
		return nil
	})
	if err != nil {
		return err
	}
	seen := make(map[string]struct{})
	kept := make([]driver.Hit, 0, len(r.Hits))
	dropped := make([][]uint32, len(r.Sessions))
	for i, h := range r.Hits {
		values := keys[h.Source][place[i]]
		if slices.ContainsFunc(values, func(v string) bool { _, ok := seen[v]; return ok }) {
			dropped[h.Source] = append(dropped[h.Source], h.Ordinal)
			continue
		}
		for _, v := range values {
			seen[v] = struct{}{}
		}
		kept = append(kept, h)
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
		return r.EachSource(ctx, EverySource, drop)
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

// geoPoint finds a point in a criterion. Like the reference it takes fewer spellings of numbers
// than sorting does (no exponent, no plus sign), and ignores the surrounding text.
var geoPoint = func() *regexp.Regexp {
	const space, number = `[\s\v\x{85}\p{Z}]*`, `([0-9.\-]+)`
	return regexp.MustCompile(`_geoPoint\(` + space + number + space + `,` + space + number + space + `\)`)
}()

// geoFrom returns the first point in the sort criteria. Hits show their distance from it.
func geoFrom(sort []string) (filter.GeoPoint, bool) {
	for _, by := range sort {
		found := geoPoint.FindStringSubmatch(by)
		if found == nil {
			continue
		}
		lat, ok1 := filter.ParseFinite(found[1])
		lng, ok2 := filter.ParseFinite(found[2])
		return filter.GeoPoint{Lat: lat, Lng: lng}, ok1 && ok2
	}
	return filter.GeoPoint{}, false
}

// renderOptions returns the request's parameters about the form of a hit.
func (p *Plan) renderOptions() wire.RenderOptions {
	q := p.Request
	o := wire.RenderOptions{
		Retrieve: q.AttributesToRetrieve, HasRetrieve: q.AttributesToRetrieve != nil, RetrieveVectors: q.RetrieveVectors,
		Highlight: q.AttributesToHighlight, PreTag: q.HighlightPreTag, PostTag: q.HighlightPostTag,
		Crop: q.AttributesToCrop, CropLength: q.CropLength, CropMarker: q.CropMarker,
		MatchesPosition: q.ShowMatchesPosition, Locales: q.Locales, HasLocales: q.Locales != nil,
	}
	o.From, o.HasFrom = geoFrom(q.Sort)
	return o
}

// pages renders hits of the ranking, and completes what was rendered. Closing the pages closes the
// ranking.
func (r *Ranking) pages(hits []driver.Hit, complete func(ctx context.Context, hits []driver.Hit, page []api.Hit) error) *Pages {
	return NewPages(len(hits), func(ctx context.Context, from, to, room int) ([]api.Hit, bool, error) {
		out, full, err := r.Render(ctx, hits[from:to], room, nil)
		if err == nil && !full {
			err = complete(ctx, hits[from:to], out)
		}
		return out, full, err
	}, r.Close)
}

// complete adds the groups to rendered hits and follows their foreign keys.
func (r *Ranking) complete(ctx context.Context, hits []driver.Hit, page []api.Hit) error {
	if r.Plan.Request.HitsPerGroup > 1 {
		if err := r.group(ctx, hits, page); err != nil {
			return err
		}
	}
	if foreign := r.attempt.Search.foreign; foreign != nil && r.Plan.legacy {
		return foreign.hydrateEvery(ctx, r.Plan.Index, page)
	}
	return r.attempt.Hydrate(ctx, func(int) *wire.Index { return r.Plan.Index }, page)
}

// Render renders hits of the ranking in their order, in about room bytes. full tells that some
// did not fit; those have no document. With extra, be it empty, their member Federation has nothing
// but an object of those of the fields that are not retrieved.
func (r *Ranking) Render(ctx context.Context, hits []driver.Hit, room int, extra []string) (out []api.Hit, full bool, err error) {
	out = make([]api.Hit, len(hits))
	if len(hits) == 0 {
		return out, false, nil
	}
	ctx, s := span.Start(ctx, "render")
	defer s.End()
	if r.match == nil {
		list := r.Ranked.Match()
		r.match = &list
	}
	ordinals, place := r.BySource(hits)
	replies := make([]wire.FetchReply, len(r.Sessions))
	options := r.Plan.renderOptions()
	options.Extra, options.HasExtra = extra, extra != nil
	err = r.Ask(ctx, func(i int) *wire.SearchStep {
		if len(ordinals[i]) == 0 {
			return nil
		}
		share := max(1, room*len(ordinals[i])/len(hits))
		return &wire.SearchStep{Fetch: &wire.FetchStep{Ordinals: ordinals[i], Match: *r.match, Options: options, Room: share}}
	}, func(i int, reply *wire.SearchReply) error {
		replies[i] = *reply.Fetch
		return nil
	})
	if err != nil {
		return nil, false, err
	}
	for i, h := range hits {
		out[i] = r.hit(&h, &replies[h.Source].Documents[place[i]])
	}
	for i := range replies {
		full = full || replies[i].Full
	}
	return out, full, nil
}

func (r *Ranking) hit(h *driver.Hit, doc *wire.Rendered) api.Hit {
	q := r.Plan.Request
	out := api.Hit{Document: doc.Document, Formatted: doc.Formatted, MatchesPosition: doc.MatchesPosition}
	if doc.Extra != nil {
		out.Federation = &api.HitFederation{ExtraDocument: doc.Extra}
	}
	// A legacy search reranks pinned hits, too.
	out.Pinned = !r.Plan.legacy && slices.ContainsFunc(h.Details, func(d score.Detail) bool { return d.Pinned })
	if doc.HasDistance {
		out.GeoDistance = &doc.Distance
	}
	if q.ShowRankingScore {
		score := h.Details.Score()
		out.RankingScore = &score
	}
	if q.ShowRankingScoreDetails {
		out.RankingScoreDetails = h.Details.AppendJSON(nil, r.Plan.Settings)
	}
	return out
}
