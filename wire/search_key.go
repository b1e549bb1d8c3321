package wire

import (
	"crypto/sha256"
	"slices"
	"sync"

	"shoal/wire/codec"
)

// stepKey is the digest by which both ends of a session identify a step.
type stepKey [16]byte

// bareStep is a buffer for a step as its digest sees it: without the number of documents and
// the touched terms.
type bareStep struct {
	step    SearchStep
	buckets BucketsStep
	start   StartRule
	top     TopStep
	take    TakeStep
}

var bareSteps = sync.Pool{New: func() any { return new(bareStep) }}

// key returns a digest of the step, without the number of documents that it asks for, and that
// number. Programs with different digests still understand each other; work ahead is then
// useless.
func (s *SearchStep) key() (key stepKey, want int, err error) {
	bare := bareSteps.Get().(*bareStep)
	s, want = bare.of(s)
	err = codec.EncodeFor(s, func(raw []byte) {
		sum := sha256.Sum256(raw)
		key = stepKey(sum[:len(key)])
	})
	*bare = bareStep{}
	bareSteps.Put(bare)
	return key, want, err
}

// of returns the step as its digest sees it, and the number of documents that it asks for.
func (b *bareStep) of(s *SearchStep) (bare *SearchStep, want int) {
	switch {
	case s.Buckets != nil:
		b.buckets = *s.Buckets
		want, b.buckets.Want = b.buckets.Want, 0
		if b.buckets.Start != nil { // a shard alone never knows more touched terms than all shards together
			b.start = *b.buckets.Start
			b.start.Touched, b.buckets.Start = 0, &b.start
		}
		b.step.Buckets = &b.buckets
	case s.Top != nil:
		b.top = *s.Top
		want, b.top.Want, b.top.Micros = b.top.Want, 0, 0
		b.step.Top = &b.top
	case s.Take != nil:
		b.take = *s.Take
		want, b.take.Limit = b.take.Limit, 0
		b.step.Take = &b.take
	default:
		return s, 0
	}
	return &b.step, want
}

// covers tells whether the answer to this ranking step also answers another one: that one asks
// the same, for no more documents. As in key, touched terms do not matter.
func (s *SearchStep) covers(other *SearchStep) bool {
	switch {
	case s.Buckets != nil && other.Buckets != nil:
		a, b := s.Buckets, other.Buckets
		return a.Level == b.Level && a.Ordinals == b.Ordinals && a.Want >= b.Want && a.Start.equal(b.Start)
	case s.Top != nil && other.Top != nil:
		a, b := s.Top, other.Top
		return a.Level == b.Level && a.Lo == b.Lo && a.Hi == b.Hi && a.Want >= b.Want && slices.Equal(a.Rules, b.Rules) && a.Graph.Equal(b.Graph) &&
			a.Distinct == b.Distinct && a.HasDistinct == b.HasDistinct && slices.Equal(a.Limit, b.Limit)
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
