package search

import (
	"context"
	"slices"
	"strconv"
	"time"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/coordinator/driver"
	"shoal/query/filter"
	"shoal/wire"
	"shoal/wire/span"
)

// maxGroups bounds the groups of a page: each is a search of its own.
const maxGroups = 100

// checkGroups checks a search for groups.
func (p *Plan) checkGroups() *apierr.Error {
	r := p.Request
	if r.HitsPerGroup <= 1 {
		return nil
	}
	if p.legacy {
		return apierr.GroupsOfSeveral()
	}
	// CheckDistinct has looked at the attribute of a request.
	if field := p.distinct(); field == nil {
		return apierr.GroupsWithoutDistinct()
	} else if filter.CheckDistinct(*field, p.Settings) != nil {
		return apierr.GroupsNotFilterable(*field)
	}
	if from, to := r.Window(); to-from > maxGroups {
		return apierr.GroupsTooMany(to-from, maxGroups)
	}
	return nil
}

// distinct is the attribute by which hits are distinct, nil for none.
func (p *Plan) distinct() *string {
	if p.Request.Distinct != nil {
		return p.Request.Distinct
	}
	return p.Settings.DistinctAttribute
}

// group adds to each of some hits, rendered in page, the next best ones of its group:
// what the same search finds among the documents that share a value of the distinct
// attribute. A document without a value is a group of its own. All groups of the hits
// have together the time that a search has.
func (r *Ranking) group(ctx context.Context, hits []driver.Hit, page []api.Hit) error {
	ctx, s := span.Start(ctx, "groups")
	defer s.End()
	values, err := r.valuesOf(ctx, hits)
	if err != nil {
		return err
	}
	deadline, bytes := time.Now().Add(r.Plan.cutoff), 0
	for i := range hits {
		if err := wire.Turn(ctx); err != nil {
			return err
		}
		page[i].Group = []api.Hit{}
		same := sameValue(*r.Plan.distinct(), values[DocumentOf(&hits[i])])
		if same == nil {
			continue
		}
		if page[i].Group, err = r.others(ctx, &hits[i], same, deadline); err != nil {
			return err
		}
		if bytes += sizeOf(page[i].Group); bytes > manyRoom {
			return apierr.AnswerTooLarge()
		}
	}
	return nil
}

// others returns the best hits of the search among the documents that a condition
// selects, without one of them.
func (r *Ranking) others(ctx context.Context, first *driver.Hit, same *filter.Node, deadline time.Time) ([]api.Hit, error) {
	plan, err := r.Plan.among(ctx, r, same)
	if err != nil {
		return nil, err
	}
	plan.Drive.Deadline = deadline
	found, err := r.attempt.rankScaled(ctx, plan)
	if err != nil {
		return nil, err
	}
	defer found.Close()
	r.Ranked.Degraded = r.Ranked.Degraded || found.Ranked.Degraded
	list := slices.DeleteFunc(slices.Clone(found.Hits), func(h driver.Hit) bool { return h.Ordinal == first.Ordinal })
	list = list[:min(len(list), plan.Drive.Length-1)]
	out, full, err := found.Render(ctx, list, manyRoom, nil)
	if full {
		return nil, apierr.AnswerTooLarge()
	}
	return out, err
}

// among is the plan of a ranking, for the documents that a condition selects: without
// distinct attribute, pins, facets and offset. Weights of documents stay.
func (p *Plan) among(ctx context.Context, r *Ranking, same *filter.Node) (*Plan, error) {
	request, settings := *p.Request, *p.Settings
	request.Distinct, settings.DistinctAttribute = nil, nil
	request.Facets, request.Offset, request.Limit, request.Page, request.HitsPerPage = nil, 0, request.HitsPerGroup, nil, nil
	request.HitsPerGroup, request.InlineRule = 0, nil
	q := &Plan{Index: p.Index, Settings: &settings, Request: &request, scaling: p.scaling, scaledBy: p.scaledBy}
	if err := q.checkSyntax(); err != nil {
		return nil, err
	}
	if q.semantic != nil {
		q.semantic.vector = r.Vector
	}
	selected := &filter.Filter{Root: same}
	if p.filter != nil {
		selected.Root = &filter.Node{Op: filter.FilterAnd, Kids: []*filter.Node{p.filter.Root, same}}
	}
	return q, r.attempt.plan(ctx, q, selected)
}

// sameValue is the condition that a field has one of some values, nil without values.
func sameValue(field string, values *wire.DistinctValues) *filter.Node {
	if values == nil {
		return nil
	}
	node := &filter.Node{Op: filter.FilterIn, Field: filter.FilterToken{Value: field}}
	for _, n := range values.Numbers {
		text := strconv.FormatFloat(filter.ShownNumber(n), 'g', -1, 64)
		node.Values = append(node.Values, filter.FilterToken{Value: text})
	}
	for _, s := range values.Strings {
		node.Values = append(node.Values, filter.FilterToken{Value: s})
	}
	if len(node.Values) == 0 {
		return nil
	}
	return node
}
