package symbol

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestNamesAreNumberedInOrderOfFirstAppearance(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var table Table
	for round := range 3 {
		if round == 1 {
			table.Grow(5000)
		}
		want := map[string]uint32{}
		for range 20_000 {
			name := ""
			if n := r.IntN(4000); n > 0 {
				name = fmt.Sprint("name", n*n*n)[:r.IntN(5)+len(fmt.Sprint(n))] + "\x00\x00"[:r.IntN(3)]
			}
			n, known := want[name]
			if got, ok := table.Find([]byte(name)); ok != known || known && got != n {
				t.Fatalf("%q is found as %d, %t; it has the number %d, %t", name, got, ok, n, known)
			}
			if !known {
				n = uint32(len(want))
				want[name] = n
			}
			if got := table.Number([]byte(name)); got != n {
				t.Fatalf("%q has the number %d, want %d", name, got, n)
			}
		}
		if table.Len() != len(want) {
			t.Fatalf("%d names, want %d", table.Len(), len(want))
		}
		for name, n := range want {
			if got := table.Name(n); string(got) != name {
				t.Fatalf("the name of %d is %q, want %q", n, got, name)
			}
		}
		sorted := table.Sorted(nil)
		if len(sorted) != len(want) {
			t.Fatalf("%d of %d names are sorted", len(sorted), len(want))
		}
		for i := 1; i < len(sorted); i++ {
			if a, b := string(table.Name(sorted[i-1])), string(table.Name(sorted[i])); a >= b {
				t.Fatalf("%q is sorted before %q", a, b)
			}
		}
		table.Reset()
		if _, ok := table.Find([]byte("name1")); ok || table.Len() != 0 {
			t.Fatal("a name is still there after Reset")
		}
	}
}

func TestHeadsAreInTheOrderOfTheirNames(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 2))
	for range 10_000 {
		var names [2]string
		for i := range names {
			b := make([]byte, r.IntN(12))
			for k := range b {
				b[k] = "\x00ab\xff"[r.IntN(4)]
			}
			names[i] = string(b)
		}
		a, b := Head(names[0]), Head(names[1])
		if a != b && cmp.Compare(a, b) != strings.Compare(names[0], names[1]) {
			t.Fatalf("%q has the head %x, %q %x", names[0], a, names[1], b)
		}
		for i, name := range names {
			want := []byte(name + "\x00\x00\x00\x00\x00\x00\x00\x00")[:8]
			if got := []uint64{a, b}[i]; got != binary.BigEndian.Uint64(want) {
				t.Fatalf("%q has the head %x", name, got)
			}
		}
	}
}

// A caller that appends to a returned name must not change another name.
func TestAppendingToANameChangesNoOther(t *testing.T) {
	var table Table
	table.Number([]byte("a"))
	table.Number([]byte("b"))
	_ = append(table.Name(0), 'x')
	if got := string(table.Name(1)); got != "b" {
		t.Errorf("the second name is %q", got)
	}
}
