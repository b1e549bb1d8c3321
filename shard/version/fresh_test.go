package version

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// The cached record of a document is that of its last delta.
func TestFreshRecordsAreTheLastOfEachDocument(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var f *fresh
	want := map[uint32]string{}
	for turn := range 500 {
		var l freshLayer
		for ord := range uint32(40) {
			switch r.IntN(20) {
			case 0:
				want[ord] = fmt.Sprint(turn, ord)
				l.add(ord, []byte(want[ord]), false)
			case 1:
				want[ord] = ""
				l.add(ord, nil, true)
			}
		}
		if f = f.with(l); f == nil && len(want) > 0 {
			t.Fatal("nothing is kept")
		}
		for ord := range uint32(40) {
			rec, ok, known := f.read(ord)
			text, has := want[ord]
			if known != has || ok != (text != "") || string(rec) != text {
				t.Fatalf("turn %d: document %d is %q %t %t, want %q", turn, ord, rec, ok, known, text)
			}
		}
		if f != nil && len(f.layers) > freshLayers {
			t.Fatalf("%d layers", len(f.layers))
		}
	}
	var many freshLayer
	for ord := range uint32(MaxFresh) {
		many.add(ord+1000, []byte("x"), false)
	}
	if f = f.with(many); f.docs.Len() != MaxFresh || f.docs.Contains(1) {
		t.Errorf("%d documents are kept", f.docs.Len())
	}
	var digest freshLayer
	digest.add(3, nil, false)
	if f = f.with(digest); f != nil {
		t.Error("records are kept of which some have changed to something that is not told")
	}
}

// Symptom: only shards had a bound. With some hundred shards being written, records
// exceeded the node's memory limit.
func TestFreshRecordsOfAllShardsAreBounded(t *testing.T) {
	defer func(least int) { FreshLeast = least }(FreshLeast)
	FreshLeast = 0
	shared := &Shared{Records: 1000}
	newest := make([]*Version, 30)
	for i := range newest {
		newest[i] = &Version{Space: Space{shared: shared}}
	}
	kept := func() (n int) {
		for _, c := range newest {
			n += c.FreshBytes()
		}
		return n
	}
	write := func(shard, bytes int) {
		var l freshLayer
		l.add(uint32(shard), make([]byte, bytes), false)
		c := &Version{Space: Space{shared: shared}}
		c.keepFresh(newest[shard], l)
		newest[shard] = c
	}
	for turn := range 3 {
		for shard := range newest {
			write(shard, 100+turn)
			if n := kept(); n > 1000 || n != shared.fresh.used || newest[shard].FreshBytes() == 0 {
				t.Fatalf("turn %d: %d bytes are kept, %d counted, %d of the newest", turn, n, shared.fresh.used, newest[shard].FreshBytes())
			}
		}
	}
	if n := kept(); n < 800 {
		t.Errorf("%d bytes are kept of 1000", n)
	}
	if write(1, 2000); newest[1].FreshBytes() != 0 {
		t.Error("more is kept than the node may")
	}
}
