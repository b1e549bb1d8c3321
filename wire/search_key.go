package wire

import (
	"crypto/sha256"
	"sync"

	"shoal/wire/codec"
)

// StepKey is the digest by which both ends of a session identify a step.
type StepKey [16]byte

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

// Key returns a digest of the step, without the number of documents that it asks for, and that
// number. Programs with different digests still understand each other; work ahead is then
// useless.
func (s *SearchStep) Key() (key StepKey, want int, err error) {
	bare := bareSteps.Get().(*bareStep)
	s, want = bare.of(s)
	err = codec.EncodeFor(s, func(raw []byte) {
		sum := sha256.Sum256(raw)
		key = StepKey(sum[:len(key)])
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
