package store

import (
	"bytes"
	"encoding/binary"
	"slices"

	"shoal/wire"
)

// Table is the byte of a key that defines the meaning of the rest. The schema is part
// of the stored format; docs/adr and doc.go explain it.
type Table byte

// Tables. Documents and bookkeeping are in generation 0; text, facet and vector tables
// in the generation of their group.
const (
	TableDocument Table = 'd' // row -> external id, stored document
	TableID       Table = 'i' // external id -> row
	TableLive     Table = 'o' // block -> live rows (merge)
	TableRows     Table = 'r' // page -> ordinals of its rows (merge); empty if rows are ordinals
	TableMeta     Table = 'm' // name -> bookkeeping
	TablePending  Table = 'p' // version, delta id -> pending delta
	TableColumns  Table = 'u' // to which documents column files apply; local to the node (columns.go)

	TableCount  Table = 'c' // field, count, block -> documents (merge)
	TableWords  Table = 'l' // word -> number of documents, tolerant and exact (merge: sum)
	TableTokens Table = 't' // row -> token record
	TableWord   Table = 'w' // group, word, block -> documents (merge)
	TableExact  Table = 'x' // group, word, block -> documents with exact occurrences (merge)

	TableState  Table = 'e' // field, kind, block -> documents where the field exists, is null, is empty (merge)
	TableNumber Table = 'n' // field, number, block -> documents (merge)
	TableString Table = 's' // field, facet form, block -> documents (merge)
	TableValues Table = 'v' // row -> value record
	// element name, block -> documents (merge); names are those of package element
	TableElement Table = 'a'

	TableVector Table = 'h' // row -> vectors by embedder
)

// Kinds of TableState.
const (
	StateExists  = 'E'
	StateNull    = 'N'
	StateEmpty   = 'Y'
	StateGeo     = 'G' // has a geo point; field 0
	StateGeoJSON = 'J' // has _geojson; field 0
)

const (
	PrefixLen  = 9
	GroupShift = 20 // rows of a group share the leading part of word keys
)

// The tables of each generation. A build that starts a generation writes all its tables anew
// and drops those of the generation before. TableColumns is in none: it is local to a node.
var (
	DocTables    = []Table{TableDocument, TableID, TableLive, TableRows, TableMeta, TablePending}
	TextTables   = []Table{TableCount, TableWords, TableTokens, TableWord, TableExact}
	FacetTables  = []Table{TableState, TableNumber, TableString, TableValues, TableElement}
	VectorTables = []Table{TableVector}
)

// group is the list above that a table is in.
type group uint8

const (
	docGroup group = iota
	textGroup
	facetGroup
	vectorGroup
)

var groups = func() (of [256]group) {
	for i, list := range [][]Table{docGroup: DocTables, textGroup: TextTables, facetGroup: FacetTables, vectorGroup: VectorTables} {
		for _, t := range list {
			of[t] = group(i)
		}
	}
	return of
}()

// Keyspace builds the keys of one shard at given generations.
type Keyspace struct {
	Key wire.ShardKey
	Gen wire.Generations
}

// Generation returns the present generation of a table.
func (k Keyspace) Generation(t Table) uint16 {
	switch groups[t] {
	case textGroup:
		return k.Gen.Text
	case facetGroup:
		return k.Gen.Facet
	case vectorGroup:
		return k.Gen.Vector
	}
	return 0
}

// Prefix appends the prefix of a table.
func (k Keyspace) Prefix(dst []byte, t Table) []byte {
	return AppendPrefix(dst, k.Key, k.Generation(t), t)
}

// Tables lists the tables of a shard in key order.
func (k Keyspace) Tables() []Table {
	order := slices.Concat(DocTables, TextTables, FacetTables, VectorTables)
	slices.SortFunc(order, func(a, b Table) int { return bytes.Compare(k.Prefix(nil, a), k.Prefix(nil, b)) })
	return order
}

// AppendPrefix appends the prefix of all keys of one table of a shard.
func AppendPrefix(dst []byte, key wire.ShardKey, generation uint16, t Table) []byte {
	dst = binary.BigEndian.AppendUint32(dst, key.IndexID)
	dst = binary.BigEndian.AppendUint16(dst, generation)
	dst = binary.BigEndian.AppendUint16(dst, key.Shard)
	return append(dst, byte(t))
}

// TableRange returns the bounds of a whole table.
func TableRange(key wire.ShardKey, generation uint16, t Table) (lo, hi []byte) {
	return AppendPrefix(nil, key, generation, t), AppendPrefix(nil, key, generation, t+1)
}

