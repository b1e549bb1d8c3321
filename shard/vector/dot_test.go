package vector

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Compares all lengths, with the greatest and the least products among them.
func TestVectorUnitMultipliesAsPlainCode(t *testing.T) {
	if !hasVectorUnit {
		t.Skip("this processor has no vector unit that is used")
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for stride := codeStep; stride <= 4096; stride += codeStep {
		for _, extreme := range []int8{0, math.MaxInt8, -math.MaxInt8} {
			rows := 1 + rng.IntN(5)
			query, halves := make([]int8, stride), make([]byte, stride/2*rows)
			for i := range query {
				if query[i] = extreme; extreme == 0 {
					query[i] = int8(rng.IntN(2*math.MaxInt8+1) - math.MaxInt8)
				}
			}
			for i := range halves {
				if halves[i] = 0xff; extreme == 0 {
					halves[i] = byte(rng.Uint32())
				}
			}
			got, want := make([]int32, rows), make([]int32, rows)
			dotNibblesVector(&query[0], &halves[0], stride, rows, &got[0])
			dotNibblesPlain(query, halves, want)
			exact := int64(0)
			for i, x := range query {
				n := halves[i/64*32+i%32]
				if i%64 >= 32 {
					n >>= 4
				}
				exact += int64(x) * int64(n&15)
			}
			if !slices.Equal(got, want) || int64(got[0]) != exact {
				t.Fatalf("%d numbers: %v, plain %v, the first is %d", stride, got, want, exact)
			}
		}
	}
}

func BenchmarkDotNibbles(b *testing.B) {
	const stride, rows = 768, 4096
	query, halves, products := make([]int8, stride), make([]byte, stride/2*rows), make([]int32, rows)
	for name, dot := range map[string]func([]int8, []byte, []int32){"unit": dotNibbles, "plain": dotNibblesPlain} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(stride / 2 * rows)
			for range b.N {
				dot(query, halves, products)
			}
		})
	}
}
