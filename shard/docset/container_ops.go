package docset

import "math/bits"

// all is the size of a container with every value. Most blocks of an index have every
// ordinal.
const all = 1 << 16

// And returns the elements in both.
func (c Container) And(d Container) Container {
	switch {
	case c.n == 0 || d.n == 0:
		return Container{}
	case d.n == all:
		return c
	case c.n == all:
		return d
	}
	switch {
	case c.bits == nil && d.bits == nil:
		return andArrays(c.arr, d.arr)
	case c.bits != nil && d.bits != nil:
		if c.bits == d.bits {
			return c
		}
		return andBitmaps(c, d)
	case c.bits != nil:
		return filterArray(d.arr, c.bits, 1)
	default:
		return filterArray(c.arr, d.bits, 1)
	}
}

// AndValues returns the elements of c that are among values, which must be strictly
// ascending and at most 4,096. It does not retain the slice.
func (c Container) AndValues(values []uint16) Container {
	out := c.And(ofArray(values))
	if len(out.arr) > 0 && &out.arr[0] == &values[0] {
		out.arr = append([]uint16(nil), out.arr...)
	}
	return out
}

// AndWords returns the elements of c in a bitset of n values, n > 4,096. It does not
// retain bits.
func (c Container) AndWords(bits *[Words]uint64, n int) Container {
	out := c.And(Container{n: uint32(n), bits: (*bitmap)(bits)})
	if out.bits == (*bitmap)(bits) {
		out.bits = out.bits.clone()
	}
	return out
}

// AndNot returns the elements of c that are not in d.
func (c Container) AndNot(d Container) Container {
	switch {
	case c.n == 0 || d.n == 0:
		return c
	case d.n == all || c.bits != nil && c.bits == d.bits:
		return Container{}
	}
	switch {
	case c.bits == nil && d.bits == nil:
		return andNotArrays(c.arr, d.arr)
	case c.bits == nil:
		return filterArray(c.arr, d.bits, 0)
	case d.bits != nil:
		return andNotBitmaps(c, d.bits)
	default:
		n := int(c.n)
		for _, v := range d.arr {
			n -= int(c.bits[v>>6] >> (v & 63) & 1)
		}
		switch {
		case n == int(c.n):
			return c
		case n < bitsetMin:
			b := *c.bits
			b.unset(d.arr)
			return b.array(n)
		}
		b := c.bits.clone()
		b.unset(d.arr)
		return Container{n: uint32(n), bits: b}
	}
}

// Or returns the elements in either.
func (c Container) Or(d Container) Container {
	if c.n == 0 || d.n == all || d.bits != nil && c.bits == d.bits {
		return d
	}
	if d.n == 0 || c.n == all {
		return c
	}
	if c.bits == nil && d.bits == nil {
		return orArrays(c.arr, d.arr)
	}
	if c.bits == nil {
		c, d = d, c
	}
	n := uint32(0)
	if d.bits != nil {
		b := c.bits.clone()
		for i, w := range d.bits {
			b[i] |= w
			n += uint32(bits.OnesCount64(b[i]))
		}
		return Container{n: n, bits: b}
	}
	for _, v := range d.arr {
		n += uint32(^c.bits[v>>6] >> (v & 63) & 1)
	}
	if n == 0 {
		return c
	}
	b := c.bits.clone()
	b.set(d.arr)
	return Container{n: c.n + n, bits: b}
}

// AndLen returns the number of elements in both, without building the set.
func (c Container) AndLen(d Container) int {
	if c.n == 0 || d.n == 0 {
		return 0
	}
	if c.n == all || d.n == all {
		return int(min(c.n, d.n))
	}
	n := 0
	switch {
	case c.bits == nil && d.bits == nil:
		short, long := c.arr, d.arr
		if len(short) > len(long) {
			short, long = long, short
		}
		at := 0
		for _, v := range short {
			if at = advance(long, at, v, len(long) > skew*len(short)); at == len(long) {
				break
			}
			if long[at] == v {
				n++
			}
		}
	case c.bits != nil && d.bits != nil:
		for i, w := range c.bits {
			n += bits.OnesCount64(w & d.bits[i])
		}
	default:
		if c.bits == nil {
			c, d = d, c
		}
		for _, v := range d.arr {
			n += int(c.bits[v>>6] >> (v & 63) & 1)
		}
	}
	return n
}

// Intersects reports whether some element is in both.
func (c Container) Intersects(d Container) bool {
	if c.n == 0 || d.n == 0 {
		return false
	}
	switch {
	case c.bits == nil && d.bits == nil:
		short, long := c.arr, d.arr
		if len(short) > len(long) {
			short, long = long, short
		}
		at := 0
		for _, v := range short {
			if at = advance(long, at, v, len(long) > skew*len(short)); at == len(long) {
				return false
			}
			if long[at] == v {
				return true
			}
		}
	case c.bits != nil && d.bits != nil:
		for i, w := range c.bits {
			if w&d.bits[i] != 0 {
				return true
			}
		}
	default:
		if c.bits == nil {
			c, d = d, c
		}
		for _, v := range d.arr {
			if c.bits[v>>6]&(1<<(v&63)) != 0 {
				return true
			}
		}
	}
	return false
}
