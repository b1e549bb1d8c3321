package wire

import (
	"cmp"

	"shoal/query"
	"shoal/query/filter"
	"shoal/query/rule"
)

// VocabularyStep asks what a shard knows about the words of a query, before any
// term is pinned (spec ranking 11.2 step 2).
type VocabularyStep struct {
	Words []VocabularyWord `msgpack:"w"`
	// Ahead is for how many cuts of each word the shard counts the documents by itself,
	// those with the greatest bounds: what it is most likely asked next.
	Ahead int `msgpack:"a"`
	// Begin is the step that comes next, but that its terms are as the query has them and
	// nothing follows from them yet; Others is what all other sources know of the words.
	// With both the shard finds out the terms, goes on to Begin by itself and tells the
	// answer as the first of Ahead.
	Begin  *BeginStep        `msgpack:"bg"`
	Others []VocabularyReply `msgpack:"o"`
}

// VocabularyWord is one word or n-gram. Prefix asks for its extensions too,
// Budget for the words at up to that many typos, Splits for the bounds of its
// splits.
type VocabularyWord struct {
	Text   string `msgpack:"t"`
	Prefix bool   `msgpack:"p"`
	Budget uint8  `msgpack:"b"`
	Splits bool   `msgpack:"s"`
}

// VocabularyReply answers word by word.
type VocabularyReply struct {
	Words []WordFacts `msgpack:"w"`
	// Counts are those that the shard took by itself.
	Counts []CutCount `msgpack:"n"`
}

// CutCount is in how many documents the parts of a cut word stand one after the other.
// Word is the place of the word in the step, At the length of its left part in bytes. All:
// there are no more than Count.
type CutCount struct {
	Word  int    `msgpack:"w"`
	At    int    `msgpack:"a"`
	Count uint32 `msgpack:"n"`
	All   bool   `msgpack:"l"`
}

// WordFacts is what one shard knows about one word. Lists ascend in byte order
// and are cut at their limit, so that the union of several shards' lists, cut
// again, is exact.
type WordFacts struct {
	// Known: some document has the word (tolerant or exact).
	Known bool `msgpack:"k"`
	// Cached: at least query.MinCachedWords tolerant words start with the word,
	// which is short enough to be a cached prefix. Otherwise, for such a short
	// word, Prefixed holds all tolerant words that start with it, itself included.
	Cached   bool     `msgpack:"c"`
	Prefixed []string `msgpack:"pf"`
	// Extensions are the first words that strictly extend the word.
	Extensions []string `msgpack:"e"`
	// Typos is the stream of candidates up to where the limits stop the shard.
	Typos []TypoWord `msgpack:"ty"`
	// Bounds holds, for each place to cut the word (after its first character, its
	// second ...), an upper bound of the documents with left directly before
	// right; empty when all are 0.
	Bounds []uint32 `msgpack:"b"`
}

// TypoWord is a word near the one asked for. Foreign: its first character is
// another one.
type TypoWord struct {
	Word     string `msgpack:"w"`
	Distance uint8  `msgpack:"d"`
	Foreign  bool   `msgpack:"f"`
}

// PairsStep asks in how many documents left stands directly before right.
type PairsStep struct {
	Pairs []Pair `msgpack:"p"`
	// Restricted: words that stand in one of Fields only count. It is set where words
	// are neighbours when they share a field (proximityPrecision byAttribute).
	Restricted bool     `msgpack:"r"`
	Fields     []uint16 `msgpack:"f"`
}

// Pair is two words. Counting may stop once Enough documents are found.
type Pair struct {
	Left   string `msgpack:"l"`
	Right  string `msgpack:"r"`
	Enough uint32 `msgpack:"e"`
}

// PairsReply counts pair by pair.
type PairsReply struct {
	Counts []uint32 `msgpack:"c"`
}

// BeginStep pins the terms and computes the filtered universe: documents that
// pass the filter and match no negative word or phrase.
type BeginStep struct {
	Terms           []query.Term `msgpack:"t"`
	NegativeWords   []string     `msgpack:"nw"`
	NegativePhrases [][]string   `msgpack:"np"`
	// Filter is the JSON of the filter, nil without one.
	Filter []byte `msgpack:"f"`
	// Restricted: only Fields are searched (attributesToSearchOn).
	Restricted bool     `msgpack:"r"`
	Fields     []uint16 `msgpack:"fl"`
	// Vector and Embedder are what the Vector rule compares documents with.
	Vector   []float32 `msgpack:"v"`
	Embedder string    `msgpack:"e"`
	// Pinned are documents that dynamic search rules pin (of any shard): those that
	// are in scope leave the universe and count as found all the same.
	Pinned []uint32 `msgpack:"pi"`
	// Scaling, when set, parts the scope by what dynamic search rules multiply scores
	// by. Pinned documents are not part of it.
	Scaling *Scaling `msgpack:"sc"`
	// Reduced is the graph of UniverseStep when it is known already.
	Reduced *query.Graph `msgpack:"g"`
	// Ahead, when set, lets the shard go on by itself.
	Ahead *PrefetchPlan `msgpack:"ah"`
}

