package columns

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"math/bits"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"shoal/shard/docset"
)

// ErrDamaged is the fault of columns whose bytes differ from those written.
var ErrDamaged = errors.New("rank: damaged columns")

// pieceKind is the kind of content of a piece.
type pieceKind uint8

const (
	pieceLists  pieceKind = iota // 16-bit values: lists of documents
	pieceBitset                  // 2^16 bits: one large set of documents
	pieceNames                   // a page of words or prefixes
	pieceOrder                   // the word order of some documents
)

// piece is a part of a column file in memory, ready for use. Immutable.
type piece struct {
	values []uint16
	bits   *[docset.Words]uint64
	raw    []byte
	size   int
	slot   *atomic.Pointer[piece]
	used   atomic.Bool
}

// pieceOverhead is the memory of a piece besides its bytes.
const pieceOverhead = 128

// aligned returns n bytes that are aligned for numbers of any size.
func aligned(n int) []byte {
	if n == 0 {
		return nil
	}
	words := make([]uint64, (n+7)/8)
	return unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), 8*len(words))[:n]
}

// newPiece creates a piece from aligned bytes and takes ownership of them. It does not
// decode number by number, which would take longer than reading. Files are
// little-endian.
func newPiece(kind pieceKind, b []byte) (*piece, error) {
	p := &piece{size: len(b) + pieceOverhead}
	switch kind {
	case pieceLists, pieceOrder:
		if len(b)&1 != 0 {
			return nil, ErrDamaged
		}
		if len(b) == 0 {
			return p, nil
		}
		p.values = unsafe.Slice((*uint16)(unsafe.Pointer(&b[0])), len(b)/2)
		if !littleEndian {
			for i, v := range p.values {
				p.values[i] = bits.ReverseBytes16(v)
			}
		}
	case pieceBitset:
		if len(b) != 8*docset.Words {
			return nil, ErrDamaged
		}
		p.bits = (*[docset.Words]uint64)(unsafe.Pointer(&b[0]))
		if !littleEndian {
			for i, v := range p.bits {
				p.bits[i] = bits.ReverseBytes64(v)
			}
		}
	default:
		p.raw = b
	}
	return p, nil
}

// littleEndian is the byte order of this machine.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// PieceCache bounds the memory of all columns of a node. Pieces that are not cached are
// read from the files again. Safe for concurrent use; a hit takes no lock.
type PieceCache struct {
	// Unmapped disables mapping of files. Set it before opening any.
	Unmapped bool

	mu sync.Mutex
	// limit bounds everything, max the pieces. Resize changes both.
	limit atomic.Int64
	max   int
	bytes int
	// ring holds the pieces; at is the clock hand. free are empty places, the one most
	// recently left by the hand last. A new piece takes that one, so the hand passes
	// all others before it.
	ring []*piece
	at   int
	free []int

	reads, readBytes atomic.Int64
	// pace is a running average of the time of a read, in nanoseconds.
	pace atomic.Int64
	// files counts open files, summaries the bytes of their summaries.
	files, summaries atomic.Int64
	// generation is incremented when all pieces must be read again. waited is the
	// number of major faults at the last check.
	generation atomic.Uint32
	waited     atomic.Int64
	// looks counts these checks.
	looks atomic.Uint32
}

// NewPieceCache returns a cache of max bytes.
func NewPieceCache(max int64) *PieceCache {
	c := &PieceCache{}
	c.limit.Store(max)
	c.max = c.room()
	c.pace.Store(int64(slowestRead))
	c.generation.Store(1)
	c.waited.Store(majorFaults())
	return c
}

const (
	// waitingRead is the least average time of reads that wait for the disk; the page
	// cache takes a few microseconds. slowestRead caps a single read, which may start
	// late on a busy machine. Each read has the weight 1/paceShare in the average.
	waitingRead, slowestRead = 20 * time.Microsecond, 2 * time.Millisecond
	paceShare                = 16
)

// noteRead counts a read.
func (c *PieceCache) noteRead(bytes int, took time.Duration) {
	c.reads.Add(1)
	c.readBytes.Add(int64(bytes))
	pace := c.pace.Load()
	c.pace.Store(pace + (int64(min(took, slowestRead))-pace)/paceShare) // a lost update does not matter
}

// More than faultsLeast major faults within faultsWithin checks indicate that the
// kernel reclaims mapped pages. Some faults always happen, including those of the
// program's own pages. A search checks a few times.
const (
	faultsLeast  = 256
	faultsWithin = 16
)

// watch checks whether the process waits for mapped pages one by one. Reading pieces
// instead lets other goroutines run and allows concurrent reads.
func (c *PieceCache) watch() {
	before, now := c.waited.Load(), majorFaults()
	enough := now-before >= faultsLeast
	if !enough && c.looks.Add(1)%faultsWithin != 0 {
		return
	}
	if c.waited.CompareAndSwap(before, now) && enough {
		c.generation.Add(1)
	}
}

// waits reports whether reads wait for the disk.
func (c *PieceCache) waits() bool { return c.pace.Load() > int64(waitingRead) }

// room returns the bytes for pieces.
func (c *PieceCache) room() int {
	max := int(c.limit.Load())
	return max - max/summaryShare
}

// Resize changes the bound of the cache and evicts what exceeds it.
func (c *PieceCache) Resize(max int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.limit.Store(max)
	c.max = c.room()
	c.evict(c.max)
}

// Limit returns the bound of the cache in bytes.
func (c *PieceCache) Limit() int64 { return c.limit.Load() }

