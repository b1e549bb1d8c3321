package record

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// The arithmetic is in f32 with one rounding per operation and in a fixed order, so
// that every node computes the same bits. Merged lists must not depend on the node that
// compared a document.

// Norm returns the length of a vector.
func Norm(v []float32) float32 { return float32(math.Sqrt(float64(Dot(v, v)))) }

// Distance returns the distance of two vectors with a scalar product and norms: (1 -
// cos) / 2. It is 0 for vectors without direction (spec ranking 8.2), and never rises
// when the product rises. It is 1, the maximum, if numbers beyond the range of f32
// leave no cosine.
func Distance(dot, normU, normV float32) float32 {
	n := float32(normU * normV)
	if !(n > NoDirection) {
		return 0
	}
	cos := dot / n
	if cos != cos {
		return 1
	}
	return (1 - max(-1, min(1, cos))) / 2
}

// NoDirection is the greatest product of norms at which vectors count as without
// direction.
const NoDirection = 0x1p-23

// shortVector is the length below which products are summed one by one.
const shortVector = 16

// Dot returns the scalar product of two vectors of equal length. It ignores the excess
// of a longer one.
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

// lanes is the number of parallel sums.
const lanes = 16

// dotLanes sums in lanes: the i-th product goes to lane i%16; lanes j and j+8 are added
// first, then j and j+4, j and j+1, j and j+2; the remaining numbers follow one by one.
// The vector instructions do the same, so the result does not depend on the processor.
// The conversions forbid fused operations, which some processors would round
// differently.
func dotLanes(u, v []float32) float32 {
	whole := len(u) - len(u)%lanes
	sum := float32(0)
	if hasVectorUnit {
		sum = dotVector(&u[0], &v[0], whole)
	} else {
		sum = dotScalar(u[:whole], v[:whole])
	}
	for i := whole; i < len(u); i++ {
		sum += float32(u[i] * v[i])
	}
	return sum
}

// dotScalar is dotLanes for a multiple of 16 numbers.
func dotScalar(u, v []float32) float32 {
	var a0, a1, a2, a3, a4, a5, a6, a7, b0, b1, b2, b3, b4, b5, b6, b7 float32
	for len(u) >= lanes && len(v) >= lanes {
		x, y := (*[lanes]float32)(u), (*[lanes]float32)(v)
		a0 += float32(x[0] * y[0])
		a1 += float32(x[1] * y[1])
		a2 += float32(x[2] * y[2])
		a3 += float32(x[3] * y[3])
		a4 += float32(x[4] * y[4])
		a5 += float32(x[5] * y[5])
		a6 += float32(x[6] * y[6])
		a7 += float32(x[7] * y[7])
		b0 += float32(x[8] * y[8])
		b1 += float32(x[9] * y[9])
		b2 += float32(x[10] * y[10])
		b3 += float32(x[11] * y[11])
		b4 += float32(x[12] * y[12])
		b5 += float32(x[13] * y[13])
		b6 += float32(x[14] * y[14])
		b7 += float32(x[15] * y[15])
		u, v = u[lanes:], v[lanes:]
	}
	s0, s1, s2, s3 := (a0+b0)+(a4+b4), (a1+b1)+(a5+b5), (a2+b2)+(a6+b6), (a3+b3)+(a7+b7)
	return (s0 + s1) + (s2 + s3)
}

// AppendStored appends the stored form of a vector: little-endian f32s.
func AppendStored(dst []byte, v []float32) []byte {
	for _, x := range v {
		dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(x))
	}
	return dst
}

// DotStored is Dot of two vectors of equal length in stored form, with the same bits.
func DotStored(u, v []byte) float32 {
	n := min(len(u), len(v)) / 4
	sum, whole := float32(0), 0
	if n >= shortVector {
		if whole = n - n%lanes; hasVectorUnit {
			sum = dotStored(&u[0], &v[0], whole)
		} else {
			sum = dotStoredScalar(u[:4*whole], v[:4*whole])
		}
	}
	for i := whole; i < n; i++ {
		sum += float32(storedAt(u, i) * storedAt(v, i))
	}
	return sum
}

func storedAt(raw []byte, i int) float32 {
	return math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
}

// NormStored is Norm of a vector in stored form.
func NormStored(raw []byte) float32 { return float32(math.Sqrt(float64(DotStored(raw, raw)))) }

// CosineStored is the Distance of two vectors of equal length in stored form with their
// norms.
func CosineStored(u, v []byte, normU, normV float32) float32 {
	return Distance(DotStored(u, v), normU, normV)
}

// dotStoredScalar is dotScalar of vectors in stored form.
func dotStoredScalar(u, v []byte) float32 {
	var sums [lanes]float32
	for len(u) >= 4*lanes && len(v) >= 4*lanes {
		for i := range sums {
			sums[i] += float32(storedAt(u, i) * storedAt(v, i))
		}
		u, v = u[4*lanes:], v[4*lanes:]
	}
	for i := range lanes / 2 {
		sums[i] += sums[i+lanes/2]
	}
	s0, s1, s2, s3 := sums[0]+sums[4], sums[1]+sums[5], sums[2]+sums[6], sums[3]+sums[7]
	return (s0 + s1) + (s2 + s3)
}

// AppendBits appends the signs of a vector, one bit per number: 1 above 0. Each vector
// takes whole words.
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

// Hamming returns the distance of two quantized vectors: the share of differing bits
// among all bits of their words (spec ranking 8.2).
func Hamming(u, v []uint64) float32 {
	n := 0
	for i, x := range u[:min(len(u), len(v))] {
		n += bits.OnesCount64(x ^ v[i])
	}
	return share(n, len(u))
}

// HammingStored is Hamming of two quantized vectors of equal length in stored form.
func HammingStored(u, v []byte) float32 {
	n, words := 0, (len(u)+7)/8
	for len(u) >= 8 && len(v) >= 8 {
		n += bits.OnesCount64(binary.LittleEndian.Uint64(u) ^ binary.LittleEndian.Uint64(v))
		u, v = u[8:], v[8:]
	}
	for i := range min(len(u), len(v)) {
		n += bits.OnesCount8(u[i] ^ v[i])
	}
	return share(n, words)
}

func share(differing, words int) float32 {
	if words == 0 {
		return 0
	}
	return float32(differing) / float32(64*words)
}

// AppendStoredBits appends the stored form of a quantized vector: AppendBits in whole
// bytes.
func AppendStoredBits(dst []byte, v []float32) []byte {
	at := len(dst)
	dst = append(dst, make([]byte, (len(v)+7)/8)...)
	for i, x := range v {
		if x > 0 {
			dst[at+i/8] |= 1 << (i % 8)
		}
	}
	return dst
}
