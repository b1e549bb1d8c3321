package record

import (
	"math"
	"math/bits"
)

// The arithmetic is in f32 with one rounding per operation and in a fixed order,
// so that every node computes the same bits: merged lists must not depend on the
// node that compared a document.

// Norm returns the length of a vector.
func Norm(v []float32) float32 { return float32(math.Sqrt(float64(Dot(v, v)))) }

// Cosine returns the distance of two vectors of equal length with their norms:
// (1 - cos) / 2, which is 0 for vectors without direction (spec ranking 8.2).
func Cosine(u, v []float32, normU, normV float32) float32 {
	n := float32(normU * normV)
	if !(n > epsilon32) {
		return 0
	}
	cos := Dot(u, v) / n
	return (1 - max(-1, min(1, cos))) / 2
}

// epsilon32 is the distance from 1 to the next f32.
const epsilon32 = 0x1p-23

// shortVector is the length below which products are summed one by one.
const shortVector = 16

// Dot returns the scalar product of two vectors of equal length; what the longer
// one has beyond is ignored.
func Dot(u, v []float32) float32 {
	n := min(len(u), len(v))
	u, v = u[:n], v[:n]
	if n < shortVector {
		sum := float32(0)
		for i, x := range u {
			sum += float32(x * v[i]) // the conversion forbids fused operations
		}
		return sum
	}
	return dotLanes(u, v)
}

// dotLanes sums in eight lanes. The conversions forbid fused operations, which
// some processors would round differently.
func dotLanes(u, v []float32) float32 {
	var s0, s1, s2, s3, s4, s5, s6, s7 float32
	for len(u) >= 8 && len(v) >= 8 {
		a, b := (*[8]float32)(u), (*[8]float32)(v)
		s0 += float32(a[0] * b[0])
		s1 += float32(a[1] * b[1])
		s2 += float32(a[2] * b[2])
		s3 += float32(a[3] * b[3])
		s4 += float32(a[4] * b[4])
		s5 += float32(a[5] * b[5])
		s6 += float32(a[6] * b[6])
		s7 += float32(a[7] * b[7])
		u, v = u[8:], v[8:]
	}
	sum := ((s0 + s4) + (s1 + s5)) + ((s2 + s6) + (s3 + s7))
	for i, x := range u {
		sum += float32(x * v[i])
	}
	return sum
}

// AppendBits appends the signs of a vector, one bit per number: 1 above 0. Each
// vector takes whole words.
func AppendBits(dst []uint64, v []float32) []uint64 {
	at := len(dst)
	dst = append(dst, make([]uint64, (len(v)+63)/64)...)
	for i, x := range v {
		if x > 0 {
			dst[at+i/64] |= 1 << (i % 64)
		}
	}
	return dst
}

// Hamming returns the distance of two quantized vectors: the share of bits that
// differ, of all bits of their words (spec ranking 8.2).
func Hamming(u, v []uint64) float32 {
	n := 0
	for i, x := range u[:min(len(u), len(v))] {
		n += bits.OnesCount64(x ^ v[i])
	}
	if len(u) == 0 {
		return 0
	}
	return float32(n) / float32(64*len(u))
}