// Bytes returns the present size of the cache.
func (c *PieceCache) Bytes() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return int64(c.bytes) + c.summaries.Load()
}

// opened and closed count the files. bytes is the size of a closed file's summaries.
func (c *PieceCache) opened() { c.files.Add(1) }

func (c *PieceCache) closed(bytes int) {
	c.files.Add(-1)
	c.summarized(-bytes)
}

// summarized adds to the bytes of summaries.
func (c *PieceCache) summarized(bytes int) {
	if bytes != 0 {
		c.summaries.Add(int64(bytes))
	}
}

// summaryRoom returns the bytes for the summaries of one file. Searches look up the
// same names in all files of a shard.
func (c *PieceCache) summaryRoom() int {
	return int(c.limit.Load() / summaryShare / max(1, c.files.Load()))
}

// Reads returns the number of pieces read so far, and their bytes.
func (c *PieceCache) Reads() (n, bytes int64) { return c.reads.Load(), c.readBytes.Load() }

// put stores a piece in its slot and evicts others until the bound holds. A piece used
// since the hand last passed stays for one more round. If another goroutine was first,
// put returns its piece.
func (c *PieceCache) put(p *piece) *piece {
	if !p.slot.CompareAndSwap(nil, p) {
		if other := p.slot.Load(); other != nil {
			return other
		}
		return p // evicted meanwhile: p serves this call only
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if p.size > c.max {
		p.slot.CompareAndSwap(p, nil)
		return p // larger than the cache: p serves this call only
	}
	c.evict(c.max - p.size)
	c.bytes += p.size
	if n := len(c.free); n > 0 {
		c.ring[c.free[n-1]], c.free = p, c.free[:n-1]
	} else {
		c.ring = append(c.ring, p)
	}
	return p
}

// evict drops pieces until the rest takes at most max bytes. The caller holds mu.
func (c *PieceCache) evict(max int) {
	// Two rounds normally suffice: the first one clears the marks of use. Concurrent
	// use sets them again, so marks are ignored in a third round.
	for n := 0; c.bytes > max && n < 3*len(c.ring); n++ {
		if c.at >= len(c.ring) {
			c.at = 0
		}
		if old := c.ring[c.at]; old != nil && (!old.used.Swap(false) || n >= 2*len(c.ring)) {
			c.drop(c.at)
		}
		c.at++
	}
}

// drop evicts the i-th piece. The caller holds mu.
func (c *PieceCache) drop(i int) {
	old := c.ring[i]
	old.slot.CompareAndSwap(old, nil)
	c.bytes -= old.size
	c.ring[i], c.free = nil, append(c.free, i)
}

// forget evicts the pieces of closed columns.
func (c *PieceCache) forget(slots []atomic.Pointer[piece]) {
	gone := make(map[*piece]struct{})
	for i := range slots {
		if p := slots[i].Swap(nil); p != nil {
			gone[p] = struct{}{}
		}
	}
	if len(gone) == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, p := range c.ring {
		if _, ok := gone[p]; ok {
			c.drop(i)
		}
	}
}

// pieces are the pieces of one file, by number.
type pieces struct {
	from io.ReaderAt
	// serial is unique per file.
	serial uint64
	cache  *PieceCache
	refs   []pieceRef
	slots  []atomic.Pointer[piece]
	mapping
	fault atomic.Pointer[error]
}

var (
	pieceTable = crc32.MakeTable(crc32.Castagnoli)
	// noPiece replaces a piece that could not be read. There is a fault.
	noPiece = &piece{}
)

// sumBytes is the length of the checksum after each piece.
const sumBytes = 4

// get returns a piece. If it cannot be read, get returns an empty piece and sets the
// fault. Users of columns must check the fault before they trust results.
func (ps *pieces) get(i uint32, kind pieceKind) *piece {
	if int(i) >= len(ps.slots) || ps.refs[i].kind != kind {
		ps.fail(ErrDamaged)
		return noPiece
	}
	if p := ps.slots[i].Load(); p != nil {
		if !p.used.Load() {
			p.used.Store(true)
		}
		return p
	}
	if p := ps.copied(i, kind); p != nil {
		if kind == pieceBitset && p != noPiece {
			return ps.cache.put(p) // cached, because a set is copied as a whole
		}
		return p
	}
	p, err := ps.read(i)
	if err != nil {
		ps.fail(err)
		return noPiece
	}
	return ps.cache.put(p)
}

func (ps *pieces) read(i uint32) (*piece, error) {
	ref, generation := ps.refs[i], ps.cache.generation.Load()
	b, begin := aligned(int(ref.size)), time.Now()
	if err := readFull(ps.from, b, int64(ref.at)); err != nil {
		return nil, err
	}
	ps.cache.noteRead(len(b), time.Since(begin))
	body, err := checked(b)
	if err != nil {
		return nil, err
	}
	p, err := newPiece(ref.kind, body)
	if err == nil {
		p.slot = &ps.slots[i]
		ps.noteSound(i, generation)
	}
	return p, err
}

// checked verifies the trailing checksum and returns the bytes before it.
func checked(b []byte) ([]byte, error) {
	if len(b) < sumBytes {
		return nil, ErrDamaged
	}
	body, sum := b[:len(b)-sumBytes], b[len(b)-sumBytes:]
	if crc32.Checksum(body, pieceTable) != binary.LittleEndian.Uint32(sum) {
		return nil, ErrDamaged
	}
	return body, nil
}

func (ps *pieces) fail(err error) { ps.fault.CompareAndSwap(nil, &err) }
