package vector

import (
	"math"

	"shoal/shard/record"
)

// The code of a vector v is int8 numbers c and a scale s, such that s*c is near v, and an
// upper bound e of the norm of the missing part v - s*c. It is a pure function of the
// vector. The query q is encoded likewise, in 15 bits: q = t*p + w. Then
//
// 	q.v = t*s*(p.c) + w.(s*c) + q.(v - s*c)
//
// p.c is computed exactly in integers. By Cauchy and Schwarz the second term is at most
// |w|*(|v| + e), the third at most |q|*e. The value of record.Dot differs from q.v by
// rounding, at most slack*|q|*|v|. This gives bounds of record.Dot. As record.Distance
// falls when the product rises, it also gives bounds of the distance computed from the
// vector itself, including rounding.
//
// A code has two halves: c = 16*u + l - 128, with u and l from 0 to 15. The upper half
// alone is a code, too: the numbers 16*u - 120.5, as l is 7.5 in the middle, with an upper
// bound f of what they leave out. A search reads the upper halves of all vectors, and only
// compares them with the leading 8 bits of the query. That rules out most vectors. The lower
// halves are read for the rest.

// codeMax is the greatest number of a code, and -codeMax the least. codeZero is added to
// make them positive.
const codeMax, codeZero = 127, 128

// upperMiddle is added to 16*u to get the middle of the numbers with this upper half.
const upperMiddle = 7.5 - codeZero

// The length of a code is a multiple of codeStep, padded. Of each codeStep numbers, a byte
// of a half holds one of the first 32 in its low nibble, and the one 32 after it in its
// high nibble.
const codeStep = 64

func strideOf(dimensions int) int { return (dimensions + codeStep - 1) / codeStep * codeStep }

// For norms within these limits, products neither overflow nor lose digits to
// underflow. Other vectors have no code.
const normLeast, normMost = 0x1p-40, 0x1p60

func codable(norm float32) bool { return norm >= normLeast && norm <= normMost }

// unbounded is the missing part of a vector without a code.
var unbounded = float32(math.Inf(1))

// codes are the codes of vectors, one after the other. It grows by one vector with add.
type codes struct {
	upper, lower []byte    // their halves, half bytes each
	scales       []float32 // s
	missing      []float32 // e
	coarse       []float32 // f
	half         int
}

// add appends the code of a vector with a norm.
func (c *codes) add(v []float32, norm float32) {
	at := len(c.upper)
	c.upper, c.lower = append(c.upper, make([]byte, c.half)...), append(c.lower, make([]byte, c.half)...)
	if !codable(norm) {
		c.scales, c.missing, c.coarse = append(c.scales, 0), append(c.missing, unbounded), append(c.coarse, unbounded)
		return
	}
	// The greatest magnitude. Without their signs, numbers are ordered like their bits.
	most := uint32(0)
	for _, x := range v {
		most = max(most, math.Float32bits(x)&^(1<<31))
	}
	scale := math.Float32frombits(most) / codeMax
	perScale := 1 / scale
	// Double precision holds these numbers times the scale exactly.
	wide := float64(scale)
	upper, lower := c.upper[at:], c.lower[at:]
	var sums, coarse [4]float64
	for i, x := range v {
		n := int32(math.Float32bits(float32(x*perScale)+toInteger)) - int32(math.Float32bits(toInteger))
		rest := float64(x) - float64(n)*wide
		sums[i%4] += float64(rest * rest)
		n += codeZero
		rest = float64(x) - (float64(n&^15)+upperMiddle)*wide
		coarse[i%4] += float64(rest * rest)
		at, shift := i/codeStep*(codeStep/2)+i%(codeStep/2), i/(codeStep/2)%2*4
		upper[at] |= byte(n>>4) << shift
		lower[at] |= byte(n&15) << shift
	}
	c.scales = append(c.scales, scale)
	c.missing = append(c.missing, normOf(sums))
	c.coarse = append(c.coarse, normOf(coarse))
}

// normOf returns an upper bound of the root of a sum of squares.
func normOf(squares [4]float64) float32 {
	return float32(math.Sqrt(squares[0]+squares[1]+squares[2]+squares[3]) * (1 + 0x1p-20))
}

// toInteger, added to a small number, leaves the nearest integer in the lowest bits.
const toInteger = float32(3 << 22)

// queryCode is a query in the form that is compared with codes.
type queryCode struct {
	// A number p of the query is 128*leading + trailing. Both are as long as a code.
	leading, trailing []int8
	leadingSum, sum   int64   // of the leading numbers, of all p
	leadingMost       int64   // the sum of the magnitudes of the leading numbers
	scale             float64 // t
	norm              float64 // an upper bound of the norm of the query
	missing, coarse   float64 // of the part that p, that 128*leading does not represent
	slack             float64
}

// trailingRange is how many numbers of a query have the same leading one.
const trailingRange = 128

