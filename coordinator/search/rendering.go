package search

import (
	"context"
	"regexp"
	"slices"

	"shoal/api"
	"shoal/coordinator/driver"
	"shoal/coordinator/score"
	"shoal/query/filter"
	"shoal/wire"
	"shoal/wire/span"
)

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
	keys := r.attempt.Search.Foreign
	if r.Plan.legacy {
		return keys.HydrateEvery(ctx, r.Plan.Index, page)
	}
	return keys.Hydrate(ctx, func(int) *wire.Index { return r.Plan.Index }, page)
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
	replies := make([]wire.FetchReply, len(r.Sources))
	options := r.Plan.renderOptions()
	options.Extra, options.HasExtra = extra, extra != nil
	err = r.Sources.Ask(ctx, func(i int) *wire.SearchStep {
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
