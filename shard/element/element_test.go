package element

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"shoal/shard/docset"
)

// place makes a place of steps: depth, number, depth, number ...
func place(steps ...uint32) (p []byte) {
	for i := 0; i < len(steps); i += 2 {
		p = AppendStep(p, steps[i], steps[i+1])
	}
	return p
}

func TestALevelIsTheBeginningOfAPlace(t *testing.T) {
	deep := place(0, 3, 1, 127, 2, 128, 5, 16_383, 6, 16_384, 7, 1<<28-1)
	for _, c := range []struct {
		depth uint32
		want  []byte
	}{
		{0, place(0, 3)}, {1, place(0, 3, 1, 127)}, {2, place(0, 3, 1, 127, 2, 128)}, {3, nil}, {4, nil},
		{5, place(0, 3, 1, 127, 2, 128, 5, 16_383)}, {7, deep}, {8, nil},
	} {
		got, ok := Level(deep, c.depth)
		if ok != (c.want != nil) || !bytes.Equal(got, c.want) {
			t.Errorf("depth %d: %x %v, want %x", c.depth, got, ok, c.want)
		}
	}
	for _, damaged := range [][]byte{{}, {0}, {0x80}, {0, 0x80}, {0, 0xc0, 1}, {0xff, 1}} {
		if got, ok := Level(damaged, 0); ok {
			t.Errorf("%x has the level %x", damaged, got)
		}
	}
}

// Keys are a name and a block: they are in the order of names only if no name is the
// beginning of another one, and strings only if what follows them is below 255.
func TestKeysAreInTheOrderOfNames(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var names [][]byte
	for range 3000 {
		var p []byte
		for depth := range uint32(1 + r.IntN(3)) {
			p = AppendStep(p, depth, []uint32{0, 1, 127, 128, 255, 300, 16_384, 70_000}[r.IntN(8)])
		}
		form := []string{"", "a", "a\x00", "a\x00b", "ab", "b\xff"}[r.IntN(6)]
		names = append(names, AppendPlace(AppendString(nil, 1, form), p))
	}
	slices.SortFunc(names, bytes.Compare)
	names = slices.CompactFunc(names, bytes.Equal)
	for i := 1; i < len(names); i++ {
		if bytes.HasPrefix(names[i], names[i-1]) {
			t.Fatalf("%x begins with %x", names[i], names[i-1])
		}
	}
}

func TestARangeReadsWhatLiesWithinIt(t *testing.T) {
	var l List
	forms := []string{"", "a", "a\x00", "ab", "abc", "b"}
	for i, form := range forms {
		l.Add(AppendPlace(AppendString(nil, 7, form), place(0, uint32(i))), uint32(i))
	}
	l.Add(AppendPlace(AppendString(nil, 8, "a"), place(0, 0)), 99)
	for i, v := range []uint64{1, 5, 9} {
		l.Add(AppendPlace(AppendNumber(nil, 7, v), place(0, 0, 1, uint32(i))), uint32(i))
	}
	for _, c := range []struct {
		r    Range
		want []uint32
	}{
		{Range{Field: 7, Kind: String, Unbounded: true}, []uint32{0, 1, 2, 3, 4, 5}},
		{Range{Field: 7, Kind: String, First: "a", Last: "a\x00"}, []uint32{1}},
		{Range{Field: 7, Kind: String, First: "a\x00", Last: "abc"}, []uint32{2, 3}},
		{Range{Field: 7, Kind: String, First: "aa", Unbounded: true}, []uint32{3, 4, 5}},
		{Range{Field: 7, Kind: String, Unbounded: true, Contains: "bc"}, []uint32{4}},
		{Range{Field: 7, Kind: String, Depth: 1, Unbounded: true}, nil},
		{Range{Field: 7, Kind: Number, From: 2, To: 9}, []uint32{1, 2}},
		{Range{Field: 7, Kind: Number, Depth: 1, From: 1, To: 1}, []uint32{0}},
		{Range{Field: 7, Kind: Exists}, nil},
		{Range{Field: 8, Kind: String, Unbounded: true}, []uint32{99}},
	} {
		got, err := l.Elements(&c.r)
		if err != nil || !slices.Equal(got.Docs().AppendTo(nil), c.want) {
			t.Errorf("%+v: %v %v, want %v", c.r, got.Docs().AppendTo(nil), err, c.want)
		}
	}
}

func TestSetsAreComparedPlaceByPlace(t *testing.T) {
	a := Set{"p": docset.Of(1, 2, 3), "q": docset.Of(4), "r": docset.Of(9)}
	b := Set{"p": docset.Of(2, 4), "q": docset.Of(1)}
	for name, c := range map[string]struct{ got, want Set }{
		"and":   {a.And(b), Set{"p": docset.Of(2)}},
		"not":   {a.AndNot(b), Set{"p": docset.Of(1, 3), "q": docset.Of(4), "r": docset.Of(9)}},
		"union": {Union(a, b), Set{"p": docset.Of(1, 2, 3, 4), "q": docset.Of(1, 4), "r": docset.Of(9)}},
	} {
		if len(c.got) != len(c.want) {
			t.Errorf("%s: %v", name, c.got)
		}
		for place, docs := range c.want {
			if !c.got[place].Equal(docs) {
				t.Errorf("%s: at %s %v, want %v", name, place, c.got[place].AppendTo(nil), docs.AppendTo(nil))
			}
		}
	}
	if got := a.AndDocs(b); !got.Equal(docset.Of(2)) {
		t.Errorf("documents of both: %v", got.AppendTo(nil))
	}
	r := rand.New(rand.NewPCG(3, 4))
	for range 50 { // lists and bitmaps
		some := func() docset.Set {
			var b docset.Builder
			for at := uint32(0); at < 200_000; at += 1 + r.Uint32N([]uint32{2, 50, 5000}[r.IntN(3)]) {
				b.Add(at)
			}
			return b.Set()
		}
		s, t2 := Set{"p": some(), "q": some()}, Set{"p": some(), "q": some(), "x": some()}
		if !s.AndDocs(t2).Equal(s.And(t2).Docs()) {
			t.Fatal("AndDocs is not And and Docs")
		}
	}
}
