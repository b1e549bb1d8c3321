//go:build !amd64

package record

// hasVectorUnit: other processors use the portable code.
const hasVectorUnit = false

func dotVector(*float32, *float32, int) float32 { return 0 }

func dotStored(*byte, *byte, int) float32 { return 0 }
