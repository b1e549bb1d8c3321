package search

import (
	"context"
	"slices"
	"time"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/coordinator/search/facets"
	"shoal/coordinator/search/sources"
	"shoal/query"
	"shoal/query/filter"
	"shoal/text"
	"shoal/text/language"
	"shoal/wire"
)

// facetSearchHits is the number of hits that a facet search ranks (spec ranking 7.3). With a
// threshold its candidates depend on it.
const facetSearchHits = 20

// FacetSearch answers a facet search.
func (s *Search) FacetSearch(ctx context.Context, uid string, r *api.FacetSearchRequest) (*api.FacetSearchResponse, error) {
	begun := time.Now()
	var values []api.FacetValue
	err := s.Attempt(ctx, func(cut *Attempt) (err error) {
		values, err = cut.facetSearch(ctx, uid, r)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &api.FacetSearchResponse{
		FacetHits: values, FacetQuery: r.FacetQuery, ProcessingTimeMs: uint64(time.Since(begun).Milliseconds()),
	}, nil
}

// candidatesOf returns the search whose candidates a facet search counts.
func candidatesOf(r *api.FacetSearchRequest) *api.SearchRequest {
	q := r.SearchRequest
	q.Limit = facetSearchHits
	if r.ExhaustiveFacetCount {
		q.Page = new(uint64)
	}
	return &q
}

func (c *Attempt) facetSearch(ctx context.Context, uid string, r *api.FacetSearchRequest) ([]api.FacetValue, error) {
	x, err := c.Index(uid)
	if err != nil {
		return nil, err
	}
	p := &Plan{Index: x, Settings: x.DecodedSettings(), Request: candidatesOf(r), bare: true, unpinned: true}
	if err := p.CheckKind(); err != nil {
		return nil, err
	}
	parsed, err := c.ParseFilter(r.Filter)
	if err != nil {
		return nil, err
	}
	resolved, err := c.Search.Foreign.Resolve(ctx, x, parsed)
	if err != nil {
		return nil, err
	}
	if p.written, err = writtenFilter(r.Filter, parsed, resolved); err != nil {
		return nil, err
	}
	if err := p.gateMedia(c.Search.features()); err != nil {
		return nil, err
	}
	if err := c.embedSemantic(ctx, p); err != nil {
		return nil, err
	}
	if !p.Settings.FacetSearch {
		return nil, apierr.FacetSearchDisabled()
	}
	if _, _, err := query.SearchOn(r.AttributesToSearchOn, p.Settings, x.Fields); err != nil {
		return nil, err
	}
	if err := c.applySettings(p, resolved); err != nil {
		return nil, err
	}
	if p.semantic != nil {
		// Vectors select no documents, so the whole filtered universe counts. A query that
		// could not be embedded was refused above.
		p.semantic, p.Drive.Keywords, p.Drive.Threshold = nil, nil, nil
	}
	ranking, err := c.Rank(ctx, p)
	if err != nil {
		return nil, resolved.Reworded(err, p.Settings)
	}
	defer ranking.Close()
	if err := filter.CheckFacetSearch(r.FacetName, p.Settings); err != nil {
		return nil, err
	}
	fid, known := x.FieldID(r.FacetName)
	if !known {
		return nil, nil
	}
	return ranking.facetValues(ctx, c.facetStep(p, r, fid))
}

// facetStep tells the shards how to compare the values of a facet with the query.
func (c *Attempt) facetStep(p *Plan, r *api.FacetSearchRequest, fid uint16) *wire.FacetSearchStep {
	step := &wire.FacetSearchStep{
		Field: fid, Max: p.Settings.MaxValuesPerFacet, ByCount: filter.FacetByCount(p.Settings, r.FacetName),
		Locales: query.LocalesOf(p.Settings, r.FacetName),
	}
	if r.FacetQuery == nil {
		return step
	}
	step.Match = wire.FacetPrefix
	step.Query = text.FacetSearchForm(*r.FacetQuery, facetLocales(step.Locales, r.Locales))
	tolerance := &p.Settings.TypoTolerance
	if !tolerance.Enabled || slices.ContainsFunc(tolerance.DisableOnAttributes, func(a string) bool { return filter.Below(r.FacetName, a) }) {
		return step
	}
	switch size := len(step.Query); {
	case c.Search.lexis(p.Index).ExactWord(step.Query):
		step.Match = wire.FacetWhole
	case size >= tolerance.TwoTypos:
		step.Typos = 2
	case size >= tolerance.OneTypo:
		step.Typos = 1
	}
	return step
}

// facetLocales returns the languages of a facet query: those of the facet's rule, limited to
// those of the request if it names any.
func facetLocales(rule, request []string) []language.Language {
	var list []language.Language
	for _, code := range rule {
		if l, ok := language.ParseLanguage(code); ok && (request == nil || namesLanguage(request, l)) {
			list = append(list, l)
		}
	}
	return list
}

func namesLanguage(codes []string, l language.Language) bool {
	return slices.ContainsFunc(codes, func(code string) bool {
		other, ok := language.ParseLanguage(code)
		return ok && other == l
	})
}

// facetValues asks all shards for the matching values and for their labels.
func (r *Ranking) facetValues(ctx context.Context, step *wire.FacetSearchStep) ([]api.FacetValue, error) {
	replies := make([]*wire.FacetSearchReply, len(r.Sources))
	err := r.Sources.Each(ctx, sources.Every, func(ctx context.Context, i int, s wire.Session) error {
		reply, err := s.Step(ctx, &wire.SearchStep{FacetSearch: step})
		if err == nil {
			replies[i] = reply.FacetSearch
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	found := facets.MergeSearch(replies, step.ByCount, step.Max)
	forms := found.Forms()
	labels := make([][]wire.FacetLabel, len(r.Sources))
	err = r.Sources.Each(ctx, func(int) bool { return len(forms) > 0 }, func(ctx context.Context, i int, s wire.Session) error {
		ask := &wire.FacetLabelsStep{Field: step.Field, Forms: forms, Whole: true}
		reply, err := s.Step(ctx, &wire.SearchStep{FacetLabels: ask})
		if err == nil {
			labels[i] = reply.FacetLabels.Labels
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, list := range labels {
		for k, l := range list {
			found.Label(k, l)
		}
	}
	return found.Values(), nil
}
