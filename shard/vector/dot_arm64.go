package vector

// hasVectorUnit: every arm64 processor has one.
const hasVectorUnit = true

// dotCodesVector is dotCodesPlain with vector instructions; stride is a multiple of 16,
// rows is greater than 0.
//
//go:noescape
func dotCodesVector(query *int16, codes *byte, stride, rows int, products *int32)
