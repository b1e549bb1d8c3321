package driver

import (
	"math"

	"shoal/coordinator/score"
	"shoal/query/rule"
	"shoal/wire"
)

// Bounds of a geo bucket (spec ranking 9): its size, and the distance of its documents from the
// first one.
const (
	geoBucketMetres = 1.0
	geoBucketSize   = 1000
)

// nextGeo groups the next documents of the shards' streams: the first one, and those that
// follow within a metre of its distance. Documents without a place come last, as one bucket.
// want is the number of documents that are still needed. Each time a shard is asked, it is
// asked for as many as it gave so far, because a bucket may be large, and buckets may be
// dropped.
func (d *drive) nextGeo(l *level, want int) (*group, error) {
	g := l.streamGroup()
	for g.count < geoBucketSize {
		ask := want
		for i := range l.shards {
			ask = max(ask, l.shards[i].used)
		}
		if err := d.fill(1, min(ask, geoBucketSize)+1); err != nil {
			return nil, err
		}
		i := l.nearest()
		if i < 0 {
			break
		}
		doc := &l.shards[i].stream[0]
		if g.count == 0 {
			g.detail.HasPoint, g.detail.Point, g.detail.Distance = true, doc.Point, doc.Distance
		} else if math.Abs(g.detail.Distance-doc.Distance) > geoBucketMetres {
			break
		}
		l.takeNearest(g, i)
	}
	return d.streamed(l, g)
}

// streamGroup returns an empty bucket at the present position of the streams.
func (l *level) streamGroup() *group {
	n := len(l.shards)
	g := &group{detail: score.Detail{Rule: l.rule}, lo: make([]int, n), hi: make([]int, n), ords: make([][]uint32, n)}
	for i := range l.shards {
		g.lo[i], g.hi[i] = l.shards[i].used, l.shards[i].used
	}
	return g
}

// takeNearest moves the next document of a shard's stream into a bucket.
func (l *level) takeNearest(g *group, shard int) {
	s := &l.shards[shard]
	g.count++
	g.hi[shard]++
	s.used++
	s.stream = s.stream[1:]
}

// streamed returns the bucket that was filled from the streams, or the remaining documents when
// the streams have ended.
func (d *drive) streamed(l *level, g *group) (*group, error) {
	l.left -= min(l.left, g.count)
	if g.count > 0 {
		return g, nil
	}
	return d.streamRest(l)
}

// before orders the documents of streams.
func (l *level) before(a, b wire.Streamed) bool {
	if l.rule.Kind == rule.Vector {
		return wire.CompareNear(a, b) < 0
	}
	c := wire.CompareGeo(a, b)
	return c < 0 && !l.rule.Desc || c > 0 && l.rule.Desc
}

// nearest returns the shard with the next document of the merged stream, -1 at its end.
func (l *level) nearest() int {
	best := -1
	for i := range l.shards {
		s := &l.shards[i]
		if len(s.stream) == 0 {
			continue
		}
		if best < 0 {
			best = i
			continue
		}
		if l.before(s.stream[0], l.shards[best].stream[0]) {
			best = i
		}
	}
	return best
}

// streamRest returns the documents that no shard streams as one bucket, once: those without a
// place or vector.
func (d *drive) streamRest(l *level) (*group, error) {
	n := len(l.shards)
	g := &group{detail: score.Detail{Rule: l.rule}, lo: make([]int, n), hi: make([]int, n), ords: make([][]uint32, n)}
	counts := make([]uint64, n)
	err := d.askOf(func(i int) bool { return l.shards[i].active && l.shards[i].used != wire.AllItems }, func(i int) *wire.SearchStep {
		return &wire.SearchStep{Take: &wire.TakeStep{Level: len(d.levels) - 1, Lo: l.shards[i].used, Hi: wire.AllItems}}
	}, func(i int, r *wire.SearchReply) error {
		counts[i] = r.Take.Count
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i, c := range counts {
		if c > 0 {
			g.lo[i], g.hi[i] = l.shards[i].used, wire.AllItems
			l.shards[i].used = wire.AllItems
		}
		g.count += c
	}
	l.left -= min(l.left, g.count)
	if g.count == 0 {
		return nil, nil
	}
	return g, nil
}

// buffered tells whether the next bucket is in memory, because the rule compared all its
// documents at once. Taking it costs nothing even when the time is up.
func (l *level) buffered() bool {
	if l.rule.Kind != rule.Vector {
		return false
	}
	any := false
	for i := range l.shards {
		s := &l.shards[i]
		if s.active && s.more && len(s.stream) == 0 {
			return false
		}
		any = any || len(s.stream) > 0
	}
	return any
}

// portionEnd finds the last document of the portion that begins with the next document of the
// shards' streams. A portion is as many neighbours as are wanted. Those that are excluded later
// leave it, and no others take their place.
func (d *drive) portionEnd(l *level, portion int) error {
	if err := d.fill(portion, portion); err != nil {
		return err
	}
	next := make([]int, len(l.shards))
	l.last = nil
	for range portion {
		best := -1
		for i := range l.shards {
			if s := l.shards[i].stream; next[i] < len(s) && (best < 0 || l.before(s[next[i]], l.shards[best].stream[next[best]])) {
				best = i
			}
		}
		if best < 0 {
			l.last = nil
			return nil
		}
		l.last = &l.shards[best].stream[next[best]]
		next[best]++
	}
	return nil
}

// nextVector groups the next documents of the shards' streams with equal distances. The
// reference looks for as many neighbours at a time as are wanted; this function also ends a
// bucket where such a portion ends. Documents without a vector come last, as one bucket. When
// no hit is wanted, no neighbour is looked for and all documents form that bucket.
func (d *drive) nextVector(l *level) (*group, error) {
	portion := max(1, d.plan.Length)
	if d.plan.Length <= 0 {
		if err := d.fill(1, portion); err != nil {
			return nil, err
		}
		return d.streamRest(l)
	}
	g := l.streamGroup()
	distance := 0.0
	for {
		if err := d.fill(1, portion); err != nil {
			return nil, err
		}
		i := l.nearest()
		if i < 0 {
			break
		}
		doc := &l.shards[i].stream[0]
		beyond := l.last != nil && wire.CompareNear(*l.last, *doc) < 0
		switch {
		case g.count == 0:
			if l.last == nil || beyond {
				if err := d.portionEnd(l, portion); err != nil {
					return nil, err
				}
				doc = &l.shards[i].stream[0]
			}
			distance = doc.Distance
			g.detail.HasVector, g.detail.Similarity = true, d.plan.Shift.Score(float32(distance))
		case doc.Distance != distance || beyond:
			l.left -= min(l.left, g.count)
			return g, nil
		}
		l.takeNearest(g, i)
	}
	return d.streamed(l, g)
}
