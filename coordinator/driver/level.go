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

// level is one rule of the nested sort while it ranks one bucket of the level
// above.
type level struct {
	rule  rule.Rule
	graph *query.Graph
	max   uint32
	// frequency gives the removal order of a Words rule.
	frequency []uint64
	// parent is the bucket the level ranks; nil for the universe.
	parent *group
	shards []shardLevel
	// left is the number of documents not returned yet. Once documents were excluded it is only
	// an upper bound.
	left uint64
	// last is the last document of the present portion of a Vector rule; nil if none began or
	// this one has no end.
	last *wire.Streamed
	// sharedField: the rule is proximity with byAttribute; near is its state.
	sharedField bool
	near        *sharedFieldLevel
}

// shardLevel is a level on one shard.
type shardLevel struct {
	active  bool // the shard has documents in the level
	started bool
	more    bool
	// items are the known buckets that are not used yet. The first of them has the number used
	// in the level. stream is the same for streaming rules.
	items  []wire.Bucket
	stream []wire.Streamed
	used   int
	// asked lists when the shard looked up the typos of terms.
	asked []wire.Asked
}

// group is one bucket over all shards: the range of items on each shard, and the judgement of
// the rule.
type group struct {
	count  uint64
	cost   uint32
	paths  []rule.Path
	detail score.Detail
	lo, hi []int
	ords   [][]uint32
}

// push starts the next rule over a bucket, or the first one over the universe.
func (d *drive) push(parent *group, graph *query.Graph) error {
	l := &level{rule: d.rules[len(d.levels)], graph: graph, parent: parent, shards: make([]shardLevel, len(d.sessions))}
	for i := range l.shards {
		if parent == nil {
			l.shards[i].active = d.universe[i] > 0
		} else {
			l.shards[i].active = parent.hi[i] > parent.lo[i]
		}
		l.shards[i].more = l.shards[i].active
	}
	if parent == nil {
		l.left = total(d.universe)
	} else {
		l.left = parent.count
	}
	l.sharedField = d.sharesField(l.rule.Kind, graph)
	if l.rule.Kind.Ranked() {
		if l.rule.Kind == rule.Words {
			if err := d.removal(l); err != nil {
				return err
			}
		}
		l.max = d.costs.MaxRank(l.rule.Kind, graph)
	}
	d.levels = append(d.levels, l)
	return nil
}

// removal fixes the order in which a Words rule drops terms.
func (d *drive) removal(l *level) (err error) {
	if d.plan.Strategy == rule.Frequency {
		if l.frequency, err = d.frequency(l.graph); err != nil {
			return err
		}
	}
	d.costs.Removal = rule.NewRemoval(l.graph, d.terms, d.plan.Strategy, l.frequency)
	return nil
}

// fill makes sure that every shard with more buckets in the innermost level has one ready
// (streams: least documents). It asks for want documents.
func (d *drive) fill(least, want int) error {
	at := len(d.levels) - 1
	l := d.levels[at]
	last := at == len(d.rules)-1
	return d.askOf(func(i int) bool { return l.shards[i].wants(l.rule.Kind, least) }, func(i int) *wire.SearchStep {
		step := &wire.BucketsStep{Level: at, Want: want, Ordinals: last && !d.plan.HasDistinct}
		if !l.shards[i].started {
			step.Start = l.startRule(d, i)
		}
		return &wire.SearchStep{Buckets: step}
	}, func(i int, reply *wire.SearchReply) error {
		s := &l.shards[i]
		s.started, s.more = true, reply.Buckets.More
		s.items = append(s.items, reply.Buckets.Buckets...)
		s.stream = append(s.stream, reply.Buckets.Stream...)
		s.asked = append(s.asked, reply.Buckets.Asked...)
		return nil
	})
}

// startRule returns how the level begins on a shard.
func (l *level) startRule(d *drive, i int) *wire.StartRule {
	start := &wire.StartRule{Rule: l.rule, Graph: l.graph, Strategy: d.plan.Strategy, Frequency: l.frequency, Touched: d.out.touchedSet()}
	if l.parent != nil {
		start.Lo, start.Hi = l.parent.lo[i], l.parent.hi[i]
	}
	return start
}

