package driver

import (
	"math/bits"
	"slices"

	"shoal/query"
	"shoal/wire"
)

// canTop tells whether the rules from the given one on can be ranked in one step:
// the graph is a chain that they all leave as it is, nothing depends on how far
// the sort goes, and all costs fit one key.
func (d *drive) canTop(from int, g *query.Graph) bool {
	rules := d.rules[from:]
	if g == nil || len(rules) == 0 || d.plan.Threshold != nil || d.plan.HasDistinct {
		return false
	}
	if _, chain := g.Chain(); !chain {
		return false
	}
	size := 0
	for i, r := range rules {
		switch r.Kind {
		case query.Proximity, query.AttributeRank, query.WordPosition, query.ExactAttribute:
		case query.ExactWords:
			if i < len(rules)-1 {
				return false
			}
		default:
			return false
		}
		size += bits.Len32(d.costs.MaxRank(r.Kind, g))
	}
	return size <= 64
}

// best is one document of a TopReply.
type best struct {
	located
	costs []uint32
}

// top ranks the documents of a bucket (nil: the universe) by all rules that are
// left and appends as many of the best as are wanted.
func (d *drive) top(from int, g *group, graph *query.Graph) error {
	want := d.plan.Length - len(d.out.Hits)
	if want <= 0 {
		return nil
	}
	rules := d.rules[from:]
	replies := make([]*wire.TopReply, len(d.sessions))
	chosen := func(i int) bool { return d.universe[i] > 0 && (g == nil || g.hi[i] > g.lo[i]) }
	err := d.eachOf(chosen, func(i int) error {
		step := &wire.TopStep{Level: wire.WholeUniverse, Rules: rules, Graph: graph, Want: want}
		if g != nil {
			step.Level, step.Lo, step.Hi = from-1, g.lo[i], g.hi[i]
		}
		reply, err := d.step(i, &wire.SearchStep{Top: step})
		if err == nil {
			replies[i] = reply.Top
		}
		return err
	})
	if err != nil {
		return err
	}
	limits := make([]uint32, len(rules))
	for i, r := range rules {
		limits[i] = d.costs.MaxRank(r.Kind, graph)
	}
	list := mergeTop(replies, len(rules))
	for i := 0; i < min(want, len(list)); {
		n := i + 1
		for n < min(want, len(list)) && slices.Equal(list[i].costs, list[n].costs) {
			n++
		}
		d.emitTop(list[i:n], rules, limits)
		i = n
	}
	return nil
}

// mergeTop joins the shards' lists by costs, then ordinal.
func mergeTop(replies []*wire.TopReply, width int) []best {
	var list []best
	filled := 0
	for shard, r := range replies {
		if r == nil || len(r.Ordinals) == 0 {
			continue
		}
		filled++
		for k, ord := range r.Ordinals {
			list = append(list, best{located{ord: ord, shard: shard}, r.Costs[k*width : (k+1)*width]})
		}
	}
	if filled > 1 {
		slices.SortFunc(list, func(a, b best) int {
			if c := slices.Compare(a.costs, b.costs); c != 0 {
				return c
			}
			return int(int64(a.ord) - int64(b.ord))
		})
	}
	return list
}

// emitTop appends hits of equal costs.
func (d *drive) emitTop(list []best, rules []query.Rule, limits []uint32) {
	details := make(Details, 0, len(d.details)+len(rules))
	details = append(details, d.details...)
	for i, r := range rules {
		details = append(details, Detail{Rule: r, Rank: Rank{limits[i] - list[0].costs[i], limits[i]}})
	}
	for _, b := range list {
		d.out.Hits = append(d.out.Hits, Hit{Ordinal: b.ord, Shard: b.shard, Details: details})
	}
}
