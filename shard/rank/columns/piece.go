package columns

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"sync"
	"sync/atomic"

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

// newPiece decodes the bytes of a piece, which it does not keep.
func newPiece(kind pieceKind, b []byte) (*piece, error) {
	p := &piece{size: len(b) + pieceOverhead}
	switch kind {
	case pieceLists, pieceOrder:
		if len(b)&1 != 0 {
			return nil, ErrDamaged
		}
		p.values = make([]uint16, len(b)/2)
		for i := range p.values {
			p.values[i] = binary.LittleEndian.Uint16(b[2*i:])
		}
	case pieceBitset:
		if len(b) != 8*docset.Words {
			return nil, ErrDamaged
		}
		p.bits = new([docset.Words]uint64)
		for i := range p.bits {
			p.bits[i] = binary.LittleEndian.Uint64(b[8*i:])
		}
	default:
		p.raw = append(make([]byte, 0, len(b)), b...)
	}
	return p, nil
}

// PieceCache bounds what all columns of a node keep in memory. What is not in it is
// read from the files again. Safe for concurrent use; a hit takes no lock.
type PieceCache struct {
	mu    sync.Mutex
	max   int
	bytes int
	ring  []*piece
	at    int

	reads, readBytes atomic.Int64
}

// NewPieceCache returns a cache of so many bytes.
func NewPieceCache(max int64) *PieceCache { return &PieceCache{max: int(max)} }

// Bytes returns what the cache holds at the moment.
func (c *PieceCache) Bytes() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return int64(c.bytes)
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
	c.ring = append(c.ring, p)
	c.bytes += p.size
	for c.bytes > c.max && len(c.ring) > 0 {
		c.at %= len(c.ring)
		old := c.ring[c.at]
		if old.used.Swap(false) {
			c.at++
			continue
		}
		c.drop(c.at)
	}
	return p
}

// drop evicts the i-th piece. The caller holds mu.
func (c *PieceCache) drop(i int) {
	old, last := c.ring[i], len(c.ring)-1
	old.slot.CompareAndSwap(old, nil)
	c.bytes -= old.size
	c.ring[i], c.ring[last] = c.ring[last], nil
	c.ring = c.ring[:last]
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
	for i := 0; i < len(c.ring); {
		if _, ok := gone[c.ring[i]]; ok {
			c.drop(i)
		} else {
			i++
		}
	}
}

// pieces are those of one file, by number.
type pieces struct {
	from  io.ReaderAt
	cache *PieceCache
	refs  []pieceRef
	slots []atomic.Pointer[piece]
	fault atomic.Pointer[error]
}

var (
	pieceTable  = crc32.MakeTable(crc32.Castagnoli)
	pieceBuffer = sync.Pool{New: func() any { return new([]byte) }}
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
	p, err := ps.read(i)
	if err != nil {
		ps.fail(err)
		return noPiece
	}
	return ps.cache.put(p)
}

func (ps *pieces) read(i uint32) (*piece, error) {
	ref := ps.refs[i]
	buf := pieceBuffer.Get().(*[]byte)
	defer pieceBuffer.Put(buf)
	n := int(ref.size)
	if cap(*buf) < n {
		*buf = make([]byte, n)
	}
	b := (*buf)[:n]
	if err := readFull(ps.from, b, int64(ref.at)); err != nil {
		return nil, err
	}
	ps.cache.reads.Add(1)
	ps.cache.readBytes.Add(int64(n))
	body, err := checked(b)
	if err != nil {
		return nil, err
	}
	p, err := newPiece(ref.kind, body)
	if err == nil {
		p.slot = &ps.slots[i]
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
