package wire

import "context"

// UnitedSince is the Version whose nodes answer for several shards together
// (SearchOpen.Others).
const UnitedSince = 5

// PinnedShard is one more shard of a pinned index. DeltaID is the delta that led to the
// version, "" as in PinnedIndex.
type PinnedShard struct {
	Shard   uint16 `msgpack:"n"`
	DeltaID string `msgpack:"d"`
}

// SearchOpen starts a search session on one shard at one version, or on several shards of an
// index together.
type SearchOpen struct {
	Index PinnedIndex `msgpack:"x"`
	// Others are the further shards to read besides Index.Key.Shard, each once. It is used once
	// the log has UnitedSince.
	Others []PinnedShard `msgpack:"o"`
	// DeadlineMillis is the remaining time of the search when the message was sent.
	DeadlineMillis int64 `msgpack:"dl"`
	// First is the first step; the answer to the opening is then the answer to the step. It
	// saves a round trip. nil means that steps will follow.
	First *SearchStep `msgpack:"f"`
	// Spare tells this process that another node can answer instead. It is not sent.
	Spare bool `msgpack:"-"`
	// Meanwhile, when set, is called while another node works on the first step. This node
	// itself does not call it for its own sessions. It is not sent.
	Meanwhile func() `msgpack:"-"`
}

// SearchStep is one instruction of the driver. Exactly one member is set, besides Used. The
// steps of a session come in the order vocabulary (with pairs), begin, frequency, universe,
// then any of the others. Steps are self-contained values; their selections (universe, levels,
// buckets) are kept in the session.
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
	// Target and Nearest are for searches for similar documents (search_vectors.go).
	Target  *TargetStep  `msgpack:"tg"`
	Nearest *NearestStep `msgpack:"nr"`
	// Facets, FacetLabels and FacetSearch count the candidates (facet.go).
	Facets      *FacetsStep      `msgpack:"fc"`
	FacetLabels *FacetLabelsStep `msgpack:"fb"`
	FacetSearch *FacetSearchStep `msgpack:"fs"`
	Fetch       *FetchStep       `msgpack:"ft"`
	// Used is set on the first step that is not among those that the shard took ahead
	// (PrefetchPlan). It is the number of these that were used. The session undoes the others.
	Used *int `msgpack:"us"`
}

// SearchReply is the answer to one step, in the member of that step. Begin answers with
// Universe. Steps that only change the session have no answer.
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
	// Ahead are the steps that the shard took ahead after Begin, in order. After Vocabulary it
	// is Begin alone.
	Ahead []PrefetchedReply `msgpack:"ah"`
	// Shown are the documents that it rendered after those steps.
	Shown *Shown `msgpack:"sh"`
	// Counted are the facets that it counted after those steps.
	Counted *PrefetchedReply `msgpack:"ct"`
	// Continued: the shard sends the remaining work ahead in another message, without a
	// request. Steps in its Ahead follow those already sent.
	Continued bool `msgpack:"cn"`
	// WaitedMicros is how long the node waited for the version before it could open the
	// session. It is set in the answer to the opening, and 0 elsewhere and from older nodes.
	WaitedMicros int64 `msgpack:"wm"`
}

// Session is one search on one source at one version: a shard, or all shards of an index on one
// node. Not safe for concurrent use.
type Session interface {
	// Step answers one step of the driver.
	Step(ctx context.Context, s *SearchStep) (*SearchReply, error)
	// Close releases the session; further calls do nothing.
	Close() error
}

type turnKey struct{}

// WithTurn adds a function to the context of a long request, which Turn calls between its
// parts. It may wait until other requests had their turn, and fails when the request must end.
func WithTurn(ctx context.Context, turn func() error) context.Context {
	return context.WithValue(ctx, turnKey{}, turn)
}

// Turn must be called between two parts of a long request.
func Turn(ctx context.Context) error {
	if turn, ok := ctx.Value(turnKey{}).(func() error); ok {
		return turn()
	}
	return nil
}

// Kind returns the name of the step for logs and traces.
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
