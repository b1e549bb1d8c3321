package driver

import (
	"slices"

	"shoal/coordinator/score"

	"shoal/query"
	"shoal/query/rule"
	"shoal/wire"
)

// sharedFieldLevel is a level of the rule proximity with byAttribute. The driver asks for its
// conditions one by one, because what a condition matches depends on the documents, over all
// shards, that are left when it is first asked.
type sharedFieldLevel struct {
	d     *drive
	l     *level
	at    int
	paths *sharedFieldPaths
	// cost is the least cost not tried yet.
	cost int
	// left is the number of documents not taken by a path of the level.
	left  uint64
	asked []nearAsked // by condition
	// prefix are the leading conditions of the path visited last that have documents.
	prefix []int
	good   []rule.Path
	reply  []*wire.SharedFieldReply
}

// nearAsked is what is known about a condition of a level.
type nearAsked struct {
	// left is the number of documents left when it was last asked, 0 before.
	left uint64
	// narrowed: documents were taken since it was first asked. beyond: a shard without
	// documents in the level has some for it.
	narrowed, beyond bool
}

// sharesField tells whether the driver must ask a rule condition by condition. That is so for
// proximity with byAttribute when some terms are neighbours.
func (d *drive) sharesField(kind rule.Kind, g *query.Graph) bool {
	if kind != rule.Proximity || !d.plan.ByAttribute || g == nil {
		return false
	}
	for n := 2; n < len(g.Nodes); n++ {
		for _, to := range g.Nodes[n].Succ {
			if to != query.End && rule.Adjacent(&d.terms[g.Nodes[n].Term], &d.terms[g.Nodes[to].Term]) {
				return true
			}
		}
	}
	return false
}

// nextNear returns the next bucket of a level with byAttribute, nil when there is none.
func (d *drive) nextNear(l *level, want int) (*group, error) {
	n := l.near
	if n == nil {
		n = &sharedFieldLevel{d: d, l: l, at: len(d.levels) - 1, paths: newNearPaths(l.graph, d.terms)}
		n.asked = make([]nearAsked, len(n.paths.conditions))
		l.near = n
	}
	for {
		cost, ok := n.paths.cost(n.cost)
		if !ok {
			return nil, nil
		}
		n.cost = cost + 1
		g, err := n.bucket(cost, want)
		if g != nil || err != nil || n.left == 0 {
			return g, err
		}
	}
}

// bucket finds the documents of one cost; nil when there are none.
func (n *sharedFieldLevel) bucket(cost, want int) (*group, error) {
	n.prefix, n.good = n.prefix[:0], nil
	if err := n.step(&wire.SharedFieldStep{Bucket: true}); err != nil {
		return nil, err
	}
	if n.left > 0 {
		if err := n.paths.explore(cost, n.visit); err != nil {
			return nil, err
		}
	}
	if n.paths.changed {
		n.paths.reach()
	}
	step := &wire.SharedFieldStep{Close: true}
	if n.at == len(n.d.rules)-1 && !n.d.plan.HasDistinct {
		step.Want = want
	}
	if err := n.step(step); err != nil {
		return nil, err
	}
	return n.group(cost), nil
}

// group returns the closed bucket.
func (n *sharedFieldLevel) group(cost int) *group {
	shards := n.l.shards
	g := &group{cost: uint32(cost), paths: n.good, lo: make([]int, len(shards)), hi: make([]int, len(shards)), ords: make([][]uint32, len(shards))}
	g.detail = score.Detail{Rule: n.l.rule, Rank: score.Rank{Rank: n.l.max - g.cost, Max: n.l.max}}
	for i := range shards {
		s := &shards[i]
		if !s.active {
			continue
		}
		g.lo[i], g.hi[i] = s.used, s.used
		if count := n.reply[i].Count; count > 0 {
			g.hi[i]++
			g.count += uint64(count)
			g.ords[i] = n.reply[i].Ordinals
		}
		s.used++
	}
	if g.count == 0 {
		return nil
	}
	n.l.left -= min(n.l.left, g.count)
	return g
}

