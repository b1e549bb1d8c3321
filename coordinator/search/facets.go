package search

import (
	"context"
	"slices"
	"strings"

	"shoal/api"
	"shoal/coordinator/search/facets"
	"shoal/query/filter"
	"shoal/wire"
	"shoal/wire/span"
)

// Facets counts the values of facets among the found documents (spec ranking 7.1 and 7.2).
func (r *Ranking) Facets(ctx context.Context, entries []string) (*api.Facets, error) {
	settings, fields := r.Plan.Settings, r.Plan.Index.Fields
	if err := filter.CheckFacets(entries, settings); err != nil {
		return nil, err
	}
	selected := filter.SelectFacets(entries, settings, fields)
	step := r.Plan.facetsStep(selected, r.Total)
	out := new(api.Facets)
	if len(selected) == 0 {
		return out, nil
	}
	ctx, piece := span.Start(ctx, "facets")
	defer piece.End()
	replies := make([]*wire.FacetsReply, len(r.Sources))
	err := r.Sources.Ask(ctx, func(int) *wire.SearchStep { return &wire.SearchStep{Facets: step} }, func(i int, reply *wire.SearchReply) error {
		replies[i] = reply.Facets
		return nil
	})
	if err != nil {
		return nil, err
	}
	parts := make([]wire.FacetPart, len(replies))
	for k, facet := range selected {
		for i, reply := range replies {
			parts[i] = reply.Facets[k]
		}
		if err := r.uncut(ctx, step, k, parts); err != nil {
			return nil, err
		}
		d := facets.Merge(parts, step.Fields[k].Order, step.Max)
		if err := r.labels(ctx, step.Fields[k].Field, d); err != nil {
			return nil, err
		}
		out.Distribution = append(out.Distribution, api.FacetCounts{Field: facet.Field, Values: d.Values()})
		if d.HasNumbers {
			out.Stats = append(out.Stats, api.FacetStat{Field: facet.Field, Min: filter.ShownNumber(d.Min), Max: filter.ShownNumber(d.Max)})
		}
	}
	return out, nil
}

// uncut asks for all strings of the k-th facet of a step where a part lacks some that count.
func (r *Ranking) uncut(ctx context.Context, step *wire.FacetsStep, k int, parts []wire.FacetPart) error {
	cut := facets.Cut(parts, step.Fields[k].Order, step.Max)
	if cut == nil {
		return nil
	}
	all := &wire.FacetsStep{Fields: step.Fields[k : k+1]} // without a limit
	return r.Sources.Ask(ctx, func(i int) *wire.SearchStep {
		if !slices.Contains(cut, i) {
			return nil
		}
		return &wire.SearchStep{Facets: all}
	}, func(i int, reply *wire.SearchReply) error {
		parts[i] = reply.Facets.Facets[0]
		return nil
	})
}

// facetsStep asks for facets, sorted by their fields, among total documents.
func (p *Plan) facetsStep(selected []filter.SelectedFacet, total uint64) *wire.FacetsStep {
	step := &wire.FacetsStep{Max: p.Settings.MaxValuesPerFacet, Fields: make([]wire.FacetAsk, len(selected))}
	for id, field := range p.Index.Fields {
		i, asked := slices.BinarySearchFunc(selected, field, func(f filter.SelectedFacet, name string) int { return strings.Compare(f.Field, name) })
		if asked {
			step.Fields[i] = wire.FacetAsk{Field: uint16(id), Order: wire.OrderOfFacet(selected[i].ByCount, total)}
		}
	}
	return step
}

// facetsAhead returns the request's facets in the form for few found documents; nil for none.
// Faulty facets are reported later, in their turn.
func (p *Plan) facetsAhead() *wire.FacetsStep {
	if len(p.Request.Facets) == 0 || filter.CheckFacets(p.Request.Facets, p.Settings) != nil {
		return nil
	}
	selected := filter.SelectFacets(p.Request.Facets, p.Settings, p.Index.Fields)
	if len(selected) == 0 {
		return nil
	}
	return p.facetsStep(selected, 0)
}

// labels asks for the labels that no shard has sent yet.
func (r *Ranking) labels(ctx context.Context, field uint16, d *facets.Distribution) error {
	missing := d.Missing()
	if missing == nil {
		return nil
	}
	replies := make([][]wire.FacetLabel, len(r.Sources))
	err := r.Sources.Ask(ctx, func(i int) *wire.SearchStep {
		if len(missing[i]) == 0 {
			return nil
		}
		return &wire.SearchStep{FacetLabels: &wire.FacetLabelsStep{Field: field, Forms: missing[i]}}
	}, func(i int, reply *wire.SearchReply) error {
		replies[i] = reply.FacetLabels.Labels
		return nil
	})
	for i, labels := range replies {
		for k, l := range labels {
			d.Label(missing[i][k], l)
		}
	}
	return err
}
