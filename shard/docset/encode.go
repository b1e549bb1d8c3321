package docset

import (
	"encoding/binary"
	"errors"
	"math/bits"
	"slices"
)

var errCorrupt = errors.New("docset: corrupt encoding")

// AppendBinary appends the container's stored form: the number of elements as a
// uvarint, then the values as little-endian u16 (at most 4,096 elements) or the 8 KiB
// bitset.
func (c Container) AppendBinary(buf []byte) []byte {
	buf = binary.AppendUvarint(slices.Grow(buf, binary.MaxVarintLen32+min(2*int(c.n), 8*words)), uint64(c.n))
	if c.bits == nil {
		for _, v := range c.arr {
			buf = append(buf, byte(v), byte(v>>8))
		}
		return buf
	}
	if c.n <= arrayMax {
		c.Each(func(v uint16) bool {
			buf = append(buf, byte(v), byte(v>>8))
			return true
		})
		return buf
	}
	for _, w := range c.bits {
		buf = binary.LittleEndian.AppendUint64(buf, w)
	}
	return buf
}

// ContainerLen returns the number of elements of a stored container without decoding
// it, 0 if data is damaged.
func ContainerLen(data []byte) int {
	n, w := binary.Uvarint(data)
	if w <= 0 || n > 1<<16 {
		return 0
	}
	return int(n)
}

// DecodeContainer decodes one stored container at the front of data and returns the
// rest. The container does not alias data. Damaged input gives an error, never an
// unordered set.
func DecodeContainer(data []byte) (c Container, rest []byte, err error) {
	n, w := binary.Uvarint(data)
	if w <= 0 || n > 1<<16 {
		return Container{}, nil, errCorrupt
	}
	data = data[w:]
	if n == 0 {
		return Container{}, data, nil
	}
	if n <= arrayMax {
		if len(data) < 2*int(n) {
			return Container{}, nil, errCorrupt
		}
		arr := make([]uint16, n)
		prev := -1
		for i := range arr {
			v := uint16(data[2*i]) | uint16(data[2*i+1])<<8
			if int(v) <= prev {
				return Container{}, nil, errCorrupt
			}
			arr[i], prev = v, int(v)
		}
		return Container{n: uint32(n), arr: arr}, data[2*n:], nil
	}
	if len(data) < 8*words {
		return Container{}, nil, errCorrupt
	}
	b, count := new(bitmap), 0
	for i := range b {
		b[i] = binary.LittleEndian.Uint64(data[8*i:])
		count += bits.OnesCount64(b[i])
	}
	if count != int(n) {
		return Container{}, nil, errCorrupt
	}
	return Container{n: uint32(n), bits: b}, data[8*words:], nil
}

// AppendBinary appends the set's stored form to buf: the number of blocks, then each
// block's key (big-endian u16) and container.
func (s Set) AppendBinary(buf []byte) ([]byte, error) {
	buf = binary.AppendUvarint(buf, uint64(len(s.blocks)))
	for i := range s.blocks {
		buf = binary.BigEndian.AppendUint16(buf, s.blocks[i].key)
		buf = s.blocks[i].c.AppendBinary(buf)
	}
	return buf, nil
}

// MarshalBinary returns the set's stored form. Equal sets have equal forms.
func (s Set) MarshalBinary() ([]byte, error) { return s.AppendBinary(nil) }

// UnmarshalBinary replaces s by the set stored in data, which it does not retain.
// Damaged input leaves s unchanged and gives an error.
func (s *Set) UnmarshalBinary(data []byte) error {
	count, w := binary.Uvarint(data)
	if w <= 0 || count > 1<<16 {
		return errCorrupt
	}
	data = data[w:]
	var a Assembler
	prev := -1
	for ; count > 0; count-- {
		if len(data) < 2 {
			return errCorrupt
		}
		key := binary.BigEndian.Uint16(data)
		if int(key) <= prev {
			return errCorrupt
		}
		prev = int(key)
		c, rest, err := DecodeContainer(data[2:])
		if err != nil || c.n == 0 {
			return errCorrupt
		}
		a.Append(key, c)
		data = rest
	}
	if len(data) != 0 {
		return errCorrupt
	}
	*s = a.Set()
	return nil
}
