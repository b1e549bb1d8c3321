package docset

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/RoaringBitmap/roaring/v2"
)

// sample draws sets whose blocks are empty, sparse, around the array limit, dense and
// full.
func sample(r *rand.Rand) []uint32 {
	var out []uint32
	for key := uint32(0); key < 4; key++ {
		base := key << 16
		switch r.IntN(7) {
		case 0:
		case 1:
			for range r.IntN(5) {
				out = append(out, base+r.Uint32N(1<<16))
			}
		case 2:
			for range r.IntN(300) {
				out = append(out, base+r.Uint32N(1<<10))
			}
		case 3:
			for range 4090 + r.IntN(400) {
				out = append(out, base+r.Uint32N(1<<16))
			}
		case 4:
			for range 60000 {
				out = append(out, base+r.Uint32N(1<<16))
			}
		case 5:
			for range 200 + r.IntN(2000) {
				out = append(out, base+r.Uint32N(1<<16))
			}
		case 6:
			lo := r.Uint32N(1 << 16)
			for v := lo; v < 1<<16; v++ {
				out = append(out, base+v)
			}
		}
	}
	if r.IntN(4) == 0 {
		out = append(out, ^uint32(0), 0)
	}
	return out
}

func build(values []uint32) (Set, *roaring.Bitmap) {
	var b Builder
	for _, v := range values {
		b.Add(v)
	}
	return b.Set(), roaring.BitmapOf(values...)
}

func same(t *testing.T, what string, got Set, want *roaring.Bitmap) {
	t.Helper()
	if got.Len() != int(want.GetCardinality()) || !slices.Equal(got.AppendTo(nil), want.ToArray()) {
		t.Fatalf("%s: got %d ordinals, want %d", what, got.Len(), want.GetCardinality())
	}
	for key, c := range got.Blocks() {
		if c.Empty() || c.bits == nil && c.Len() > arrayMax || c.bits != nil && (c.Len() < bitsetMin || c.arr != nil) {
			t.Fatalf("%s: block %d of %d elements is in the wrong form", what, key, c.Len())
		}
	}
	if !got.Equal(FromSorted(want.ToArray())) {
		t.Fatalf("%s: not equal to the same set built from a slice", what)
	}
}

func TestAgainstRoaring(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	n := 80 / raceFactor
	if testing.Short() {
		n /= 4
	}
	for range n {
		va, vb := sample(r), sample(r)
		a, ra := build(va)
		b, rb := build(vb)
		same(t, "build", a, ra)
		same(t, "and", a.And(b), roaring.And(ra, rb))
		same(t, "or", a.Or(b), roaring.Or(ra, rb))
		same(t, "andnot", a.AndNot(b), roaring.AndNot(ra, rb))
		if got, want := a.AndLen(b), int(ra.AndCardinality(rb)); got != want {
			t.Fatalf("AndLen %d, want %d", got, want)
		}
		if got, want := a.Intersects(b), ra.Intersects(rb); got != want {
			t.Fatalf("Intersects %v, want %v", got, want)
		}
		if got, want := a.Equal(b), ra.Equals(rb); got != want {
			t.Fatalf("Equal %v, want %v", got, want)
		}
		sets, rs := []Set{a, b}, []*roaring.Bitmap{ra, rb}
		for range r.IntN(6) {
			s, x := build(sample(r))
			sets, rs = append(sets, s), append(rs, x)
		}
		same(t, "union", Union(sets...), roaring.FastOr(rs...))
		same(t, "and any", a.AndAny(sets[1:]), roaring.And(ra, roaring.FastOr(rs[1:]...)))
		same(t, "and any of many", sets[len(sets)-1].AndAny(sets[:len(sets)-1]), roaring.And(rs[len(rs)-1], roaring.FastOr(rs[:len(rs)-1]...)))
		same(t, "accumulator", accumulate(t, r, sets), roaring.FastOr(rs...))
		checkBorrowed(t, a, b)
		checkReads(t, r, a, ra)
		checkEncoding(t, a)
		// Operands are unchanged.
		same(t, "operand", a, ra)
		same(t, "operand", b, rb)
	}
}

