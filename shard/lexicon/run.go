package lexicon

import (
	"bytes"
	"encoding/binary"
)

// blockWords is the number of words per block. The first is stored in full, each other
// as the length of the prefix shared with its predecessor and its suffix.
const blockWords = 16

// run is an immutable sorted list of distinct words with counts. Entry: shared length
// (absent for the first word of a block), suffix length, suffix, count. Numbers are
// varints.
type run struct {
	data []byte
	// starts and heads hold, for each block, its offset in data and the first eight
	// bytes of its first word, big-endian, padded with zeros. Most comparisons of a
	// search need no more.
	starts []uint64
	heads  []uint64
	words  int
}

// runBuilder collects words in ascending order.
type runBuilder struct {
	r    run
	last []byte
}

// add appends a word that must be greater than the previous one. Otherwise it drops the
// word and returns false.
func (b *runBuilder) add(word []byte, count uint32) bool {
	if b.r.words > 0 && bytes.Compare(word, b.last) <= 0 {
		return false
	}
	shared := 0
	if b.r.words%blockWords == 0 {
		b.r.starts = append(b.r.starts, uint64(len(b.r.data)))
		b.r.heads = append(b.r.heads, head(word))
	} else {
		shared = commonPrefix(b.last, word)
		b.r.data = binary.AppendUvarint(b.r.data, uint64(shared))
	}
	b.r.data = binary.AppendUvarint(b.r.data, uint64(len(word)-shared))
	b.r.data = append(b.r.data, word[shared:]...)
	b.r.data = binary.AppendUvarint(b.r.data, uint64(count))
	b.last = append(b.last[:0], word...)
	b.r.words++
	return true
}

// finish returns the run. The builder must not be used any more.
func (b *runBuilder) finish() *run {
	b.r.data = bytes.Clone(b.r.data)
	b.last = nil
	return &b.r
}

func head(word []byte) uint64 {
	if len(word) >= 8 {
		return binary.BigEndian.Uint64(word)
	}
	var padded [8]byte
	copy(padded[:], word)
	return binary.BigEndian.Uint64(padded[:])
}

func commonPrefix(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// first returns the first word of a block, in place.
func (r *run) first(block int) []byte {
	at := r.starts[block]
	n, size := binary.Uvarint(r.data[at:])
	at += uint64(size)
	return r.data[at : at+n]
}

// startsAfter reports whether a block begins with a word greater than target.
func (r *run) startsAfter(block int, target []byte, targetHead uint64) bool {
	if h := r.heads[block]; h != targetHead {
		return h > targetHead
	}
	return bytes.Compare(r.first(block), target) > 0
}

// blockOf returns the last block from lo on that does not start after target. lo itself
// must not. It checks near blocks first.
func (r *run) blockOf(lo int, target []byte) int {
	h := head(target)
	step, hi := 1, len(r.starts)
	for lo+step < hi {
		if r.startsAfter(lo+step, target, h) {
			hi = lo + step
			break
		}
		lo += step
		step *= 2
	}
	for hi-lo > 1 {
		mid := int(uint(lo+hi) / 2)
		if r.startsAfter(mid, target, h) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return lo
}
