package search

import (
	"context"
	"encoding/json"
	"slices"

	"shoal/api/apierr"
	"shoal/coordinator/documents"
	"shoal/coordinator/driver"
	"shoal/coordinator/fanout"
	"shoal/coordinator/pinning"
	"shoal/coordinator/replica"
	"shoal/query/filter"
	"shoal/query/rule"
	"shoal/wire"
)

// withRules returns the plan with the effects of the dynamic search rules: pinned documents, those
// of the most important rules first, and documents whose scores are scaled. The driver
// determines whether a pinned document is inside the filter.
func (c *Attempt) withRules(ctx context.Context, p *Plan) (*Plan, error) {
	effect, outcomes, err := c.effect(p)
	if err != nil {
		return nil, err
	}
	if outcomes != nil {
		q := *p
		q.InlineRule = outcomes
		p = &q
	}
	if len(effect.Pins) == 0 && len(effect.Scales) == 0 {
		return p, nil
	}
	ids := make([]string, 0, len(effect.Pins))
	for i := range effect.Pins {
		ids = append(ids, effect.Pins[i].ID)
	}
	for i := range effect.Scales {
		ids = append(ids, effect.Scales[i].IDs...)
	}
	slices.Sort(ids)
	ordinals, err := c.ordinals(ctx, p.Index, slices.Compact(ids))
	if err != nil {
		return nil, err
	}
	q := *p
	for _, w := range effect.Pins {
		if ord, ok := ordinals[w.ID]; ok && len(q.pins) < c.Search.ruleFuel().PinActions {
			q.pins = append(q.pins, driver.Pin{Ordinal: ord, Position: w.Position})
		}
	}
	q.scaling, q.scaledBy, err = c.scaling(p, effect.Scales, ordinals)
	return &q, err
}

// effect asks the rules for their effect on a search. outcomes tell which conditions of the
// search's own rule hold; nil without one.
func (c *Attempt) effect(p *Plan) (effect pinning.Effect, outcomes []byte, err error) {
	inline, features := p.Request.InlineRule, c.Search.features()
	if inline != nil {
		if !features.DynamicSearchRules {
			return effect, nil, apierr.FeatureNotEnabled("passing `inlineRule` in a search query", "dynamic search rules", 884)
		}
		if err := pinning.CheckInline(&inline.SearchRule, filter.GatesOf(features)); err != nil {
			return effect, nil, err
		}
	}
	rules := c.Search.rules
	if rules == nil || p.unpinned || !features.DynamicSearchRules {
		return effect, nil, nil
	}
	q := pinning.Query{IndexUID: p.Index.UID, Filter: p.filter, Now: c.Search.now(), Fuel: c.Search.ruleFuel()}
	q.Words, q.Empty = pinning.WordsOf(nil)
	if p.Kind != rule.Semantic { // to the rules of the reference it has no query
		q.Words, q.Empty = pinning.WordsOf(p.Drive.Keywords)
	}
	store := rules()
	if inline != nil {
		store, outcomes = store.Inline(&inline.SearchRule, &q)
	}
	if p.Index.PrimaryKey == nil {
		return effect, outcomes, nil // no document was ever added
	}
	return store.Effect(&q), outcomes, nil
}

// scaling returns the scales in the form for shards, and the uids of their rules. A scale whose
// filter cannot be used on the index has no effect there: a rule for all indexes must not break
// searches on one.
func (c *Attempt) scaling(p *Plan, scales []pinning.Scale, ordinals map[string]uint32) (*wire.Scaling, []string, error) {
	out, by := &wire.Scaling{Most: mostWeights}, []string(nil)
	for i := range scales {
		s := &scales[i]
		set := wire.ScaledSet{Weight: s.Weight}
		for _, id := range s.IDs {
			if ord, ok := ordinals[id]; ok {
				set.Ordinals = append(set.Ordinals, ord)
			}
		}
		slices.Sort(set.Ordinals)
		set.Ordinals = slices.Compact(set.Ordinals)
		if f := s.Filter; f != nil && f.CheckGates(filter.GatesOf(c.Search.features())) == nil && f.CheckFilterable(p.Settings) == nil {
			text, err := json.Marshal(f.String())
			if err != nil {
				return nil, nil, err
			}
			set.Filter = text
		}
		if len(set.Ordinals) > 0 || set.Filter != nil {
			out.Sets, by = append(out.Sets, set), append(by, s.Rule)
		}
	}
	if len(out.Sets) == 0 {
		return nil, nil, nil
	}
	return out, by, nil
}

// ordinals looks up documents by id; missing ones are left out.
func (c *Attempt) ordinals(ctx context.Context, x *wire.Index, ids []string) (map[string]uint32, error) {
	found := make([]*wire.ListReply, len(x.Shards))
	group, ctx := fanout.WithContext(ctx)
	for i := range x.Shards {
		shard := &x.Shards[i]
		var own []string
		for _, id := range ids {
			if slot := uint32(wire.SlotOf(id)); slot >= shard.SlotLo && slot < shard.SlotHi {
				own = append(own, id)
			}
		}
		if len(own) == 0 {
			continue
		}
		group.Go(func() error {
			request := wire.ListRequest{
				Index: replica.PinVersion(x, shard), IDs: own, HasIDs: true, Limit: len(own), Fields: []string{*x.PrimaryKey}, HasFields: true,
			}
			var err error
			found[i], err = replica.Ask(ctx, c.Search.shards, c.Search.self, shard, func(node wire.NodeID) (*wire.ListReply, error) {
				return c.Search.shards.List(ctx, node, &request)
			})
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	ordinals := make(map[string]uint32, len(ids))
	for _, reply := range found {
		if reply == nil {
			continue
		}
		for _, doc := range reply.Documents {
			if id, ok := documents.IDAt(doc.JSON, *x.PrimaryKey); ok {
				ordinals[id] = doc.Ordinal
			}
		}
	}
	return ordinals, nil
}
