package record

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"shoal/query/filter"
)

func TestValuesAgainstMaps(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	var w ValueWriter
	for range 300 {
		numbers, strs, flags := map[uint16][]float64{}, map[uint16]map[string]string{}, map[uint16]uint8{}
		for range r.IntN(40) {
			fid := uint16(r.IntN(5) * 300)
			switch r.IntN(4) {
			case 0:
				x := []float64{0, math.Copysign(0, -1), -1.5, 1e300, -1e-300, float64(r.IntN(10))}[r.IntN(6)]
				w.Number(fid, x)
				numbers[fid] = append(numbers[fid], filter.FacetNumber(x))
				flags[fid] |= Exists
			case 1, 2:
				form := randomWord(r)
				original := form
				if r.IntN(2) == 0 {
					original = randomWord(r)
				}
				w.String(fid, form, original)
				if strs[fid] == nil {
					strs[fid] = map[string]string{}
				}
				strs[fid][form] = original
				flags[fid] |= Exists
			case 3:
				m := uint8([]int{0, Null, Empty}[r.IntN(3)])
				w.Mark(fid, m)
				flags[fid] |= m | Exists
			}
		}
		want, has := Point{r.Float64(), -r.Float64()}, r.IntN(2) == 0
		if has {
			w.Point(want)
		}
		shape := r.IntN(2) == 0
		if shape {
			w.Shape()
		}
		v, err := ParseValues(w.Finish(nil))
		if err != nil {
			t.Fatal(err)
		}
		if v.HasShape() != shape {
			t.Fatalf("shape %v, want %v", v.HasShape(), shape)
		}
		if p, ok := v.Point(); ok != has || has && p != want {
			t.Fatalf("point %v %v, want %v", p, ok, want)
		}
		last := -1
		for f := range v.Fields() {
			if int(f.Field) <= last || f.Flags != flags[f.Field] {
				t.Fatalf("field %d after %d, flags %d, want %d", f.Field, last, f.Flags, flags[f.Field])
			}
			last = int(f.Field)
			checkField(t, f, numbers[f.Field], strs[f.Field])
			if g, ok := v.Field(f.Field); !ok || g.Field != f.Field {
				t.Fatalf("Field(%d) not found", f.Field)
			}
			delete(flags, f.Field)
		}
		if len(flags) > 0 {
			t.Fatalf("missing fields %v", flags)
		}
		if _, ok := v.Field(77); ok {
			t.Fatal("found a field that is not there")
		}
	}
}

func checkField(t *testing.T, f FieldValues, numbers []float64, strs map[string]string) {
	t.Helper()
	slices.Sort(numbers)
	numbers = slices.CompactFunc(numbers, func(a, b float64) bool { return cmp.Compare(a, b) == 0 })
	if got := slices.Collect(f.Numbers()); !slices.Equal(got, numbers) || f.NumberCount() != len(numbers) {
		t.Fatalf("numbers %v, want %v", got, numbers)
	}
	n, last := 0, ""
	for form, original := range f.Strings() {
		if n > 0 && string(form) <= last || strs[string(form)] != string(original) {
			t.Fatalf("string %q as %q after %q, want %q", form, original, last, strs[string(form)])
		}
		last = string(form)
		n++
	}
	if n != len(strs) || f.StringCount() != n {
		t.Fatalf("%d strings, want %d", n, len(strs))
	}
}

func TestOrderedFloat(t *testing.T) {
	xs := []float64{math.Inf(-1), -1e300, -1, -1e-300, 0, 1e-300, 1, 1e300, math.Inf(1)}
	for i, x := range xs {
		if FloatOf(OrderedFloat(x)) != x {
			t.Errorf("%v does not come back", x)
		}
		if i > 0 && OrderedFloat(xs[i-1]) >= OrderedFloat(x) {
			t.Errorf("%v is not below %v", xs[i-1], x)
		}
	}
	if OrderedFloat(math.Copysign(0, -1)) != OrderedFloat(0) {
		t.Error("-0 is not 0")
	}
}

func FuzzParseValues(f *testing.F) {
	var w ValueWriter
	w.Number(1, 2.5)
	w.String(1, "a", "A")
	w.String(4, "b", "b")
	w.Mark(9, Null)
	w.Point(Point{1, 2})
	f.Add(w.Finish(nil))
	f.Add([]byte{0, 1})
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := ParseValues(data)
		if err != nil {
			return
		}
		for f := range v.Fields() {
			for range f.Numbers() {
			}
			for range f.Strings() {
			}
		}
	})
}
