package wire

import "context"

// UnitedSince is the Version whose nodes answer for several shards at once
// (SearchOpen.Others).
const UnitedSince = 5

// PinnedShard is one more shard of a pinned index; DeltaID is what led to the version, ""
// as in PinnedIndex.
type PinnedShard struct {
	Shard   uint16 `msgpack:"n"`
	DeltaID string `msgpack:"d"`
}

// SearchOpen starts a search session on one shard at one version, or on several shards of
// an index as one.
type SearchOpen struct {
	Index PinnedIndex `msgpack:"x"`
	// Others are the shards that are read besides Index.Key.Shard, each once. A node is sent
	// some once the log is of UnitedSince.
	Others []PinnedShard `msgpack:"o"`
	// DeadlineMillis is the remaining search budget when the message was sent.
	DeadlineMillis int64 `msgpack:"dl"`
	// First is the first step; the answer to opening is then that to the step. It
	// spares another node a round trip; nil waits for steps.
	First *SearchStep `msgpack:"f"`
	// Spare tells this process that another node can answer instead; it is not sent.
	Spare bool `msgpack:"-"`
	// Meanwhile, when set, is called while another node works on the first step, and not at
	// all by the node itself; it is not sent.
	Meanwhile func() `msgpack:"-"`
}

// SearchStep is one instruction of the driver; exactly one member is set. The
// steps of a session come in the order vocabulary (with pairs), begin,
// frequency, universe, then any of the others. Steps are self-contained values;
// what they select (universe, levels, buckets) lives in the session.
type SearchStep struct {
	Vocabulary  *VocabularyStep  `msgpack:"v"`
	Pairs       *PairsStep       `msgpack:"p"`
	Begin       *BeginStep       `msgpack:"b"`
	Frequency   *FrequencyStep   `msgpack:"f"`
	Universe    *UniverseStep    `msgpack:"u"`
	Buckets     *BucketsStep     `msgpack:"k"`
	SharedField *SharedFieldStep `msgpack:"ne"`
	Take        *TakeStep        `msgpack:"t"`
	Top         *TopStep         `msgpack:"tp"`
	Drop        *DropStep        `msgpack:"d"`
	Exclude     *ExcludeStep     `msgpack:"x"`
	Candidates  *CandidatesStep  `msgpack:"c"`
	Narrow      *NarrowStep      `msgpack:"n"`
	FieldValues *FieldValuesStep `msgpack:"fv"`
	Held        *HeldStep        `msgpack:"he"`
	Values      *ValuesStep      `msgpack:"vl"`
	// Target and Nearest serve searches for similar documents (search_vectors.go).
	Target  *TargetStep  `msgpack:"tg"`
	Nearest *NearestStep `msgpack:"nr"`
	// Facets, FacetLabels and FacetSearch count the candidates (facet.go).
	Facets      *FacetsStep      `msgpack:"fc"`
	FacetLabels *FacetLabelsStep `msgpack:"fb"`
	FacetSearch *FacetSearchStep `msgpack:"fs"`
	Fetch       *FetchStep       `msgpack:"ft"`
	// Used is set on the first step that is not among those the shard has taken by
	// itself (PrefetchPlan): how many of them were wanted. The session goes back to
	// where it was after those.
	Used *int `msgpack:"us"`
}

// SearchReply is the answer to one step: the member that belongs to the step is
// set. Begin answers with Universe; steps that only change the session with
// none.
type SearchReply struct {
	Vocabulary  *VocabularyReply  `msgpack:"v"`
	Pairs       *PairsReply       `msgpack:"p"`
	Frequency   *FrequencyReply   `msgpack:"f"`
	Universe    *UniverseReply    `msgpack:"u"`
	Buckets     *BucketsReply     `msgpack:"k"`
	SharedField *SharedFieldReply `msgpack:"ne"`
	Take        *TakeReply        `msgpack:"t"`
	Top         *TopReply         `msgpack:"tp"`
	Candidates  *CandidatesReply  `msgpack:"c"`
	FieldValues *FieldValuesReply `msgpack:"fv"`
	Held        *HeldReply        `msgpack:"he"`
	Values      *ValuesReply      `msgpack:"vl"`
	Target      *TargetReply      `msgpack:"tg"`
	Nearest     *NearestReply     `msgpack:"nr"`
	Facets      *FacetsReply      `msgpack:"fc"`
	FacetLabels *FacetLabelsReply `msgpack:"fb"`
	FacetSearch *FacetSearchReply `msgpack:"fs"`
	Fetch       *FetchReply       `msgpack:"ft"`
	// Ahead are steps the shard took by itself after Begin, in order; after Vocabulary it is
	// Begin alone.
	Ahead []PrefetchedReply `msgpack:"ah"`
	// Shown are documents that it rendered after those steps.
	Shown *Shown `msgpack:"sh"`
	// Counted are the facets that it counted after those steps.
	Counted *PrefetchedReply `msgpack:"ct"`
	// Continued: what the shard had not done yet of that comes in a message of its own, which
	// nobody asks for. Steps in Ahead follow those that were told before.
	Continued bool `msgpack:"cn"`
	// WaitedMicros is how long the node waited for the version until it could open the
	// session: in the answer to opening, 0 elsewhere and from older nodes.
	WaitedMicros int64 `msgpack:"wm"`
}

// Session is one search on one source: a shard, or all shards of an index on one
// node, at one version. Not safe for concurrent use.
type Session interface {
	// Step answers one step of the driver.
	Step(ctx context.Context, s *SearchStep) (*SearchReply, error)
	// Close lets go of what the session holds; further calls do nothing.
	Close() error
}

type turnKey struct{}

// WithTurn gives the context of a long request a function that is called between its
// parts: it may wait until others had their turn, and fails when the request has to end.
func WithTurn(ctx context.Context, turn func() error) context.Context {
	return context.WithValue(ctx, turnKey{}, turn)
}

// Turn is called between two parts of a long request.
func Turn(ctx context.Context) error {
	if turn, ok := ctx.Value(turnKey{}).(func() error); ok {
		return turn()
	}
	return nil
}

// Kind is what logs and traces call the step.
func (s *SearchStep) Kind() string {
	switch {
	case s.Vocabulary != nil:
		return "vocabulary"
	case s.Pairs != nil:
		return "pairs"
	case s.Begin != nil:
		return "begin"
	case s.Frequency != nil:
		return "frequency"
	case s.Universe != nil:
		return "universe"
	case s.Buckets != nil:
		return "buckets"
	case s.SharedField != nil:
		return "shared field"
	case s.Take != nil:
		return "take"
	case s.Top != nil:
		return "top"
	case s.Drop != nil:
		return "drop"
	case s.Exclude != nil:
		return "exclude"
	case s.Candidates != nil:
		return "candidates"
	case s.Narrow != nil:
		return "narrow"
	case s.FieldValues != nil:
		return "field values"
	case s.Held != nil:
		return "held"
	case s.Values != nil:
		return "values"
	case s.Target != nil:
		return "target"
	case s.Nearest != nil:
		return "nearest"
	case s.Facets != nil:
		return "facets"
	case s.FacetLabels != nil:
		return "facet labels"
	case s.FacetSearch != nil:
		return "facet search"
	case s.Fetch != nil:
		return "fetch"
	}
	return "nothing"
}
