package wire

import (
	"cmp"

	"shoal/query"
	"shoal/query/filter"
	"shoal/query/rule"
)

// VocabularyStep asks what a shard knows about the words of a query, before any term is pinned
// (spec ranking 11.2 step 2).
type VocabularyStep struct {
	Words []VocabularyWord `msgpack:"w"`
	// Ahead is the number of cuts of each word, those with the greatest bounds, for which the
	// shard counts documents unasked. The driver will most likely ask for these next.
	Ahead int `msgpack:"a"`
	// Begin is the next step, with the terms of the query and without what follows from them.
	// Others are the reports of all other sources about the words. With both the shard resolves
	// the terms, continues to Begin by itself, and sends the answer as the first of Ahead.
	Begin  *BeginStep        `msgpack:"bg"`
	Others []VocabularyReply `msgpack:"o"`
}

// VocabularyWord is one word or n-gram. Prefix also asks for its extensions, Budget for the
// words within that many typos, Splits for the bounds of its splits.
type VocabularyWord struct {
	Text   string `msgpack:"t"`
	Prefix bool   `msgpack:"p"`
	Budget uint8  `msgpack:"b"`
	Splits bool   `msgpack:"s"`
	// Infix asks for the words that have Text inside, and for nothing else. The settings that
	// lead to it need InfixSince.
	Infix bool `msgpack:"i"`
}

// VocabularyReply answers word by word.
type VocabularyReply struct {
	Words []WordFacts `msgpack:"w"`
	// Counts are the counts that the shard made unasked.
	Counts []CutCount `msgpack:"n"`
}

// CutCount is the number of documents in which the parts of a cut word are adjacent. Word is
// the position of the word in the step, At the length of its left part in bytes. All: Count is
// exact.
type CutCount struct {
	Word  int    `msgpack:"w"`
	At    int    `msgpack:"a"`
	Count uint32 `msgpack:"n"`
	All   bool   `msgpack:"l"`
}

// WordFacts is what one shard knows about one word. Lists ascend in byte order and are cut at
// their limit, so that the union of several shards' lists, cut again, is exact.
type WordFacts struct {
	// Known: some document has the word (tolerant or exact).
	Known bool `msgpack:"k"`
	// Cached: at least query.MinCachedWords tolerant words start with the word, and it is short
	// enough to be a cached prefix. Otherwise, for such a short word, Prefixed holds all
	// tolerant words that start with it, including itself.
	Cached   bool     `msgpack:"c"`
	Prefixed []string `msgpack:"pf"`
	// Extensions are the first words that strictly extend the word.
	Extensions []string `msgpack:"e"`
	// Infix are the first infix forms with the word inside (query.AppendInfixForm).
	Infix []string `msgpack:"i"`
	// Typos is the stream of candidates, up to where the limits stop the shard.
	Typos []TypoWord `msgpack:"ty"`
	// Bounds holds, for each place to cut the word (after its first character, its second ...),
	// an upper bound of the documents in which left directly precedes right; empty when all are
	// 0.
	Bounds []uint32 `msgpack:"b"`
}

// TypoWord is a word near the requested one. Foreign: its first character differs.
type TypoWord struct {
	Word     string `msgpack:"w"`
	Distance uint8  `msgpack:"d"`
	Foreign  bool   `msgpack:"f"`
}

// PairsStep asks for the number of documents in which left directly precedes right.
type PairsStep struct {
	Pairs []Pair `msgpack:"p"`
	// Restricted: only words in one of Fields count. It is set when words are neighbours if
	// they share a field (proximityPrecision byAttribute).
	Restricted bool     `msgpack:"r"`
	Fields     []uint16 `msgpack:"f"`
}

// Pair is two words. Counting may stop at Enough documents.
type Pair struct {
	Left   string `msgpack:"l"`
	Right  string `msgpack:"r"`
	Enough uint32 `msgpack:"e"`
}

// PairsReply has a count for each pair.
type PairsReply struct {
	Counts []uint32 `msgpack:"c"`
}

