package version

import (
	"fmt"
	"testing"

	"shoal/shard/docset"
)

// A cache that gets less room gives back what is too much at once, and keeps more again
// when it gets it.
func TestPostingListsGiveWayToVectors(t *testing.T) {
	const lists = 400
	set := docset.Range(0, 1<<16)
	c := NewPostingCache(4 * lists * int64(set.MemBytes()))
	name := func(i int) postingName { return postingName{1, Posting{name: fmt.Sprint(i)}} }
	fill := func() (kept int) {
		for i := range lists {
			c.put(name(i), 1, func() uint64 { return 1 }, set)
		}
		for i := range lists {
			if got, ok := c.get(name(i), 1); ok && got.Equal(set) {
				kept++
			}
		}
		return kept
	}
	if kept := fill(); kept != lists || c.Bytes() > c.Limit() {
		t.Fatalf("%d of %d lists are kept, in %d bytes of %d", kept, lists, c.Bytes(), c.Limit())
	}
	c.Resize(c.Limit() / 16)
	if c.Bytes() > c.Limit() {
		t.Errorf("%d bytes are kept, of %d", c.Bytes(), c.Limit())
	}
	few := fill()
	if few == 0 || few > lists/2 {
		t.Errorf("%d of %d lists are kept in a sixteenth of the room", few, lists)
	}
	c.Resize(c.Limit() * 16)
	if kept := fill(); kept != lists {
		t.Errorf("%d of %d lists are kept with the room of before", kept, lists)
	}
}
