package wire

import "shoal/query/rule"

// PrefetchPlan asks a shard to go on by itself after Begin: it runs the driver over
// its own documents alone and sends what it would have answered. The steps that
// the true driver takes are often the same, and then cost no round trip.
type PrefetchPlan struct {
	Rules       []rule.Rule   `msgpack:"r"`
	Placeholder []rule.Rule   `msgpack:"p"`
	Strategy    rule.Strategy `msgpack:"s"`
	MaxWeight   uint32        `msgpack:"w"`
	// Length is the number of hits wanted of all shards together, Enough how many of
	// its own the shard looks for.
	Length int `msgpack:"l"`
	Enough int `msgpack:"e"`
	// Millis is how long it may take.
	Millis int64 `msgpack:"m"`
	// Show has the shard render the best of the hits that it found by itself, Hits of them.
	Show *RenderOptions `msgpack:"sh"`
	Hits int            `msgpack:"h"`
	// Facets has the shard count facets, too, as it is asked when few documents are found
	// (FacetsStep.Ahead); Part is how much of all documents it has.
	Facets *FacetsStep `msgpack:"f"`
	Part   float64     `msgpack:"pt"`
	// Cuts: who asks knows that an answer may be cut (TopReply.Cut). Older nodes would take
	// the best of some documents for the best of all.
	Cuts bool `msgpack:"c"`
	// Parts: who asks takes the answer in two parts (SearchReply.Continued).
	Parts bool `msgpack:"pa"`
}

// Shown are documents that a shard rendered by itself, because they are among the best it
// has. Ordinals ascend. Looked are the terms whose typos it had looked up, in that
// order: what counts as a match depends on it. Touched is the same without the order,
// for older nodes.
type Shown struct {
	Ordinals  []uint32   `msgpack:"o"`
	Touched   uint64     `msgpack:"t"`
	Looked    []uint16   `msgpack:"l"`
	Documents []Rendered `msgpack:"d"`
}

// PrefetchedReply is one step that a shard took by itself, with the answer.
type PrefetchedReply struct {
	// Step is the Key of the step. Want is the number of documents it asked for: an answer
	// about more documents serves as well.
	Step  []byte      `msgpack:"s"`
	Want  int         `msgpack:"w"`
	Reply SearchReply `msgpack:"r"`
}

// Serves tells whether the reply answers a step of the key and the want of Key.
func (r *PrefetchedReply) Serves(key StepKey, want int) bool {
	return want <= r.Want && string(r.Step) == string(key[:])
}

// Ranks tells whether a step changes the levels of the sort alone: the documents found stay
// the same.
func (s *SearchStep) Ranks() bool { return s.Buckets != nil || s.Top != nil || s.Take != nil }

// Reads tells whether a step leaves the session as it is and does not depend on
// the levels of the sort: it may be answered by a session that went ahead.
func (s *SearchStep) Reads() bool {
	return s.Fetch != nil || s.FieldValues != nil || s.Held != nil || s.Facets != nil || s.FacetLabels != nil || s.FacetSearch != nil
}