// FrequencyStep counts, for each term id, the documents that match any node of
// the graph covering it, whatever the filter.
type FrequencyStep struct {
	Graph query.Graph `msgpack:"g"`
}

// FrequencyReply counts by term id.
type FrequencyReply struct {
	Counts []uint64 `msgpack:"c"`
}

// UniverseStep reduces the universe to the documents of a graph: the query
// without the words that may be missing (spec ranking 4).
type UniverseStep struct {
	Graph query.Graph `msgpack:"g"`
}

// UniverseReply counts the universe.
type UniverseReply struct {
	Count uint64 `msgpack:"c"`
	// Pinned are the documents of BeginStep.Pinned that are in scope, ascending.
	Pinned []uint32 `msgpack:"pi"`
	// Weights are those that documents of the scope have (BeginStep.Scaling), Matched those
	// that documents of the universe have; ascending. More than Scaling.Most of Weights
	// stand for any number.
	Weights []float64 `msgpack:"w"`
	Matched []float64 `msgpack:"mw"`
}

// Scaling parts documents by their weight: the product of the weights of the sets that
// hold them, in the order of the sets. Documents of weight 0 leave the scope.
type Scaling struct {
	Sets []ScaledSet `msgpack:"s"`
	// Only, when set, keeps the documents of this weight.
	Only *float64 `msgpack:"o"`
	// Most is how many different weights the scope may have.
	Most int `msgpack:"m"`
}

// ScaledSet holds the documents of Ordinals (of any shard, ascending) and those that
// pass Filter, which is JSON, nil without one.
type ScaledSet struct {
	Ordinals []uint32 `msgpack:"i"`
	Filter   []byte   `msgpack:"f"`
	Weight   float64  `msgpack:"w"`
}

// HeldStep asks which sets of BeginStep.Scaling hold some documents.
type HeldStep struct {
	Ordinals []uint32 `msgpack:"i"`
}

// HeldReply lists for each document the sets that hold it, ascending.
type HeldReply struct {
	Sets [][]uint32 `msgpack:"s"`
}

// BucketsStep asks for the next buckets of a rule at a nesting level, best first,
// until they hold Want documents or the rule is exhausted.
type BucketsStep struct {
	Level int `msgpack:"l"`
	// Start begins the rule anew; nil continues it.
	Start *StartRule `msgpack:"s"`
	Want  int        `msgpack:"w"`
	// Ordinals asks for the documents of each bucket, for the last rule: at most
	// Want of them in all.
	Ordinals bool `msgpack:"o"`
}

// StartRule says over what a rule begins: the items [Lo, Hi) of the level above
// (buckets, or documents of a stream; see AllItems); level 0 has the universe.
type StartRule struct {
	Rule  rule.Rule    `msgpack:"r"`
	Graph *query.Graph `msgpack:"g"`
	Lo    int          `msgpack:"lo"`
	Hi    int          `msgpack:"hi"`
	// Strategy and Frequency give the removal order; Words only.
	Strategy  rule.Strategy `msgpack:"st"`
	Frequency []uint64      `msgpack:"fq"`
	// Touched is the set of terms whose typos were looked up before.
	Touched uint64 `msgpack:"t"`
}

// BucketsReply lists buckets, or for Geo and Vector rules the documents of the
// stream. More: the rule goes on.
type BucketsReply struct {
	Buckets []Bucket   `msgpack:"b"`
	Stream  []Streamed `msgpack:"s"`
	More    bool       `msgpack:"m"`
	// Asked says when the typos of which terms were looked up, other than those of
	// StartRule.Touched, in no order.
	Asked []Asked `msgpack:"a"`
}

// Asked says that the typos of a term were looked up while paths of a cost were
// explored: at the end of a beginning of a path. Whether the search as a whole came
// that far depends on the documents of all shards: it ends with the path that takes
// the last one.
type Asked struct {
	Term uint16    `msgpack:"t"`
	Cost uint32    `msgpack:"c"`
	Path rule.Path `msgpack:"p"`
}

// Bucket is a set of documents a rule declares equal. It stays in the session.
type Bucket struct {
	Cost  uint32 `msgpack:"c"`
	Count uint32 `msgpack:"n"`
	// Paths are the good paths, sorted; nil stands for the whole of a graph that is
	// a chain.
	Paths    []rule.Path `msgpack:"p"`
	Value    SortValue   `msgpack:"v"` // Sort rules
	Ordinals []uint32    `msgpack:"o"` // ascending
}

// SortKind orders the kinds of values a document is sorted by.
type SortKind uint8

// Numbers come before strings and these before documents without value, in both
// directions.
const (
	SortNumber SortKind = iota
	SortString
	SortNone
)

// SortValue is what the documents of a bucket are sorted by.
type SortValue struct {
	Kind   SortKind `msgpack:"k"`
	Number float64  `msgpack:"n"`
	Text   string   `msgpack:"t"` // facet form
}

