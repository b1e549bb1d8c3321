package coordinator

import (
	"context"
	"slices"

	"shoal/api"
	"shoal/coordinator/facets"
	"shoal/query"
	"shoal/wire"
)

// Facets counts the values of facets among the documents found (spec ranking 7.1
// and 7.2).
func (r *Ranking) Facets(ctx context.Context, entries []string) (*api.Facets, error) {
	settings, fields := r.Plan.Settings, r.Plan.Index.Fields
	if err := query.CheckFacets(entries, settings); err != nil {
		return nil, err
	}
	names := query.SelectFacets(entries, settings, fields)
	step := &wire.FacetsStep{Max: settings.MaxValuesPerFacet}
	step.Fields = make([]wire.FacetAsk, len(names))
	for id, field := range fields {
		// names are sorted, and each is a field.
		if i, asked := slices.BinarySearch(names, field); asked {
			step.Fields[i] = wire.FacetAsk{Field: uint16(id), Order: wire.OrderOfFacet(query.FacetByCount(settings, field), r.Total)}
		}
	}
	out := new(api.Facets)
	if len(names) == 0 {
		return out, nil
	}
	replies := make([]*wire.FacetsReply, len(r.sessions))
	err := r.eachShard(ctx, everyShard, func(ctx context.Context, i int, s Session) error {
		reply, err := s.Step(ctx, &wire.SearchStep{Facets: step})
		if err == nil {
			replies[i] = reply.Facets
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	parts := make([]wire.FacetPart, len(replies))
	for k, name := range names {
		for i, reply := range replies {
			parts[i] = reply.Facets[k]
		}
		d := facets.Merge(parts, step.Fields[k].Order, step.Max)
		if err := r.labels(ctx, step.Fields[k].Field, d); err != nil {
			return nil, err
		}
		out.Distribution = append(out.Distribution, api.FacetCounts{Field: name, Values: d.Values()})
		if d.HasNumbers {
			out.Stats = append(out.Stats, api.FacetStat{Field: name, Min: d.Min, Max: d.Max})
		}
	}
	return out, nil
}

func everyShard(int) bool { return true }

// labels asks for the spellings that no shard sent yet.
func (r *Ranking) labels(ctx context.Context, field uint16, d *facets.Distribution) error {
	missing := d.Missing()
	if missing == nil {
		return nil
	}
	replies := make([][]wire.FacetLabel, len(r.sessions))
	err := r.eachShard(ctx, func(i int) bool { return len(missing[i]) > 0 }, func(ctx context.Context, i int, s Session) error {
		reply, err := s.Step(ctx, &wire.SearchStep{FacetLabels: &wire.FacetLabelsStep{Field: field, Forms: missing[i]}})
		if err == nil {
			replies[i] = reply.FacetLabels.Labels
		}
		return err
	})
	for i, labels := range replies {
		for k, l := range labels {
			d.Label(missing[i][k], l)
		}
	}
	return err
}