// Row appends the key of a table by row, or by page of rows.
func (k Keyspace) Row(dst []byte, t Table, row uint32) []byte {
	return binary.BigEndian.AppendUint32(k.Prefix(dst, t), row)
}

// ID appends the key of an external id.
func (k Keyspace) ID(dst []byte, id string) []byte {
	return append(k.Prefix(dst, TableID), id...)
}

// Meta returns the key of a bookkeeping value.
func (k Keyspace) Meta(name string) []byte {
	return append(k.Prefix(nil, TableMeta), name...)
}

// WordKey appends the key of a word's block; block is row >> 16.
func (k Keyspace) WordKey(dst []byte, t Table, word []byte, block uint16) []byte {
	dst = binary.BigEndian.AppendUint16(k.Prefix(dst, t), block>>4)
	dst = AppendTerminated(dst, word)
	return append(dst, byte(block&15))
}

// ValueKey appends the key of a block under a name in key form (see the functions
// below).
func (k Keyspace) ValueKey(dst []byte, t Table, name []byte, block uint16) []byte {
	return binary.BigEndian.AppendUint16(append(k.Prefix(dst, t), name...), block)
}

// WordsKey appends the key of a word's counts.
func (k Keyspace) WordsKey(dst []byte, word []byte) []byte {
	return append(k.Prefix(dst, TableWords), word...)
}

// Names of value keys.

// CountName appends the name of a posting list by the number of tokens of a field.
func CountName(dst []byte, fid uint16, count uint8) []byte {
	return append(binary.BigEndian.AppendUint16(dst, fid), count)
}

// StateName appends the name of a posting list by a state of a field.
func StateName(dst []byte, fid uint16, kind byte) []byte {
	return append(binary.BigEndian.AppendUint16(dst, fid), kind)
}

// NumberName appends the name of a posting list by a number, in its ordered form.
func NumberName(dst []byte, fid uint16, ordered uint64) []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint16(dst, fid), ordered)
}

// StringName appends the name of a posting list by a facet form.
func StringName(dst []byte, fid uint16, form []byte) []byte {
	return AppendTerminated(binary.BigEndian.AppendUint16(dst, fid), form)
}

// AppendTerminated appends a string so that keys sort like strings. A zero byte becomes
// 0 255, and a single zero byte ends the string. The byte after the end is always below
// 255.
func AppendTerminated(dst, s []byte) []byte {
	return append(AppendEscaped(dst, s), 0)
}

// AppendEscaped is AppendTerminated without the end.
func AppendEscaped(dst, s []byte) []byte {
	for {
		i := bytes.IndexByte(s, 0)
		if i < 0 {
			return append(dst, s...)
		}
		dst = append(append(dst, s[:i]...), 0, 0xff)
		s = s[i+1:]
	}
}

// CutTerminated decodes a string of AppendTerminated and returns the rest of the key.
// The string aliases key unless it has zero bytes.
func CutTerminated(key []byte) (s, rest []byte, ok bool) {
	i := bytes.IndexByte(key, 0)
	if i < 0 {
		return nil, nil, false
	}
	if i+1 == len(key) || key[i+1] != 0xff {
		return key[:i], key[i+1:], true
	}
	var out []byte
	for {
		out = append(append(out, key[:i]...), 0)
		key = key[i+2:]
		if i = bytes.IndexByte(key, 0); i < 0 {
			return nil, nil, false
		}
		if i+1 == len(key) || key[i+1] != 0xff {
			return append(out, key[:i]...), key[i+1:], true
		}
	}
}

// After returns the smallest key greater than all keys with a prefix.
func After(prefix []byte) []byte {
	out := bytes.Clone(prefix)
	for i := len(out) - 1; i >= 0; i-- {
		if out[i]++; out[i] != 0 {
			return out[:i+1]
		}
	}
	return nil
}

// KeyOf reads the shard of a key.
func KeyOf(key []byte) wire.ShardKey {
	return wire.ShardKey{IndexID: binary.BigEndian.Uint32(key), Shard: binary.BigEndian.Uint16(key[6:])}
}

// GenerationOf reads the generation of a key.
func GenerationOf(key []byte) uint16 { return binary.BigEndian.Uint16(key[4:]) }

// TablePrefixed reports whether a key is in the table with a prefix.
func TablePrefixed(key, prefix []byte) bool {
	return len(key) >= len(prefix) && string(key[:len(prefix)]) == string(prefix)
}
