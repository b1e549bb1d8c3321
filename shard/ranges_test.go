package shard

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"shoal/shard/docset"
	"shoal/shard/rank/scope"
	"shoal/shard/record"
	"shoal/shard/version"
	"shoal/wire"
)

// withValue returns the documents of a view with a value that admits accepts, read one by one.
func withValue(t *testing.T, v *version.View, fid uint16, admits func(record.FieldValues) bool) docset.Set {
	t.Helper()
	var rows []uint32
	for row := range v.Live().All() {
		values, ok, err := v.Values(row)
		if err != nil {
			t.Fatal(err)
		}
		if f, has := values.Field(fid); ok && has && admits(f) {
			rows = append(rows, row)
		}
	}
	return docset.FromSorted(rows)
}

// Columns of ranges change no answer, while documents come, change and go.
func TestRangesOverManyValuesAreThoseOfTheRecords(t *testing.T) {
	defer func(n int) { scope.RangeRun = n }(scope.RangeRun)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	w := newWorld(t, openHost(t, vfs.NewMem()))
	defer w.close()
	w.settings.Filterable = plainRules("n", "s")
	doc := func(id int) string {
		return fmt.Sprintf(`{"id":%d,"n":[%d,%d],"s":"v%03d"}`, id, r.IntN(500), r.IntN(500)-250, r.IntN(400))
	}
	columns := 0
	for round := range 30 {
		scope.RangeRun = 2 + r.IntN(30)
		var docs []string
		for range 1 + r.IntN(400/(round+1)) {
			docs = append(docs, doc(r.IntN(600)))
		}
		ops := []wire.Op{add(t, docs...)}
		if r.IntN(2) == 0 {
			ops = append(ops, wire.Op{Kind: wire.OpDeleteIDs, IDs: []string{fmt.Sprint(r.IntN(600)), fmt.Sprint(r.IntN(600))}})
		}
		w.commit(ops...)
		v := w.view()
		n, _ := v.FieldID("n")
		s, _ := v.FieldID("s")
		for range 40 {
			from, to := float64(r.IntN(800)-300), float64(r.IntN(800)-300)
			switch r.IntN(6) {
			case 0:
				from = math.Inf(-1)
			case 1:
				to = math.Inf(1)
			}
			got, err := v.NumberRange(n, from, to)
			if err != nil {
				t.Fatal(err)
			}
			want := withValue(t, v, n, func(f record.FieldValues) bool {
				for x := range f.Numbers() {
					if x >= from && x <= to {
						return true
					}
				}
				return false
			})
			if !got.Equal(want) {
				t.Fatalf("round %d: numbers from %v to %v: %d documents, want %d", round, from, to, got.Len(), want.Len())
			}
			low, high := fmt.Sprintf("v%03d", r.IntN(400)), fmt.Sprintf("v%03d", r.IntN(400))
			if r.IntN(5) == 0 {
				high = ""
			}
			got, err = v.StringRange(s, low, high)
			if err != nil {
				t.Fatal(err)
			}
			want = withValue(t, v, s, func(f record.FieldValues) bool {
				for x := range f.Strings() {
					if string(x) >= low && (high == "" || string(x) < high) {
						return true
					}
				}
				return false
			})
			if !got.Equal(want) {
				t.Fatalf("round %d: strings from %q to %q: %d documents, want %d", round, low, high, got.Len(), want.Len())
			}
		}
		columns += v.Memo().Len()
		if err := v.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if columns < 10 {
		t.Errorf("%d columns in 30 rounds: they were hardly used", columns)
	}
}
