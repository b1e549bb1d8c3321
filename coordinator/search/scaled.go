package search

import (
	"context"
	"slices"

	"shoal/coordinator/driver"
	"shoal/coordinator/merge"
	"shoal/coordinator/score"
	"shoal/query/rule"
	"shoal/wire"
	"shoal/wire/span"
)

// mostWeights bounds the different weights of the documents of a search. Each weight is ranked
// separately. With more weights, the least important scales are dropped.
const mostWeights = 32

// rankScaled runs a plan whose documents have weights. One ranking of all documents determines
// what was found and which pins are in scope. The order comes from a ranking for each weight,
// merged by score times weight (spec search-api 14).
func (c *Attempt) rankScaled(ctx context.Context, p *Plan) (*Ranking, error) {
	if p.scaling == nil {
		return c.rankByKind(ctx, p)
	}
	ctx, s := span.Start(ctx, "scaled")
	defer s.End()
	q := *p
	q.Drive.Unscored = false
	for {
		all, err := c.rankByKind(ctx, &q)
		if err != nil {
			return nil, err
		}
		if len(all.Ranked.Weights) <= mostWeights {
			if err = c.orderScaled(ctx, all); err == nil {
				return all, nil
			}
		}
		all.Close()
		if err != nil {
			return nil, err
		}
		fewer := *q.scaling
		fewer.Sets = fewer.Sets[:len(fewer.Sets)/2]
		q.scaling = &fewer
	}
}

// orderScaled sorts the hits of a ranking of all documents by score times weight.
func (c *Attempt) orderScaled(ctx context.Context, all *Ranking) error {
	weights := all.Ranked.Matched
	if all.Plan.semantic != nil {
		weights = all.Ranked.Weights // vectors find more documents than words do
	}
	if len(weights) <= 1 {
		if len(weights) == 1 {
			mark(all.Hits, weights[0])
		}
		return all.nameScales(ctx)
	}
	var parts []*Ranking
	defer func() {
		for _, r := range parts {
			r.Close()
		}
	}()
	for _, w := range weights {
		part, err := c.rankPart(ctx, all, w)
		if err != nil {
			return err
		}
		parts = append(parts, part)
		mark(part.Hits, w)
		all.Ranked.Degraded = all.Ranked.Degraded || part.Ranked.Degraded
	}
	if err := all.take(ctx, parts); err != nil {
		return err
	}
	return all.nameScales(ctx)
}

// rankPart ranks the documents of one weight, by the same means as all were ranked.
func (c *Attempt) rankPart(ctx context.Context, all *Ranking, weight float64) (*Ranking, error) {
	p := *all.Plan
	only := *p.scaling
	only.Only = &weight
	p.scaling, p.Drive.Show, p.Drive.Facets = &only, nil, nil
	switch {
	case all.Vector == nil:
		return c.rankBy(ctx, &p, p.Drive)
	case p.Kind == rule.Semantic:
		return c.rankByVector(ctx, &p, all.Vector)
	}
	keyword, err := c.rankBy(ctx, &p, p.Drive)
	if err != nil {
		return nil, err
	}
	defer keyword.Close()
	semantic, err := c.rankByVector(ctx, &p, all.Vector)
	if err == nil {
		if err = semantic.join(ctx, keyword); err != nil {
			semantic.Close()
			return nil, err
		}
	}
	return semantic, err
}

// mark appends the weight of hits to their details. Details are shared, so it copies them.
func mark(hits []driver.Hit, weight float64) {
	if weight == 1 {
		return
	}
	for i := range hits {
		hits[i].Details = append(slices.Clip(hits[i].Details), score.Detail{Weight: weight})
	}
}

// take merges the hits of the parts, each of one weight, and makes them those of r.
func (r *Ranking) take(ctx context.Context, parts []*Ranking) error {
	lists, hits := make([][]merge.Ranked, len(parts)), []driver.Hit(nil)
	for i, part := range parts {
		for _, h := range part.Hits {
			weight := r.sideWeight(&h)
			lists[i] = append(lists[i], merge.Ranked{
				Values: merge.Values(h.Details, weight), Global: h.Details.Score() * h.Details.Weight() * weight,
				Query: uint64(h.Ordinal), Ref: len(hits),
			})
			hits = append(hits, h)
		}
	}
	values, err := r.valuesOf(ctx, hits)
	if err != nil {
		return err
	}
	taken, fresh := DistinctKeys{}, wire.DistinctValues{}
	keep := func(m *merge.Ranked) bool { return taken.keepValues(values[DocumentOf(&hits[m.Ref])], &fresh) }
	var merged []driver.Hit
	for _, m := range merge.Merge(lists, uint64(r.Plan.Drive.Length), keep) {
		merged = append(merged, hits[m.Ref])
	}
	if d := &r.Plan.Drive; d.HasDistinct && !d.Exhaustive {
		if r.Total, err = r.uniteFound(ctx, parts, merged, nil, r.Ranked.Pinned, fresh); err != nil {
			return err
		}
	}
	r.Hits, r.Ranked.Hits, r.Ranked.Total = merged, merged, r.Total
	return nil
}

// sideWeight is the weight of the side of a hybrid search that found a hit.
func (r *Ranking) sideWeight(h *driver.Hit) float64 {
	s := r.Plan.semantic
	if s == nil || r.Vector == nil || r.Plan.Kind == rule.Semantic {
		return 1
	}
	if slices.ContainsFunc(h.Details, func(d score.Detail) bool { return d.Rule.Kind == rule.Vector && !d.Skipped }) {
		return float64(s.ratio)
	}
	return float64(1 - s.ratio)
}

// nameScales adds the uids of the rules that scale a hit to its details, if details are shown.
func (r *Ranking) nameScales(ctx context.Context) error {
	if !r.Plan.Request.ShowRankingScoreDetails {
		return nil
	}
	var scaled []driver.Hit
	for _, h := range r.Hits {
		if h.Details.Weight() != 1 {
			scaled = append(scaled, h)
		}
	}
	ordinals, place := r.BySource(scaled)
	held := make([][][]uint32, len(ordinals))
	err := r.Sources.Ask(ctx, func(i int) *wire.SearchStep {
		if len(ordinals[i]) == 0 {
			return nil
		}
		return &wire.SearchStep{Held: &wire.HeldStep{Ordinals: ordinals[i]}}
	}, func(i int, reply *wire.SearchReply) error {
		held[i] = reply.Held.Sets
		return nil
	})
	if err != nil {
		return err
	}
	for i, h := range scaled {
		var rules []string
		for _, set := range held[h.Source][place[i]] {
			if uid := r.Plan.scaledBy[set]; !slices.Contains(rules, uid) {
				rules = append(rules, uid)
			}
		}
		h.Details[len(h.Details)-1].Rules = rules
	}
	return nil
}