// BeginStep pins the terms and computes the filtered universe: documents that pass the filter
// and match no negative word or phrase.
type BeginStep struct {
	Terms           []query.Term `msgpack:"t"`
	NegativeWords   []string     `msgpack:"nw"`
	NegativePhrases [][]string   `msgpack:"np"`
	// Filter is the JSON of the filter, nil for none.
	Filter []byte `msgpack:"f"`
	// Restricted: only Fields are searched (attributesToSearchOn).
	Restricted bool     `msgpack:"r"`
	Fields     []uint16 `msgpack:"fl"`
	// Vector and Embedder are for the Vector rule.
	Vector   []float32 `msgpack:"v"`
	Embedder string    `msgpack:"e"`
	// Pinned are documents that dynamic search rules pin (of any shard). Those in scope leave
	// the universe but count as found.
	Pinned []uint32 `msgpack:"pi"`
	// Scaling, when set, divides the scope by the weights that dynamic search rules give to
	// scores. Pinned documents are not included.
	Scaling *Scaling `msgpack:"sc"`
	// Reduced is the graph of UniverseStep, if it is already known.
	Reduced *query.Graph `msgpack:"g"`
	// Ahead, when set, lets the shard work ahead.
	Ahead *PrefetchPlan `msgpack:"ah"`
}

// FrequencyStep counts, for each term id, the documents that match any node of the graph that
// covers it, whatever the filter.
type FrequencyStep struct {
	Graph query.Graph `msgpack:"g"`
}

// FrequencyReply has a count for each term id.
type FrequencyReply struct {
	Counts []uint64 `msgpack:"c"`
}

// UniverseStep reduces the universe to the documents of a graph: the query without the words
// that may be missing (spec ranking 4).
type UniverseStep struct {
	Graph query.Graph `msgpack:"g"`
}

// UniverseReply describes the universe.
type UniverseReply struct {
	Count uint64 `msgpack:"c"`
	// Pinned are the documents of BeginStep.Pinned that are in scope, ascending.
	Pinned []uint32 `msgpack:"pi"`
	// Weights are the weights of documents in scope (BeginStep.Scaling), Matched those of
	// documents in the universe; both ascend. If Weights has more than Scaling.Most elements,
	// it is incomplete.
	Weights []float64 `msgpack:"w"`
	Matched []float64 `msgpack:"mw"`
}

// Scaling divides documents by their weight: the product of the weights of the sets that
// contain them, in the order of the sets. Documents of weight 0 leave the scope.
type Scaling struct {
	Sets []ScaledSet `msgpack:"s"`
	// Only, when set, keeps only the documents of this weight.
	Only *float64 `msgpack:"o"`
	// Most bounds the different weights in the scope.
	Most int `msgpack:"m"`
}

// ScaledSet contains the documents of Ordinals (of any shard, ascending) and those that pass
// Filter, which is JSON, nil for none.
type ScaledSet struct {
	Ordinals []uint32 `msgpack:"i"`
	Filter   []byte   `msgpack:"f"`
	Weight   float64  `msgpack:"w"`
}

// HeldStep asks which sets of BeginStep.Scaling contain some documents.
type HeldStep struct {
	Ordinals []uint32 `msgpack:"i"`
}

// HeldReply lists for each document the sets that contain it, ascending.
type HeldReply struct {
	Sets [][]uint32 `msgpack:"s"`
}

// BucketsStep asks for the next buckets of a rule at a nesting level, best first, until they
// hold Want documents or the rule is exhausted.
type BucketsStep struct {
	Level int `msgpack:"l"`
	// Start starts the rule again; nil continues it.
	Start *StartRule `msgpack:"s"`
	Want  int        `msgpack:"w"`
	// Ordinals asks for the documents of each bucket of the last rule, at most Want in total.
	Ordinals bool `msgpack:"o"`
}

// StartRule tells where a rule begins: at the items [Lo, Hi) of the level above (buckets, or
// documents of a stream; see AllItems). Level 0 has the universe.
type StartRule struct {
	Rule  rule.Rule    `msgpack:"r"`
	Graph *query.Graph `msgpack:"g"`
	Lo    int          `msgpack:"lo"`
	Hi    int          `msgpack:"hi"`
	// Strategy and Frequency determine the removal order, for Words only.
	Strategy  rule.Strategy `msgpack:"st"`
	Frequency []uint64      `msgpack:"fq"`
	// Touched is the set of terms whose typos were already looked up.
	Touched uint64 `msgpack:"t"`
}

