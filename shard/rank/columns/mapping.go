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

// mapping is a file in the address space of the process, where the system has what it
// keeps of it in its memory. Of a piece that was read and checked once, and is in the
// cache no longer, single sets, names and documents are taken from there: with no call of
// the system, no checksum and no copy of the rest of the piece. They are copied, so that
// nothing refers to the file once it is closed.
//
// Pieces are always read first: what waits for the disk, or cannot be read, is found
// there. When the system gives pages back and the process has to wait for them, all
// pieces are read again (PieceCache.watch). A disk that fails in between is a fault of
// the memory; the goroutine that reads makes it one of the columns (pieces.guard).
type mapping struct {
	// window is nil when the file is not mapped.
	window atomic.Pointer[[]byte]
	// sound has for each piece the generation in which it was read last.
	sound []atomic.Uint32
}

// MapLeast is the length of a file from which on it is mapped: the cache has most of small
// ones, and a process cannot map any number. It changes no answer; tests lower it.
var MapLeast = int64(1 << 20)

// errGone is the fault of a mapped file whose bytes the system could not get.
var errGone = errors.New("rank: columns cannot be read any more")

// openMapping maps a file, if it has a descriptor and the system can.
func (ps *pieces) openMapping(file any, size int64) {
	f, ok := file.(interface{ Fd() uintptr })
	if !ok || !littleEndian || ps.cache.Unmapped || size < MapLeast {
		return
	}
	fd := f.Fd()
	if fd > maxDescriptor { // that of a file that is none of the system's
		return
	}
	b, err := mapFile(fd, size)
	if err != nil {
		return // pieces are read as ever
	}
	ps.sound = make([]atomic.Uint32, len(ps.refs))
	ps.window.Store(&b)
}

// maxDescriptor is greater than any descriptor of a file.
const maxDescriptor = 1 << 30

// closeMapping ends the mapping; no piece is asked for any more.
func (ps *pieces) closeMapping() {
	if b := ps.window.Swap(nil); b != nil {
		_ = unmapFile(*b) // the address was a mapping's
	}
}

// noteSound notes that a piece was read and is what was written.
func (ps *pieces) noteSound(i uint32, generation uint32) {
	if int(i) < len(ps.sound) {
		ps.sound[i].Store(generation)
	}
}

// isSound tells that a piece need not be read.
func (ps *pieces) isSound(i uint32) bool {
	return int(i) < len(ps.sound) && ps.sound[i].Load() == ps.cache.generation.Load()
}

// mapped returns the bytes of a piece in the mapping; nil when it is in the cache, which is
// quicker, or has to be read. The caller guards.
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

// prove reads a piece of a mapped file into buf, so that it is taken from the mapping from
// now on; false when it is not mapped, or not what was written. To keep it besides would
// evict others, and take as long again.
func (ps *pieces) prove(i uint32, buf *[]byte) bool {
	if int(i) >= len(ps.sound) {
		return false
	}
	r, generation := ps.refs[i], ps.cache.generation.Load()
	*buf = slices.Grow((*buf)[:0], int(r.size))[:r.size]
	begin := time.Now()
	if readFull(ps.from, *buf, int64(r.at)) != nil {
		return false // reading it again tells
	}
	ps.cache.noteRead(len(*buf), time.Since(begin))
	if _, err := checked(*buf); err != nil {
		return false
	}
	ps.noteSound(i, generation)
	return true
}

// guard ends what reads a mapping: its caller defers it, with what SetPanicOnFault
// returned. It makes a fault of the memory one of the columns.
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

// copied makes a piece of what the mapping has; nil when it has to be read.
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

// numbers are the numbers of 16 bits in some bytes, wherever they lie.
func numbers(b []byte) []uint16 {
	if len(b) < 2 {
		return nil
	}
	return unsafe.Slice((*uint16)(unsafe.Pointer(&b[0])), len(b)/2)
}
