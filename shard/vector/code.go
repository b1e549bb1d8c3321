package vector

import (
	"math"

	"shoal/shard/record"
)

// The code of a vector v is int8 numbers c and a scale s, such that s*c is near v, and an
// upper bound e of the norm of the missing part v - s*c. It is a pure function of the
// vector. The query q is encoded likewise, in int16: q = t*p + w. Then
//
// 	q.v = t*s*(p.c) + w.(s*c) + q.(v - s*c)
//
// p.c is computed exactly in integers. By Cauchy and Schwarz the second term is at most
// |w|*(|v| + e), the third at most |q|*e. The value of record.Dot differs from q.v by
// rounding, at most slack*|q|*|v|. This gives bounds of record.Dot. As record.Distance
// falls when the product rises, it also gives bounds of the distance computed from the
// vector itself, including rounding.

// codeMax is the greatest number of a code, and -codeMax the least.
const codeMax = 127

// The length of a code is a multiple of codeStep, padded with 0.
const codeStep = 16

func strideOf(dimensions int) int { return (dimensions + codeStep - 1) / codeStep * codeStep }

// For norms within these limits, products neither overflow nor lose digits to
// underflow. Other vectors have no code.
const normLeast, normMost = 0x1p-40, 0x1p60

func codable(norm float32) bool { return norm >= normLeast && norm <= normMost }

// unbounded is the missing part of a vector without a code.
var unbounded = float32(math.Inf(1))

// appendCode appends the code of a vector with a norm.
func appendCode(dst []byte, v []float32, norm float32) (codes []byte, scale, missing float32) {
	at, stride := len(dst), strideOf(len(v))
	dst = append(dst, make([]byte, stride)...)
	if !codable(norm) {
		return dst, 0, unbounded
	}
	// The greatest magnitude. Without their signs, numbers are ordered like their bits.
	most := uint32(0)
	for _, x := range v {
		most = max(most, math.Float32bits(x)&^(1<<31))
	}
	scale = math.Float32frombits(most) / codeMax
	perScale := 1 / scale
	// Double precision holds c*scale exactly.
	wide, code := float64(scale), dst[at:at+len(v)]
	var sums [4]float64
	for i, x := range v {
		c := int32(math.Float32bits(float32(x*perScale)+toInteger)) - int32(math.Float32bits(toInteger))
		code[i] = byte(c)
		rest := float64(x) - float64(c)*wide
		sums[i%4] += float64(rest * rest)
	}
	return dst, scale, float32(math.Sqrt(sums[0]+sums[1]+sums[2]+sums[3]) * (1 + 0x1p-20))
}

// toInteger, added to a small number, leaves the nearest integer in the lowest bits.
const toInteger = float32(3 << 22)

// queryCode is a query in the form that is compared with codes.
type queryCode struct {
	numbers []int16 // as long as a code
	scale   float64
	// norm is an upper bound of the norm of the query, missing one of the part that the
	// numbers do not represent.
	norm, missing float64
	slack         float64
}

// newQueryCode returns nil if there are no bounds.
func newQueryCode(v []float32, norm float32) *queryCode {
	if !codable(norm) || len(v) == 0 {
		return nil
	}
	// A product with a code must fit into an int32.
	limit := min(math.MaxInt16, math.MaxInt32/codeMax/strideOf(len(v)))
	if limit == 0 {
		return nil
	}
	q := &queryCode{numbers: make([]int16, strideOf(len(v))), slack: slackOf(len(v))}
	most := float32(0)
	for _, x := range v {
		most = max(most, x, -x)
	}
	q.scale = float64(most) / float64(limit)
	var squares, rests float64
	for i, x := range v {
		p := math.RoundToEven(float64(x) / q.scale)
		q.numbers[i] = int16(max(-float64(limit), min(float64(limit), p)))
		rest := float64(x) - float64(q.numbers[i])*q.scale
		squares, rests = squares+float64(x)*float64(x), rests+rest*rest
	}
	q.norm, q.missing = math.Sqrt(squares)*(1+0x1p-20), math.Sqrt(rests)*(1+0x1p-20)+float64(most)*0x1p-40
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

// bounds returns bounds of the distance of a vector of a column, from the product of
// the codes. ok is false if it is certainly greater than limit.
func (c *Column) bounds(q *Query, k int, product int32, limit float32) (least, most float32, ok bool) {
	norm, missing := c.norms[k], float64(c.missing[k])
	n := float32(norm * q.norm)
	switch {
	case n <= record.NoDirection:
		return 0, 0, true // as record.Distance returns
	case q.code == nil || c.missing[k] == unbounded:
		return 0, 1, true
	}
	// The norm is rounded, too.
	length := float64(norm) * (1 + 2*q.code.slack)
	middle := q.code.scale * float64(c.scales[k]) * float64(product)
	off := q.code.norm*missing + q.code.missing*(length+missing) + q.code.slack*q.code.norm*length
	// Most vectors need no division: the rounding of record.Distance is below the
	// margin.
	if middle+off < (1-2*float64(limit)-0x1p-21)*float64(n) {
		return 0, 0, false
	}
	least = record.Distance(float32(middle+off), norm, q.norm)
	return least, record.Distance(float32(middle-off), norm, q.norm), least <= limit
}
