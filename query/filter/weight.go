package filter

// MaxFilterWeight is how much the filter of one request may weigh. The reference has
// no such limit; a condition costs up to 30 µs in all, and a shape is compared with
// every document.
const MaxFilterWeight = 50_000

// Weights of the parts of a filter.
const (
	valueWeight      = 1
	conditionWeight  = 2
	coordinateWeight = 5
	// What stands in braces is looked up for each place in an array.
	objectWeight = 5
	// A name in braces takes the memory of the whole path.
	pathWeight = 64 // bytes
)

// weigh puts a condition on the scale.
func (p *filterParser) weigh() {
	weight := conditionWeight
	if p.within != "" {
		weight = objectWeight*conditionWeight + len(p.within)/pathWeight
	}
	p.scale.put(weight)
}

// weighValue puts a value of a list on the scale.
func (p *filterParser) weighValue() {
	weight := valueWeight
	if p.within != "" {
		weight = objectWeight * valueWeight
	}
	p.scale.put(weight)
}

// filterScale is what the expressions of one filter may still weigh.
type filterScale struct {
	left int
	free bool
}

func (s *filterScale) unlimited() *filterScale {
	s.free = true
	return s
}

func (s *filterScale) put(weight int) {
	if !s.free {
		s.left -= weight
	}
}

// over tells that the filter is too large: whoever parses it comes to an end.
func (s *filterScale) over() bool { return s.left < 0 }

// most is n, or as many values as may still come.
func (s *filterScale) most(n int) int {
	if s.free {
		return n
	}
	return min(n, max(0, s.left))
}
