package wire

import "shoal/query/rule"

// PrefetchPlan asks a shard to work ahead after Begin: it runs the driver over its own
// documents alone and sends its answers. The real driver often takes the same steps, which then
// cost no round trip.
type PrefetchPlan struct {
	Rules       []rule.Rule   `msgpack:"r"`
	Placeholder []rule.Rule   `msgpack:"p"`
	Strategy    rule.Strategy `msgpack:"s"`
	MaxWeight   uint32        `msgpack:"w"`
	// Length is the number of hits wanted of all shards together, Enough the number of its own
	// hits after which the shard stops.
	Length int `msgpack:"l"`
	Enough int `msgpack:"e"`
	// Millis bounds the time.
	Millis int64 `msgpack:"m"`
	// Show makes the shard render the best Hits of its own hits.
	Show *RenderOptions `msgpack:"sh"`
	Hits int            `msgpack:"h"`
	// Facets makes the shard count facets, too; it is in the form for few found documents
	// (FacetsStep.Ahead). Part is the shard's fraction of all documents.
	Facets *FacetsStep `msgpack:"f"`
	Part   float64     `msgpack:"pt"`
	// Cuts: the caller knows that an answer may be cut (TopReply.Cut). Older nodes would take
	// the best of some documents for the best of all.
	Cuts bool `msgpack:"c"`
	// Parts: the caller accepts the answer in two parts (SearchReply.Continued).
	Parts bool `msgpack:"pa"`
}

// Shown are documents that a shard rendered ahead, because they are its best. Ordinals ascend.
// Looked are the terms whose typos it had looked up, in that order: matches depend on it.
// Touched is the same without the order, for older nodes.
type Shown struct {
	Ordinals  []uint32   `msgpack:"o"`
	Touched   uint64     `msgpack:"t"`
	Looked    []uint16   `msgpack:"l"`
	Documents []Rendered `msgpack:"d"`
}

// PrefetchedReply is one step that a shard took ahead, with the answer.
type PrefetchedReply struct {
	// Step is the digest of the step, Want the number of documents that it asked for.
	Step  []byte      `msgpack:"s"`
	Want  int         `msgpack:"w"`
	Reply SearchReply `msgpack:"r"`
	// Taken is the step itself, instead of Step and Want, when a shard of this node took it. It
	// is not sent.
	Taken *SearchStep `msgpack:"-"`
}

// Prefetched returns a PrefetchedReply for a step, without the answer.
func Prefetched(s *SearchStep) (r PrefetchedReply, err error) {
	key, want, err := s.key()
	return PrefetchedReply{Step: key[:], Want: want}, err
}

// Answer returns the reply if it answers a step, too, and nil if not. A reply with more
// documents than the step asks for is fine.
func (r *PrefetchedReply) Answer(s *SearchStep) (*SearchReply, error) {
	if r.Taken != nil {
		if !r.Taken.covers(s) {
			return nil, nil
		}
		return &r.Reply, nil
	}
	key, want, err := s.key()
	if err != nil || want > r.Want || string(r.Step) != string(key[:]) {
		return nil, err
	}
	return &r.Reply, nil
}

// Ranks tells whether a step changes only the levels of the sort: the found documents stay the
// same.
func (s *SearchStep) Ranks() bool { return s.Buckets != nil || s.Top != nil || s.Take != nil }

// Reads tells whether a step does not change the session and does not depend on the levels of
// the sort. A session that worked ahead may answer it.
func (s *SearchStep) Reads() bool {
	return s.Fetch != nil || s.FieldValues != nil || s.Held != nil || s.Facets != nil || s.FacetLabels != nil || s.FacetSearch != nil
}
