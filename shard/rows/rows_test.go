package rows

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"shoal/shard/docset"
)

func TestEntriesReadBackAsWritten(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		list := randomEntries(r)
		got, err := DecodeEntries(nil, AppendEntries(nil, list))
		if err != nil || !slices.Equal(got, list) {
			t.Fatalf("%v became %v, %v", list, got, err)
		}
	}
	for _, raw := range [][]byte{{}, {1}, {1, 0}, {2, 0, 2}, {1, 0x80, 0x20, 2}, {1, 0, 1}, AppendEntries([]byte{}, randomEntries(r))[1:]} {
		if got, err := DecodeEntries(nil, raw); err == nil {
			t.Errorf("%x was read as %v", raw, got)
		}
	}
}

func FuzzDecodeEntries(f *testing.F) {
	f.Add(AppendEntries(nil, []Entry{{0, 1}, {1, 5}, {4095, None}}))
	f.Fuzz(func(t *testing.T, raw []byte) {
		list, err := DecodeEntries(nil, raw)
		if err != nil {
			return
		}
		again, err := DecodeEntries(nil, AppendEntries(nil, list))
		if err != nil || !slices.Equal(again, list) {
			t.Fatalf("%v became %v, %v", list, again, err)
		}
	})
}

func randomEntries(r *rand.Rand) []Entry {
	var list []Entry
	for low := r.IntN(4); low < PageRows; low += 1 + r.IntN(1+r.IntN(900)) {
		ord := r.Uint32()
		if r.IntN(5) == 0 {
			ord = None
		}
		list = append(list, Entry{uint16(low), ord})
	}
	return list
}

// A change of a change is what the store merges: the newer entry of each row counts.
func TestTheNewerEntryOfARowCounts(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	for range 100 {
		a, b := randomEntries(r), randomEntries(r)
		want := map[uint16]uint32{}
		for _, e := range slices.Concat(a, b) {
			want[e.Low] = e.Ordinal
		}
		got := map[uint16]uint32{}
		for _, e := range Over(b, a) {
			got[e.Low] = e.Ordinal
		}
		if !maps.Equal(got, want) {
			t.Fatalf("%v over %v gives %v", b, a, got)
		}
		one := new(Table).With([]uint32{3}, [][]Entry{a}).With([]uint32{3}, [][]Entry{b})
		both := new(Table).With([]uint32{3}, [][]Entry{Over(b, a)})
		if !one.Equal(both) {
			t.Fatal("both changes at once give another table")
		}
	}
}

// model is a space with an ordinal for each of its rows.
type model struct {
	order *Order
	of    map[uint32]uint32
}

// randomModel makes a space of some shards. With tidy rows ascend in every shard.
func randomModel(r *rand.Rand, shards int, tidy bool) model {
	m := model{of: map[uint32]uint32{}}
	ordinals := r.Perm(40_000)
	var parts []Part
	base := uint32(0)
	for range shards {
		n := r.IntN(6_000)
		own := ordinals[:n]
		ordinals = ordinals[n:]
		if tidy || r.IntN(3) == 0 {
			slices.Sort(own)
		}
		p := Part{Base: base}
		var live docset.Builder
		if shards > 1 && r.IntN(4) == 0 { // rows are the ordinals
			for _, ord := range own {
				live.Add(uint32(ord))
				m.of[base+uint32(ord)] = uint32(ord)
			}
			p.Live, base = live.Set(), base+1<<16
			parts = append(parts, p)
			continue
		}
		row := uint32(0)
		changes := map[uint32][]Entry{}
		for _, ord := range own {
			row += uint32(r.IntN(2) * r.IntN(12))
			live.Add(row)
			m.of[base+row] = uint32(ord)
			changes[row>>PageShift] = append(changes[row>>PageShift], Entry{uint16(row & (PageRows - 1)), uint32(ord)})
			row++
		}
		pages := slices.Sorted(maps.Keys(changes))
		var list [][]Entry
		for _, page := range pages {
			list = append(list, changes[page])
		}
		p.Live, p.Table = live.Set(), new(Table).With(pages, list)
		base += (row>>16 + 1) << 16
		parts = append(parts, p)
	}
	m.order = NewOrder(parts)
	return m
}

