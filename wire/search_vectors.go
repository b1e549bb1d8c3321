package wire

// StoreVector is one vector of a document. Vectors with the same Store are compared with each
// other: the i-th ones of each document, or those of one fragment.
type StoreVector struct {
	Store  int       `msgpack:"s"`
	Vector []float32 `msgpack:"v"`
}

// TargetStep asks for a document and its vectors of one embedder, by external id. A document
// that Filter (JSON, nil for none) does not select counts as missing.
type TargetStep struct {
	ID       string `msgpack:"i"`
	Embedder string `msgpack:"e"`
	Filter   []byte `msgpack:"f"`
}

// TargetReply answers TargetStep.
type TargetReply struct {
	Found   bool          `msgpack:"f"`
	Ordinal uint32        `msgpack:"o"`
	Vectors []StoreVector `msgpack:"v"`
}

// NearestStep asks, for each vector, for the documents of the universe whose vectors in the
// same store are nearest to it: at most Limit each, without Except (when HasExcept).
type NearestStep struct {
	Embedder  string        `msgpack:"e"`
	Vectors   []StoreVector `msgpack:"v"`
	Limit     int           `msgpack:"l"`
	Except    uint32        `msgpack:"x"`
	HasExcept bool          `msgpack:"hx"`
}

// NearestReply holds one list per vector of the step, by distance, then ordinal.
type NearestReply struct {
	Lists [][]Streamed `msgpack:"l"`
}

// ValuesStep asks for the facet values of documents in a field.
type ValuesStep struct {
	Field    uint16   `msgpack:"f"`
	Ordinals []uint32 `msgpack:"o"`
}

// ValuesReply is parallel to the requested ordinals.
type ValuesReply struct {
	Values []DistinctValues `msgpack:"v"`
}

// CompareNear orders a vector stream by distance, then by ordinal.
func CompareNear(a, b Streamed) int {
	switch {
	case a.Distance < b.Distance:
		return -1
	case a.Distance > b.Distance:
		return 1
	case a.Ordinal < b.Ordinal:
		return -1
	case a.Ordinal > b.Ordinal:
		return 1
	}
	return 0
}
