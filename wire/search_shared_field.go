package wire

import "shoal/query"

// SharedFieldStep is one operation of the rule proximity where words are near each other
// when they share a field (proximityPrecision byAttribute). What a pair of words
// matches is found once in a search, among the documents that are ranked when it
// is first asked for, and kept (spec ranking 5.5); so the driver explores the
// paths itself, and every shard learns of every condition in the same order. The
// members are done in the order in which they stand here.
type SharedFieldStep struct {
	// Level is the level of the rule; NoLevel on a shard without documents in it,
	// which has to know of the conditions all the same.
	Level int `msgpack:"l"`
	// Start begins the rule.
	Start *StartRule `msgpack:"s"`
	// Bucket begins a bucket over the documents that are left of the level.
	Bucket bool `msgpack:"b"`
	// Visit asks for one condition of a path.
	Visit *SharedFieldVisit `msgpack:"v"`
	// Take gives the documents of the path visited last to the bucket.
	Take bool `msgpack:"t"`
	// Close ends the bucket and makes it an item of the level; Want bounds the
	// ordinals returned.
	Close bool `msgpack:"c"`
	Want  int  `msgpack:"w"`
}

// NoLevel as the level of a SharedFieldStep stands for no documents.
const NoLevel = -1

// SharedFieldCondition is one condition of the rule: the documents of Right or, when
// Index is 0 to 2, those in which Right is near Left at the cost Index.
type SharedFieldCondition struct {
	Left  query.Ref `msgpack:"l"`
	Right query.Ref `msgpack:"r"`
	Index int8      `msgpack:"i"`
}

// NearWhole is the Index of a condition without neighbour.
const NearWhole int8 = -1

// SharedFieldVisit intersects a condition with the first Depth conditions of the path
// that was visited before.
type SharedFieldVisit struct {
	Depth     int                  `msgpack:"d"`
	Condition SharedFieldCondition `msgpack:"c"`
	// Fresh: the level did not ask for the condition yet. Narrowed: documents were
	// taken since it was asked for.
	Fresh    bool `msgpack:"f"`
	Narrowed bool `msgpack:"n"`
	// Touched is the set of terms whose typos and splits were looked up.
	Touched uint64 `msgpack:"t"`
	// Probe asks for Present only; it is then known what all shards found of a fresh
	// condition, and sent with the visit itself. With one shard it is left out.
	Probe   bool     `msgpack:"p"`
	Present []uint64 `msgpack:"pr"`
}

// SharedFieldReply answers a SharedFieldStep.
type SharedFieldReply struct {
	// Left is the number of documents of the level without those of buckets.
	Left uint64 `msgpack:"l"`
	// Some: the condition has documents, be it such that are not ranked. Path: the
	// path has documents. Apart is the set of shorter beginnings of the path, by
	// length less one, with which the condition has no document in common.
	Some  bool   `msgpack:"s"`
	Path  bool   `msgpack:"p"`
	Apart uint64 `msgpack:"a"`
	// Present is the set of derivations, in an order that all shards have in common,
	// which have ranked documents.
	Present []uint64 `msgpack:"pr"`
	// Count and Ordinals are those of a closed bucket.
	Count    uint32   `msgpack:"c"`
	Ordinals []uint32 `msgpack:"o"`
}
