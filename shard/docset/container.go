package docset

import (
	"math/bits"
	"slices"
)

const (
	// arrayMax is the largest number of elements in an array; beyond it, the bitset (8
	// KiB) is smaller. Operations return a bitset from bitsetMin elements on, because
	// converting it would be wasted if it is combined with other sets next.
	arrayMax  = 4096
	bitsetMin = 1024
	words     = 1 << 16 / 64
)

type bitmap [words]uint64

// Container is an immutable set of 16-bit values: one block of a Set. The zero value is
// empty. Containers share memory; nothing modifies one after its creation.
type Container struct {
	n    uint32
	arr  []uint16 // sorted; n <= arrayMax
	bits *bitmap  // instead of arr; n >= bitsetMin
}

// ContainerOf returns the container of values, which must be strictly ascending. If
// there are at most 4,096, it takes ownership of the slice.
func ContainerOf(values []uint16) Container {
	if len(values) <= arrayMax {
		return Container{n: uint32(len(values)), arr: values}
	}
	var b bitmap
	b.set(values)
	return Container{n: uint32(len(values)), bits: &b}
}

// set adds values.
func (b *bitmap) set(values []uint16) {
	for _, v := range values {
		b[v>>6] |= 1 << (v & 63)
	}
}

// Words is the number of words of a bitset of all 16-bit values.
const Words = words

// ContainerOfWords returns the container of a bitset of n values, n > 4,096. It takes
// ownership of bits.
func ContainerOfWords(bits *[Words]uint64, n int) Container {
	return Container{n: uint32(n), bits: (*bitmap)(bits)}
}

// seal returns the container of b. It takes ownership of b if the set is large.
func (b *bitmap) seal() Container {
	n := b.count()
	if n >= bitsetMin {
		return Container{n: uint32(n), bits: b}
	}
	return b.array(n)
}

// sealCopy is seal for a scratch bitmap that the caller continues to use.
func (b *bitmap) sealCopy() Container {
	n := b.count()
	if n >= bitsetMin {
		return Container{n: uint32(n), bits: b.clone()}
	}
	return b.array(n)
}

// clone copies b. Unlike a new variable, the memory is not cleared first.
func (b *bitmap) clone() *bitmap { return (*bitmap)(append([]uint64(nil), b[:]...)) }

func (b *bitmap) count() int {
	n := 0
	for _, w := range b {
		n += bits.OnesCount64(w)
	}
	return n
}

func (b *bitmap) array(n int) Container {
	if n == 0 {
		return Container{}
	}
	return Container{n: uint32(n), arr: b.appendTo(make([]uint16, 0, n))}
}

// appendTo appends the values in ascending order to buf and returns it.
func (b *bitmap) appendTo(buf []uint16) []uint16 {
	for i, w := range b {
		for w != 0 {
			buf = append(buf, uint16(i<<6|bits.TrailingZeros64(w)))
			w &= w - 1
		}
	}
	return buf
}

// Len returns the number of elements.
func (c Container) Len() int { return int(c.n) }

// Empty reports whether the container has no element.
func (c Container) Empty() bool { return c.n == 0 }

// Contains reports whether v is an element.
func (c Container) Contains(v uint16) bool {
	if c.bits != nil {
		return c.bits[v>>6]&(1<<(v&63)) != 0
	}
	i := searchFrom(c.arr, 0, v)
	return i < len(c.arr) && c.arr[i] == v
}

// Equal reports whether both have the same elements.
func (c Container) Equal(d Container) bool {
	switch {
	case c.n != d.n:
		return false
	case c.bits == nil && d.bits == nil:
		return slices.Equal(c.arr, d.arr)
	case c.bits != nil && d.bits != nil:
		return c.bits == d.bits || *c.bits == *d.bits
	case c.bits == nil:
		c, d = d, c
	}
	for _, v := range d.arr {
		if c.bits[v>>6]&(1<<(v&63)) == 0 {
			return false
		}
	}
	return true
}

// Each calls f for every element in ascending order until f returns false. It returns
// false if f did.
func (c Container) Each(f func(uint16) bool) bool {
	if c.bits == nil {
		for _, v := range c.arr {
			if !f(v) {
				return false
			}
		}
		return true
	}
	for i, w := range c.bits {
		for w != 0 {
			if !f(uint16(i<<6 | bits.TrailingZeros64(w))) {
				return false
			}
			w &= w - 1
		}
	}
	return true
}

