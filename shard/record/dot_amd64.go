package record

import "golang.org/x/sys/cpu"

// hasVectorUnit reports whether dotVector may be called.
var hasVectorUnit = cpu.X86.HasAVX2

// dotVector is dotScalar with vector instructions; n > 0 is a multiple of 16.
//
//go:noescape
func dotVector(u, v *float32, n int) float32

// dotStored is dotVector of vectors in stored form.
//
//go:noescape
func dotStored(u, v *byte, n int) float32
