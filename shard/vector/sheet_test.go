package vector

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"shoal/shard/docset"
	"shoal/shard/record"
)

// sheets holds files in memory and counts the bytes read.
type sheets struct {
	files map[string][]byte
	read  atomic.Int64
}

type sheetFile struct {
	*bytes.Reader
	read *atomic.Int64
}

func (s *sheets) Open(name string) (File, error) {
	data, ok := s.files[name]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return sheetFile{bytes.NewReader(data), &s.read}, nil
}

func (*sheets) Damaged(string, error) {}

func (f sheetFile) ReadAt(data []byte, at int64) (int, error) {
	n, err := f.Reader.ReadAt(data, at)
	f.read.Add(int64(n))
	return n, err
}

func (sheetFile) Close() error { return nil }

// fill writes the sheets of all blocks of a table and files them.
func (s *sheets) fill(t testing.TB, table *Table, source Source) {
	t.Helper()
	s.files = map[string][]byte{}
	for n := range table.Len() {
		rows, err := encode(uint32(n), source, 1<<40)
		if err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprint(n)
		s.files[name] = rows.AppendSheet(nil, name)
		table.Filed(n, name)
	}
}

// sheetOf returns rows with several embedders, and their sheet.
func sheetOf(t *testing.T, rng *rand.Rand) (*Rows, []byte) {
	t.Helper()
	source := &stored{rows: map[uint32][]byte{}}
	for ord := range uint32(1 << Shift) {
		var list []record.Embedding
		for _, name := range []string{"a", "b", "c"} {
			e := record.Embedding{Name: name, Dimensions: 5}
			for range rng.IntN(3) {
				e.Values = append(e.Values, randomVector(rng, 5)...)
			}
			if name == "b" {
				e.Quantize()
			}
			if rng.IntN(4) > 0 {
				list = append(list, e)
			}
		}
		if len(list) > 0 {
			source.rows[ord] = record.AppendEmbeddings(nil, list)
		}
	}
	rows, err := encode(0, source, 1<<40)
	if err != nil {
		t.Fatal(err)
	}
	return rows, rows.AppendSheet(nil, "name")
}

func (c *Column) equal(o *Column) bool {
	return c.Form == o.Form && slices.Equal(c.ords, o.ords) && slices.Equal(c.flags, o.flags) && slices.Equal(c.from, o.from) &&
		slices.Equal(c.stores, o.stores) && slices.Equal(c.upper, o.upper) && slices.Equal(c.lower, o.lower) && slices.Equal(c.scales, o.scales) &&
		slices.Equal(c.norms, o.norms) && slices.Equal(c.missing, o.missing) && slices.Equal(c.coarse, o.coarse) && slices.Equal(c.bits, o.bits)
}

func TestASheetGivesBackTheChosenCodes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	rows, sheet := sheetOf(t, rng)
	read := func(chosen choice) *Rows {
		t.Helper()
		got, err := readSheet(bytes.NewReader(sheet), "name", chosen, &buffer{})
		if err != nil || len(got.columns) != len(rows.columns) {
			t.Fatalf("%v, want %d columns", err, len(rows.columns))
		}
		return got
	}
	for form, c := range read(everything).columns {
		if !c.equal(rows.columns[form]) {
			t.Errorf("all codes of %v are not what was written", form)
		}
	}
	for form, c := range read(nothing).columns {
		if want := rows.columns[form]; c.upper != nil || c.lower != nil || c.bits != nil || !slices.Equal(c.ords, want.ords) || !slices.Equal(c.flags, want.flags) {
			t.Errorf("without codes: the documents of %v are not what was written", form)
		}
	}
	for range 100 {
		var some docset.Builder
		for range 1 + rng.IntN(300) {
			some.Add(uint32(rng.IntN(1 << Shift)))
		}
		set, name := some.Set(), []string{"a", "b", "c"}[rng.IntN(3)]
		for form, c := range read(codesFor(name, 5, set.AppendTo(nil))).columns {
			all := rows.columns[form]
			if form.Embedder != name || form.dimensions != 5 {
				if c.upper != nil || c.lower != nil || c.bits != nil {
					t.Fatalf("codes of %v were read for %s", form, name)
				}
				continue
			}
			want := newColumn(form)
			for i, ord := range all.ords {
				if set.Contains(ord) {
					want.take(all, i, i+1)
				}
			}
			if want.from = append(want.from, uint32(want.len())); !c.equal(want) {
				t.Fatalf("%d documents of %v: not their codes", set.Len(), form)
			}
		}
	}
}

