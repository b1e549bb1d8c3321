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

// ErrDamaged is the fault of columns whose bytes are not those written.
var ErrDamaged = errors.New("rank: damaged columns")

// pieceKind says what a piece holds.
type pieceKind uint8

const (
	pieceLists  pieceKind = iota // 16-bit values: lists of documents
	pieceBitset                  // 2^16 bits: one large set of documents
	pieceNames                   // a page of words or prefixes
	pieceOrder                   // the words of some documents in their order
)

// piece is a part of a column file in memory, as it is used. Immutable.
type piece struct {
	values []uint16
	bits   *[docset.Words]uint64
	raw    []byte
	size   int
	slot   *atomic.Pointer[piece]
	used   atomic.Bool
}

// pieceOverhead is what a piece takes besides its bytes.
const pieceOverhead = 128

// aligned returns n bytes that numbers of any size may be read from.
func aligned(n int) []byte {
	if n == 0 {
		return nil
	}
	words := make([]uint64, (n+7)/8)
	return unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), 8*len(words))[:n]
}

// newPiece makes a piece of its bytes as they were read, which are aligned and become its
// own: number by number takes longer than to read them. Files are little-endian.
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

// littleEndian tells how this machine lays out numbers.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// PieceCache bounds what all columns of a node keep in memory. What is not in it is
// read from the files again. Safe for concurrent use; a hit takes no lock.
type PieceCache struct {
	// Unmapped: files are not mapped. It is set before any is opened.
	Unmapped bool

	mu sync.Mutex
	// limit bounds everything, max the pieces; both may change: Resize.
	limit atomic.Int64
	max   int
	bytes int
	// ring is what the hand goes around, at is where it is; free are the places without a
	// piece, those that it left last at the end. A new piece takes one of these: the hand
	// comes by all others before it.
	ring []*piece
	at   int
	free []int

	reads, readBytes atomic.Int64
	// pace is about how long a read took lately, in nanoseconds.
	pace atomic.Int64
	// files are those open, summaries the bytes of their summaries.
	files, summaries atomic.Int64
	// generation is raised when pieces that were read have to be read again; waited is the
	// number of times that the process had waited for memory by then.
	generation atomic.Uint32
	waited     atomic.Int64
	// looks is how often it was looked for that.
	looks atomic.Uint32
}

// NewPieceCache returns a cache of so many bytes.
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
	// waitingRead is the time of a read from which on the disk was waited for: the system's
	// memory takes a few microseconds. slowestRead is what one counts as at most, which
	// does not begin at once whenever the machine is busy; each is a paceShare, a divisor, of
	// the pace.
	waitingRead, slowestRead = 20 * time.Microsecond, 2 * time.Millisecond
	paceShare                = 16
)

// noteRead counts a read of so many bytes.
func (c *PieceCache) noteRead(bytes int, took time.Duration) {
	c.reads.Add(1)
	c.readBytes.Add(int64(bytes))
	pace := c.pace.Load()
	c.pace.Store(pace + (int64(min(took, slowestRead))-pace)/paceShare) // one that is lost does not matter
}

// faultsLeast is the number of times that the process waited for memory, within so many
// looks, from which on the system seems to give pages of mappings back. Some are waited for
// at all times, those of the program too: a search looks a few times.
const (
	faultsLeast  = 256
	faultsWithin = 16
)

// watch looks whether the process waits for the pages of mappings, one after the other: reading them
// lets others run meanwhile, and several be read at a time.
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

// waits tells whether reads wait for the disk.
func (c *PieceCache) waits() bool { return c.pace.Load() > int64(waitingRead) }

// room is what pieces may take.
func (c *PieceCache) room() int {
	max := int(c.limit.Load())
	return max - max/summaryShare
}

// Resize bounds the cache by so many bytes from now on, and evicts what is over that.
func (c *PieceCache) Resize(max int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.limit.Store(max)
	c.max = c.room()
	c.evict(c.max)
}

// Limit returns the bound of the cache in bytes.
func (c *PieceCache) Limit() int64 { return c.limit.Load() }

// Bytes returns what the cache holds at the moment.
func (c *PieceCache) Bytes() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return int64(c.bytes) + c.summaries.Load()
}

// opened and closed count the files; a closed one had summaries of so many bytes.
func (c *PieceCache) opened() { c.files.Add(1) }

func (c *PieceCache) closed(bytes int) {
	c.files.Add(-1)
	c.summarized(-bytes)
}

// summarized notes that summaries take so many bytes more.
func (c *PieceCache) summarized(bytes int) {
	if bytes != 0 {
		c.summaries.Add(int64(bytes))
	}
}

// summaryRoom is what the summaries of one file may take: searches ask all files of a
// shard for the same names.
func (c *PieceCache) summaryRoom() int {
	return int(c.limit.Load() / summaryShare / max(1, c.files.Load()))
}

// Reads returns how many pieces were read so far, and their bytes.
func (c *PieceCache) Reads() (n, bytes int64) { return c.reads.Load(), c.readBytes.Load() }

// put keeps a piece in its slot and evicts others until the bound holds: what was
// used since the hand last came by stays once more. A piece that another goroutine
// put there first is returned in its place.
func (c *PieceCache) put(p *piece) *piece {
	if !p.slot.CompareAndSwap(nil, p) {
		if other := p.slot.Load(); other != nil {
			return other
		}
		return p // evicted meanwhile: p serves this call alone
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if p.size > c.max {
		p.slot.CompareAndSwap(p, nil)
		return p // larger than the cache: it serves this call alone
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

// evict drops pieces until the others take at most max bytes. The caller holds mu.
func (c *PieceCache) evict(max int) {
	// Two rounds are enough: the first one takes the marks of use away. Whoever uses pieces
	// meanwhile marks them again, so there is a third one, for which marks do not count.
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

// pieces are those of one file, by number.
type pieces struct {
	from io.ReaderAt
	// serial is a number of its own.
	serial uint64
	cache  *PieceCache
	refs   []pieceRef
	slots  []atomic.Pointer[piece]
	mapping
	fault atomic.Pointer[error]
}

var (
	pieceTable = crc32.MakeTable(crc32.Castagnoli)
	// noPiece stands for one that could not be read: the fault tells.
	noPiece = &piece{}
)

// sumBytes is the length of the checksum behind each piece.
const sumBytes = 4

// get returns a piece. When it cannot be read it returns an empty one and the fault
// tells: whoever uses columns looks at it before it believes them.
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
			return ps.cache.put(p) // which is copied whole each time
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

// checked returns bytes without the checksum behind them.
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
