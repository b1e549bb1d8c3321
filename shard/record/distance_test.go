package record

import (
	"math"
	"math/rand/v2"
	"testing"
)

func randomVector(rng *rand.Rand, n int) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = rng.Float32() - 0.5
	}
	return v
}

func TestDot(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for n := range 200 {
		u, v := randomVector(rng, n), randomVector(rng, n)
		want := 0.0
		for i := range u {
			want += float64(u[i]) * float64(v[i])
		}
		if got := float64(Dot(u, v)); math.Abs(got-want) > 1e-5 {
			t.Fatalf("%d numbers: %v, want %v", n, got, want)
		}
	}
}

// Both implementations give the same bits.
func TestVectorUnit(t *testing.T) {
	if !hasVectorUnit {
		t.Skip("this processor has no vector unit that is used")
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for n := lanes; n <= 4096; n += lanes {
		u, v := randomVector(rng, n), randomVector(rng, n)
		if got, want := dotVector(&u[0], &v[0], n), dotScalar(u, v); math.Float32bits(got) != math.Float32bits(want) {
			t.Fatalf("%d numbers: %v, scalar %v", n, got, want)
		}
	}
}

// Compares the bits of products, norms and distances, with the stored form at any
// address.
func TestStoredVectorsCompareAsDecodedOnes(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for n := range 300 {
		u, v := randomVector(rng, n), randomVector(rng, n)
		at := rng.IntN(4)
		x, y := AppendStored(make([]byte, at), u)[at:], AppendStored(nil, v)
		for what, got := range map[string][2]float32{
			"product":  {DotStored(x, y), Dot(u, v)},
			"norm":     {NormStored(x), Norm(u)},
			"hamming":  {HammingStored(AppendStoredBits(nil, u), AppendStoredBits(nil, v)), Hamming(AppendBits(nil, u), AppendBits(nil, v))},
			"distance": {CosineStored(x, y, NormStored(x), NormStored(y)), Distance(Dot(u, v), Norm(u), Norm(v))},
		} {
			if math.Float32bits(got[0]) != math.Float32bits(got[1]) {
				t.Fatalf("%s of %d numbers: %v stored, %v decoded", what, n, got[0], got[1])
			}
		}
		if whole := n - n%lanes; whole > 0 {
			if got, want := dotStoredScalar(x[:4*whole], y[:4*whole]), dotScalar(u[:whole], v[:whole]); math.Float32bits(got) != math.Float32bits(want) {
				t.Fatalf("%d numbers: %v without a vector unit, want %v", n, got, want)
			}
		}
	}
}

func TestCosine(t *testing.T) {
	for _, c := range []struct {
		u, v []float32
		want float32
	}{
		{[]float32{1, 0}, []float32{2, 0}, 0},
		{[]float32{1, 0}, []float32{0, 5}, 0.5},
		{[]float32{1, 0}, []float32{-1, 0}, 1},
		{[]float32{0, 0}, []float32{1, 0}, 0},
		{[]float32{math.MaxFloat32, 1}, []float32{1, 0}, 0.5},
		{[]float32{float32(math.Inf(1)), 1}, []float32{1, 0}, 1},
	} {
		if got := Distance(Dot(c.u, c.v), Norm(c.u), Norm(c.v)); got != c.want {
			t.Errorf("%v %v: %v, want %v", c.u, c.v, got, c.want)
		}
	}
}

func BenchmarkDot(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	u, v := randomVector(rng, 384), randomVector(rng, 384)
	var sum float32
	for range b.N {
		sum += Dot(u, v)
	}
	_ = sum
}
