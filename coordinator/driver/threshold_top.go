package driver

import (
	"math"
	"slices"
	"sort"

	"shoal/coordinator/score"
	"shoal/query"
	"shoal/query/rule"
	"shoal/wire"
)

// canLimit tells whether documents can be ranked by several rules at once although there is a
// threshold. They can if all of them reach it. Otherwise they must come in the order of their
// scores, so that those below come last, and the search must end with the page: then those below
// need not be known unless the page includes all others.
func (d *drive) canLimit(rules []rule.Rule, g *query.Graph) bool {
	switch {
	case d.plan.Threshold == nil:
		return true
	case d.plan.Exhaustive && d.plan.HasDistinct, d.wraps(rules, g):
		return false
	case d.allReach(rules, g):
		return true
	}
	return !d.plan.Exhaustive && !d.plan.HasDistinct && byScore(rules)
}

// byScore tells whether documents in the order of some rules are in the order of their scores,
// to which Sort rules do not contribute.
func byScore(rules []rule.Rule) bool {
	sorted := slices.IndexFunc(rules, func(r rule.Rule) bool { return r.Kind == rule.Sort })
	return sorted < 0 || !slices.ContainsFunc(rules[sorted:], func(r rule.Rule) bool { return r.Kind.Ranked() })
}

// wraps tells whether the ranks of a document may not fit into 32 bits. Then a document may have a
// greater score than a better one.
func (d *drive) wraps(rules []rule.Rule, g *query.Graph) bool {
	product := uint64(1)
	times := func(n uint32) bool {
		product *= uint64(n)
		return product > math.MaxUint32
	}
	for i := range d.details {
		if d.details[i].Ranked() && times(d.details[i].Rank.Max) {
			return true
		}
	}
	for _, r := range rules {
		if r.Kind.Ranked() && times(d.costs.MaxRank(r.Kind, g)) {
			return true
		}
	}
	return false
}

// ranked returns the details so far with one more for each ranked rule, with the least rank.
func (d *drive) ranked(rules []rule.Rule, g *query.Graph) score.Details {
	details := slices.Clone(d.details)
	for _, r := range rules {
		if r.Kind.Ranked() {
			details = append(details, score.Detail{Rule: r, Rank: score.Rank{Rank: 1, Max: d.costs.MaxRank(r.Kind, g)}})
		}
	}
	return details
}

// allReach tells whether a document reaches the threshold even with the least rank by all of the
// rules.
func (d *drive) allReach(rules []rule.Rule, g *query.Graph) bool {
	return d.ranked(rules, g).Score() >= *d.plan.Threshold
}

// limit returns the greatest costs with which a document reaches the threshold, rule after rule.
// It returns nil if all do. A prefix of the ranks gives the best score that is still possible.
func (d *drive) limit(rules []rule.Rule, g *query.Graph) []uint32 {
	if d.plan.Threshold == nil || d.allReach(rules, g) {
		return nil
	}
	limit, details, n := make([]uint32, len(rules)), d.ranked(rules, g), len(d.details)
	for i, r := range rules {
		if !r.Kind.Ranked() {
			limit[i] = math.MaxUint32
			continue
		}
		rank := &details[n].Rank
		n++
		below := sort.Search(int(rank.Max), func(cost int) bool {
			rank.Rank = rank.Max - uint32(cost)
			return details[:n].Score() < *d.plan.Threshold
		})
		limit[i] = uint32(max(below, 1) - 1)
		rank.Rank = rank.Max - limit[i]
	}
	return limit
}

// within returns the first documents of a list, whose costs are within a limit.
func within(list []best, limit []uint32) []best {
	for i := range list {
		if limit != nil && slices.Compare(list[i].costs, limit) > 0 {
			return list[:i]
		}
	}
	return list
}

// limited tells whether all shards know of the limit of a step. Older nodes do not.
func limited(replies []*wire.TopReply) bool {
	return !slices.ContainsFunc(replies, func(r *wire.TopReply) bool { return r != nil && !r.Limited })
}

// dropOthers removes all documents of a bucket (nil: the universe) but those of a list from the
// candidates.
func (d *drive) dropOthers(from int, g *group, list []best) error {
	n := total(d.universe)
	if g != nil {
		n = g.count
	}
	if uint64(len(list)) == n {
		return nil
	}
	d.dropped = true
	keep := make([][]uint32, len(d.sessions))
	for i := range list {
		keep[list[i].shard] = append(keep[list[i].shard], list[i].ord)
	}
	return d.askOf(func(i int) bool { return d.has(g, i) }, func(i int) *wire.SearchStep {
		step := &wire.DropStep{Level: wire.WholeUniverse, Keep: keep[i]}
		if g != nil {
			step.Level, step.Lo, step.Hi = from-1, g.lo[i], g.hi[i]
		}
		return &wire.SearchStep{Drop: step}
	}, done)
}

// has tells whether a shard has documents of a bucket (nil: the universe).
func (d *drive) has(g *group, shard int) bool {
	return d.universe[shard] > 0 && (g == nil || g.hi[shard] > g.lo[shard])
}
