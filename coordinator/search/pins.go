package search

import (
	"context"

	"shoal/coordinator/driver"
	"shoal/coordinator/fanout"
	"shoal/coordinator/pinning"
	"shoal/coordinator/replica"
	"shoal/wire"
)

// pins works out which documents the dynamic search rules pin for a search, those
// of the most important rules first. Whether they are inside the filter, the
// driver finds out.
func (c *Attempt) pins(ctx context.Context, p *Plan) ([]driver.Pin, error) {
	rules := c.Search.rules
	if rules == nil || p.unpinned || p.Index.PrimaryKey == nil || !c.Search.features().DynamicSearchRules {
		return nil, nil
	}
	q := pinning.Query{IndexUID: p.Index.UID, Filter: p.filter, Now: c.Search.now()}
	q.Words, q.Empty = pinning.WordsOf(p.Drive.Keywords)
	wanted := rules().Pins(&q)
	if len(wanted) == 0 {
		return nil, nil
	}
	ids := make([]string, len(wanted))
	for i := range wanted {
		ids[i] = wanted[i].ID
	}
	ordinals, err := c.ordinals(ctx, p.Index, ids)
	if err != nil {
		return nil, err
	}
	var pins []driver.Pin
	for _, w := range wanted {
		if ord, ok := ordinals[w.ID]; ok && len(pins) < pinning.MaxPins {
			pins = append(pins, driver.Pin{Ordinal: ord, Position: w.Position})
		}
	}
	return pins, nil
}

// ordinals looks up documents by id; those that do not exist are left out.
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
			if id, ok := idAt(doc.JSON, *x.PrimaryKey); ok {
				ordinals[id] = doc.Ordinal
			}
		}
	}
	return ordinals, nil
}
