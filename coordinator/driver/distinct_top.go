package driver

import (
	"shoal/query"
	"shoal/query/rule"
	"shoal/wire"
)

// distinctGrowth is how many times as many documents the shards are asked for if so many shared a
// value that too few are left. If these are not enough either, they are asked for all.
const distinctGrowth = 16

// topDistinct is top for a search with a distinct field. Of documents that share a value it keeps
// the first. It also excludes what shares a value with those that cost as much as the last hit,
// because the bucket of the last hit is walked to its end (spec ranking 6.1).
func (d *drive) topDistinct(from int, g *group, graph *query.Graph, want int) (done bool, err error) {
	rules := d.rules[from:]
	for _, ask := range []int{want, distinctGrowth * want, wire.AllItems} {
		replies, err := d.askTop(from, g, graph, ask, nil)
		if err != nil {
			return false, err
		}
		list, cut, ok := mergeTop(replies, rules, wire.AllItems)
		if !ok || !valued(replies) {
			return false, nil
		}
		kept := d.distinctOf(list, replies, rules, want)
		if cut && len(kept) < want {
			return false, nil
		}
		if sure(kept, replies, rules, want) {
			d.out.Degraded = d.out.Degraded || cut
			d.emitTop(kept[:min(want, len(kept))], rules, graph)
			return true, d.excludeBest(kept, replies)
		}
	}
	return false, nil
}

// valued tells whether the replies have distinct values. Those of older nodes have none.
func valued(replies []*wire.TopReply) bool {
	for _, r := range replies {
		if r != nil && len(r.Distinct) != len(r.Ordinals) {
			return false
		}
	}
	return true
}

// distinctOf returns the documents of a list that share no value with one kept before: those
// wanted, and all others of the bucket of the last one.
func (d *drive) distinctOf(list []best, replies []*wire.TopReply, rules []rule.Rule, want int) (kept []best) {
	seen, fresh := newDistinctValues(), wire.DistinctValues{}
	for i := range list {
		b := &list[i]
		if len(kept) >= want && kept[want-1].compare(b, rules) != 0 {
			break
		}
		v := &replies[b.shard].Distinct[b.index]
		if !d.seen.sharesWith(v) && !seen.sharesWith(v) {
			seen.add(v, &fresh)
			kept = append(kept, *b)
		}
	}
	return kept
}

// sure tells whether no document that the shards left out belongs before the last one wanted.
func sure(kept []best, replies []*wire.TopReply, rules []rule.Rule, want int) bool {
	for i, r := range replies {
		if r == nil || r.Sure == 0 {
			continue
		}
		if len(kept) < want {
			return false
		}
		last := newTopList(i, r, rules)
		last.at = r.Sure - 1
		last.read()
		if last.head.before(&kept[want-1], rules) {
			return false
		}
	}
	return true
}

// excludeBest excludes the documents that share a value with the kept ones.
func (d *drive) excludeBest(kept []best, replies []*wire.TopReply) error {
	var fresh wire.DistinctValues
	docs := make([]located, len(kept))
	for i := range kept {
		docs[i] = kept[i].located
		d.seen.add(&replies[docs[i].shard].Distinct[docs[i].index], &fresh)
	}
	return d.exclude(fresh, docs)
}
