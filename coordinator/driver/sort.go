package driver

import (
	"slices"
	"time"

	"shoal/coordinator/score"

	"shoal/wire"
)

// bucketSort is the nested sort of spec ranking 5.1.
func (d *drive) bucketSort() error {
	if d.canTop(0, d.graph) && !d.expired() {
		if done, err := d.top(0, nil, d.graph); done || err != nil {
			return err
		}
	}
	if err := d.push(nil, d.graph); err != nil {
		return err
	}
	want := d.plan.Length
	if d.plan.Exhaustive && d.plan.Threshold != nil {
		want = max(want, d.plan.MaxTotalHits)
	}
	for len(d.out.Hits) < want && len(d.levels) > 0 {
		l := d.levels[len(d.levels)-1]
		if l.left == 0 {
			d.pop()
			continue
		}
		if d.expired() && !l.buffered() {
			return d.dumpAll()
		}
		g, err := d.next(d.batch(want))
		if err != nil {
			return err
		}
		if g == nil {
			d.pop()
			continue
		}
		if err := d.takeBucket(l, g); err != nil {
			return err
		}
	}
	return nil
}

// batch is the number of documents to ask for at once: those still wanted, or one bucket at a
// time when buckets depend on the documents taken before.
func (d *drive) batch(want int) int {
	if d.plan.HasDistinct {
		return 1
	}
	return max(1, min(want, d.plan.Length)-len(d.out.Hits))
}

// takeBucket processes a bucket: it is added to the hits, dropped because its score is too low,
// or ranked by the next rule.
func (d *drive) takeBucket(l *level, g *group) error {
	d.traceBucket(l, g)
	d.details = append(d.details, g.detail)
	below := d.below()
	at := len(d.levels) - 1
	var err error
	switch {
	case below:
		err = d.drop(at, g)
	case at == len(d.rules)-1:
		err = d.add(at, g)
	default:
		graph, done := d.nextGraph(l, g), false
		if d.canTop(at+1, graph) {
			if done, err = d.top(at+1, g, graph); err != nil {
				return err
			}
		}
		if !done {
			return d.push(g, graph)
		}
	}
	d.details = d.details[:len(d.details)-1]
	return err
}

// pop ends the innermost level and the detail that led to it.
func (d *drive) pop() {
	d.levels = d.levels[:len(d.levels)-1]
	if len(d.details) > 0 && len(d.details) > len(d.levels)-1 {
		d.details = d.details[:len(d.details)-1]
	}
}

// below tells whether the details so far rule out reaching the threshold.
func (d *drive) below() bool {
	return d.plan.Threshold != nil && d.details.Score() < *d.plan.Threshold
}

func (d *drive) expired() bool {
	return !d.plan.Deadline.IsZero() && !time.Now().Before(d.plan.Deadline)
}

// left is the remaining time for ranking, in microseconds and at least one; 0 means unlimited.
func (d *drive) left() int64 {
	if d.plan.Deadline.IsZero() {
		return 0
	}
	return max(1, time.Until(d.plan.Deadline).Microseconds())
}

// drop removes a bucket, and all that follow it in its level, from the candidates.
func (d *drive) drop(at int, g *group) error {
	d.dropped = true
	l := d.levels[at]
	return d.askOf(func(i int) bool { return l.shards[i].started }, func(i int) *wire.SearchStep {
		lo := l.shards[i].used
		if g.hi[i] > g.lo[i] {
			lo = g.lo[i]
		}
		return &wire.SearchStep{Drop: &wire.DropStep{Level: at, Lo: lo, Hi: wire.AllItems}}
	}, done)
}