func TestDamageOfASheetIsNoticed(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	_, sheet := sheetOf(t, rng)
	for range 300 {
		damaged := slices.Clone(sheet)
		switch rng.IntN(3) {
		case 0:
			damaged = damaged[:rng.IntN(len(damaged))]
		case 1:
			clear(damaged[rng.IntN(len(damaged)-1000):])
		default:
			damaged[rng.IntN(len(damaged))] ^= 1 << rng.IntN(8)
		}
		if _, err := readSheet(bytes.NewReader(damaged), "name", everything, &buffer{}); !errors.Is(err, ErrSheet) {
			t.Fatalf("damage was not noticed (%v)", err)
		}
	}
	if _, err := readSheet(bytes.NewReader(sheet), "other", nothing, &buffer{}); !errors.Is(err, ErrSheet) {
		t.Errorf("the sheet of another block was taken (%v)", err)
	}
}

// Without room for codes, a search reads those that its filter chose, and a condition on
// vectors reads none.
func TestFilterChoosesWhichCodesAreRead(t *testing.T) {
	const n, dimensions = 4 << Shift, 384
	rng := rand.New(rand.NewPCG(5, 6))
	source, all := randomStored(rng, n, dimensions), docset.Range(0, n)
	var some docset.Builder
	for ord := uint32(0); ord < n; ord += 97 {
		some.Add(ord)
	}
	files := &sheets{}
	table, cache := NewTable(all), NewCache(0, time.Now)
	cache.ReadFrom(files)
	files.fill(t, table, source)
	table.bytes.Store(1 << 20)
	table.least.Store(1 << 20)
	target := NewQuery(AnyStore, randomVector(rng, dimensions))
	search := func(among docset.Set) int64 {
		files.read.Store(0)
		if near, _ := found(t, table, cache, source, target, among, 5); len(near) < 5 {
			t.Fatal(near)
		}
		return files.read.Load()
	}
	for number := range table.Len() {
		if err := table.Select(number, cache, source, &Selection{Embedder: func(string) bool { return true }}, func(uint32) {}); err != nil {
			t.Fatal(err)
		}
	}
	const codes = n * dimensions
	heads := files.read.Load()
	if heads == 0 || heads > codes/5 {
		t.Errorf("a condition on vectors reads %d bytes, the codes have %d", heads, codes)
	}
	if read := search(all) - heads; read < codes/2 || read > codes/2+codes/20 {
		t.Errorf("a search reads %d bytes, the upper halves of codes have %d", read, codes/2)
	}
	if read := search(some.Set()) - heads; read == 0 || read > codes/50 {
		t.Errorf("a filter that leaves 1 %% reads %d bytes of codes, they have %d", read, codes)
	}
}

func BenchmarkSheet(b *testing.B) {
	const dimensions = 768
	rng := rand.New(rand.NewPCG(1, 2))
	source := randomStored(rng, 1<<Shift, dimensions)
	files := &sheets{}
	table := NewTable(docset.Range(0, 1<<Shift))
	files.fill(b, table, source)
	for _, step := range []uint32{1, 4, 15, 17, 100, 1000} {
		var rows []uint32
		for row := uint32(0); row < 1<<Shift; row += step {
			rows = append(rows, row)
		}
		b.Run(fmt.Sprint(len(rows)), func(b *testing.B) {
			var into buffer
			for b.Loop() {
				if _, err := readSheet(bytes.NewReader(files.files["0"]), "0", codesFor("a", dimensions, rows), &into); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
