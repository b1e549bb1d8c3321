package vector

// AnyStore compares the nearest vector of a document, whatever its store.
const AnyStore = -1

// Neighbour is a document with its distance from a vector, between 0 and 1. The
// similarity is 1 minus the distance.
type Neighbour struct {
	Row      uint32
	Distance float32
}
