package version

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// What is kept of one delta after the other is what the last one of each document says.
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
