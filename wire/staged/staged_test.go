package staged

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"shoal/wire"
)

func stage(t testing.TB, key string, keyed bool, docs [][2]string) []byte {
	t.Helper()
	var buf bytes.Buffer
	w, err := NewWriter(&buf, key, keyed)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range docs {
		if err := w.Append([]byte(d[0]), []byte(d[1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func randomDocs(r *rand.Rand, n int) [][2]string {
	docs := make([][2]string, n)
	for i := range docs {
		docs[i] = [2]string{fmt.Sprint(r.IntN(3 * n)), `{"a":"` + strings.Repeat("x", r.IntN(400)) + `"}`}
	}
	if n > 2 {
		docs[1][1] = `{"big":"` + strings.Repeat("y", 3*blockSize) + `"}`
	}
	return docs
}

func TestStagedRoundTrip(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 1))
	for _, n := range []int{0, 1, 3, 2000} {
		docs := randomDocs(r, n)
		data := stage(t, "id", true, docs)
		for _, span := range [][2]uint32{{0, wire.Slots}, {0, 1000}, {30000, 60000}} {
			rd, err := NewReader(bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			if k, ok := rd.Key(); k != "id" || !ok {
				t.Fatalf("key %q %v", k, ok)
			}
			rd.Only(span[0], span[1])
			for i, d := range docs {
				slot := uint32(wire.SlotOf(d[0]))
				if slot < span[0] || slot >= span[1] {
					continue
				}
				f, pos, err := rd.Next()
				if err != nil || pos != uint64(i) || string(f.ID) != d[0] || string(f.Document) != d[1] || uint32(f.Slot) != slot {
					t.Fatalf("seed %d: document %d: got %q at %d, %v", seed, i, f.ID, pos, err)
				}
			}
			if _, _, err := rd.Next(); !errors.Is(err, io.EOF) {
				t.Fatalf("seed %d: end: %v", seed, err)
			}
			if _, _, err := rd.Next(); !errors.Is(err, io.EOF) {
				t.Fatalf("end is not stable: %v", err)
			}
		}
	}
}

func TestStagedWithoutKey(t *testing.T) {
	data := stage(t, "", false, [][2]string{{"7", `{}`}, {"8", `{"a":1}`}})
	rd, err := NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := rd.Key(); ok {
		t.Fatal("a key appeared")
	}
	rd.Only(65000, 65001) // frames without ids are in no slot, so all are given
	for i := range 2 {
		f, pos, err := rd.Next()
		if err != nil || len(f.ID) != 0 || f.Slot != 0 || pos != uint64(i) {
			t.Fatalf("%d: %+v %d %v", i, f, pos, err)
		}
	}
}

// Every truncation and every changed byte is detected.
func TestStagedDamage(t *testing.T) {
	data := stage(t, "id", true, [][2]string{{"1", `{"id":1,"text":"some words some words"}`}, {"2", `{"id":2}`}})
	read := func(b []byte) error {
		rd, err := NewReader(bytes.NewReader(b))
		for err == nil {
			_, _, err = rd.Next()
		}
		return err
	}
	if err := read(data); !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	for i := range data {
		if err := read(data[:i]); !errors.Is(err, ErrDamaged) {
			t.Fatalf("cut at %d: %v", i, err)
		}
		bad := bytes.Clone(data)
		bad[i] ^= 0x10
		if err := read(bad); !errors.Is(err, ErrDamaged) {
			t.Fatalf("flip at %d: %v", i, err)
		}
	}
}

func FuzzStagedReader(f *testing.F) {
	f.Add(stage(f, "id", true, [][2]string{{"1", `{"id":1}`}}))
	f.Add(stage(f, "", false, nil))
	f.Fuzz(func(t *testing.T, data []byte) {
		rd, err := NewReader(bytes.NewReader(data))
		for err == nil {
			_, _, err = rd.Next()
		}
		if !errors.Is(err, io.EOF) && !errors.Is(err, ErrDamaged) {
			t.Fatalf("unexpected error %v", err)
		}
	})
}