// AppendTo appends the elements in ascending order to buf and returns it.
func (c Container) AppendTo(buf []uint16) []uint16 {
	if c.bits == nil {
		return append(buf, c.arr...)
	}
	return c.bits.appendTo(slices.Grow(buf, c.Len()))
}

// hasRange reports whether there is an element from lo on and below hi. Both are multiples of 64.
func (c Container) hasRange(lo, hi uint32) bool {
	if c.bits == nil {
		at, _ := slices.BinarySearch(c.arr, uint16(lo))
		return at < len(c.arr) && uint32(c.arr[at]) < hi
	}
	for _, w := range c.bits[lo/64 : hi/64] {
		if w != 0 {
			return true
		}
	}
	return false
}

// appendRange appends the elements from lo on and below hi, each plus base, to buf and returns
// it. lo and hi are multiples of 64.
func (c Container) appendRange(buf []uint32, base, lo, hi uint32) []uint32 {
	if c.bits == nil {
		at, _ := slices.BinarySearch(c.arr, uint16(lo))
		for _, v := range c.arr[at:] {
			if uint32(v) >= hi {
				break
			}
			buf = append(buf, base|uint32(v))
		}
		return buf
	}
	for i, w := range c.bits[lo/64 : hi/64] {
		first := base + lo + uint32(i)*64
		if w == 1<<64-1 {
			at := len(buf)
			buf = slices.Grow(buf, 64)[:at+64]
			for k := range buf[at:] {
				buf[at+k] = first + uint32(k)
			}
			continue
		}
		for ; w != 0; w &= w - 1 {
			buf = append(buf, first+uint32(bits.TrailingZeros64(w)))
		}
	}
	return buf
}

// Span is the size of the range from the first value of the container to its last.
func (c Container) Span() int {
	if c.n == 0 {
		return 0
	}
	return int(c.max()) - int(c.min()) + 1
}

func (c Container) min() uint16 {
	if c.bits == nil {
		return c.arr[0]
	}
	for i, w := range c.bits {
		if w != 0 {
			return uint16(i<<6 | bits.TrailingZeros64(w))
		}
	}
	return 0
}

func (c Container) max() uint16 {
	if c.bits == nil {
		return c.arr[len(c.arr)-1]
	}
	for i := words - 1; i >= 0; i-- {
		if w := c.bits[i]; w != 0 {
			return uint16(i<<6 | (63 - bits.LeadingZeros64(w)))
		}
	}
	return 0
}

// first returns the container of the n smallest elements, n < c.Len().
func (c Container) first(n int) Container {
	if c.bits == nil {
		return Container{n: uint32(n), arr: c.arr[:n:n]}
	}
	if n >= bitsetMin {
		var b bitmap
		left := n
		for i, w := range c.bits {
			k := bits.OnesCount64(w)
			for ; k > left; k-- {
				w &^= 1 << (63 - bits.LeadingZeros64(w))
			}
			b[i] = w
			if left -= k; left == 0 {
				break
			}
		}
		return Container{n: uint32(n), bits: &b}
	}
	arr := make([]uint16, 0, n)
	c.Each(func(v uint16) bool {
		arr = append(arr, v)
		return len(arr) < n
	})
	return Container{n: uint32(n), arr: arr}
}

// rangeContainer returns the container of [lo, hi], both included.
func rangeContainer(lo, hi uint32) Container {
	n := hi - lo + 1
	if n <= arrayMax {
		arr := make([]uint16, n)
		for i := range arr {
			arr[i] = uint16(lo + uint32(i))
		}
		return Container{n: n, arr: arr}
	}
	var b bitmap
	first, last := lo>>6, hi>>6
	for i := first; i <= last; i++ {
		b[i] = ^uint64(0)
	}
	b[first] &= ^uint64(0) << (lo & 63)
	b[last] &= ^uint64(0) >> (63 - hi&63)
	return Container{n: n, bits: &b}
}

// searchFrom returns the first index >= from whose value is >= v. It gallops: the cost
// depends on the distance, not on the length.
func searchFrom(arr []uint16, from int, v uint16) int {
	if from >= len(arr) || arr[from] >= v {
		return from
	}
	lo, step := from, 1
	hi := from + 1
	for hi < len(arr) && arr[hi] < v {
		lo = hi
		step <<= 1
		hi += step
	}
	if hi > len(arr) {
		hi = len(arr)
	}
	for lo+1 < hi {
		mid := int(uint(lo+hi) >> 1)
		if arr[mid] < v {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi
}
