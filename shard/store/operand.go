package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/cockroachdb/pebble/v2"

	"shoal/shard/docset"
	"shoal/shard/rows"
)

// ErrCorruptValue: a stored value is invalid.
var ErrCorruptValue = errors.New("shard: corrupt stored value")

// mergerName is stored in every store and must never change. The table byte of a key
// determines how its values merge.
const mergerName = "shoal.postings.v1"

// The value of a posting key is an operand: per row of the block, the last writer
// wins. A complete value is an operand that clears nothing.
//
// A merge never removes a key, because pebble would resurrect old values
// (cockroachdb/pebble#6168). The builder knows the base exactly and writes a deletion
// for every key that it empties (see reducer in package build).
const (
	OperandSet   = 0 // the set container follows
	OperandClear = 1 // the set container, then the clear container
)

// Operand is a change of one block: rows to set and to clear, disjoint.
type Operand struct{ Set, Clear docset.Container }

// Append appends the stored form.
func (o Operand) Append(dst []byte) []byte {
	if o.Clear.Empty() {
		return o.Set.AppendBinary(append(dst, OperandSet))
	}
	return o.Clear.AppendBinary(o.Set.AppendBinary(append(dst, OperandClear)))
}

// DecodeOperand decodes the output of Append. The containers alias value.
func DecodeOperand(value []byte) (o Operand, err error) {
	if len(value) == 0 || value[0] > OperandClear {
		return Operand{}, ErrCorruptValue
	}
	withClear := value[0] == OperandClear
	if o.Set, value, err = docset.DecodeContainer(value[1:]); err != nil {
		return Operand{}, err
	}
	if withClear {
		if o.Clear, value, err = docset.DecodeContainer(value); err != nil {
			return Operand{}, err
		}
	}
	if len(value) != 0 {
		return Operand{}, ErrCorruptValue
	}
	return o, nil
}

// Over returns the operand with the effect of older followed by o.
func (o Operand) Over(older Operand) Operand {
	return Operand{
		Set:   o.Set.Or(older.Set.AndNot(o.Clear)),
		Clear: o.Clear.Or(older.Clear.AndNot(o.Set)),
	}
}

// DecodePosting decodes a complete posting value.
func DecodePosting(value []byte) (docset.Container, error) {
	if len(value) == 0 || value[0] != OperandSet {
		return docset.Container{}, ErrCorruptValue
	}
	c, _, err := docset.DecodeContainer(value[1:])
	return c, err
}

// Counts is the value of a word in TableWords: numbers of documents, or changes of
// them.
type Counts struct{ Tolerant, Exact int64 }

// Append appends the stored form.
func (c Counts) Append(dst []byte) []byte {
	return binary.AppendVarint(binary.AppendVarint(dst, c.Tolerant), c.Exact)
}

// DecodeCounts decodes the output of Append.
func DecodeCounts(value []byte) (c Counts, err error) {
	t, n := binary.Varint(value)
	if n <= 0 {
		return c, ErrCorruptValue
	}
	e, m := binary.Varint(value[n:])
	if m <= 0 || n+m != len(value) {
		return c, ErrCorruptValue
	}
	return Counts{t, e}, nil
}

func newMerger() *pebble.Merger { return &pebble.Merger{Name: mergerName, Merge: merge} }

// TableOf returns the table of a key.
func TableOf(key []byte) Table {
	if len(key) < PrefixLen {
		return 0
	}
	return Table(key[PrefixLen-1])
}

func merge(key, value []byte) (pebble.ValueMerger, error) {
	if TableOf(key) == TableWords {
		c, err := DecodeCounts(value)
		return &countMerger{c}, describe(key, err)
	}
	if TableOf(key) == TableRows {
		entries, err := DecodeRows(value)
		return &rowMerger{entries}, describe(key, err)
	}
	if len(value) == 0 {
		return nil, describe(key, ErrCorruptValue)
	}
	return &postingMerger{lone: append([]byte(nil), value...)}, nil
}

func describe(key []byte, err error) error {
	if err != nil {
		return fmt.Errorf("shard: key %x: %w", key, err)
	}
	return nil
}

// countMerger adds up counts.
type countMerger struct{ sum Counts }

func (m *countMerger) MergeNewer(value []byte) error {
	c, err := DecodeCounts(value)
	m.sum.Tolerant += c.Tolerant
	m.sum.Exact += c.Exact
	return err
}

func (m *countMerger) MergeOlder(value []byte) error { return m.MergeNewer(value) }

func (m *countMerger) Finish(bool) ([]byte, io.Closer, error) { return m.sum.Append(nil), nil, nil }

// DecodeRows decodes the entries of a page of rows.
func DecodeRows(value []byte) ([]rows.Entry, error) {
	entries, err := rows.DecodeEntries(nil, value)
	if err != nil {
		return nil, errors.Join(ErrCorruptValue, err)
	}
	return entries, nil
}

// rowMerger overlays the entries of a page of rows. Entries of deleted documents stay,
// because they may have to hide older ones; a page has a bounded number of entries.
type rowMerger struct{ merged []rows.Entry }

func (m *rowMerger) MergeNewer(value []byte) error {
	newer, err := DecodeRows(value)
	m.merged = rows.Over(newer, m.merged)
	return err
}

func (m *rowMerger) MergeOlder(value []byte) error {
	older, err := DecodeRows(value)
	m.merged = rows.Over(m.merged, older)
	return err
}

func (m *rowMerger) Finish(bool) ([]byte, io.Closer, error) {
	return rows.AppendEntries(nil, m.merged), nil, nil
}

// postingMerger overlays operands. A single operand, the common case, is passed on
// unchanged.
type postingMerger struct {
	lone   []byte
	merged Operand
}

func (m *postingMerger) decode() error {
	if m.lone == nil {
		return nil
	}
	o, err := DecodeOperand(m.lone)
	m.merged, m.lone = o, nil
	return err
}

func (m *postingMerger) MergeNewer(value []byte) error {
	if err := m.decode(); err != nil {
		return err
	}
	o, err := DecodeOperand(value)
	m.merged = o.Over(m.merged)
	return err
}

func (m *postingMerger) MergeOlder(value []byte) error {
	if err := m.decode(); err != nil {
		return err
	}
	o, err := DecodeOperand(value)
	m.merged = m.merged.Over(o)
	return err
}

func (m *postingMerger) Finish(includesBase bool) ([]byte, io.Closer, error) {
	if m.lone != nil && (!includesBase || m.lone[0] == OperandSet) {
		return m.lone, nil, nil
	}
	if err := m.decode(); err != nil {
		return nil, nil, err
	}
	if includesBase {
		m.merged.Clear = docset.Container{}
	}
	return m.merged.Append(nil), nil, nil
}
