package shard

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
// little-endian, xxHash64 over the stored bytes, ended by a block of rawLen 0.
// Builders spill runs to disk; shards are copied between nodes as runs.
const (
	runBlock    = 256 << 10
	runMaxBlock = 1 << 31
	runHead     = 16
)

type runWriter struct {
	w      io.Writer
	enc    opEncoder
	stored []byte
}

func newRunWriter(w io.Writer) *runWriter { return &runWriter{w: w} }

func (r *runWriter) add(o op) error {
	r.enc.add(o)
	if len(r.enc.buf) < runBlock {
		return nil
	}
	return r.flush()
}

func (r *runWriter) flush() error {
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

// close writes the end. It does not close the underlying writer.
func (r *runWriter) close() error {
	if len(r.enc.buf) > 0 {
		if err := r.flush(); err != nil {
			return err
		}
	}
	var end [runHead]byte
	_, err := r.w.Write(end[:])
	return err
}

// opSource yields ops in key order.
type opSource interface {
	// next returns the next op, valid until the following call; ok is false at
	// the end.
	next() (o op, ok bool, err error)
}

type runReader struct {
	r      *bufio.Reader
	dec    opDecoder
	raw    []byte
	stored []byte
	done   bool
}

func newRunReader(r io.Reader) *runReader { return &runReader{r: bufio.NewReaderSize(r, 64<<10)} }

func (r *runReader) next() (op, bool, error) {
	for len(r.dec.rest) == 0 {
		if r.done {
			return op{}, false, nil
		}
		if err := r.block(); err != nil {
			return op{}, false, err
		}
	}
	return r.dec.next()
}

func (r *runReader) block() error {
	var head [runHead]byte
	if _, err := io.ReadFull(r.r, head[:]); err != nil {
		return fmt.Errorf("shard: run ends early: %w", noEOF(err))
	}
	rawLen, storedLen := binary.LittleEndian.Uint32(head[:]), binary.LittleEndian.Uint32(head[4:])
	if rawLen == 0 {
		r.done = true
		return nil
	}
	if rawLen > runMaxBlock || int(storedLen) > s2.MaxEncodedLen(int(rawLen)) {
		return fmt.Errorf("shard: run block of %d bytes: %w", rawLen, errCorruptValue)
	}
	stored, err := readAtMost(r.r, r.stored[:0], int(storedLen))
	if err != nil {
		return fmt.Errorf("shard: run ends early: %w", noEOF(err))
	}
	r.stored = stored
	if binary.LittleEndian.Uint64(head[8:]) != xxhash.Sum64(stored) {
		return fmt.Errorf("shard: run block checksum: %w", errCorruptValue)
	}
	if n, err := s2.DecodedLen(stored); err != nil || n != int(rawLen) {
		return fmt.Errorf("shard: run block length: %w", errCorruptValue)
	}
	if r.raw, err = s2.Decode(r.raw[:cap(r.raw)], stored); err != nil {
		return fmt.Errorf("shard: run block: %w", err)
	}
	r.dec = opDecoder{rest: r.raw, key: r.dec.key[:0]}
	return nil
}

// readAtMost reads n bytes, growing only as bytes arrive.
func readAtMost(r io.Reader, buf []byte, n int) ([]byte, error) {
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

func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// memoryRun is a run that was never written anywhere.
type memoryRun struct{ enc opEncoder }

func (m *memoryRun) add(o op) error {
	m.enc.add(o)
	return nil
}

func (m *memoryRun) source() opSource { return &opDecoder{rest: m.enc.buf} }

// mergeRuns joins sources into one stream and hands every op to emit. Ops of one
// key are combined; ops without effect are left out.
func mergeRuns(sources []opSource, emit func(op) error) error {
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
	var held op
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
		if has && bytes.Equal(o.key, held.key) {
			joined, err := combine(held, o)
			if err != nil {
				return err
			}
			held = joined
		} else {
			if err := flush(); err != nil {
				return err
			}
			key, value = append(key[:0], o.key...), append(value[:0], o.value...)
			held, has = op{kind: o.kind, key: key, value: value}, true
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
	source opSource
	op     op
	ok     bool
}

func (h *runHeadOp) advance() (err error) {
	h.op, h.ok, err = h.source.next()
	return err
}

// sink restores the heap below i.
func sink(h []runHeadOp, i int) {
	for {
		c := 2*i + 1
		if c >= len(h) {
			return
		}
		if c+1 < len(h) && bytes.Compare(h[c+1].op.key, h[c].op.key) < 0 {
			c++
		}
		if bytes.Compare(h[i].op.key, h[c].op.key) <= 0 {
			return
		}
		h[i], h[c] = h[c], h[i]
		i = c
	}
}
