package vector

import (
	"math"
	"math/rand/v2"
	"sort"
	"testing"

	"shoal/shard/record"
)

// columnOf returns a column with one vector.
func columnOf(v []float32) *Column {
	c := newColumn(Form{dimensions: len(v)})
	c.norms, c.from = []float32{record.Norm(v)}, []uint32{0, 1}
	c.codes.add(v, c.norms[0])
	return c
}

// onGrid returns a vector whose numbers are multiples of step, the greatest one
// most*step.
func onGrid(rng *rand.Rand, n, most int, step float32) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = float32(rng.IntN(2*most+1)-most) * step
	}
	v[0] = float32(most) * step
	return v
}

// aside moves every number of a vector by share*step towards another vector, so that
// the errors of its code add up as much as possible.
func aside(v, towards []float32, share, step float32) {
	for i := 1; i < len(v); i++ {
		if towards[i] < 0 {
			v[i] -= share * step
		} else {
			v[i] += share * step
		}
	}
}

// The distance computed from a vector is within the bounds of its code, even where each
// part of the bounds is needed in full: the error of the code points along the query,
// the error of the query's numbers along the vector, and only rounding remains.
func TestBoundsHold(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	tight := map[string]int{}
	for range 20_000 {
		n := 1 + rng.IntN(300)
		scale := float32(1) / float32(int(1)<<rng.IntN(20))
		step := scale / 4
		for what, pair := range map[string]func() (q, v []float32){
			"odd vectors": func() (q, v []float32) { return oddVector(rng, n), oddVector(rng, n) },
			"the code's rest": func() (q, v []float32) {
				q, v = onGrid(rng, n, 1, 1), onGrid(rng, n, codeMax-1, step)
				v[0] = codeMax * step
				aside(v, q, float32(1-2*rng.IntN(2))*0.49, step)
				return q, v
			},
			"the query's rest": func() (q, v []float32) {
				v = onGrid(rng, n, codeMax, step)
				q = onGrid(rng, n, 32766, 1)
				q[0] = 32767
				aside(q, v, float32(1-2*rng.IntN(2))*0.49, 1)
				return q, v
			},
			"the lower half": func() (q, v []float32) {
				q, v = onGrid(rng, n, 1, 1), make([]float32, n)
				sign := float32(1 - 2*rng.IntN(2))
				for i := range v {
					c := 16*(1+rng.IntN(14)) - codeZero
					if q[i]*sign > 0 {
						c += 15
					}
					v[i] = float32(c) * step
				}
				v[0] = codeMax * step
				return q, v
			},
			"rounding": func() (q, v []float32) { return onGrid(rng, n, 32767, 1), onGrid(rng, n, codeMax, step) },
		} {
			q, v := pair()
			query, c := NewQuery(AnyStore, q), columnOf(v)
			products := make([]int32, 1)
			if query.code != nil {
				dotNibbles(query.code.leading, c.upper, products)
			}
			least, most, _ := c.bounds(query, 0, products[0], c.lower, 1)
			got := record.Distance(record.Dot(v, q), record.Norm(v), record.Norm(q))
			if query.code != nil && c.far(query, 0, products[0], got) {
				t.Fatalf("%s, %d numbers: half of the code rules out the distance %v", what, n, got)
			}
			if query.code != nil && len(c.sift(query, 0, products, got, nil)) == 0 {
				t.Fatalf("%s, %d numbers: the sift rules out the distance %v", what, n, got)
			}
			if _, _, ok := c.bounds(query, 0, products[0], c.lower, got); !ok {
				t.Fatalf("%s, %d numbers: the distance %v counts as farther than itself", what, n, got)
			}
			if low, high, _, ok := c.upperBounds(query, 0, products[0], got); !ok || low > got || high < got && query.code != nil && !math.IsNaN(float64(got)) {
				t.Fatalf("%s, %d numbers: the distance is %v, half of the code says %v to %v", what, n, got, low, high)
			}
			if !(least <= got && got <= most) {
				t.Fatalf("%s, %d numbers: the distance is %v, the bounds are %v and %v", what, n, got, least, most)
			}
			if most-least < 0.05 {
				tight[what]++
			}
		}
	}
	for what, least := range map[string]int{"odd vectors": 5000, "the code's rest": 15_000, "the query's rest": 15_000, "the lower half": 15_000, "rounding": 15_000} {
		if tight[what] < least {
			t.Errorf("%s: only %d of 20000 bounds tell something", what, tight[what])
		}
	}
}