// Streamed is one document of a geo or vector stream. Documents without point or
// vector are not streamed: they are what remains of the level.
type Streamed struct {
	Ordinal uint32          `msgpack:"o"`
	Point   filter.GeoPoint `msgpack:"p"`
	// Distance is in metres (Geo) or the distance of vectors (Vector).
	Distance float64 `msgpack:"d"`
}

// AllItems as the end of a range of items stands for all documents of the level
// that come after its beginning, those not given out yet included.
const AllItems = 1 << 30

// WholeUniverse as a level stands for the universe without the documents that no
// longer count as found.
const WholeUniverse = -1

// TakeStep asks for documents of the items [Lo, Hi) of a level, ascending, from
// the ordinal From on.
type TakeStep struct {
	Level int    `msgpack:"l"`
	Lo    int    `msgpack:"lo"`
	Hi    int    `msgpack:"hi"`
	From  uint32 `msgpack:"f"`
	// Limit bounds the ordinals returned; 0 asks for the count only.
	Limit int `msgpack:"n"`
	// Distinct asks for the values of this field too.
	Distinct    uint16 `msgpack:"d"`
	HasDistinct bool   `msgpack:"hd"`
}

// TopStep asks for the best documents of the items [Lo, Hi) of a level by several
// rules at once: possible when the graph is a chain, so that each cost depends on
// the document alone and every rule leaves the same graph to those that need one.
type TopStep struct {
	Level int          `msgpack:"l"` // or WholeUniverse
	Lo    int          `msgpack:"lo"`
	Hi    int          `msgpack:"hi"`
	Rules []rule.Rule  `msgpack:"r"`
	Graph *query.Graph `msgpack:"g"`
	Want  int          `msgpack:"w"`
	// Micros is how long the step may take, in microseconds, 0 when nothing bounds it.
	Micros int64 `msgpack:"us,omitempty"`
}

// TopReply lists documents by their costs and values rule after rule, then by
// ordinal. Costs holds len(Rules) costs per document, 0 for Sort rules; Values
// holds one value per document and Sort rule. Declined: the shard would rather be
// asked rule by rule. Cut: the time of the step was up, these are the best of the
// documents looked at so far.
type TopReply struct {
	Ordinals []uint32    `msgpack:"o"`
	Costs    []uint32    `msgpack:"c"`
	Values   []SortValue `msgpack:"v"`
	Declined bool        `msgpack:"d"`
	Cut      bool        `msgpack:"u,omitempty"`
}

// TakeReply lists documents, ascending. Count is their number without Limit.
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

// DropStep takes the documents of the items [Lo, Hi) of a level out of the
// candidates: they scored below the threshold. With Listed it takes out
// Ordinals instead.
type DropStep struct {
	Level    int      `msgpack:"l"`
	Lo       int      `msgpack:"lo"`
	Hi       int      `msgpack:"hi"`
	Listed   bool     `msgpack:"li"`
	Ordinals []uint32 `msgpack:"o"`
}

// ExcludeStep takes the documents with one of the given values of the distinct
// field out of every level and out of the candidates; Keep stay candidates.
// Consumed is the number of items that were used up per level.
type ExcludeStep struct {
	Field    uint16         `msgpack:"f"`
	Values   DistinctValues `msgpack:"v"`
	Keep     []uint32       `msgpack:"k"`
	Consumed []int          `msgpack:"c"`
}

// CandidatesStep asks for the documents that count as found.
type CandidatesStep struct {
	// Distinct asks for all of them with their values of a field.
	Distinct    uint16 `msgpack:"d"`
	HasDistinct bool   `msgpack:"hd"`
}

// CandidatesReply counts the candidates.
type CandidatesReply struct {
	Count    uint64           `msgpack:"c"`
	Ordinals []uint32         `msgpack:"o"`
	Values   []DistinctValues `msgpack:"v"`
}

// NarrowStep reduces the candidates to the given documents.
type NarrowStep struct {
	Ordinals []uint32 `msgpack:"o"`
}

// FieldValuesStep asks for the values that documents have at a path of their
// stored JSON, for the second distinct pass (spec ranking 6.2).
type FieldValuesStep struct {
	Path     string   `msgpack:"p"`
	Ordinals []uint32 `msgpack:"o"`
}

// FieldValuesReply is parallel to the ordinals asked for: the keys by which values
// are compared (filter.DistinctKeys).
type FieldValuesReply struct {
	Keys [][]string `msgpack:"k"`
}

// CompareGeo orders a geo stream: by whole metres, then by ordinal. Streams of
// descending rules are in the opposite order.
func CompareGeo(a, b Streamed) int {
	if x, y := int64(a.Distance), int64(b.Distance); x != y {
		return cmp.Compare(x, y)
	}
	return cmp.Compare(a.Ordinal, b.Ordinal)
}

// CompareSort orders the values of a sort rule in its direction; numbers come
// before strings and these before documents without value in both.
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
