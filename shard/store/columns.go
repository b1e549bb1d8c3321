package store

import (
	"encoding/binary"
	"errors"

	"github.com/cockroachdb/pebble/v2"

	"shoal/shard/docset"
)

// What tells after a restart which documents the column files of a shard still hold
// for lies in TableColumns, in generation 0:
//
//   - the mark: the version up to which changes were written down, and the text
//     generation they belong to;
//   - changes: block, version -> the documents of the block that this version changed;
//   - files: block, version, name of a file made of that version -> nothing.
//
// Changes are written with the version that makes them, before a reader can see it.
// Read in the order of versions, changes and files tell which documents are covered:
// a file covers its documents, a change takes some away. Changes that a file makes up
// for are deleted when it is registered.
// A program that does not know the table leaves the mark behind, and all columns are
// made anew. The table is local: it is neither copied nor part of a delta.

// Kinds of keys of TableColumns, in their order.
const (
	ColumnMarks   = 'c'
	ColumnChanges = 'd'
	ColumnFiles   = 'f'
)

// ColumnMark is the key of the mark.
func (k Keyspace) ColumnMark() []byte {
	return append(AppendPrefix(nil, k.Key, 0, TableColumns), ColumnMarks)
}

// ColumnKey is the key of what is noted of a block at a version.
func (k Keyspace) ColumnKey(kind byte, block uint16, version uint64) []byte {
	key := append(AppendPrefix(nil, k.Key, 0, TableColumns), kind)
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint16(key, block), version)
}

func encodeMark(version uint64, text uint16) []byte {
	return binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint64(nil, version), text)
}

// DecodeMark reads a mark.
func DecodeMark(value []byte) (version uint64, text uint16, ok bool) {
	if len(value) != 10 {
		return 0, 0, false
	}
	return binary.BigEndian.Uint64(value), binary.BigEndian.Uint16(value[8:]), true
}

// LogChanges writes down which documents the version about to be installed changes.
func (k Keyspace) LogChanges(b *pebble.Batch, version uint64, changed docset.Set) error {
	for block, docs := range changed.Blocks() {
		if err := b.Set(k.ColumnKey(ColumnChanges, block, version), docs.AppendBinary(nil), nil); err != nil {
			return err
		}
	}
	return k.MarkColumns(b, version)
}

// MarkColumns writes that the table tells all changes up to a version.
func (k Keyspace) MarkColumns(b *pebble.Batch, version uint64) error {
	return b.Set(k.ColumnMark(), encodeMark(version, k.Gen.Text), nil)
}

// ForgetColumns empties the table: no file holds for this version or a later one.
func (k Keyspace) ForgetColumns(b *pebble.Batch, version uint64) error {
	lo, hi := TableRange(k.Key, 0, TableColumns)
	return errors.Join(b.DeleteRange(lo, hi, nil), k.MarkColumns(b, version))
}
