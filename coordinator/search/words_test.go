package search

import (
	"testing"

	"shoal/wire"
)

// Searches of one record of an index share their cache of words. The next record begins with an
// empty one. Everything is dropped when it takes too much memory.
func TestCachedWordsBelongToOneStateOfAnIndex(t *testing.T) {
	var b wordCaches
	before, after, other := &wire.Index{ID: 1, Version: 1}, &wire.Index{ID: 1, Version: 2}, &wire.Index{ID: 2}
	first, beside := b.of(before), b.of(other)
	if b.of(before) != first || beside == first {
		t.Error("searches of a state do not share their words, or indexes do")
	}
	if b.of(after) == first {
		t.Error("the words of a state are those of the one before it")
	}
	b.bytes.Add(maxWords + 1)
	if b.of(other) == beside || len(b.caches) != 1 {
		t.Errorf("%d caches are left of too large a size", len(b.caches))
	}
}
