package docset

import "math/bits"

// unset removes values.
func (b *bitmap) unset(values []uint16) {
	for _, v := range values {
		b[v>>6] &^= 1 << (v & 63)
	}
}

// andBitmaps counts first: often one contains the other and is the result, or few
// values are left.
func andBitmaps(c, d Container) Container {
	n := countBoth(c.bits, d.bits)
	switch n {
	case int(c.n):
		return c
	case int(d.n):
		return d
	}
	return bothOf(c.bits, d.bits, n)
}

func countBoth(a, b *bitmap) int {
	n := 0
	for i, w := range a {
		n += bits.OnesCount64(w & b[i])
	}
	return n
}

// bothOf returns the n elements in both.
func bothOf(a, b *bitmap, n int) Container {
	switch {
	case n == 0:
		return Container{}
	case n >= bitsetMin:
		var out bitmap
		for i, w := range a {
			out[i] = w & b[i]
		}
		return Container{n: uint32(n), bits: &out}
	}
	arr := make([]uint16, 0, n)
	for i, w := range a {
		for w &= b[i]; w != 0; w &= w - 1 {
			arr = append(arr, uint16(i<<6|bits.TrailingZeros64(w)))
		}
	}
	return Container{n: uint32(n), arr: arr}
}

// andNotBitmaps counts first, too.
func andNotBitmaps(c Container, b *bitmap) Container {
	a, n := c.bits, 0
	for i, w := range a {
		n += bits.OnesCount64(w &^ b[i])
	}
	switch {
	case n == 0:
		return Container{}
	case n == int(c.n):
		return c
	case n >= bitsetMin:
		var out bitmap
		for i, w := range a {
			out[i] = w &^ b[i]
		}
		return Container{n: uint32(n), bits: &out}
	}
	arr := make([]uint16, 0, n)
	for i, w := range a {
		for w &^= b[i]; w != 0; w &= w - 1 {
			arr = append(arr, uint16(i<<6|bits.TrailingZeros64(w)))
		}
	}
	return Container{n: uint32(n), arr: arr}
}
