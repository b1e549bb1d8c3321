package vector

// AnyStore compares the nearest vector of a document, whatever its store.
const AnyStore = -1

// Neighbour is a document with its distance from a vector: between 0 and 1, the
// similarity being what is missing to 1.
type Neighbour struct {
	Ordinal  uint32
	Distance float32
}
