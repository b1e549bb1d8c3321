package codes

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"shoal/shard/vector"
	"shoal/shard/version"
	"shoal/wire"
)

// list names the files that apply to a version of a shard. Delta ids are unique, so
// what applies to a delta applies to the shard wherever that delta is the last one.
type list struct {
	Version    uint64  `msgpack:"v"`
	Delta      string  `msgpack:"d"`
	Generation uint16  `msgpack:"g"`
	Form       int     `msgpack:"m"` // vector.SheetForm of the files
	Files      []entry `msgpack:"f"`
}

// entry is the file of one block.
type entry struct {
	Block int    `msgpack:"b"`
	Name  string `msgpack:"n"`
}

// listOf returns the list of a version, without files.
func listOf(c *version.Version) *list {
	s := c.State()
	return &list{Version: s.Version, Delta: s.DeltaID, Generation: s.Generations.Vector, Form: vector.SheetForm}
}

// holdsFor reports whether both are of the same version and form.
func (l *list) holdsFor(o *list) bool {
	return l.Version == o.Version && l.Delta == o.Delta && l.Generation == o.Generation && l.Form == o.Form
}

func (l *list) equal(o *list) bool { return l.holdsFor(o) && slices.Equal(l.Files, o.Files) }

// has reports whether a file is in the list.
func (l *list) has(name string) bool {
	return slices.ContainsFunc(l.Files, func(e entry) bool { return e.Name == name })
}

var errList = errors.New("a list of files with codes of vectors is damaged")

// encode returns the list as stored in its file, with a checksum at the end.
func (l *list) encode() ([]byte, error) {
	data, err := wire.Marshal(l)
	return binary.LittleEndian.AppendUint64(data, xxhash.Sum64(data)), err
}

func decodeList(data []byte) (*list, error) {
	n := len(data) - 8
	if n < 0 || xxhash.Sum64(data[:n]) != binary.LittleEndian.Uint64(data[n:]) {
		return nil, errList
	}
	l := new(list)
	return l, wire.Unmarshal(data[:n], l)
}

// Names of files: INDEX-SHARD-GENERATION-BLOCK-VERSION.codes, numbers except VERSION in
// hexadecimal, and INDEX-SHARD.list.

const (
	codesSuffix = ".codes"
	listSuffix  = ".list"
)

// prefixOf returns the common prefix of the names of all files of a shard.
func prefixOf(key wire.ShardKey) string { return fmt.Sprintf("%08x-%04x", key.IndexID, key.Shard) }

func listName(key wire.ShardKey) string { return prefixOf(key) + listSuffix }

func sheetName(key wire.ShardKey, l *list, block int) string {
	return fmt.Sprintf("%s-%04x-%05x-%d%s", prefixOf(key), l.Generation, block, l.Version, codesSuffix)
}

// keyOf parses the shard in the name of a file. ok is false for one that is not ours.
func keyOf(name string) (key wire.ShardKey, ok bool) {
	if !strings.HasSuffix(name, codesSuffix) && !strings.HasSuffix(name, listSuffix) {
		return key, false
	}
	n, err := fmt.Sscanf(name, "%08x-%04x", &key.IndexID, &key.Shard)
	return key, err == nil && n == 2 && strings.HasPrefix(name, prefixOf(key))
}