// visit asks for the conditions of a path after the prefix already known to have documents. If
// the whole path has documents, it takes them.
func (n *sharedFieldLevel) visit(path []int, steps rule.Path) (goOn bool, err error) {
	if n.left == 0 {
		return false, nil
	}
	same := 0
	for same < len(n.prefix) && same < len(path) && n.prefix[same] == path[same] {
		same++
	}
	n.prefix = n.prefix[:same]
	for _, c := range path[same:] {
		if ok, err := n.condition(c); err != nil || !ok {
			return true, err
		}
	}
	if err := n.step(&wire.SharedFieldStep{Take: true}); err != nil {
		return false, err
	}
	n.prefix = n.prefix[:len(n.prefix)-1]
	n.good = append(n.good, slices.Clone(steps))
	return n.left > 0, nil
}

// condition asks for one more condition of a path and tells whether the path still has
// documents with it.
func (n *sharedFieldLevel) condition(c int) (bool, error) {
	known, step := &n.asked[c], &wire.SharedFieldStep{}
	fresh := known.left == 0
	known.narrowed = known.narrowed || !fresh && known.left != n.left
	known.left = n.left
	step.Visit = &wire.SharedFieldVisit{
		Depth: len(n.prefix), Condition: n.paths.conditions[c], Touched: n.d.out.touchedSet(), Fresh: fresh, Narrowed: known.narrowed,
	}
	if fresh && step.Visit.Condition.Index != wire.NearWhole && len(n.d.sessions) > 1 {
		step.Visit.Probe = true
		if err := n.step(step); err != nil {
			return false, err
		}
		step.Visit.Probe, step.Visit.Present = false, n.present()
	}
	if err := n.step(step); err != nil {
		return false, err
	}
	some, together, apart := false, false, ^uint64(0)
	for i, r := range n.reply {
		if n.l.shards[i].active {
			some, together, apart = some || r.Some, together || r.Path, apart&r.Apart
		} else if fresh {
			known.beyond = known.beyond || r.Some
		}
	}
	switch {
	case !some && (known.narrowed || !known.beyond):
		n.paths.remove(c)
	case together:
		n.prefix = append(n.prefix, c)
	default:
		n.forbid(c, apart)
	}
	return together, nil
}

// forbid records that a condition has no documents after the present prefix. apart names
// shorter prefixes for which the same holds.
func (n *sharedFieldLevel) forbid(c int, apart uint64) {
	conditions := len(n.paths.conditions)
	n.paths.dead.forbid(n.prefix, c, conditions)
	for k := 1; k < len(n.prefix); k++ {
		if apart>>(k-1)&1 != 0 {
			n.paths.dead.forbid(n.prefix[:k], c, conditions)
		}
	}
}

// present joins what the shards found for a condition.
func (n *sharedFieldLevel) present() []uint64 {
	var all query.Bits
	for _, r := range n.reply {
		if len(all) < len(r.Present) {
			all = append(all, make(query.Bits, len(r.Present)-len(all))...)
		}
		all.Union(r.Present)
	}
	return all
}

// step asks every shard. Shards without documents in the level are asked too when they must
// know a new condition.
func (n *sharedFieldLevel) step(step *wire.SharedFieldStep) error {
	if n.reply == nil {
		n.reply = make([]*wire.SharedFieldReply, len(n.d.sessions))
	}
	err := n.d.ask(func(i int) *wire.SearchStep {
		s, mine := &n.l.shards[i], *step
		mine.Level = n.at
		switch {
		case !s.active && (step.Visit == nil || !step.Visit.Fresh || step.Visit.Condition.Index == wire.NearWhole):
			n.reply[i] = &wire.SharedFieldReply{}
			return nil // not asked
		case !s.active:
			mine.Level = wire.NoLevel
		case !s.started:
			mine.Start = n.l.startRule(n.d, i)
			s.started = true
		}
		return &wire.SearchStep{SharedField: &mine}
	}, func(i int, r *wire.SearchReply) error {
		n.reply[i] = r.SharedField
		return nil
	})
	if err != nil {
		return err
	}
	n.left = 0
	for _, r := range n.reply {
		n.left += r.Left
	}
	return nil
}
