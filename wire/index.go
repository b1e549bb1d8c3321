package wire

import (
	"encoding/json"
	"slices"
	"sync/atomic"

	"github.com/cespare/xxhash/v2"

	"shoal/api/settings"
)

// MaxFields bounds the field names that an index may ever have (spec write-api 6.8).
const MaxFields = 1 << 16

// documentPage is the page size in which document sizes are counted, in bytes.
const documentPage = 4096

// Documents returns the number of documents at the published version.
func (x *Index) Documents() uint64 {
	n := uint64(0)
	for i := range x.Stats {
		n += x.Stats[i].Documents
	}
	return n
}

// Sparse tells whether the index has several shards, of which some number their documents by
// ordinal instead of without gaps, as former programs did.
func (x *Index) Sparse() bool {
	return len(x.Shards) > 1 && slices.ContainsFunc(x.Stats, func(s ShardStats) bool { return s.Documents > 0 && !s.Rows })
}

// DocumentBytes returns the size of the documents. The reference counts it in pages of its
// store, and clients compare the numbers. So this method rounds the documents' own bytes to
// pages, whatever the number of shards.
func (x *Index) DocumentBytes() uint64 {
	n := uint64(0)
	for i := range x.Stats {
		n += x.Stats[i].RawBytes
	}
	return (n + documentPage - 1) / documentPage * documentPage
}

// SetPrimaryKey sets the primary key and reserves a field id for its name; nil changes nothing.
// Use it only for an index that is not published yet.
func (x *Index) SetPrimaryKey(key *string) {
	if key == nil {
		return
	}
	x.PrimaryKey = key
	if !slices.Contains(x.Fields, *key) && len(x.Fields) < MaxFields {
		x.Fields = append(x.Fields, *key)
	}
}

// FieldID returns the id of a field.
func (x *Index) FieldID(name string) (uint16, bool) {
	for i, f := range x.Fields {
		if f == name {
			return uint16(i), true
		}
	}
	return 0, false
}

// ShardNumbered returns a shard by number, among the serving ones and those being built; nil if
// there is none.
func (x *Index) ShardNumbered(number uint16) *Shard {
	for _, list := range [][]Shard{x.Shards, x.Next} {
		for i := range list {
			if list[i].Number == number {
				return &list[i]
			}
		}
	}
	return nil
}

// ShardOfSlot returns the shard that serves a slot; nil if there is none.
func (x *Index) ShardOfSlot(slot uint16) *Shard {
	for i := range x.Shards {
		if s := &x.Shards[i]; uint32(slot) >= s.SlotLo && uint32(slot) < s.SlotHi {
			return s
		}
	}
	return nil
}

// ReplicaOn returns the copy on a node; nil if the node has none.
func (s *Shard) ReplicaOn(node NodeID) *Replica {
	for i := range s.Replicas {
		if s.Replicas[i].Node == node {
			return &s.Replicas[i]
		}
	}
	return nil
}

// EncodeSettings returns the stored form of settings. Equal settings give equal bytes: maps are
// written in key order.
func EncodeSettings(s *settings.Settings) []byte {
	data, err := json.Marshal(s)
	if err != nil {
		panic("wire: settings do not encode: " + err.Error()) // a programming error: all members are plain
	}
	return data
}

// NewestDelta returns the delta that led to the published version, "" for none so far.
func (s *Shard) NewestDelta() string {
	if n := len(s.Deltas); n > 0 {
		return s.Deltas[n-1].ID
	}
	return ""
}

// settingsCache decodes the settings of an Index on first use. Decoding is repeatable, so a
// race only costs work.
type settingsCache struct {
	p atomic.Pointer[settings.Settings]
}

func (c *settingsCache) get(raw []byte) *settings.Settings {
	if s := c.p.Load(); s != nil {
		return s
	}
	// The bytes come from EncodeSettings and are covered by the log's checksums, so a failure
	// here is a bug.
	s, err := DecodeSettings(raw)
	if err != nil {
		panic("wire: settings of a committed index do not decode: " + err.Error())
	}
	c.p.Store(s)
	return s
}

// SlotOf returns the hash slot of a document: the top 16 bits of the 64-bit xxHash of its
// external id in text form (3 and "3" are one id). It must never change, because it determines
// the shard of a document (architecture 6).
func SlotOf(externalID string) uint16 { return uint16(xxhash.Sum64String(externalID) >> 48) }

// SlotOfBytes is SlotOf for an id in a byte slice.
func SlotOfBytes(externalID []byte) uint16 { return uint16(xxhash.Sum64(externalID) >> 48) }
