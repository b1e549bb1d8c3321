package driver

import "shoal/query/rule"

// Shift is the affine transformation of similarities into scores: it moves a
// distribution of the given mean and deviation to mean 0.5 and deviation 0.4
// (spec ranking 8.2).
type Shift struct{ Mean, Sigma float32 }

// Score makes a score of a distance: the similarity, shifted if there is
// something to shift.
func (s *Shift) Score(distance float32) float32 {
	score := 1 - distance
	if s == nil {
		return score
	}
	factor := 0.4 / s.Sigma
	offset := 0.5 - float32(factor*s.Mean)
	score = float32(factor*score) + offset
	switch {
	case score <= 0:
		return 0x1p-23
	case score > 1:
		return 1
	}
	return score
}

// buffered tells whether the next bucket is at hand, so that taking it costs
// nothing even when the time is up: the rule compared all its documents at once.
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

// nextVector groups the next documents of the shards' streams that are equally
// far. Like the reference, which looks for as many neighbours as are wanted at a
// time, it ends a bucket where such a portion ends. Documents without vector come
// last, as one bucket.
func (d *drive) nextVector(l *level) (*group, error) {
	portion := max(1, d.plan.Length)
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
		s := &l.shards[i]
		doc := &s.stream[0]
		switch {
		case g.count == 0:
			distance = doc.Distance
			g.detail.HasVector, g.detail.Similarity = true, d.plan.Shift.Score(float32(distance))
		case doc.Distance != distance || l.streamed%portion == 0:
			l.left -= min(l.left, g.count)
			return g, nil
		}
		g.count++
		g.hi[i]++
		l.streamed++
		s.used++
		s.stream = s.stream[1:]
	}
	l.left -= min(l.left, g.count)
	if g.count > 0 {
		return g, nil
	}
	return d.streamRest(l)
}
