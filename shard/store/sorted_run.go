package store

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/s2"
)

// A run is a stream of ops in key order: blocks of whole ops, each
//
//	rawLen(4) storedLen(4) sum(8) stored bytes (S2)
//
// Integers are little-endian; the sum is xxHash64 of the stored bytes. A block of
// rawLen 0 ends the run. Builders spill runs to disk; shards are copied between nodes
// as runs.
const (
	runBlock    = 256 << 10
	runMaxBlock = 1 << 31
	runHead     = 16
	// In a copy, the keys determine where blocks end: at about one in cutKeys keys,
	// once a block has cutBlock bytes. Two copies that differ in a few keys then share
	// all other blocks, which backups exploit (docs/adr/0012).
	cutBlock = 32 << 10
	cutKeys  = 32
)

// RunWriter writes a sorted run: ops in key order, in compressed blocks with checksums.
// For one goroutine.
type RunWriter struct {
	w      io.Writer
	enc    opEncoder
	stored []byte
	// cuts: keys determine the ends of blocks.
	cuts bool
}

// NewRunWriter starts a run.
func NewRunWriter(w io.Writer) *RunWriter { return &RunWriter{w: w} }

// NewCopyWriter starts a run whose blocks depend only on nearby ops, not on everything
// before.
func NewCopyWriter(w io.Writer) *RunWriter { return &RunWriter{w: w, cuts: true} }

// Add appends one op. Keys must ascend.
func (r *RunWriter) Add(o Op) error {
	r.enc.add(o)
	if len(r.enc.buf) >= runBlock || r.cuts && len(r.enc.buf) >= cutBlock && xxhash.Sum64(o.Key)%cutKeys == 0 {
		return r.flush()
	}
	return nil
}

func (r *RunWriter) flush() error {
	need := runHead + s2.MaxEncodedLen(len(r.enc.buf))
	if cap(r.stored) < need {
		r.stored = make([]byte, need)
	}
	body := s2.Encode(r.stored[runHead:need], r.enc.buf)
	out := r.stored[:runHead+len(body)]
	binary.LittleEndian.PutUint32(out, uint32(len(r.enc.buf)))
	binary.LittleEndian.PutUint32(out[4:], uint32(len(body)))
	binary.LittleEndian.PutUint64(out[8:], xxhash.Sum64(body))
	r.enc.reset()
	_, err := r.w.Write(out)
	return err
}

// Close writes the end. It does not close the underlying writer.
func (r *RunWriter) Close() error {
	if len(r.enc.buf) > 0 {
		if err := r.flush(); err != nil {
			return err
		}
	}
	var end [runHead]byte
	_, err := r.w.Write(end[:])
	return err
}

// OpSource yields ops in key order.
type OpSource interface {
	// Next returns the next op, valid until the next call. ok is false at the end.
	Next() (o Op, ok bool, err error)
}

type RunReader struct {
	r      *bufio.Reader
	dec    OpDecoder
	raw    []byte
	stored []byte
	done   bool
}

// NewRunReader reads a run from its beginning.
func NewRunReader(r io.Reader) *RunReader { return &RunReader{r: bufio.NewReaderSize(r, 64<<10)} }

func (r *RunReader) Next() (Op, bool, error) {
	for len(r.dec.Rest) == 0 {
		if r.done {
			return Op{}, false, nil
		}
		if err := r.block(); err != nil {
			return Op{}, false, err
		}
	}
	return r.dec.Next()
}

