package entry

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"shoal/wire"
)

func TestEntriesAreStrict(t *testing.T) {
	good, err := Encode(addTask("movies"), wire.Version)
	if err != nil {
		t.Fatal(err)
	}
	unknown, err := wire.Marshal(map[string]int{"zz": 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := Decode(Stamp(1, 2, good, false)); err != nil {
		t.Error(err)
	}
	for name, data := range map[string][]byte{
		"empty": nil, "short": {1, 2, 3}, "version": append([]byte{9}, Stamp(1, 2, good, false)[1:]...),
		"member": Stamp(1, 2, unknown, false), "cut": Stamp(1, 2, good[:len(good)-2], false),
	} {
		if _, _, err := Decode(data); !errors.Is(err, ErrUnknown) {
			t.Errorf("%s: %v", name, err)
		}
	}
	summed := Stamp(1, 2, good, true)
	if cmd, visible, err := Decode(summed); err != nil || cmd.At != 1 || visible != 2 || cmd.Enqueue == nil {
		t.Errorf("an entry with a sum: %+v, %d, %v", cmd, visible, err)
	}
	for bit := range 8 * len(summed) {
		damaged := slices.Clone(summed)
		damaged[bit/8] ^= 1 << (bit % 8)
		if _, _, err := Decode(damaged); err == nil {
			t.Fatalf("bit %d of an entry flips and nobody sees it", bit)
		}
		if err := Check(damaged); err == nil && bit >= 8 {
			t.Fatalf("bit %d of an entry flips and its sum is right", bit)
		}
	}
	for n := range len(summed) {
		if _, _, err := Decode(summed[:n]); err == nil {
			t.Fatalf("%d bytes of an entry of %d are taken", n, len(summed))
		}
	}
	big := addTask("movies")
	noise := rand.NewChaCha8([32]byte{1})
	big.Enqueue.Task.Payload.Inline = make([]byte, MaxSize+1)
	if _, err := noise.Read(big.Enqueue.Task.Payload.Inline); err != nil {
		t.Fatal(err)
	}
	if _, err := Encode(big, wire.Version); !errors.Is(err, wire.ErrTooLarge) {
		t.Errorf("an entry without bounds: %v", err)
	}
}

// An index of 60,000 fields on four shards did not fit into the log.
func TestManyFieldsFitIntoAnEntry(t *testing.T) {
	x := &wire.Index{UID: "wide"}
	for i := range 60_000 {
		x.Fields = append(x.Fields, fmt.Sprintf("a field with a rather long name and the number %d", i))
	}
	for shard := range 4 {
		var counts []wire.FieldCount
		for _, f := range x.Fields {
			counts = append(counts, wire.FieldCount{Field: f, Count: uint64(shard)})
		}
		x.Shards = append(x.Shards, wire.Shard{Number: uint16(shard)})
		x.Stats = append(x.Stats, wire.ShardStats{Fields: counts})
	}
	cmd := &wire.Command{Update: &wire.Update{Changes: []wire.Change{{PutIndex: x}}}}
	body, err := Encode(cmd, wire.Version)
	if err != nil {
		t.Fatal(err)
	}
	got, _, err := Decode(Stamp(1, 2, body, false))
	if err != nil {
		t.Fatal(err)
	}
	if y := got.Update.Changes[0].PutIndex; !slices.Equal(y.Fields, x.Fields) || !slices.EqualFunc(y.Stats, x.Stats, func(a, b wire.ShardStats) bool { return slices.Equal(a.Fields, b.Fields) }) {
		t.Fatal("the record is another one")
	}
	if _, err := Encode(cmd, CompressedSince-1); !errors.Is(err, wire.ErrTooLarge) {
		t.Errorf("a node with an older program was sent a compressed command: %v", err)
	}
	damaged := Stamp(1, 2, body[:len(body)-9], false)
	if _, _, err := Decode(damaged); !errors.Is(err, ErrUnknown) {
		t.Fatalf("a damaged entry: %v", err)
	}
}

func FuzzDecodeEntry(f *testing.F) {
	body, err := Encode(addTask("movies"), 0)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(Stamp(1, 2, body, false))
	end := wire.Commit{Term: 3, Batch: wire.Batch{UID: wire.NoBatch, Tasks: []uint32{1, 2}}}
	for _, uid := range end.Batch.Tasks {
		end.Results = append(end.Results, wire.TaskResult{UID: uid, Status: wire.Succeeded})
	}
	body, err = Encode(&wire.Command{Commit: []wire.Commit{end}}, 0)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(Stamp(1, 2, body, false))
	f.Add(Stamp(1, 2, body, true))
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, _, err := Decode(data); err != nil && !errors.Is(err, ErrUnknown) && !errors.Is(err, ErrDamaged) {
			t.Errorf("%v", err)
		}
	})
}

// addTask is a command that enqueues a task of an index.
func addTask(index string) *wire.Command {
	return &wire.Command{Enqueue: &wire.Enqueue{Task: wire.Task{IndexUID: &index, Kind: "documentAdditionOrUpdate"}}}
}