// dumpAll ends a search whose time is up. It adds the rest of every level in the order of
// documents.
func (d *drive) dumpAll() error {
	d.out.Degraded = true
	for len(d.levels) > 0 {
		at := len(d.levels) - 1
		l := d.levels[at]
		if err := d.startAll(at); err != nil {
			return err
		}
		g := &group{count: l.left, lo: make([]int, len(l.shards)), hi: make([]int, len(l.shards)), ords: make([][]uint32, len(l.shards))}
		for i := range l.shards {
			if s := &l.shards[i]; s.active {
				g.lo[i], g.hi[i] = s.used, wire.AllItems
				s.used = wire.AllItems
			}
		}
		d.details = append(d.details, score.Detail{Rule: l.rule, Skipped: true, Rank: score.Rank{Rank: 0, Max: 1}})
		var err error
		if d.below() {
			err = d.drop(at, g)
		} else {
			err = d.add(at, g)
		}
		if err != nil {
			return err
		}
		d.details = d.details[:len(d.details)-1]
		d.pop()
	}
	return nil
}

// startAll starts a level on the shards that were not asked about it yet.
func (d *drive) startAll(at int) error {
	l := d.levels[at]
	return d.askOf(func(i int) bool { return l.shards[i].active && !l.shards[i].started }, func(i int) *wire.SearchStep {
		return &wire.SearchStep{Buckets: &wire.BucketsStep{Level: at, Start: l.startRule(d, i)}}
	}, func(i int, _ *wire.SearchReply) error {
		l.shards[i].started = true
		return nil
	})
}

// add appends the documents of a bucket to the hits, as many as are wanted. Of documents with
// equal distinct values it keeps only the first.
func (d *drive) add(at int, g *group) error {
	if d.plan.HasDistinct {
		return d.addDistinct(at, g)
	}
	room := d.plan.Length - len(d.out.Hits)
	if room <= 0 || g.count == 0 {
		return nil
	}
	err := d.askOf(func(i int) bool { return g.hi[i] > g.lo[i] && g.ords[i] == nil }, func(i int) *wire.SearchStep {
		return &wire.SearchStep{Take: &wire.TakeStep{Level: at, Lo: g.lo[i], Hi: g.hi[i], Limit: room}}
	}, func(i int, r *wire.SearchReply) error {
		g.ords[i] = r.Take.Ordinals
		return nil
	})
	if err != nil {
		return err
	}
	d.emit(mergeOrdinals(g.ords, room))
	return nil
}

// located is a document with its shard.
type located struct {
	ord   uint32
	shard int
	// index is its position in the shard's list.
	index int
}

// mergeOrdinals merges the shards' ascending lists and cuts them at limit.
func mergeOrdinals(lists [][]uint32, limit int) []located {
	n := 0
	for _, l := range lists {
		n += len(l)
	}
	all := make([]located, 0, n)
	filled := 0
	for i, l := range lists {
		if len(l) > 0 {
			filled++
		}
		for k, ord := range l {
			all = append(all, located{ord, i, k})
		}
	}
	if filled > 1 {
		slices.SortFunc(all, func(a, b located) int { return int(int64(a.ord) - int64(b.ord)) })
	}
	return all[:min(limit, len(all))]
}

// emit appends hits that share the details so far.
func (d *drive) emit(docs []located) {
	if len(docs) == 0 {
		return
	}
	var details score.Details
	if !d.plan.Unscored {
		details = slices.Clone(d.details)
	}
	for _, doc := range docs {
		if len(d.out.Hits) >= d.plan.Length {
			return
		}
		d.out.Hits = append(d.out.Hits, Hit{Ordinal: doc.ord, Source: doc.shard, Details: details})
	}
}

// takeInOrder answers a search without rules: documents in order.
func (d *drive) takeInOrder() error {
	if d.plan.HasDistinct {
		return d.walkDistinct()
	}
	if d.plan.Length <= 0 {
		return nil
	}
	lists := make([][]uint32, len(d.sessions))
	err := d.askOf(func(i int) bool { return d.universe[i] > 0 }, func(int) *wire.SearchStep {
		return &wire.SearchStep{Take: &wire.TakeStep{Level: wire.WholeUniverse, Limit: d.plan.Length}}
	}, func(i int, r *wire.SearchReply) error {
		lists[i] = r.Take.Ordinals
		return nil
	})
	if err != nil {
		return err
	}
	d.emit(mergeOrdinals(lists, d.plan.Length))
	return nil
}
