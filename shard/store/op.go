package store

import (
	"bytes"
	"encoding/binary"

	"shoal/shard/rows"
)

// OpKind is the effect of an op on its key.
type OpKind byte

const (
	OpSet    OpKind = 'S'
	OpDelete OpKind = 'D'
	OpMerge  OpKind = 'M' // see operand.go
)

// Op is one change of a delta. A delta is a list of ops in ascending key order, one per
// key.
type Op struct {
	Kind       OpKind
	Key, Value []byte
}

// opEncoder encodes front-coded ops in sequence:
//
//	kind(1) shared(uvarint) suffixLen(uvarint) suffix valueLen(uvarint) value
type opEncoder struct {
	buf  []byte
	last []byte
}

func (e *opEncoder) add(o Op) {
	shared := 0
	for shared < len(e.last) && shared < len(o.Key) && e.last[shared] == o.Key[shared] {
		shared++
	}
	e.buf = append(e.buf, byte(o.Kind))
	e.buf = binary.AppendUvarint(e.buf, uint64(shared))
	e.buf = binary.AppendUvarint(e.buf, uint64(len(o.Key)-shared))
	e.buf = append(e.buf, o.Key[shared:]...)
	e.buf = binary.AppendUvarint(e.buf, uint64(len(o.Value)))
	e.buf = append(e.buf, o.Value...)
	e.last = append(e.last[:shared], o.Key[shared:]...)
}

func (e *opEncoder) reset() { e.buf, e.last = e.buf[:0], e.last[:0] }

// OpDecoder decodes the output of opEncoder.
type OpDecoder struct {
	Rest []byte
	key  []byte
}

// Next returns the next op; ok is false at the end. Key and value are valid until the
// next call.
func (d *OpDecoder) Next() (o Op, ok bool, err error) {
	if len(d.Rest) == 0 {
		return Op{}, false, nil
	}
	o.Kind = OpKind(d.Rest[0])
	if o.Kind != OpSet && o.Kind != OpDelete && o.Kind != OpMerge {
		return Op{}, false, ErrCorruptValue
	}
	d.Rest = d.Rest[1:]
	shared, ok1 := d.number()
	suffix, ok2 := d.bytes()
	value, ok3 := d.bytes()
	if !ok1 || !ok2 || !ok3 || shared > len(d.key) {
		return Op{}, false, ErrCorruptValue
	}
	d.key = append(d.key[:shared], suffix...)
	o.Key, o.Value = d.key, value
	return o, true, nil
}

func (d *OpDecoder) number() (int, bool) {
	v, n := binary.Uvarint(d.Rest)
	if n <= 0 || v > 1<<31 {
		return 0, false
	}
	d.Rest = d.Rest[n:]
	return int(v), true
}

func (d *OpDecoder) bytes() ([]byte, bool) {
	n, ok := d.number()
	if !ok || n > len(d.Rest) {
		return nil, false
	}
	b := d.Rest[:n]
	d.Rest = d.Rest[n:]
	return b, true
}

// combine joins the ops of one key from two sources. Posting operands and pages of rows
// overlay (their rows are disjoint), counts add up. Other keys have one source.
func combine(a, b Op) (Op, error) {
	if a.Kind != OpMerge || b.Kind != OpMerge {
		return Op{}, ErrCorruptValue
	}
	out := Op{Kind: OpMerge, Key: a.Key}
	if TableOf(a.Key) == TableWords {
		x, err := DecodeCounts(a.Value)
		if err != nil {
			return Op{}, err
		}
		y, err := DecodeCounts(b.Value)
		if err != nil {
			return Op{}, err
		}
		out.Value = Counts{x.Tolerant + y.Tolerant, x.Exact + y.Exact}.Append(nil)
		return out, nil
	}
	if TableOf(a.Key) == TableRows {
		x, err := DecodeRows(a.Value)
		if err != nil {
			return Op{}, err
		}
		y, err := DecodeRows(b.Value)
		if err != nil {
			return Op{}, err
		}
		out.Value = rows.AppendEntries(nil, rows.Over(y, x))
		return out, nil
	}
	x, err := DecodeOperand(a.Value)
	if err != nil {
		return Op{}, err
	}
	y, err := DecodeOperand(b.Value)
	if err != nil {
		return Op{}, err
	}
	out.Value = y.Over(x).Append(nil)
	return out, nil
}

// void reports whether an op has no effect and can be left out.
func (o Op) void() bool {
	return o.Kind == OpMerge && TableOf(o.Key) == TableWords && bytes.Equal(o.Value, []byte{0, 0})
}