func accumulate(t *testing.T, r *rand.Rand, sets []Set) Set {
	t.Helper()
	var a Accumulator
	for _, s := range sets {
		if r.IntN(2) == 0 {
			a.Add(s)
			continue
		}
		for key, c := range s.Blocks() {
			if err := a.AddEncoded(key, c.AppendBinary(nil)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return a.Set()
}

// checkBorrowed combines containers with memory that is overwritten afterwards.
func checkBorrowed(t *testing.T, a, b Set) {
	t.Helper()
	full := Range(0, 1<<16).Block(0)
	for key, d := range b.Blocks() {
		for _, c := range []Container{a.Block(key), d, full, {}} {
			var got Container
			if d.bits == nil {
				values := slices.Clone(d.arr)
				got = c.AndValues(values)
				clear(values)
			} else {
				words := *d.bits
				got = c.AndWords((*[Words]uint64)(&words), d.Len())
				clear(words[:])
			}
			if want := c.And(d); !got.Equal(want) {
				t.Fatalf("of %d elements %d are in borrowed memory of %d, want %d", c.Len(), got.Len(), d.Len(), want.Len())
			}
		}
	}
}

func checkReads(t *testing.T, r *rand.Rand, a Set, ra *roaring.Bitmap) {
	t.Helper()
	all := ra.ToArray()
	for range 200 {
		v := r.Uint32N(5 << 16)
		if a.Contains(v) != ra.Contains(v) {
			t.Fatalf("Contains(%d) = %v", v, a.Contains(v))
		}
	}
	lo, ok := a.Min()
	hi, ok2 := a.Max()
	if ok != (len(all) > 0) || ok2 != ok || ok && (lo != all[0] || hi != all[len(all)-1]) {
		t.Fatalf("Min/Max %d %d", lo, hi)
	}
	for _, n := range []int{-1, 0, 1, 7, 4096, 4097, 5000, len(all) - 1, len(all), len(all) + 1} {
		want := all[:max(0, min(n, len(all)))]
		same(t, "first", a.First(n), roaring.BitmapOf(want...))
	}
	first := r.Uint32N(5<<10) << 6
	end := min(first+r.Uint32N(1<<10)<<6, first&^0xffff+1<<16)
	part := ra.Clone()
	part.RemoveRange(0, uint64(first))
	part.RemoveRange(uint64(end), 1<<32)
	if got := a.AppendRange([]uint32{7}, first, end); got[0] != 7 || !slices.Equal(got[1:], part.ToArray()) {
		t.Fatalf("from %d to %d: %d rows, want %d", first, end, len(got)-1, part.GetCardinality())
	}
	if got := a.HasRange(first, end); got != (part.GetCardinality() > 0) {
		t.Fatalf("from %d to %d: some are there: %v", first, end, got)
	}
	n := 0
	for v := range a.All() {
		if v != all[n] {
			t.Fatalf("All: element %d is %d", n, v)
		}
		if n++; n == 100 {
			break
		}
	}
}

func checkEncoding(t *testing.T, a Set) {
	t.Helper()
	data, err := a.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	var b Set
	if err := b.UnmarshalBinary(data); err != nil || !a.Equal(b) {
		t.Fatalf("round trip: %v", err)
	}
	for key, c := range a.Blocks() {
		buf := c.AppendBinary(nil)
		if ContainerLen(buf) != c.Len() || !a.Block(key).Equal(c) {
			t.Fatalf("block %d: length %d, want %d", key, ContainerLen(buf), c.Len())
		}
	}
}

func TestRange(t *testing.T) {
	for _, c := range [][2]uint32{{0, 0}, {5, 5}, {9, 3}, {0, 1}, {3, 70}, {0, 1 << 16}, {65535, 65537}, {100, 300000}, {4096, 4096 + 4097}} {
		want := roaring.New()
		if c[0] < c[1] {
			want.AddRange(uint64(c[0]), uint64(c[1]))
		}
		same(t, "range", Range(c[0], c[1]), want)
	}
}

// A sample has evenly spread ranks.
func TestSample(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	for range 300 {
		s, _ := build(sample(r))
		all := s.AppendTo(nil)
		n := r.IntN(1 + min(len(all)+3, 5000))
		got := s.Sample(n)
		n = min(n, len(all))
		if len(got) != n {
			t.Fatalf("%d of %d ordinals, want %d", len(got), len(all), n)
		}
		for i, v := range got {
			if want := all[i*len(all)/n]; v != want {
				t.Fatalf("%d of %d in %d ordinals: %d, want %d", i, n, len(all), v, want)
			}
		}
	}
}

func TestAssemblerJoinsEqualKeys(t *testing.T) {
	var a Assembler
	a.Append(3, ContainerOf([]uint16{1, 5}))
	a.Append(3, ContainerOf([]uint16{2, 5}))
	a.Append(4, Container{})
	if got := a.Set(); !got.Equal(Of(3<<16+1, 3<<16+2, 3<<16+5)) {
		t.Fatalf("got %v", got.AppendTo(nil))
	}
}

func FuzzDecode(f *testing.F) {
	for _, s := range []Set{{}, Of(1, 2, 3), Range(0, 5000), Of(7, 1<<16, 1<<31)} {
		data, err := s.MarshalBinary()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var s Set
		if s.UnmarshalBinary(data) != nil {
			return
		}
		prev, n := int64(-1), 0
		s.Each(func(v uint32) bool {
			if int64(v) <= prev {
				t.Fatalf("%d after %d", v, prev)
			}
			prev = int64(v)
			n++
			return true
		})
		if n != s.Len() {
			t.Fatalf("%d ordinals, Len %d", n, s.Len())
		}
	})
}

func BenchmarkAndSparseDense(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	var x, y Builder
	for range 2000 {
		x.Add(r.Uint32N(1 << 20))
	}
	for range 600000 {
		y.Add(r.Uint32N(1 << 20))
	}
	s, d := x.Set(), y.Set()
	b.ReportAllocs()
	for b.Loop() {
		s.And(d)
	}
}

func TestGroupsAreWholeBlocks(t *testing.T) {
	set := Range(1<<16-3, 1<<16+5).Or(Of(3<<16, 9<<16, 9<<16+1))
	for n, want := range map[int][]int{0: {3, 5, 1, 2}, 1: {3, 5, 1, 2}, 4: {8, 3}, 8: {8, 3}, 9: {9, 2}, 11: {11}, 100: {11}} {
		var got []int
		var all Set
		for g := range set.Groups(n) {
			if got = append(got, g.Len()); all.Intersects(g) {
				t.Errorf("groups of %d: %v comes twice", n, g)
			}
			all = all.Or(g)
		}
		if !slices.Equal(got, want) || !all.Equal(set) {
			t.Errorf("groups of %d have %v, want %v", n, got, want)
		}
	}
	for range (Set{}).Groups(4) {
		t.Error("an empty set has a group")
	}
}

func TestSpanOfAContainer(t *testing.T) {
	for _, c := range []struct {
		ordinals []uint32
		want     int
	}{
		{nil, 0}, {[]uint32{7}, 1}, {[]uint32{3, 10}, 8}, {upTo(10_000), 10_000},
	} {
		if got := Of(c.ordinals...).Block(0).Span(); got != c.want {
			t.Errorf("%d ordinals span %d, want %d", len(c.ordinals), got, c.want)
		}
	}
}

// Caches account for a set by its blocks: an array by its length, a bitmap by its size.
func TestTheMemoryOfASetIsThatOfItsBlocks(t *testing.T) {
	few, many := Of(1, 2, 3).MemBytes(), FromSorted(upTo(10_000)).MemBytes()
	if few < 3*2 || few > 200 {
		t.Errorf("three ordinals take %d bytes", few)
	}
	if many < 1<<16/8 || many > 1<<16/8+200 {
		t.Errorf("a bitmap takes %d bytes", many)
	}
}

func upTo(n uint32) []uint32 {
	all := make([]uint32, n)
	for i := range all {
		all[i] = uint32(i)
	}
	return all
}
