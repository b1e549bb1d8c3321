package vector

import "golang.org/x/sys/cpu"

// hasVectorUnit reports whether dotNibblesVector may be called.
var hasVectorUnit = cpu.X86.HasAVX2

// dotNibblesVector is dotNibblesPlain with vector instructions; stride is a multiple of 64,
// rows is greater than 0.
//
//go:noescape
func dotNibblesVector(query *int8, halves *byte, stride, rows int, products *int32)
