package driver

import (
	"cmp"
	"slices"

	"shoal/coordinator/score"

	"shoal/query"
	"shoal/query/rule"
	"shoal/wire"
	"shoal/wire/span"
)

// canTop tells whether the remaining rules can be ranked in one step: the graph is a chain that
// no rule changes, nothing depends on how far the sort gets, and all costs fit one key. After
// ExactWords no rule may need the graph. For searches with a threshold see canLimit.
func (d *drive) canTop(from int, g *query.Graph) bool {
	rules := d.rules[from:]
	if g == nil || len(rules) == 0 || d.plan.Trace != nil {
		return false
	}
	if _, chain := g.Chain(); !chain {
		return false
	}
	for _, r := range rules {
		if d.sharesField(r.Kind, g) {
			return false
		}
	}
	return d.costs.Combine(rules, g) && d.canLimit(rules, g)
}

// best is one document of a TopReply.
type best struct {
	located
	costs  []uint32
	values []wire.SortValue
}

// compare orders documents by costs and values, rule after rule.
func (a *best) compare(b *best, rules []rule.Rule) int {
	v := 0
	for i := range rules {
		c := cmp.Compare(a.costs[i], b.costs[i])
		if rules[i].Kind == rule.Sort {
			c = wire.CompareSort(a.values[v], b.values[v], rules[i].Desc)
			v++
		}
		if c != 0 {
			return c
		}
	}
	return 0
}

// before orders documents that are equal by ordinal.
func (b *best) before(other *best, rules []rule.Rule) bool {
	if c := b.compare(other, rules); c != 0 {
		return c < 0
	}
	return b.ord < other.ord
}

// top ranks the documents of a bucket (nil: the universe) by all remaining rules and appends as
// many of the best as are wanted. done is false when a shard declined, or when a shard ran out
// of time and too few were found.
func (d *drive) top(from int, g *group, graph *query.Graph) (done bool, err error) {
	want := d.plan.Length - len(d.out.Hits)
	if want <= 0 {
		return true, nil
	}
	defer span.Charge(d.ctx, "rules", "together")()
	rules := d.rules[from:]
	if d.plan.HasDistinct {
		return d.topDistinct(from, g, graph, want)
	}
	limit := d.limit(rules, graph)
	replies, err := d.askTop(from, g, graph, want, limit)
	if err != nil {
		return false, err
	}
	list, cut, ok := mergeTop(replies, rules, want)
	list = within(list, limit)
	few := len(list) < want
	if !ok || few && (cut || limit != nil && !limited(replies)) {
		return false, nil
	}
	if few && limit != nil {
		if err := d.dropOthers(from, g, list); err != nil {
			return false, err
		}
	}
	d.out.Degraded = d.out.Degraded || cut
	d.emitTop(list, rules, graph)
	return true, nil
}

// askTop asks the shards for the best documents of a bucket within a limit.
func (d *drive) askTop(from int, g *group, graph *query.Graph, want int, limit []uint32) ([]*wire.TopReply, error) {
	replies := make([]*wire.TopReply, len(d.sessions))
	err := d.askOf(func(i int) bool { return d.has(g, i) }, func(i int) *wire.SearchStep {
		step := &wire.TopStep{
			Level: wire.WholeUniverse, Rules: d.rules[from:], Graph: graph, Want: want, Micros: d.left(),
			Distinct: d.plan.Distinct, HasDistinct: d.plan.HasDistinct, Limit: limit,
		}
		if g != nil {
			step.Level, step.Lo, step.Hi = from-1, g.lo[i], g.hi[i]
		}
		return &wire.SearchStep{Top: step}
	}, func(i int, r *wire.SearchReply) error {
		replies[i] = r.Top
		return nil
	})
	return replies, err
}

// mergeTop merges the shards' lists, which are ordered by costs and values, then ordinal, and
// keeps the best ones. cut: some shard did not look at all of its documents. ok is false when
// one declined.
func mergeTop(replies []*wire.TopReply, rules []rule.Rule, want int) (list []best, cut, ok bool) {
	lists, all := make([]topList, 0, len(replies)), 0
	for shard, r := range replies {
		switch {
		case r == nil:
			continue
		case r.Declined:
			return nil, false, false
		}
		cut = cut || r.Cut
		if all += len(r.Ordinals); len(r.Ordinals) > 0 {
			lists = append(lists, newTopList(shard, r, rules))
		}
	}
	list = make([]best, 0, min(want, all))
	for len(list) < cap(list) {
		first := 0
		for i := 1; i < len(lists); i++ {
			if lists[i].head.before(&lists[first].head, rules) {
				first = i
			}
		}
		list = append(list, lists[first].head)
		if !lists[first].next() {
			lists = slices.Delete(lists, first, first+1)
		}
	}
	return list, cut, true
}

// topList is the rest of the list of one shard. head is its first document.
type topList struct {
	head         best
	reply        *wire.TopReply
	at           int
	rules, sorts int
}

func newTopList(shard int, r *wire.TopReply, rules []rule.Rule) topList {
	l := topList{reply: r, rules: len(rules)}
	for i := range rules {
		if rules[i].Kind == rule.Sort {
			l.sorts++
		}
	}
	l.head.shard = shard
	l.read()
	return l
}

func (l *topList) read() {
	l.head.ord, l.head.index = l.reply.Ordinals[l.at], l.at
	l.head.costs = l.reply.Costs[l.at*l.rules : (l.at+1)*l.rules]
	l.head.values = l.reply.Values[l.at*l.sorts : (l.at+1)*l.sorts]
}

// next advances to the next document; false when there is none.
func (l *topList) next() bool {
	if l.at++; l.at == len(l.reply.Ordinals) {
		return false
	}
	l.read()
	return true
}

// emitTop appends hits in order.
func (d *drive) emitTop(list []best, rules []rule.Rule, graph *query.Graph) {
	limits := make([]uint32, len(rules))
	for i, r := range rules {
		if r.Kind != rule.Sort {
			limits[i] = d.costs.MaxRank(r.Kind, graph)
		}
	}
	d.out.Hits = slices.Grow(d.out.Hits, len(list))
	for i := 0; i < len(list); {
		n := i + 1
		for n < len(list) && list[i].compare(&list[n], rules) == 0 {
			n++
		}
		d.emitEqual(list[i:n], rules, limits)
		i = n
	}
}

// emitEqual appends hits of equal costs and values.
func (d *drive) emitEqual(list []best, rules []rule.Rule, limits []uint32) {
	for _, b := range list {
		d.out.Hits = append(d.out.Hits, Hit{Ordinal: b.ord, Source: b.shard})
	}
	if d.plan.Unscored {
		return
	}
	details := make(score.Details, 0, len(d.details)+len(rules))
	details = append(details, d.details...)
	values := list[0].values
	for i, r := range rules {
		detail := score.Detail{Rule: r}
		if r.Kind == rule.Sort {
			detail.Value, values = values[0], values[1:]
		} else {
			detail.Rank = score.Rank{Rank: limits[i] - list[0].costs[i], Max: limits[i]}
		}
		details = append(details, detail)
	}
	emitted := d.out.Hits[len(d.out.Hits)-len(list):]
	for i := range emitted {
		emitted[i].Details = details
	}
}
