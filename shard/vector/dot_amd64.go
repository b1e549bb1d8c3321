package vector

import "golang.org/x/sys/cpu"

// hasVectorUnit reports whether dotCodesVector may be called.
var hasVectorUnit = cpu.X86.HasAVX2

// dotCodesVector is dotCodesPlain with vector instructions; stride is a multiple of 16,
// rows is greater than 0.
//
//go:noescape
func dotCodesVector(query *int16, codes *byte, stride, rows int, products *int32)