// An order answers as a list of rows sorted by ordinal does.
func TestAnOrderIsThatOfTheOrdinals(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 3))
		shards := 1 + r.IntN(3)
		m := randomModel(r, shards, seed%2 == 0)
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) { m.check(t, r) })
		if shards == 1 && seed%2 == 0 && !m.order.Ascending() {
			t.Errorf("seed %d: rows do not ascend", seed)
		}
	}
}

func (m *model) check(t *testing.T, r *rand.Rand) {
	o := m.order
	var b docset.Builder
	for row, ordinal := range m.of {
		if got := o.Ordinal(row); got != ordinal {
			t.Fatalf("row %d has %d, not %d", row, got, ordinal)
		}
		if got, ok := o.Row(ordinal); !ok || got != row {
			t.Fatalf("ordinal %d is at %d (%v), not %d", ordinal, got, ok, row)
		}
		if r.IntN(3) == 0 {
			b.Add(row)
		}
	}
	if row, ok := o.Row(1 << 20); ok {
		t.Fatalf("a foreign ordinal has row %d", row)
	}
	set := b.Set()
	want := set.AppendTo(nil)
	slices.SortFunc(want, func(a, b uint32) int { return cmp.Compare(m.of[a], m.of[b]) })
	if got := o.Sorted(set); !slices.Equal(got, want) {
		t.Fatal("sorted otherwise")
	}
	if o.Ascending() && !slices.IsSorted(want) {
		t.Fatal("said to ascend")
	}
	for _, n := range []int{0, 1, 2, 20, len(want) / 2, len(want), len(want) + 1} {
		if got := o.First(set, n); !slices.Equal(got, want[:min(n, len(want))]) {
			t.Fatalf("first %d: %v, not %v", n, got, want[:min(n, len(want))])
		}
	}
	if row, ok := o.Min(set); ok != (len(want) > 0) || ok && row != want[0] {
		t.Fatalf("least %d, %v", row, ok)
	}
	if len(want) == 0 {
		return
	}
	if got := o.Least(set); got > m.of[want[0]] {
		t.Fatalf("bound %d above %d", got, m.of[want[0]])
	}
	from := m.of[want[r.IntN(len(want))]]
	kept := slices.DeleteFunc(slices.Clone(want), func(row uint32) bool { return m.of[row] < from })
	if got := o.Sorted(o.From(set, from)); !slices.Equal(got, kept) {
		t.Fatalf("from %d: %v, not %v", from, got, kept)
	}
	ordinals := o.Ordinals(want)
	if got := o.Rows(ordinals); !slices.Equal(got, want) {
		t.Fatal("rows of ordinals differ")
	}
	for _, n := range []int{1, 20, len(want) / 2, len(want), len(want) + 1} {
		if got := o.FirstOrdinals(set, n); !slices.Equal(got, ordinals[:min(n, len(want))]) {
			t.Fatalf("first %d ordinals: %v, not %v", n, got, ordinals)
		}
	}
	foreign := slices.Sorted(slices.Values(append(slices.Clone(ordinals), 1<<20, 1<<20, ordinals[0])))
	for _, list := range [][]uint32{ordinals, foreign, append(slices.Clone(ordinals), 3<<20, 1<<20), ordinals[len(ordinals)-1:]} {
		want := set
		if len(list) == 1 {
			want = docset.Of(o.Rows(list)[0])
		}
		if got := o.Set(list); !got.Equal(want) {
			t.Fatalf("the set of %d ordinals differs", len(list))
		}
	}
	if blocks := o.Blocks(set); !slices.IsSortedFunc(blocks, func(a, b uint16) int { return cmp.Compare(o.least[a], o.least[b]) }) && !o.Ascending() {
		t.Fatal("blocks out of order")
	}
}

// The rows of the last shard were ranged over up to the greatest number of a row.
func TestTheEndOfASpaceTakesNoMemory(t *testing.T) {
	for name, ordinals := range map[string][]Entry{"ascending": {{0, 5}, {1, 7}}, "not ascending": {{0, 7}, {1, 5}}} {
		o := NewOrder([]Part{{Table: new(Table).With([]uint32{0}, [][]Entry{ordinals}), Live: docset.Of(0, 1)}})
		for from, want := range map[uint32]int{6: 1, 8: 0} {
			found := 0
			if n := testing.AllocsPerRun(1, func() { found = o.From(docset.Of(0, 1), from).Len() }); n > 100 || found != want {
				t.Errorf("%s, from %d: %d rows with %v allocations", name, from, found, n)
			}
		}
	}
}
