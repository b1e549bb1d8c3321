package docset

import "math/bits"

// How two arrays meet depends on their lengths: from skew times as many on, galloping
// through the longer one is fastest; between lengths that differ by probeSkew at most,
// the shorter one having probeMin, setting bits for the longer one and looking them up
// is: 8 KiB are cleared, but no branch is guessed wrong. Else they are merged.
const (
	skew      = 100
	probeSkew = 16
	probeMin  = 48
)

func probing(a, b []uint16) bool {
	short, long := min(len(a), len(b)), max(len(a), len(b))
	return short >= probeMin && long <= probeSkew*short
}

// all is the number of elements of a container that has every value: most blocks of
// an index have every ordinal.
const all = 1 << 16

// And returns the elements of both.
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

// AndNot returns the elements of c that d lacks.
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
		b := *c.bits
		b.unset(d.arr)
		return Container{n: uint32(n), bits: &b}
	}
}

// unset removes values.
func (b *bitmap) unset(values []uint16) {
	for _, v := range values {
		b[v>>6] &^= 1 << (v & 63)
	}
}

// Or returns the elements of either.
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
		b := *c.bits
		for i, w := range d.bits {
			b[i] |= w
			n += uint32(bits.OnesCount64(b[i]))
		}
		return Container{n: n, bits: &b}
	}
	for _, v := range d.arr {
		n += uint32(^c.bits[v>>6] >> (v & 63) & 1)
	}
	if n == 0 {
		return c
	}
	b := *c.bits
	b.set(d.arr)
	return Container{n: c.n + n, bits: &b}
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

// Intersects tells whether some element is in both.
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

// advance returns the first index >= at whose value is >= v.
func advance(arr []uint16, at int, v uint16, gallop bool) int {
	if gallop {
		return searchFrom(arr, at, v)
	}
	for at < len(arr) && arr[at] < v {
		at++
	}
	return at
}

func ofArray(arr []uint16) Container {
	if len(arr) == 0 {
		return Container{}
	}
	return Container{n: uint32(len(arr)), arr: arr}
}

func andArrays(a, b []uint16) Container {
	if len(a) > len(b) {
		a, b = b, a
	}
	switch {
	case a[0] > b[len(b)-1] || b[0] > a[len(a)-1]:
		return Container{}
	case sameArray(a, b):
		return ofArray(a)
	}
	gallop := len(b) > skew*len(a)
	if probing(a, b) {
		var m bitmap
		m.set(b)
		return filterArray(a, &m, 1)
	}
	var out []uint16
	at := 0
	for i, v := range a {
		if at = advance(b, at, v, gallop); at == len(b) {
			break
		}
		if b[at] == v {
			if out == nil {
				out = make([]uint16, 0, len(a)-i)
			}
			out = append(out, v)
		}
	}
	return ofArray(out)
}

func andNotArrays(a, b []uint16) Container {
	switch {
	case a[0] > b[len(b)-1] || b[0] > a[len(a)-1]:
		return ofArray(a)
	case sameArray(a, b):
		return Container{}
	}
	gallop := len(b) > skew*len(a)
	if probing(a, b) {
		var m bitmap
		m.set(b)
		return filterArray(a, &m, 0)
	}
	out := make([]uint16, 0, len(a))
	at := 0
	for _, v := range a {
		at = advance(b, at, v, gallop)
		if at == len(b) || b[at] != v {
			out = append(out, v)
		}
	}
	return ofArray(out)
}

// sameArray tells whether two arrays are one in memory.
func sameArray(a, b []uint16) bool { return len(a) == len(b) && &a[0] == &b[0] }

// filterArray keeps the values whose bit in b equals want, 0 or 1. Whether a value
// stays is not branched on: that could not be guessed. Of many values mostly few stay;
// they are copied.
func filterArray(a []uint16, b *bitmap, want uint64) Container {
	if len(a) > filterMany {
		return filterMost(a, b, want)
	}
	out := make([]uint16, len(a))
	n := 0
	for _, v := range a {
		out[n] = v
		n += int(b[v>>6]>>(v&63)&1 ^ want ^ 1)
	}
	if n == len(a) {
		return ofArray(a)
	}
	return ofArray(out[:n])
}

// filterMany is the number of values from which on room for all of them costs more
// than a copy of those that stay.
const filterMany = 256

func filterMost(a []uint16, b *bitmap, want uint64) Container {
	var out [arrayMax]uint16
	n := 0
	for _, v := range a {
		out[n&(arrayMax-1)] = v
		n += int(b[v>>6]>>(v&63)&1 ^ want ^ 1)
	}
	if n == len(a) {
		return ofArray(a)
	}
	return ofArray(append([]uint16(nil), out[:n]...))
}

// andBitmaps counts first: often one contains the other and is the answer, or few
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

// bothOf returns the n elements that are in both.
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

func orArrays(a, b []uint16) Container {
	if len(a)+len(b) >= bitsetMin {
		var m bitmap
		m.set(a)
		m.set(b)
		return m.sealCopy()
	}
	out := make([]uint16, 0, len(a)+len(b))
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		x, y := a[i], b[j]
		switch {
		case x < y:
			out = append(out, x)
			i++
		case y < x:
			out = append(out, y)
			j++
		default:
			out = append(out, x)
			i++
			j++
		}
	}
	out = append(out, a[i:]...)
	out = append(out, b[j:]...)
	return Container{n: uint32(len(out)), arr: out}
}
