package posting

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"shoal/shard/docset"
	"shoal/shard/store"
)

// A cache with less room evicts the excess at once, and caches more again when it gets
// room back.
func TestAResizedPostingCacheEvictsAtOnce(t *testing.T) {
	const lists = 400
	set := docset.Range(0, 1<<16)
	c := NewCache(4 * lists * int64(set.MemBytes()))
	name := func(i int) name { return name{1, List{Name: fmt.Sprint(i)}} }
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

// The effect of deltas on cached lists equals the store's merge. Readers of an older
// version do not get changed lists.
func TestCachedListsFollowDeltas(t *testing.T) {
	const lists, blocks = 20, 3
	r := rand.New(rand.NewPCG(21, 22))
	c := NewCache(64 << 20)
	name := func(i int) name { return name{1, List{Name: fmt.Sprint(i)}} }
	some := func() docset.Container {
		var arr []uint16
		for v := range uint16(40) {
			if r.IntN(4) == 0 {
				arr = append(arr, v)
			}
		}
		return docset.ContainerOf(arr)
	}
	twin := make([][blocks]docset.Container, lists)
	whole := func(i int) docset.Set {
		var out docset.Assembler
		for b, c := range twin[i] {
			out.Append(uint16(b), c)
		}
		return out.Set()
	}
	read := 0
	for version := uint64(1); version < 300; version++ {
		for i := range lists {
			if r.IntN(3) > 0 {
				continue
			}
			for b := range uint16(blocks) {
				switch at := &twin[i][b]; r.IntN(12) {
				case 0:
					*at = docset.Container{}
					c.change(name(i), version, change{b, store.OpDelete, nil})
				case 1:
					*at = some()
					c.change(name(i), version, change{b, store.OpSet, store.Operand{Set: *at}.Append(nil)})
				case 2, 3, 4, 5, 6, 7:
					o := store.Operand{Set: some()}
					o.Clear = some().AndNot(o.Set)
					*at = at.AndNot(o.Clear).Or(o.Set)
					c.change(name(i), version, change{b, store.OpMerge, o.Append(nil)})
				}
			}
		}
		for i := range lists {
			if r.IntN(8) > 0 {
				continue
			}
			set, ok := c.get(name(i), version)
			if !ok {
				c.put(name(i), version, func() uint64 { return version }, whole(i))
				continue
			}
			if read++; !set.Equal(whole(i)) {
				t.Fatalf("version %d, list %d: %v, want %v", version, i, set.AppendTo(nil), whole(i).AppendTo(nil))
			}
		}
	}
	if read < 300 {
		t.Fatalf("%d lists were read from the cache: nothing was proven", read)
	}
	i := lists
	c.put(name(i), 300, func() uint64 { return 300 }, docset.Of(1))
	c.change(name(i), 301, change{0, store.OpDelete, nil})
	if _, ok := c.get(name(i), 300); ok {
		t.Error("who reads an older version is given what was changed since")
	}
	before := c.Bytes()
	for range maxChanges {
		c.change(name(i), 302, change{0, store.OpDelete, nil})
	}
	if _, ok := c.get(name(i), 302); ok || c.Bytes() >= before {
		t.Errorf("a list that nobody asks for is kept with more than %d changes, or its bytes are (%d, then %d)", maxChanges, before, c.Bytes())
	}
	c.put(name(i), 303, func() uint64 { return 303 }, docset.Of(1))
	c.change(name(i), 304, change{0, store.OpMerge, []byte{9}})
	if _, ok := c.get(name(i), 304); ok {
		t.Error("a list is given whose change cannot be read")
	}
}
