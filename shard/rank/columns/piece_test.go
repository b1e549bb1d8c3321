package columns

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"shoal/shard/docset"
)

// written are pieces of one kind as a file has them.
func written(kind pieceKind, cache *PieceCache, bodies ...[]byte) *pieces {
	var file []byte
	ps := &pieces{cache: cache, slots: make([]atomic.Pointer[piece], len(bodies))}
	for _, b := range bodies {
		ps.refs = append(ps.refs, pieceRef{uint32(len(file)), uint32(len(b) + sumBytes), kind})
		file = binary.LittleEndian.AppendUint32(append(file, b...), crc32.Checksum(b, pieceTable))
	}
	ps.from = bytes.NewReader(file)
	return ps
}

func TestAPieceDecodesItsBytes(t *testing.T) {
	lists := []byte{1, 0, 255, 255, 0, 1}
	set := make([]byte, 8*docset.Words)
	set[0], set[9] = 1, 2
	for kind, body := range map[pieceKind][]byte{pieceLists: lists, pieceOrder: lists, pieceNames: []byte("words"), pieceBitset: set} {
		ps := written(kind, NewPieceCache(1<<20), []byte{}, body)
		p := ps.get(1, kind)
		if f := ps.fault.Load(); f != nil {
			t.Fatalf("kind %d: %v", kind, *f)
		}
		switch kind {
		case pieceNames:
			if string(p.raw) != "words" {
				t.Errorf("names %q", p.raw)
			}
		case pieceBitset:
			if p.bits[0] != 1 || p.bits[1] != 1<<9 || p.bits[2] != 0 {
				t.Errorf("bits %x", p.bits[:3])
			}
		default:
			if !slices.Equal(p.values, []uint16{1, 65535, 256}) {
				t.Errorf("kind %d: values %v", kind, p.values)
			}
		}
	}
	for kind, body := range map[pieceKind][]byte{pieceLists: {1}, pieceOrder: {1, 2, 3}, pieceBitset: {1, 2}} {
		ps := written(kind, NewPieceCache(1<<20), body)
		ps.get(0, kind)
		if f := ps.fault.Load(); f == nil || !errors.Is(*f, ErrDamaged) {
			t.Errorf("kind %d of %d bytes: fault %v, want damage", kind, len(body), f)
		}
	}
	if p, err := newPiece(pieceLists, nil); err != nil || len(p.values) != 0 {
		t.Errorf("no bytes: %v, %v", p, err)
	}
}

func TestAShrunkCacheEvictsTheExcess(t *testing.T) {
	body := make([]byte, 1000)
	each := int64(len(body) + pieceOverhead)
	const most = summaryShare - 1 // parts of a cache for pieces
	cache := NewPieceCache(4 * each * summaryShare / most)
	ps := written(pieceNames, cache, body, body, body, body)
	for i := range 4 {
		ps.get(uint32(i), pieceNames)
	}
	if cache.Bytes() != 4*each {
		t.Fatalf("%d bytes are kept, want 4 pieces", cache.Bytes())
	}
	cache.Resize(2 * each * summaryShare / most)
	held := 0
	for i := range ps.slots {
		if ps.slots[i].Load() != nil {
			held++
		}
	}
	if cache.Limit() != 2*each*summaryShare/most || cache.Bytes() != 2*each || held != 2 {
		t.Errorf("limit %d, %d bytes and %d pieces are kept: want 2 pieces", cache.Limit(), cache.Bytes(), held)
	}
}

// A recently read piece stays while unused older ones are evicted. Symptom: the cache
// gave a freed place to the newest piece and evicted that one next.
func TestAFullCacheKeepsWhatWasReadLast(t *testing.T) {
	const kept, more = 8, 100
	body := make([]byte, 1000)
	cache := NewPieceCache(kept * int64(len(body)+pieceOverhead) * summaryShare / (summaryShare - 1))
	ps := written(pieceNames, cache, slices.Repeat([][]byte{body}, more)...)
	for i := range uint32(more) {
		ps.get(i, pieceNames)
		if i%2 == 0 {
			ps.get(0, pieceNames) // one piece is in constant use
		}
		for back := range min(i, kept-2) {
			if ps.slots[i-back].Load() == nil {
				t.Fatalf("after piece %d was read, piece %d is gone: want the last %d kept", i, i-back, kept-2)
			}
		}
		if ps.slots[0].Load() == nil {
			t.Fatalf("after piece %d was read, piece 0 is gone, which is used all the time", i)
		}
	}
	if n, _ := cache.Reads(); n != more {
		t.Errorf("%d pieces were read, want each once: %d", n, more)
	}
}

func BenchmarkReadingAPiece(b *testing.B) {
	ps := written(pieceLists, NewPieceCache(0), make([]byte, 32<<10))
	b.SetBytes(32 << 10)
	b.ReportAllocs()
	for b.Loop() {
		if ps.get(0, pieceLists) == noPiece {
			b.Fatal("damaged")
		}
	}
}

// Pieces are read ahead only if reads wait for the disk. With a warm page cache it
// costs more than it saves. A single slow read on a busy machine does not count.
func TestPiecesAreReadAheadOnlyIfReadsWait(t *testing.T) {
	cache := NewPieceCache(1 << 20)
	a := &Ahead{cache: cache}
	read := func(n int, took time.Duration) {
		for range n {
			cache.noteRead(4096, took)
		}
	}
	read(int(ColdReads), 3*time.Microsecond)
	if !a.Cold() {
		t.Error("right after the start nothing is read ahead")
	}
	read(200, 3*time.Microsecond)
	if a.Cold() {
		t.Errorf("reads of 3 us are made ahead: %d ns", cache.pace.Load())
	}
	read(1, 200*time.Microsecond)
	if a.Cold() {
		t.Errorf("one long read counts as cold: %d ns", cache.pace.Load())
	}
	read(4, 400*time.Microsecond)
	if !a.Cold() {
		t.Errorf("reads that wait for the disk are not made ahead: %d ns", cache.pace.Load())
	}
}
