package store

import (
	"encoding/binary"
	"errors"

	"github.com/cockroachdb/pebble/v2"

	"shoal/shard/docset"
)

// TableColumns, in generation 0, records to which documents the column files of a shard
// still apply after a restart:
//
//   - the mark: the version up to which changes were recorded, and its text generation;
//   - changes: block, version -> the documents of the block that this version changed;
//   - files: block, version, name of a file built from that version -> nothing.
//
// Changes are written with the version that makes them, before a reader can see it.
// Read in version order, changes and files give the covered documents: a file covers
// its documents, a change removes some. Registering a file deletes the changes that it
// includes. A program that does not know the table does not advance the mark, and all
// columns are built again. The table is local: it is neither copied nor part of a
// delta.

// Kinds of keys in TableColumns, in key order.
const (
	ColumnMarks   = 'c'
	ColumnChanges = 'd'
	ColumnFiles   = 'f'
)

// ColumnMark returns the key of the mark.
func (k Keyspace) ColumnMark() []byte {
	return append(AppendPrefix(nil, k.Key, 0, TableColumns), ColumnMarks)
}

// ColumnKey returns the key of a change or a file of a block at a version.
func (k Keyspace) ColumnKey(kind byte, block uint16, version uint64) []byte {
	key := append(AppendPrefix(nil, k.Key, 0, TableColumns), kind)
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint16(key, block), version)
}

func encodeMark(version uint64, text uint16) []byte {
	return binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint64(nil, version), text)
}

// DecodeMark decodes a mark.
func DecodeMark(value []byte) (version uint64, text uint16, ok bool) {
	if len(value) != 10 {
		return 0, 0, false
	}
	return binary.BigEndian.Uint64(value), binary.BigEndian.Uint16(value[8:]), true
}

// LogChanges records which documents the next version changes, before its install.
func (k Keyspace) LogChanges(b *pebble.Batch, version uint64, changed docset.Set) error {
	for block, docs := range changed.Blocks() {
		if err := b.Set(k.ColumnKey(ColumnChanges, block, version), docs.AppendBinary(nil), nil); err != nil {
			return err
		}
	}
	return k.MarkColumns(b, version)
}

// MarkColumns records that the table has all changes up to a version.
func (k Keyspace) MarkColumns(b *pebble.Batch, version uint64) error {
	return b.Set(k.ColumnMark(), encodeMark(version, k.Gen.Text), nil)
}

// ForgetColumns empties the table: no file applies to this version or a later one.
func (k Keyspace) ForgetColumns(b *pebble.Batch, version uint64) error {
	lo, hi := TableRange(k.Key, 0, TableColumns)
	return errors.Join(b.DeleteRange(lo, hi, nil), k.MarkColumns(b, version))
}
