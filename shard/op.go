package shard

import (
	"bytes"
	"encoding/binary"
)

// opKind is what an op does to its key.
type opKind byte

const (
	opSet    opKind = 'S'
	opDelete opKind = 'D'
	opMerge  opKind = 'M' // see operand.go
)

// op is one change of a delta. Deltas are lists of ops in ascending key order,
// one per key.
type op struct {
	kind       opKind
	key, value []byte
}

// opEncoder writes ops front-coded, one after the other:
//
//	kind(1) shared(uvarint) suffixLen(uvarint) suffix valueLen(uvarint) value
type opEncoder struct {
	buf  []byte
	last []byte
}

func (e *opEncoder) add(o op) {
	shared := 0
	for shared < len(e.last) && shared < len(o.key) && e.last[shared] == o.key[shared] {
		shared++
	}
	e.buf = append(e.buf, byte(o.kind))
	e.buf = binary.AppendUvarint(e.buf, uint64(shared))
	e.buf = binary.AppendUvarint(e.buf, uint64(len(o.key)-shared))
	e.buf = append(e.buf, o.key[shared:]...)
	e.buf = binary.AppendUvarint(e.buf, uint64(len(o.value)))
	e.buf = append(e.buf, o.value...)
	e.last = append(e.last[:shared], o.key[shared:]...)
}

func (e *opEncoder) reset() { e.buf, e.last = e.buf[:0], e.last[:0] }

// opDecoder reads what opEncoder wrote.
type opDecoder struct {
	rest []byte
	key  []byte
}

// next returns the next op; ok is false at the end. Key and value are valid
// until the following call.
func (d *opDecoder) next() (o op, ok bool, err error) {
	if len(d.rest) == 0 {
		return op{}, false, nil
	}
	o.kind = opKind(d.rest[0])
	if o.kind != opSet && o.kind != opDelete && o.kind != opMerge {
		return op{}, false, errCorruptValue
	}
	d.rest = d.rest[1:]
	shared, ok1 := d.number()
	suffix, ok2 := d.bytes()
	value, ok3 := d.bytes()
	if !ok1 || !ok2 || !ok3 || shared > len(d.key) {
		return op{}, false, errCorruptValue
	}
	d.key = append(d.key[:shared], suffix...)
	o.key, o.value = d.key, value
	return o, true, nil
}

func (d *opDecoder) number() (int, bool) {
	v, n := binary.Uvarint(d.rest)
	if n <= 0 || v > 1<<31 {
		return 0, false
	}
	d.rest = d.rest[n:]
	return int(v), true
}

func (d *opDecoder) bytes() ([]byte, bool) {
	n, ok := d.number()
	if !ok || n > len(d.rest) {
		return nil, false
	}
	b := d.rest[:n]
	d.rest = d.rest[n:]
	return b, true
}

// combine joins the ops of one key from two sources: posting operands overlay
// (their ordinals are disjoint), counts add up. Other keys have one source.
func combine(a, b op) (op, error) {
	if a.kind != opMerge || b.kind != opMerge {
		return op{}, errCorruptValue
	}
	out := op{kind: opMerge, key: a.key}
	if tableOf(a.key) == tableWords {
		x, err := decodeCounts(a.value)
		if err != nil {
			return op{}, err
		}
		y, err := decodeCounts(b.value)
		if err != nil {
			return op{}, err
		}
		out.value = counts{x.tolerant + y.tolerant, x.exact + y.exact}.append(nil)
		return out, nil
	}
	x, err := decodeOperand(a.value)
	if err != nil {
		return op{}, err
	}
	y, err := decodeOperand(b.value)
	if err != nil {
		return op{}, err
	}
	out.value = y.over(x).append(nil)
	return out, nil
}

// void tells whether an op has no effect and is left out.
func (o op) void() bool {
	return o.kind == opMerge && tableOf(o.key) == tableWords && bytes.Equal(o.value, []byte{0, 0})
}