// BucketsReply lists buckets or, for Geo and Vector rules, the documents of the stream. More:
// the rule continues.
type BucketsReply struct {
	Buckets []Bucket   `msgpack:"b"`
	Stream  []Streamed `msgpack:"s"`
	More    bool       `msgpack:"m"`
	// Asked tells when the typos of terms other than StartRule.Touched were looked up, in no
	// order.
	Asked []Asked `msgpack:"a"`
}

// Asked records that the typos of a term were looked up at the end of a path prefix, while
// paths of a cost were explored. Whether the whole search got that far depends on the documents
// of all shards: it ends with the path that takes the last one.
type Asked struct {
	Term uint16    `msgpack:"t"`
	Cost uint32    `msgpack:"c"`
	Path rule.Path `msgpack:"p"`
}

// Bucket is a set of documents that a rule declares equal. It stays in the session.
type Bucket struct {
	Cost  uint32 `msgpack:"c"`
	Count uint32 `msgpack:"n"`
	// Paths are the good paths, sorted; nil means the whole of a graph that is a chain.
	Paths    []rule.Path `msgpack:"p"`
	Value    SortValue   `msgpack:"v"` // Sort rules
	Ordinals []uint32    `msgpack:"o"` // ascending
}

// SortKind orders the kinds of sort values.
type SortKind uint8

// In both directions numbers come before strings, and strings before documents without a value.
const (
	SortNumber SortKind = iota
	SortString
	SortNone
)

// SortValue is the sort value of the documents of a bucket.
type SortValue struct {
	Kind   SortKind `msgpack:"k"`
	Number float64  `msgpack:"n"`
	Text   string   `msgpack:"t"` // facet form
}

// Streamed is one document of a geo or vector stream. Documents without a point or vector are
// not streamed: they remain in the level.
type Streamed struct {
	Ordinal uint32          `msgpack:"o"`
	Point   filter.GeoPoint `msgpack:"p"`
	// Distance is in metres (Geo) or the distance of vectors (Vector).
	Distance float64 `msgpack:"d"`
}

// AllItems as the end of a range of items means all documents of the level after its beginning,
// including those not returned yet.
const AllItems = 1 << 30

// WholeUniverse as a level means the universe without the documents that no longer count as
// found.
const WholeUniverse = -1

// TakeStep asks for documents of the items [Lo, Hi) of a level, ascending, beginning at the
// ordinal From.
type TakeStep struct {
	Level int    `msgpack:"l"`
	Lo    int    `msgpack:"lo"`
	Hi    int    `msgpack:"hi"`
	From  uint32 `msgpack:"f"`
	// Limit bounds the ordinals returned; 0 asks for the count only.
	Limit int `msgpack:"n"`
	// Distinct also asks for the values of this field.
	Distinct    uint16 `msgpack:"d"`
	HasDistinct bool   `msgpack:"hd"`
}

// TopStep asks for the best documents of the items [Lo, Hi) of a level by several rules at
// once. That is possible when the graph is a chain: then each cost depends only on the
// document, and every rule leaves the same graph to those that need one.
type TopStep struct {
	Level int          `msgpack:"l"` // or WholeUniverse
	Lo    int          `msgpack:"lo"`
	Hi    int          `msgpack:"hi"`
	Rules []rule.Rule  `msgpack:"r"`
	Graph *query.Graph `msgpack:"g"`
	Want  int          `msgpack:"w"`
	// Micros bounds the time of the step, in microseconds; 0 means unlimited.
	Micros int64 `msgpack:"us,omitempty"`
	// Distinct also asks for the values of this field. Documents with equal values count as one.
	Distinct    uint16 `msgpack:"d,omitempty"`
	HasDistinct bool   `msgpack:"hd,omitempty"`
	// Limit, when set, is the greatest costs of documents to list, one for each rule.
	Limit []uint32 `msgpack:"li,omitempty"`
}

