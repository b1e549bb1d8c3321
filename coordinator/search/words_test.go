package search

import (
	"testing"

	"shoal/wire"
)

// TestWordsAreThoseOfTheStateThatIsSearched: searches of one record of an index share what
// they find out of words, those of the next one begin anew, and all is forgotten when it
// takes too much.
func TestWordsAreThoseOfTheStateThatIsSearched(t *testing.T) {
	var b wordBooks
	before, after, other := &wire.Index{ID: 1, Version: 1}, &wire.Index{ID: 1, Version: 2}, &wire.Index{ID: 2}
	first, beside := b.of(before), b.of(other)
	if b.of(before) != first || beside == first {
		t.Error("searches of a state do not share their words, or indexes do")
	}
	if b.of(after) == first {
		t.Error("the words of a state are those of the one before it")
	}
	b.bytes.Add(maxWords + 1)
	if b.of(other) == beside || len(b.books) != 1 {
		t.Errorf("%d books are left of words that took too much", len(b.books))
	}
}
