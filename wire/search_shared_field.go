package wire

import "shoal/query"

// SharedFieldStep is one operation of the rule proximity when words are near each other if they
// share a field (proximityPrecision byAttribute). The matches of a pair of words are determined
// once in a search, among the documents that are ranked when the pair is first asked, and kept
// (spec ranking 5.5). So the driver explores the paths itself, and every shard sees every
// condition in the same order. The members are executed in the order of this struct.
type SharedFieldStep struct {
	// Level is the level of the rule. It is NoLevel on a shard without documents in the level,
	// which must see the conditions nevertheless.
	Level int `msgpack:"l"`
	// Start begins the rule.
	Start *StartRule `msgpack:"s"`
	// Bucket begins a bucket over the remaining documents of the level.
	Bucket bool `msgpack:"b"`
	// Visit asks for one condition of a path.
	Visit *SharedFieldVisit `msgpack:"v"`
	// Take moves the documents of the path visited last into the bucket.
	Take bool `msgpack:"t"`
	// Close ends the bucket and makes it an item of the level. Want bounds the ordinals
	// returned.
	Close bool `msgpack:"c"`
	Want  int  `msgpack:"w"`
}

// NoLevel as the level of a SharedFieldStep means no documents.
const NoLevel = -1

// SharedFieldCondition is one condition of the rule: the documents of Right or, when Index is 0
// to 2, those in which Right is near Left at the cost Index.
type SharedFieldCondition struct {
	Left  query.Ref `msgpack:"l"`
	Right query.Ref `msgpack:"r"`
	Index int8      `msgpack:"i"`
}

// NearWhole is the Index of a condition without a neighbour.
const NearWhole int8 = -1

// SharedFieldVisit intersects a condition with the first Depth conditions of the path visited
// before.
type SharedFieldVisit struct {
	Depth     int                  `msgpack:"d"`
	Condition SharedFieldCondition `msgpack:"c"`
	// Fresh: the level has not asked for the condition yet. Narrowed: documents were taken
	// since it was first asked.
	Fresh    bool `msgpack:"f"`
	Narrowed bool `msgpack:"n"`
	// Touched is the set of terms whose typos and splits were looked up.
	Touched uint64 `msgpack:"t"`
	// Probe asks only for Present. The findings of all shards for a fresh condition are then
	// sent with the visit itself. With one shard the probe is omitted.
	Probe   bool     `msgpack:"p"`
	Present []uint64 `msgpack:"pr"`
}

// SharedFieldReply answers a SharedFieldStep.
type SharedFieldReply struct {
	// Left is the number of documents of the level outside of buckets.
	Left uint64 `msgpack:"l"`
	// Some: the condition has documents, ranked or not. Path: the path has documents. Apart is
	// the set of shorter prefixes of the path, by length minus one, that share no document with
	// the condition.
	Some  bool   `msgpack:"s"`
	Path  bool   `msgpack:"p"`
	Apart uint64 `msgpack:"a"`
	// Present is the set of derivations with ranked documents, in an order that all shards
	// share.
	Present []uint64 `msgpack:"pr"`
	// Count and Ordinals are those of a closed bucket.
	Count    uint32   `msgpack:"c"`
	Ordinals []uint32 `msgpack:"o"`
}
