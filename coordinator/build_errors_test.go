package coordinator

import (
	"testing"

	"shoal/api"
	"shoal/wire"
)

// The error of a batch is the same however its documents are spread over shards.
func TestAWrongDocumentIsNamedBeforeAMissingVectorOfAnotherShard(t *testing.T) {
	missing := func(embedder string, position uint64) *wire.BuildError {
		return &wire.BuildError{Task: 7, Position: position, Vectors: &api.MissingVectors{Embedder: embedder, Others: -1}}
	}
	document := func(task uint32, position uint64) *wire.BuildError {
		return &wire.BuildError{Task: task, Position: position}
	}
	for i, c := range []struct{ first, second *wire.BuildError }{
		{document(7, 5), missing("a", 1)},
		{document(8, 5), missing("a", 1)},
		{missing("a", 9), missing("b", 1)},
		{missing("a", 1), missing("a", 2)},
		{document(7, 5), document(7, 6)},
		{document(7, 6), document(8, 5)},
	} {
		if !precedes(c.first, c.second) || precedes(c.second, c.first) {
			t.Errorf("case %d is the wrong way round", i)
		}
	}
}
