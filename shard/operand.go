package shard

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/cockroachdb/pebble/v2"

	"shoal/shard/docset"
)

var errCorruptValue = errors.New("shard: corrupt stored value")

// mergerName is written into every store; it never changes. What a value is
// follows from the table byte of its key.
const mergerName = "shoal.postings.v1"

// The value of a posting key is an operand: per ordinal of the block the last
// writer wins. A complete value is an operand that clears nothing.
//
// A merge never makes a key vanish: the store's way of doing that resurrects
// values (cockroachdb/pebble#6168). The builder knows the base exactly and writes
// a deletion for every key that it empties (see settler).
const (
	operandSet   = 0 // the set container follows
	operandClear = 1 // the set container, then the clear container
)

// operand is a change to one block: ordinals to set and to clear, disjoint.
type operand struct{ set, clear docset.Container }

func (o operand) append(dst []byte) []byte {
	if o.clear.Empty() {
		return o.set.AppendBinary(append(dst, operandSet))
	}
	return o.clear.AppendBinary(o.set.AppendBinary(append(dst, operandClear)))
}

func decodeOperand(value []byte) (o operand, err error) {
	if len(value) == 0 || value[0] > operandClear {
		return operand{}, errCorruptValue
	}
	withClear := value[0] == operandClear
	if o.set, value, err = docset.DecodeContainer(value[1:]); err != nil {
		return operand{}, err
	}
	if withClear {
		if o.clear, value, err = docset.DecodeContainer(value); err != nil {
			return operand{}, err
		}
	}
	if len(value) != 0 {
		return operand{}, errCorruptValue
	}
	return o, nil
}

// over returns the operand that has the effect of older, then o.
func (o operand) over(older operand) operand {
	return operand{
		set:   o.set.Or(older.set.AndNot(o.clear)),
		clear: o.clear.Or(older.clear.AndNot(o.set)),
	}
}

// decodePosting reads a complete posting value.
func decodePosting(value []byte) (docset.Container, error) {
	if len(value) == 0 || value[0] != operandSet {
		return docset.Container{}, errCorruptValue
	}
	c, _, err := docset.DecodeContainer(value[1:])
	return c, err
}

// counts is the value of a word in tableWords: numbers of documents, or changes
// of them.
type counts struct{ tolerant, exact int64 }

func (c counts) append(dst []byte) []byte {
	return binary.AppendVarint(binary.AppendVarint(dst, c.tolerant), c.exact)
}

func decodeCounts(value []byte) (c counts, err error) {
	t, n := binary.Varint(value)
	if n <= 0 {
		return c, errCorruptValue
	}
	e, m := binary.Varint(value[n:])
	if m <= 0 || n+m != len(value) {
		return c, errCorruptValue
	}
	return counts{t, e}, nil
}

func newMerger() *pebble.Merger { return &pebble.Merger{Name: mergerName, Merge: merge} }

// tableOf returns the table of a key.
func tableOf(key []byte) table {
	if len(key) < prefixLen {
		return 0
	}
	return table(key[prefixLen-1])
}

func merge(key, value []byte) (pebble.ValueMerger, error) {
	if tableOf(key) == tableWords {
		c, err := decodeCounts(value)
		return &countMerger{c}, describe(key, err)
	}
	if len(value) == 0 {
		return nil, describe(key, errCorruptValue)
	}
	return &postingMerger{lone: append([]byte(nil), value...)}, nil
}

func describe(key []byte, err error) error {
	if err != nil {
		return fmt.Errorf("shard: key %x: %w", key, err)
	}
	return nil
}

// countMerger adds up.
type countMerger struct{ sum counts }

func (m *countMerger) MergeNewer(value []byte) error {
	c, err := decodeCounts(value)
	m.sum.tolerant += c.tolerant
	m.sum.exact += c.exact
	return err
}

func (m *countMerger) MergeOlder(value []byte) error { return m.MergeNewer(value) }

func (m *countMerger) Finish(bool) ([]byte, io.Closer, error) { return m.sum.append(nil), nil, nil }

// postingMerger overlays operands. One alone, the common case, is passed on as
// it is.
type postingMerger struct {
	lone   []byte
	merged operand
}

func (m *postingMerger) decode() error {
	if m.lone == nil {
		return nil
	}
	o, err := decodeOperand(m.lone)
	m.merged, m.lone = o, nil
	return err
}

func (m *postingMerger) MergeNewer(value []byte) error {
	if err := m.decode(); err != nil {
		return err
	}
	o, err := decodeOperand(value)
	m.merged = o.over(m.merged)
	return err
}

func (m *postingMerger) MergeOlder(value []byte) error {
	if err := m.decode(); err != nil {
		return err
	}
	o, err := decodeOperand(value)
	m.merged = m.merged.over(o)
	return err
}

func (m *postingMerger) Finish(includesBase bool) ([]byte, io.Closer, error) {
	if m.lone != nil && (!includesBase || m.lone[0] == operandSet) {
		return m.lone, nil, nil
	}
	if err := m.decode(); err != nil {
		return nil, nil, err
	}
	if includesBase {
		m.merged.clear = docset.Container{}
	}
	return m.merged.append(nil), nil, nil
}
