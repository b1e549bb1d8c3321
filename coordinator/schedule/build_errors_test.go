package schedule

import (
	"testing"

	"shoal/api/apierr"
	"shoal/wire"
)

// The error of a batch is the same however its documents are spread over shards.
func TestAWrongDocumentIsNamedBeforeAMissingVectorOfAnotherShard(t *testing.T) {
	missing := func(embedder string, position uint64) *wire.BuildError {
		return &wire.BuildError{Task: 7, Position: position, Vectors: &apierr.MissingVectors{Embedder: embedder, Others: -1}}
	}
	document := func(task uint32, position uint64) *wire.BuildError {
		return &wire.BuildError{Task: task, Position: position}
	}
	derived := func(task uint32, position uint64) *wire.BuildError {
		return &wire.BuildError{Derived: true, Task: task, Position: position}
	}
	at := func(stage wire.Stage, position uint64) *wire.BuildError {
		return &wire.BuildError{Derived: true, Stage: stage, Task: 7, Position: position}
	}
	condition := func(place int) *wire.BuildError {
		return &wire.BuildError{Task: 7, Position: 5, Place: place}
	}
	for i, c := range []struct{ first, second *wire.BuildError }{
		{document(7, 5), missing("a", 1)},
		{document(8, 5), missing("a", 1)},
		{missing("a", 9), missing("b", 1)},
		{missing("a", 1), missing("a", 2)},
		{document(7, 5), document(7, 6)},
		{document(7, 6), document(8, 5)},
		{document(8, 6), derived(7, 5)},
		{derived(7, 6), derived(8, 5)},
		{derived(7, 6), missing("a", 1)},
		{document(7, 6), at(wire.StageStored, 1)},
		{at(wire.StageStored, 6), at(wire.StageFacets, 1)},
		{at(wire.StageFacets, 6), at(wire.StageVectors, 1)},
		{at(wire.StageVectors, 6), missing("a", 1)},
		{missing("a", 6), at(wire.StageShapes, 1)},
		{condition(1), condition(2)},
		{condition(2), document(7, 5)},
		{condition(2), document(7, 6)},
	} {
		if !c.first.Before(c.second) || c.second.Before(c.first) {
			t.Errorf("case %d is the wrong way round", i)
		}
	}
}