func (r *RunReader) block() error {
	var head [runHead]byte
	if _, err := io.ReadFull(r.r, head[:]); err != nil {
		return fmt.Errorf("shard: run ends early: %w", NoEOF(err))
	}
	rawLen, storedLen := binary.LittleEndian.Uint32(head[:]), binary.LittleEndian.Uint32(head[4:])
	if rawLen == 0 {
		r.done = true
		return nil
	}
	if rawLen > runMaxBlock || int(storedLen) > s2.MaxEncodedLen(int(rawLen)) {
		return fmt.Errorf("shard: run block of %d bytes: %w", rawLen, ErrCorruptValue)
	}
	stored, err := ReadAtMost(r.r, r.stored[:0], int(storedLen))
	if err != nil {
		return fmt.Errorf("shard: run ends early: %w", NoEOF(err))
	}
	r.stored = stored
	if binary.LittleEndian.Uint64(head[8:]) != xxhash.Sum64(stored) {
		return fmt.Errorf("shard: run block checksum: %w", ErrCorruptValue)
	}
	if n, err := s2.DecodedLen(stored); err != nil || n != int(rawLen) {
		return fmt.Errorf("shard: run block length: %w", ErrCorruptValue)
	}
	if r.raw, err = s2.Decode(r.raw[:cap(r.raw)], stored); err != nil {
		return fmt.Errorf("shard: run block: %w", err)
	}
	r.dec = OpDecoder{Rest: r.raw, key: r.dec.key[:0]}
	return nil
}

// ReadAtMost reads n bytes. The buffer grows only as bytes arrive.
func ReadAtMost(r io.Reader, buf []byte, n int) ([]byte, error) {
	const step = 1 << 20
	for n > 0 {
		m := min(n, step)
		at := len(buf)
		buf = append(buf, make([]byte, m)...)
		if _, err := io.ReadFull(r, buf[at:]); err != nil {
			return nil, err
		}
		n -= m
	}
	return buf, nil
}

// NoEOF turns an unexpected end of input into io.ErrUnexpectedEOF.
func NoEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// MemoryRun is a run in memory.
type MemoryRun struct{ enc opEncoder }

// Add appends one op. Keys must ascend.
func (m *MemoryRun) Add(o Op) error {
	m.enc.add(o)
	return nil
}

// Source returns the ops from the beginning.
func (m *MemoryRun) Source() OpSource { return &OpDecoder{Rest: m.enc.buf} }

// MergeRuns merges sources into one stream and passes every op to emit. It combines ops
// of one key and leaves out ops without effect.
func MergeRuns(sources []OpSource, emit func(Op) error) error {
	heads := make([]runHeadOp, 0, len(sources))
	for _, s := range sources {
		h := runHeadOp{source: s}
		if err := h.advance(); err != nil {
			return err
		}
		if h.ok {
			heads = append(heads, h)
		}
	}
	for i := len(heads)/2 - 1; i >= 0; i-- {
		sink(heads, i)
	}
	var held Op
	var key, value []byte
	has := false
	flush := func() error {
		if !has || held.void() {
			return nil
		}
		return emit(held)
	}
	for len(heads) > 0 {
		o := heads[0].op
		if has && bytes.Equal(o.Key, held.Key) {
			joined, err := combine(held, o)
			if err != nil {
				return err
			}
			held = joined
		} else {
			if err := flush(); err != nil {
				return err
			}
			key, value = append(key[:0], o.Key...), append(value[:0], o.Value...)
			held, has = Op{Kind: o.Kind, Key: key, Value: value}, true
		}
		if err := heads[0].advance(); err != nil {
			return err
		}
		if !heads[0].ok {
			heads[0] = heads[len(heads)-1]
			heads = heads[:len(heads)-1]
		}
		if len(heads) > 0 {
			sink(heads, 0)
		}
	}
	return flush()
}

type runHeadOp struct {
	source OpSource
	op     Op
	ok     bool
}

func (h *runHeadOp) advance() (err error) {
	h.op, h.ok, err = h.source.Next()
	return err
}

// sink restores the heap below i.
func sink(h []runHeadOp, i int) {
	for {
		c := 2*i + 1
		if c >= len(h) {
			return
		}
		if c+1 < len(h) && bytes.Compare(h[c+1].op.Key, h[c].op.Key) < 0 {
			c++
		}
		if bytes.Compare(h[i].op.Key, h[c].op.Key) <= 0 {
			return
		}
		h[i], h[c] = h[c], h[i]
		i = c
	}
}
