package shard

import (
	"bytes"
	"encoding/binary"

	"shoal/wire"
)

// table is the byte of a key that says what the rest of it means. The schema is
// part of the stored format; docs/adr and doc.go explain it.
type table byte

// Tables. Documents and bookkeeping live in generation 0; text, facet and vector
// tables in the generation of their group.
const (
	tableDocument table = 'd' // ordinal -> external id, stored document
	tableID       table = 'i' // external id -> ordinal
	tableLive     table = 'o' // block -> live ordinals (merge)
	tableMeta     table = 'm' // name -> bookkeeping
	tablePending  table = 'p' // version, delta id -> pending delta

	tableCount  table = 'c' // field, count, block -> documents (merge)
	tableWords  table = 'l' // word -> number of documents, tolerant and exact (merge: sum)
	tableTokens table = 't' // ordinal -> token record
	tableWord   table = 'w' // group, word, block -> documents (merge)
	tableExact  table = 'x' // group, word, block -> documents with exact occurrences (merge)

	tableState  table = 'e' // field, kind, block -> documents where the field exists, is null, is empty (merge)
	tableNumber table = 'n' // field, number, block -> documents (merge)
	tableString table = 's' // field, facet form, block -> documents (merge)
	tableValues table = 'v' // ordinal -> value record

	tableVector table = 'h' // ordinal -> vectors by embedder
)

// Kinds of tableState.
const (
	stateExists  = 'E'
	stateNull    = 'N'
	stateEmpty   = 'Y'
	stateGeo     = 'G' // has a geo point; field 0
	stateGeoJSON = 'J' // has _geojson; field 0
)

const (
	prefixLen  = 9
	groupShift = 20 // ordinals of a group share the leading part of word keys
)

var (
	docTables    = []table{tableDocument, tableID, tableLive, tableMeta, tablePending}
	textTables   = []table{tableCount, tableWords, tableTokens, tableWord, tableExact}
	facetTables  = []table{tableState, tableNumber, tableString, tableValues}
	vectorTables = []table{tableVector}
)

// keyspace builds the keys of one shard at given generations.
type keyspace struct {
	key wire.ShardKey
	gen wire.Generations
}

func (k keyspace) generation(t table) uint16 {
	switch t {
	case tableCount, tableWords, tableTokens, tableWord, tableExact:
		return k.gen.Text
	case tableState, tableNumber, tableString, tableValues:
		return k.gen.Facet
	case tableVector:
		return k.gen.Vector
	}
	return 0
}

// prefix appends the prefix of a table.
func (k keyspace) prefix(dst []byte, t table) []byte {
	return appendPrefix(dst, k.key, k.generation(t), t)
}

func appendPrefix(dst []byte, key wire.ShardKey, generation uint16, t table) []byte {
	dst = binary.BigEndian.AppendUint32(dst, key.IndexID)
	dst = binary.BigEndian.AppendUint16(dst, generation)
	dst = binary.BigEndian.AppendUint16(dst, key.Shard)
	return append(dst, byte(t))
}

// tableRange returns the bounds of a whole table.
func tableRange(key wire.ShardKey, generation uint16, t table) (lo, hi []byte) {
	return appendPrefix(nil, key, generation, t), appendPrefix(nil, key, generation, t+1)
}

// ordinal appends the key of a table by ordinal.
func (k keyspace) ordinal(dst []byte, t table, ord uint32) []byte {
	return binary.BigEndian.AppendUint32(k.prefix(dst, t), ord)
}

func (k keyspace) id(dst []byte, id string) []byte {
	return append(k.prefix(dst, tableID), id...)
}

func (k keyspace) meta(name string) []byte {
	return append(k.prefix(nil, tableMeta), name...)
}

// wordKey appends the key of a word's block; block is ordinal >> 16.
func (k keyspace) wordKey(dst []byte, t table, word []byte, block uint16) []byte {
	dst = binary.BigEndian.AppendUint16(k.prefix(dst, t), block>>4)
	dst = appendTerminated(dst, word)
	return append(dst, byte(block&15))
}

// valueKey appends the key of a block under a name that is already in key form
// (see the name functions).
func (k keyspace) valueKey(dst []byte, t table, name []byte, block uint16) []byte {
	return binary.BigEndian.AppendUint16(append(k.prefix(dst, t), name...), block)
}

// wordsKey appends the key of a word's counts.
func (k keyspace) wordsKey(dst []byte, word []byte) []byte {
	return append(k.prefix(dst, tableWords), word...)
}

// Names of value keys.

func countName(dst []byte, fid uint16, count uint8) []byte {
	return append(binary.BigEndian.AppendUint16(dst, fid), count)
}

func stateName(dst []byte, fid uint16, kind byte) []byte {
	return append(binary.BigEndian.AppendUint16(dst, fid), kind)
}

func numberName(dst []byte, fid uint16, ordered uint64) []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint16(dst, fid), ordered)
}

func stringName(dst []byte, fid uint16, form []byte) []byte {
	return appendTerminated(binary.BigEndian.AppendUint16(dst, fid), form)
}

// appendTerminated appends a string so that the order of keys is the order of
// strings: a zero byte becomes 0 255, a single zero byte ends it. What follows
// an end is always below 255.
func appendTerminated(dst, s []byte) []byte {
	return append(appendEscaped(dst, s), 0)
}

func appendEscaped(dst, s []byte) []byte {
	for {
		i := bytes.IndexByte(s, 0)
		if i < 0 {
			return append(dst, s...)
		}
		dst = append(append(dst, s[:i]...), 0, 0xff)
		s = s[i+1:]
	}
}

// cutTerminated reads a string written by appendTerminated and returns what
// follows it. The string aliases key unless it had zero bytes.
func cutTerminated(key []byte) (s, rest []byte, ok bool) {
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

// after returns the smallest key above all keys that start with prefix.
func after(prefix []byte) []byte {
	out := bytes.Clone(prefix)
	for i := len(out) - 1; i >= 0; i-- {
		if out[i]++; out[i] != 0 {
			return out[:i+1]
		}
	}
	return nil
}

// keyOf and generationOf read the prefix of a key.
func keyOf(key []byte) wire.ShardKey {
	return wire.ShardKey{IndexID: binary.BigEndian.Uint32(key), Shard: binary.BigEndian.Uint16(key[6:])}
}

func generationOf(key []byte) uint16 { return binary.BigEndian.Uint16(key[4:]) }
