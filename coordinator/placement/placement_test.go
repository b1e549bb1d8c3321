package placement

import (
	"testing"

	"shoal/coordinator/coordtest"
	"shoal/wire"
)

// A number names one shard of an index for ever. New shards continue after the highest number
// of the current shards and of those being built, and cover all slots.
func TestNewShardsContinueTheNumbering(t *testing.T) {
	c := coordtest.NewLog("n1", "n2").State
	numbered := func(numbers ...uint16) (shards []wire.Shard) {
		for _, n := range numbers {
			shards = append(shards, wire.Shard{Number: n})
		}
		return shards
	}
	for _, x := range []struct {
		index *wire.Index
		first uint16
	}{
		{&wire.Index{}, 0},
		{&wire.Index{Shards: numbered(0)}, 1},
		{&wire.Index{Shards: numbered(7, 5, 6)}, 8},
		{&wire.Index{Shards: numbered(2), Next: numbered(3, 4)}, 5},
		{&wire.Index{Shards: numbered(9), Next: numbered(3, 4)}, 10},
	} {
		end := uint32(0)
		for i, s := range (Placement{}).EmptyShards(c, x.index, 3, nil) {
			if s.Number != x.first+uint16(i) || s.SlotLo != end || s.SlotHi <= s.SlotLo {
				t.Errorf("shard %d after %+v: number %d, slots [%d, %d)", i, x.index.Shards, s.Number, s.SlotLo, s.SlotHi)
			}
			end = s.SlotHi
		}
		if end != wire.Slots {
			t.Errorf("slots end at %d", end)
		}
	}
}
