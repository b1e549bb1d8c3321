package columns

import (
	"encoding/binary"
	"runtime/debug"
	"unsafe"

	"shoal/shard/docset"
)

// refOf returns the reference to the documents with one bit, or nil.
func refOf(refs []byte, bit int) []byte {
	for ; len(refs) > 0; refs = refs[setRefBytes:] {
		if int(refs[8]) == bit {
			return refs[:setRefBytes]
		}
	}
	return nil
}

// bitOf returns the documents with one bit.
func (b *BlockColumns) bitOf(refs []byte, bit int) docset.Container {
	if ref := refOf(refs, bit); ref != nil {
		return b.setWithin(ref, nil)
	}
	return docset.Container{}
}

// pieceOfRef returns the piece of a referenced set.
func pieceOfRef(ref []byte) uint32 { return binary.LittleEndian.Uint32(ref) }

// setWithin returns the documents of a set that are in within. It returns the whole set
// if within is nil, or if that is as fast.
func (b *BlockColumns) setWithin(ref []byte, within *docset.Container) docset.Container {
	i, at, n := pieceOfRef(ref), int(binary.LittleEndian.Uint16(ref[4:])), int(binary.LittleEndian.Uint16(ref[6:]))+1
	few := within != nil && withinShare*within.Len() <= n
	if n > maxList {
		if within != nil {
			if m := b.mapped(i, pieceBitset); m != nil {
				return b.bitsMapped(m, n, within)
			}
		}
		p := b.get(i, pieceBitset)
		if p.bits == nil {
			return docset.Container{}
		}
		c := docset.ContainerOfWords(p.bits, n)
		if few {
			return c.And(*within)
		}
		return c
	}
	if m := b.mapped(i, pieceLists); m != nil {
		if few {
			return b.listWithin(m, at, n, within)
		}
		return docset.ContainerOf(b.listMapped(m, at, n))
	}
	c := docset.ContainerOf(b.list(b.get(i, pieceLists).values, at, n))
	if few {
		return c.And(*within)
	}
	return c
}

// withinShare: a set at least withinShare times as large as within is searched for the
// documents of within only.
const withinShare = 2

// bitsMapped returns the documents of within that are in a set of n, a piece in the
// mapping.
func (b *BlockColumns) bitsMapped(m []byte, n int, within *docset.Container) (found docset.Container) {
	defer b.guard(debug.SetPanicOnFault(true))
	return within.AndWords((*[docset.Words]uint64)(unsafe.Pointer(&m[0])), n)
}

// listWithin returns the documents of within that are in a list in the mapping.
func (b *BlockColumns) listWithin(m []byte, at, n int, within *docset.Container) (found docset.Container) {
	defer b.guard(debug.SetPanicOnFault(true))
	return within.AndValues(b.list(numbers(m), at, n))
}

// list returns n values of a piece, starting at index at.
func (b *BlockColumns) list(values []uint16, at, n int) []uint16 {
	if at+n > len(values) {
		b.fail(ErrDamaged)
		return nil
	}
	return values[at : at+n : at+n]
}

// listMapped is list for a piece in the mapping.
func (b *BlockColumns) listMapped(m []byte, at, n int) (list []uint16) {
	defer b.guard(debug.SetPanicOnFault(true))
	return append(list, b.list(numbers(m), at, n)...)
}
