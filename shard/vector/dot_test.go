package vector

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Compares all lengths, with the greatest numbers that a query of each length may have.
func TestVectorUnitMultipliesAsPlainCode(t *testing.T) {
	if !hasVectorUnit {
		t.Skip("this processor has no vector unit that is used")
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for stride := codeStep; stride <= 4096; stride += codeStep {
		rows := 1 + rng.IntN(5)
		most := min(math.MaxInt16, math.MaxInt32/codeMax/stride)
		query, codes := make([]int16, stride), make([]byte, stride*rows)
		for i := range query {
			query[i] = int16(rng.IntN(2*most+1) - most)
		}
		for i := range codes {
			codes[i] = byte(rng.IntN(2*codeMax+1) - codeMax)
			if i < stride { // the greatest product
				codes[i] = codeMax
				if query[i] < 0 {
					codes[i] = 256 - codeMax
				}
			}
		}
		got, want := make([]int32, rows), make([]int32, rows)
		dotCodesVector(&query[0], &codes[0], stride, rows, &got[0])
		dotCodesPlain(query, codes, want)
		exact := int64(0)
		for i, x := range query {
			exact += int64(x) * int64(int8(codes[i]))
		}
		if !slices.Equal(got, want) || int64(got[0]) != exact {
			t.Fatalf("%d numbers: %v, plain %v, the first is %d", stride, got, want, exact)
		}
	}
}

func BenchmarkDotCodes(b *testing.B) {
	const stride, rows = 384, 4096
	query, codes, products := make([]int16, stride), make([]byte, stride*rows), make([]int32, rows)
	for name, dot := range map[string]func([]int16, []byte, []int32){"unit": dotCodes, "plain": dotCodesPlain} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(stride * rows)
			for range b.N {
				dot(query, codes, products)
			}
		})
	}
}