// A sift in single precision rules out nothing that far does not, whatever the limit and the
// norms, and nearly all that far does.
func TestASiftIsNeverStricter(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 2))
	far, sifted := 0, 0
	for range 2000 {
		n := 1 + rng.IntN(300)
		c := newColumn(Form{dimensions: n})
		target := oddVector(rng, n)
		for range 50 {
			v := oddVector(rng, n)
			length := float32(math.Exp2(float64(rng.IntN(100) - 50)))
			for i := range v {
				if v[i] *= length; rng.IntN(3) == 0 {
					v[i] = target[i] // near to it
				}
			}
			norm := record.Norm(v)
			c.norms = append(c.norms, norm)
			c.codes.add(v, norm)
		}
		query := NewQuery(AnyStore, target)
		if query.code == nil {
			continue
		}
		products := make([]int32, len(c.norms))
		dotNibbles(query.code.leading, c.upper, products)
		limits := []float32{rng.Float32(), rng.Float32() / 100, 0, 1, float32(math.Inf(1))}
		for k := range 5 { // the least one at which it is not far
			bits := sort.Search(1<<31, func(bits int) bool {
				return !c.far(query, k, products[k], math.Float32frombits(uint32(bits)))
			})
			limits = append(limits, math.Float32frombits(uint32(bits)))
		}
		for _, limit := range limits {
			near := map[int32]bool{}
			for _, k := range c.sift(query, 0, products, limit, nil) {
				near[k] = true
			}
			for k, p := range products {
				switch isFar := c.far(query, k, p, limit); {
				case !isFar && !near[int32(k)]:
					t.Fatalf("norms %v and %v, limit %v: the sift rules out what far does not", c.norms[k], query.norm, limit)
				case isFar && !near[int32(k)]:
					sifted++
					fallthrough
				case isFar:
					far++
				}
			}
		}
	}
	if far < 10_000 || sifted < far*98/100 {
		t.Errorf("of %d vectors that are far the sift rules out %d", far, sifted)
	}
}

// All kinds of processors compute the same codes.
func TestCodesAreFunctionsOfTheVector(t *testing.T) {
	v := []float32{0.1, -0.25, 0.5, 1, -0.999, 0, 1e-9, 0.3333333}
	c := columnOf(v)
	want := []int{13, -32, 64, 127, -127, 0, 0, 42}
	for i, n := range want {
		if got := 16*int(c.upper[i]) + int(c.lower[i]) - codeZero; got != n {
			t.Errorf("number %d is %d, want %d", i, got, n)
		}
	}
	if c.scales[0] != 0.007874016 || c.missing[0] != 0.005730956 || c.coarse[0] != 0.1496055 {
		t.Errorf("scale %v, missing %v and %v", c.scales[0], c.missing[0], c.coarse[0])
	}
	long := columnOf(append(make([]float32, 32), v...))
	if got := 16*int(long.upper[3]>>4) + int(long.lower[3]>>4) - codeZero; got != want[3] {
		t.Errorf("number 35 is %d, want %d", got, want[3])
	}
	if c := columnOf([]float32{1e30}); c.missing[0] != unbounded || c.coarse[0] != unbounded {
		t.Errorf("a vector whose products overflow has a code with %v missing", c.missing)
	}
}

func BenchmarkAppendCode(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	v := randomVector(rng, 384)
	norm, c := record.Norm(v), newColumn(Form{dimensions: len(v)})
	for b.Loop() {
		c.upper, c.lower, c.scales, c.missing, c.coarse = c.upper[:0], c.lower[:0], c.scales[:0], c.missing[:0], c.coarse[:0]
		c.codes.add(v, norm)
	}
}

// Products of such a vector with half of a code do not fit into an int32, so it has no bounds.
func TestTheLongestVectorsHaveNoBounds(t *testing.T) {
	v := make([]float32, math.MaxInt32/15/math.MaxInt8+1)
	v[0] = 1
	if q := newQueryCode(v, 1); q != nil {
		t.Errorf("%d dimensions have the scale %v", len(v), q.scale)
	}
	if q := newQueryCode(v[:1<<20], 1); q == nil {
		t.Error("a million dimensions have no bounds")
	}
}
