package vector

// hasVectorUnit: every arm64 processor has one.
const hasVectorUnit = true

// dotNibblesVector is dotNibblesPlain with vector instructions; stride is a multiple of 64,
// rows is greater than 0.
//
//go:noescape
func dotNibblesVector(query *int8, halves *byte, stride, rows int, products *int32)