// TopReply lists documents by their costs and values, rule after rule, then by ordinal. Costs
// has len(Rules) costs per document, 0 for Sort rules. Values has one value per document and
// Sort rule. Declined: ask the shard rule by rule instead. Cut: the time of the step was up;
// these are the best of the documents seen so far. Limited: no document is beyond TopStep.Limit.
//
// With Distinct, documents with the same distinct values as an earlier one are left out. If
// Sure is not 0, there may be more documents than these. Only among the first Sure documents is
// none missing. The others cost as much as the last of those; documents without distinct values
// may be missing there.
type TopReply struct {
	Ordinals []uint32         `msgpack:"o"`
	Costs    []uint32         `msgpack:"c"`
	Values   []SortValue      `msgpack:"v"`
	Declined bool             `msgpack:"d"`
	Cut      bool             `msgpack:"u,omitempty"`
	Distinct []DistinctValues `msgpack:"dv,omitempty"`
	Sure     int              `msgpack:"s,omitempty"`
	Limited  bool             `msgpack:"l,omitempty"`
}

// TakeReply lists documents, ascending. Count is their number, ignoring Limit. With Distinct and
// AllItems, documents with the same values as an earlier one may be left out.
type TakeReply struct {
	Count    uint64   `msgpack:"c"`
	Ordinals []uint32 `msgpack:"o"`
	// Values are the distinct values, parallel to Ordinals.
	Values []DistinctValues `msgpack:"v"`
}

// DistinctValues are the facet values of one document in the distinct field.
type DistinctValues struct {
	Numbers []float64 `msgpack:"n"`
	Strings []string  `msgpack:"s"`
}

// DropStep removes the documents of the items [Lo, Hi) of a level, except Keep, from the
// candidates, because they scored below the threshold. With Listed it removes Ordinals instead.
// Only nodes that answer with TopReply.Limited know Keep.
type DropStep struct {
	Level    int      `msgpack:"l"`
	Lo       int      `msgpack:"lo"`
	Hi       int      `msgpack:"hi"`
	Listed   bool     `msgpack:"li"`
	Ordinals []uint32 `msgpack:"o"`
	Keep     []uint32 `msgpack:"k,omitempty"`
}

// ExcludeStep removes the documents with one of the given values of the distinct field from
// every level and from the candidates. Keep stay candidates. Consumed is the number of items
// used per level.
type ExcludeStep struct {
	Field    uint16         `msgpack:"f"`
	Values   DistinctValues `msgpack:"v"`
	Keep     []uint32       `msgpack:"k"`
	Consumed []int          `msgpack:"c"`
}

// CandidatesStep asks for the documents that count as found.
type CandidatesStep struct {
	// Distinct also asks for all of them with their values of a field.
	Distinct    uint16 `msgpack:"d"`
	HasDistinct bool   `msgpack:"hd"`
}

// CandidatesReply counts the candidates. Of the documents that are listed, those with the same
// values as an earlier one may be left out.
type CandidatesReply struct {
	Count    uint64           `msgpack:"c"`
	Ordinals []uint32         `msgpack:"o"`
	Values   []DistinctValues `msgpack:"v"`
}

// NarrowStep reduces the candidates to the given documents.
type NarrowStep struct {
	Ordinals []uint32 `msgpack:"o"`
}

// FieldValuesStep asks for the values of documents at a path of their stored JSON, for the
// second distinct pass (spec ranking 6.2).
type FieldValuesStep struct {
	Path     string   `msgpack:"p"`
	Ordinals []uint32 `msgpack:"o"`
}

// FieldValuesReply is parallel to the requested ordinals: the keys for comparing values
// (filter.DistinctKeys).
type FieldValuesReply struct {
	Keys [][]string `msgpack:"k"`
}

// CompareGeo orders a geo stream by whole metres, then by ordinal. Streams of descending rules
// have the opposite order.
func CompareGeo(a, b Streamed) int {
	if x, y := int64(a.Distance), int64(b.Distance); x != y {
		return cmp.Compare(x, y)
	}
	return cmp.Compare(a.Ordinal, b.Ordinal)
}

// CompareSort orders the values of a sort rule in its direction. In both directions numbers
// come before strings, and strings before documents without a value.
func CompareSort(a, b SortValue, desc bool) int {
	if a.Kind != b.Kind {
		return cmp.Compare(a.Kind, b.Kind)
	}
	c := cmp.Compare(a.Number, b.Number)
	if c == 0 {
		c = cmp.Compare(a.Text, b.Text)
	}
	if desc {
		return -c
	}
	return c
}
