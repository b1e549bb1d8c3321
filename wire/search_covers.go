package wire

import "slices"

// Covers tells whether the answer to this ranking step also answers another one: that one asks
// the same, for no more documents. As in Key, touched terms do not matter.
func (s *SearchStep) Covers(other *SearchStep) bool {
	switch {
	case s.Buckets != nil && other.Buckets != nil:
		a, b := s.Buckets, other.Buckets
		return a.Level == b.Level && a.Ordinals == b.Ordinals && a.Want >= b.Want && a.Start.equal(b.Start)
	case s.Top != nil && other.Top != nil:
		a, b := s.Top, other.Top
		return a.Level == b.Level && a.Lo == b.Lo && a.Hi == b.Hi && a.Want >= b.Want && slices.Equal(a.Rules, b.Rules) && a.Graph.Equal(b.Graph)
	case s.Take != nil && other.Take != nil:
		a, b := *s.Take, *other.Take
		enough := a.Limit >= b.Limit
		a.Limit, b.Limit = 0, 0
		return enough && a == b
	}
	return false
}

// equal compares everything but Touched; nil equals only nil.
func (r *StartRule) equal(other *StartRule) bool {
	if r == nil || other == nil {
		return r == other
	}
	return r.Rule == other.Rule && r.Lo == other.Lo && r.Hi == other.Hi && r.Strategy == other.Strategy &&
		slices.Equal(r.Frequency, other.Frequency) && r.Graph.Equal(other.Graph)
}