// wants tells whether the shard must be asked before the next bucket is known.
func (s *shardLevel) wants(kind rule.Kind, least int) bool {
	if !s.more {
		return false
	}
	if kind == rule.Geo || kind == rule.Vector {
		return len(s.stream) < least
	}
	return len(s.items) == 0
}

// next returns the next bucket of the innermost level, nil when there is none.
func (d *drive) next(want int) (*group, error) {
	l := d.levels[len(d.levels)-1]
	defer span.Charge(d.ctx, "rule", l.rule.Kind.Name())()
	switch l.rule.Kind {
	case rule.Geo:
		return d.nextGeo(l, want)
	case rule.Vector:
		return d.nextVector(l)
	}
	if l.sharedField {
		return d.nextNear(l, want)
	}
	if err := d.fill(1, want); err != nil {
		return nil, err
	}
	var best *wire.Bucket
	for i := range l.shards {
		if s := &l.shards[i]; len(s.items) > 0 && (best == nil || l.compare(&s.items[0], best) < 0) {
			best = &s.items[0]
		}
	}
	if best == nil {
		d.touch(l, func(*wire.Asked) bool { return true })
		return nil, nil
	}
	g := l.join(best)
	d.touch(l, func(a *wire.Asked) bool {
		return a.Cost < g.cost || a.Cost == g.cost && (l.left > 0 || len(g.paths) == 0 || slices.Compare(a.Path, g.paths[len(g.paths)-1]) <= 0)
	})
	return g, nil
}

// touch records the terms whose typos were looked up as far as the search got.
func (d *drive) touch(l *level, came func(*wire.Asked) bool) {
	var fresh []*wire.Asked
	for i := range l.shards {
		for k := range l.shards[i].asked {
			if a := &l.shards[i].asked[k]; came(a) && !slices.Contains(d.out.Touched, a.Term) {
				fresh = append(fresh, a)
			}
		}
	}
	slices.SortStableFunc(fresh, func(a, b *wire.Asked) int {
		return cmp.Or(cmp.Compare(a.Cost, b.Cost), slices.Compare(a.Path, b.Path))
	})
	for _, a := range fresh {
		d.out.touch(a.Term)
	}
}

// compare orders buckets of one rule.
func (l *level) compare(a, b *wire.Bucket) int {
	if l.rule.Kind == rule.Sort || l.rule.Kind == rule.Random {
		return wire.CompareSort(a.Value, b.Value, l.rule.Desc)
	}
	return cmp.Compare(a.Cost, b.Cost)
}

// join consumes the buckets of all shards that equal the given one.
func (l *level) join(best *wire.Bucket) *group {
	n := len(l.shards)
	g := &group{cost: best.Cost, lo: make([]int, n), hi: make([]int, n), ords: make([][]uint32, n)}
	g.detail = score.Detail{Rule: l.rule, Value: best.Value}
	if l.rule.Kind.Ranked() {
		g.detail.Rank = score.Rank{Rank: l.max - best.Cost, Max: l.max}
	}
	head := *best
	var paths [][]rule.Path
	for i := range l.shards {
		s := &l.shards[i]
		if len(s.items) == 0 || l.compare(&s.items[0], &head) != 0 {
			continue
		}
		b := &s.items[0]
		g.count += uint64(b.Count)
		g.lo[i], g.hi[i] = s.used, s.used+1
		g.ords[i] = b.Ordinals
		paths = append(paths, b.Paths)
		s.used++
		s.items = s.items[1:]
	}
	g.paths = rule.MergePaths(paths...)
	l.left -= min(l.left, g.count)
	return g
}

// nextGraph returns the graph that a bucket leaves for the next rule.
func (d *drive) nextGraph(l *level, g *group) *query.Graph {
	if !l.rule.Kind.OnGraph() || g.paths == nil {
		return l.graph
	}
	return rule.NextGraph(l.rule.Kind, l.graph, d.terms, g.paths)
}
