package columns

import (
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"time"
	"unsafe"
)

// mapping is a file in the address space of the process, backed by the page cache. It
// serves single sets, names and documents from pieces that were read and checked once
// and evicted from our cache: without a system call, a checksum or a copy of the whole
// piece. Results are copied, so nothing refers to the file after it is closed.
//
// Pieces are always read with a system call first, which handles slow and failing
// disks. If the kernel reclaims pages so that the process waits for them, all pieces
// are read again (PieceCache.watch). If the disk fails in between, the access faults,
// and the reading goroutine turns the fault into one of the columns (pieces.guard).
type mapping struct {
	// window is nil unless the file is mapped.
	window atomic.Pointer[[]byte]
	// sound has, for each piece, the generation in which it was last read.
	sound []atomic.Uint32
}

// MapLeast is the least length of a mapped file. The cache has most of smaller ones,
// and the number of mappings of a process is limited. It changes no answer; tests lower
// it.
var MapLeast = int64(1 << 20)

// errGone is the fault of a mapped file whose bytes the system could not read.
var errGone = errors.New("rank: columns cannot be read any more")

// openMapping maps the file if it has a descriptor and the system supports it.
func (ps *pieces) openMapping(file any, size int64) {
	f, ok := file.(interface{ Fd() uintptr })
	if !ok || !littleEndian || ps.cache.Unmapped || size < MapLeast {
		return
	}
	fd := f.Fd()
	if fd > maxDescriptor { // not a file of the operating system
		return
	}
	b, err := mapFile(fd, size)
	if err != nil {
		return // pieces are read as usual
	}
	ps.sound = make([]atomic.Uint32, len(ps.refs))
	ps.window.Store(&b)
}

// maxDescriptor is greater than any file descriptor.
const maxDescriptor = 1 << 30

// closeMapping ends the mapping. No piece may be requested any more.
func (ps *pieces) closeMapping() {
	if b := ps.window.Swap(nil); b != nil {
		_ = unmapFile(*b) // the address is that of a mapping
	}
}

// noteSound records that a piece was read and is intact.
func (ps *pieces) noteSound(i uint32, generation uint32) {
	if int(i) < len(ps.sound) {
		ps.sound[i].Store(generation)
	}
}

// isSound reports that a piece need not be read.
func (ps *pieces) isSound(i uint32) bool {
	return int(i) < len(ps.sound) && ps.sound[i].Load() == ps.cache.generation.Load()
}

// mapped returns the bytes of a piece in the mapping. It returns nil if the piece is
// cached, which is faster, or must be read. The caller must defer guard.
func (ps *pieces) mapped(i uint32, kind pieceKind) []byte {
	if int(i) >= len(ps.sound) || ps.slots[i].Load() != nil || ps.refs[i].kind != kind || !ps.isSound(i) {
		return nil
	}
	b := ps.window.Load()
	if b == nil {
		return nil
	}
	r := &ps.refs[i]
	return (*b)[r.at : r.at+r.size-sumBytes]
}

// prove reads a piece of a mapped file into buf, so that the mapping can serve it from
// now on. It does not cache the piece, which would cost as much again and evict others.
// It returns false if the file is not mapped or the piece is damaged.
func (ps *pieces) prove(i uint32, buf *[]byte) bool {
	if int(i) >= len(ps.sound) {
		return false
	}
	r, generation := ps.refs[i], ps.cache.generation.Load()
	*buf = slices.Grow((*buf)[:0], int(r.size))[:r.size]
	begin := time.Now()
	if readFull(ps.from, *buf, int64(r.at)) != nil {
		return false // the next read reports the error
	}
	ps.cache.noteRead(len(*buf), time.Since(begin))
	if _, err := checked(*buf); err != nil {
		return false
	}
	ps.noteSound(i, generation)
	return true
}

// guard ends a read of a mapping. The caller defers it with the result of
// SetPanicOnFault. It turns a memory fault into one of the columns.
func (ps *pieces) guard(before bool) {
	debug.SetPanicOnFault(before)
	switch fault := recover().(type) {
	case nil:
	case interface {
		error
		Addr() uintptr
	}:
		ps.fail(fmt.Errorf("%w: %w", errGone, fault))
	default:
		panic(fault)
	}
}

// copied creates a piece from the mapping, or returns nil if it must be read.
func (ps *pieces) copied(i uint32, kind pieceKind) (p *piece) {
	m := ps.mapped(i, kind)
	if m == nil {
		return nil
	}
	b := aligned(len(m))
	if !ps.copyMapped(b, m) {
		return noPiece
	}
	p, err := newPiece(kind, b)
	if err != nil {
		ps.fail(err)
		return noPiece
	}
	p.slot = &ps.slots[i]
	return p
}

func (ps *pieces) copyMapped(to, from []byte) (ok bool) {
	defer ps.guard(debug.SetPanicOnFault(true))
	copy(to, from)
	return true
}

// numbers returns the 16-bit numbers in b, which need not be aligned.
func numbers(b []byte) []uint16 {
	if len(b) < 2 {
		return nil
	}
	return unsafe.Slice((*uint16)(unsafe.Pointer(&b[0])), len(b)/2)
}
