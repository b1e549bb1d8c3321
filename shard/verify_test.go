package shard

import (
	"strings"
	"testing"

	"shoal/wire"
)

// A copy made by deltas, with deletions and changed settings in between, and a copy
// sent as a whole hold the same bytes. A modified copy does not.
func TestVerifyFindsEqualCopiesHoweverMade(t *testing.T) {
	w := twoCopies(t, 500)
	for i := range 5 {
		w.commit(add(t, `{"id":1,"a":"changed words and some others"}`, `{"id":900,"a":"another one"}`))
		if i == 2 {
			w.commit(wire.Op{Kind: wire.OpDeleteIDs, IDs: []string{"1", "7", "900"}})
		}
	}
	if _, err := w.second.host.Receive(strings.NewReader(w.whole())); err != nil {
		t.Fatal(err)
	}
	copies := map[string][]Content{}
	verify := func(who string, other *world, dir string) *Verified {
		t.Helper()
		if err := other.host.Close(); err != nil {
			t.Fatal(err)
		}
		found, err := Verify(t.Context(), dir, other.host.store.FS)
		if err != nil || len(found.Damage) > 0 {
			t.Fatalf("%s: %+v %v", who, found, err)
		}
		copies[who] = found.Copies
		return found
	}
	verify("n1", w.world, "data")
	verify("n2", w.second, "data")
	if len(copies["n1"]) != 1 || copies["n1"][0].Version != w.version || copies["n1"][0].Keys < 1000 {
		t.Errorf("n1 holds %+v", copies["n1"])
	}
	if copies["n2"][0].Delta != w.delta {
		t.Errorf("n2 holds %+v", copies["n2"])
	}
	if lines := Disagreements(copies); len(lines) > 0 {
		t.Errorf("they differ: %v", lines)
	}
	right := copies["n2"][0]
	copies["n2"][0].Delta = "another"
	if lines := Disagreements(copies); len(lines) != 1 || !strings.Contains(lines[0], "is of two histories") {
		t.Errorf("told of two deltas at one version: %v", lines)
	}
	copies["n2"][0] = right
	copies["n2"][0].Sum++
	if lines := Disagreements(copies); len(lines) != 1 || !strings.Contains(lines[0], "n1 has") {
		t.Errorf("told %v", lines)
	}
}

// Verify reads a shard that nobody has read since the start. It once ended with an error
// where the damage was met by loading the shard, so that the report of the node was lost.
func TestVerifyOfARunningNodeReportsDamageWhereverItLies(t *testing.T) {
	w := twoCopies(t, 300)
	files, err := w.host.store.TableFiles()
	if err != nil || len(files) == 0 {
		t.Fatalf("files %v %v", files, err)
	}
	f := files[0]
	for at := int64(0); at < f.Size; at += f.Size/12 + 1 {
		if err := w.host.Close(); err != nil {
			t.Fatal(err)
		}
		flip(t, w.fs, f.Path, at)
		w.host = openHost(t, w.fs, w.published)
		found, err := w.host.Verify(t.Context())
		if err != nil || len(found.Damage) == 0 {
			t.Errorf("bit %d of %d is flipped: %+v %v", at, f.Size, found, err)
		}
		if err := w.host.Close(); err != nil {
			t.Fatal(err)
		}
		flip(t, w.fs, f.Path, at) // as it was
		w.host = openHost(t, w.fs, w.published)
	}
	w.close()
	w.second.close()
}
