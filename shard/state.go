package shard

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"shoal/api"
	"shoal/wire"
)

// Names in tableMeta.
const (
	metaState    = "state"
	metaSettings = "settings" // JSON of api.Settings
	metaFields   = "fields"   // names in field-id order
)

// state is what a shard knows of itself at one version, stored with it.
type state struct {
	Version uint64 `msgpack:"v"`
	// DeltaID names the delta that led here; Term is its builder's.
	DeltaID     string           `msgpack:"d"`
	Term        uint64           `msgpack:"t"`
	PrimaryKey  string           `msgpack:"pk"`
	Generations wire.Generations `msgpack:"g"`

	Documents         uint64 `msgpack:"n"`
	RawBytes          uint64 `msgpack:"b"`
	Embeddings        uint64 `msgpack:"e"`
	EmbeddedDocuments uint64 `msgpack:"ed"`
	// Present counts the documents that have a top-level field, by field id.
	Present []uint64 `msgpack:"p"`
}

// stats renders the figures for the catalogue.
func (s *state) stats(fields []string) wire.ShardStats {
	out := wire.ShardStats{
		Documents: s.Documents, RawBytes: s.RawBytes,
		Embeddings: s.Embeddings, EmbeddedDocuments: s.EmbeddedDocuments,
	}
	for fid, n := range s.Present {
		if n > 0 && fid < len(fields) {
			out.Fields = append(out.Fields, wire.FieldCount{Field: fields[fid], Count: n})
		}
	}
	slices.SortFunc(out.Fields, func(a, b wire.FieldCount) int { return strings.Compare(a.Field, b.Field) })
	return out
}

// tally is a change of the figures, summed up over the workers of a build.
type tally struct {
	documents, rawBytes, embeddings, embedded int64
	present                                   []int64 // by field id
}

func newTally(fields int) tally { return tally{present: make([]int64, fields)} }

func (t *tally) add(o tally) {
	t.documents += o.documents
	t.rawBytes += o.rawBytes
	t.embeddings += o.embeddings
	t.embedded += o.embedded
	for i, n := range o.present {
		t.present[i] += n
	}
}

func (s *state) apply(t tally) {
	s.Documents = uint64(int64(s.Documents) + t.documents)
	s.RawBytes = uint64(int64(s.RawBytes) + t.rawBytes)
	s.Embeddings = uint64(int64(s.Embeddings) + t.embeddings)
	s.EmbeddedDocuments = uint64(int64(s.EmbeddedDocuments) + t.embedded)
	present := make([]uint64, max(len(s.Present), len(t.present)))
	copy(present, s.Present)
	for i, n := range t.present {
		present[i] = uint64(int64(present[i]) + n)
	}
	s.Present = present
}

// decodeSettings decodes stored settings; none at all are the defaults.
func decodeSettings(raw []byte) (*api.Settings, error) {
	if len(raw) == 0 {
		return api.DefaultSettings(), nil
	}
	s := &api.Settings{}
	if err := json.Unmarshal(raw, s); err != nil {
		return nil, fmt.Errorf("shard: stored settings: %w", err)
	}
	return s, nil
}