// newQueryCode returns nil if there are no bounds.
func newQueryCode(v []float32, norm float32) *queryCode {
	// A product with half of a code must fit into an int32.
	if stride := strideOf(len(v)); !codable(norm) || stride == 0 || stride > math.MaxInt32/15/math.MaxInt8 {
		return nil
	}
	const limit = trailingRange*math.MaxInt8 + trailingRange/2 - 1
	q := &queryCode{leading: make([]int8, strideOf(len(v))), trailing: make([]int8, strideOf(len(v))), slack: slackOf(len(v))}
	most := float32(0)
	for _, x := range v {
		most = max(most, x, -x)
	}
	q.scale = float64(most) / limit
	var squares, rests, coarse float64
	for i, x := range v {
		p := int(max(-limit, min(limit, math.RoundToEven(float64(x)/q.scale))))
		leading := (p + trailingRange/2) >> 7
		q.leading[i], q.trailing[i] = int8(leading), int8(p-trailingRange*leading)
		q.sum, q.leadingSum, q.leadingMost = q.sum+int64(p), q.leadingSum+int64(leading), q.leadingMost+int64(max(leading, -leading))
		rest, upper := float64(x)-float64(p)*q.scale, float64(x)-float64(trailingRange*leading)*q.scale
		squares, rests, coarse = squares+float64(x)*float64(x), rests+rest*rest, coarse+upper*upper
	}
	above := func(squares float64) float64 { return math.Sqrt(squares)*(1+0x1p-20) + float64(most)*0x1p-40 }
	q.norm, q.missing, q.coarse = above(squares), above(rests), above(coarse)
	return q
}

// slackOf bounds the rounding error of record.Dot as a share of the product of the
// norms. Every number goes through one multiplication and at most dimensions/16 + 20
// additions, each with an error of at most 2^-24. The margin covers the double
// precision of the bounds themselves.
func slackOf(dimensions int) float64 {
	n := float64(dimensions/16+21) * 0x1p-24
	return 1.1 * n / (1 - n)
}

// product returns p.c for a vector, exactly. upper is the product of the leading numbers
// of the query and the upper half of the code, l its lower half.
func (c *codes) product(q *queryCode, k int, upper int32, l []byte) float64 {
	u := c.upper[k*c.half : (k+1)*c.half]
	var leadingLower, trailingUpper, trailingLower [1]int32
	dotNibbles(q.leading, l, leadingLower[:])
	dotNibbles(q.trailing, u, trailingUpper[:])
	dotNibbles(q.trailing, l, trailingLower[:])
	leading, trailing := 16*int64(upper)+int64(leadingLower[0]), 16*int64(trailingUpper[0])+int64(trailingLower[0])
	return float64(trailingRange*leading + trailing - codeZero*q.sum)
}

// far reports whether the upper half of a code rules out a distance up to limit. upper is as
// for product.
func (c *Column) far(q *Query, k int, upper int32, limit float32) bool {
	norm := c.norms[k]
	n := float32(norm * q.norm)
	return n > record.NoDirection && c.middle(q, k, upper)+q.code.off(q.code.coarse, norm, c.coarse[k]) < leastProduct(n, limit)
}

// middle is the product of the query and a vector by the upper half of its code.
func (c *Column) middle(q *Query, k int, upper int32) float64 {
	return trailingRange * q.code.scale * float64(c.scales[k]) * (16*float64(upper) + upperMiddle*float64(q.code.leadingSum))
}

// bounds returns bounds of the distance of a vector of a column. upper and lower are as for
// product. ok is false if the distance is certainly greater than limit.
func (c *Column) bounds(q *Query, k int, upper int32, lower []byte, limit float32) (least, most float32, ok bool) {
	norm := c.norms[k]
	n := float32(norm * q.norm)
	switch {
	case n <= record.NoDirection:
		return 0, 0, true // as record.Distance returns
	case q.code == nil || c.missing[k] == unbounded:
		return 0, 1, true
	}
	middle := q.code.scale * float64(c.scales[k]) * c.product(q.code, k, upper, lower)
	off := q.code.off(q.code.missing, norm, c.missing[k])
	if middle+off < leastProduct(n, limit) {
		return 0, 0, false
	}
	least = record.Distance(float32(middle+off), norm, q.norm)
	return least, record.Distance(float32(middle-off), norm, q.norm), least <= limit
}

// off bounds the error of a product with a vector of a norm: missing is the part of the query
// that its numbers do not represent, rest that of the vector.
func (q *queryCode) off(missing float64, norm, rest float32) float64 {
	length := float64(norm) * (1 + 2*q.slack) // the norm is rounded, too
	return (missing+q.slack*q.norm)*length + (missing+q.norm)*float64(rest)
}

// leastProduct returns a product of vectors, n that of their norms, below which the distance
// is certainly greater than limit. It saves a division for most vectors: the rounding of
// record.Distance is below the margin.
func leastProduct(n, limit float32) float64 { return (1 - 2*float64(limit) - 0x1p-21) * float64(n) }
