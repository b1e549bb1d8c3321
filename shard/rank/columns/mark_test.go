package columns

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
)

// lists are the lists of columns for documents with given fields and places.
func lists(fields, places map[uint16]uint32) (out [spreadBits][]uint16) {
	for low := range 1 << 16 {
		low := uint16(low)
		for f := fields[low]; f != 0; f &= f - 1 {
			bit := bits.TrailingZeros32(f)
			out[bit] = append(out[bit], low)
		}
		for p := listedPlaces(places[low]); p != 0; p &= p - 1 {
			bit := 32 + bits.TrailingZeros32(p)
			out[bit] = append(out[bit], low)
		}
	}
	return out
}

// A prefix is computed from its words' marks, not from their records. Of a word at far
// places only the nearest place is kept, and the prefix may have a nearer one.
func TestAPrefixHasThePlacesOfItsWords(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	var union prefixUnion
	var got bitLists
	for range 5 {
		allFields, allPlaces := map[uint16]uint32{}, map[uint16]uint32{}
		for range 1 + r.IntN(5) {
			var marks []mark
			fields, places := map[uint16]uint32{}, map[uint16]uint32{}
			for low := r.IntN(3); low < 1<<16; low += 1 + r.IntN(500) {
				f, p := 1<<r.IntN(32), 1<<r.IntN(placeBits)|1<<(NearPlaces+r.IntN(placeBits-NearPlaces))
				f |= 1 << r.IntN(32)
				fields[uint16(low)], places[uint16(low)] = uint32(f), uint32(p)
				allFields[uint16(low)] |= uint32(f)
				allPlaces[uint16(low)] |= uint32(p)
				marks = appendMarks(marks, uint16(low), uint32(f), listedPlaces(uint32(p)))
			}
			got.take(marks)
			same(t, "a word", &got, lists(fields, places))
			union.take(marks)
		}
		if n := union.docs(); n != len(allFields) {
			t.Fatalf("%d documents, want %d", n, len(allFields))
		}
		want := lists(allFields, allPlaces)
		for low := range 1 << 16 {
			if allFields[uint16(low)] != 0 {
				want[32+wholeBit] = append(want[32+wholeBit], uint16(low))
			}
		}
		union.flush(&got)
		same(t, "a prefix", &got, want)
		if union.docs() != 0 {
			t.Fatal("documents are left for the next prefix")
		}
	}
}

func same(t *testing.T, what string, got *bitLists, want [spreadBits][]uint16) {
	t.Helper()
	for bit := range want {
		if !slices.Equal(got.lists[bit], want[bit]) {
			t.Fatalf("bit %d of %s has %d documents, want %d", bit, what, len(got.lists[bit]), len(want[bit]))
		}
	}
	got.reset()
}
