package version

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cockroachdb/pebble/v2"

	"shoal/api/settings"
	"shoal/shard/store"
	"shoal/wire"
)

// Names in TableMeta.
const (
	MetaState    = "state"
	MetaSettings = "settings" // JSON of settings.Settings
	MetaFields   = "fields"   // names in field-id order
)

// State is the bookkeeping of a shard at one version, stored with it.
type State struct {
	Version uint64 `msgpack:"v"`
	// DeltaID identifies the delta that led here. Term is that of its builder.
	DeltaID     string           `msgpack:"d"`
	Term        uint64           `msgpack:"t"`
	PrimaryKey  string           `msgpack:"pk"`
	Generations wire.Generations `msgpack:"g"`
	// Rows means that documents are numbered without gaps, by row (package rows).
	// Otherwise the rows are the ordinals.
	Rows bool `msgpack:"r"`

	Documents         uint64 `msgpack:"n"`
	RawBytes          uint64 `msgpack:"b"`
	Embeddings        uint64 `msgpack:"e"`
	EmbeddedDocuments uint64 `msgpack:"ed"`
	// Present counts the documents with a top-level field, by field id.
	Present []uint64 `msgpack:"p"`
}

// Written returns the id of the delta that the store holds of a shard, whichever
// version is published. It is "" if there is none.
func Written(s *store.Store, key wire.ShardKey) (deltaID string, err error) {
	value, closer, err := s.DB.Get(store.Keyspace{Key: key}.Meta(MetaState))
	if errors.Is(err, pebble.ErrNotFound) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, closer.Close()) }()
	state, err := decodeState(value)
	return state.DeltaID, err
}

// Gone reports whether the store has nothing of a shard. A read error does not make it
// gone.
func Gone(s *store.Store, key wire.ShardKey) (bool, error) {
	_, closer, err := s.DB.Get(store.Keyspace{Key: key}.Meta(MetaState))
	if err != nil {
		return errors.Is(err, pebble.ErrNotFound), nil
	}
	return false, closer.Close()
}

// decodeState decodes a stored state.
func decodeState(value []byte) (state State, err error) {
	if err := wire.Unmarshal(value, &state); err != nil {
		return State{}, fmt.Errorf("shard: stored state: %w", err)
	}
	return state, nil
}

// Stats returns the figures for the catalogue.
func (s *State) Stats(fields []string) wire.ShardStats {
	out := wire.ShardStats{
		Documents: s.Documents, RawBytes: s.RawBytes,
		Embeddings: s.Embeddings, EmbeddedDocuments: s.EmbeddedDocuments, Rows: s.Rows,
	}
	for fid, n := range s.Present {
		if n > 0 && fid < len(fields) {
			out.Fields = append(out.Fields, wire.FieldCount{Field: fields[fid], Count: n})
		}
	}
	slices.SortFunc(out.Fields, func(a, b wire.FieldCount) int { return strings.Compare(a.Field, b.Field) })
	return out
}

// Tally is a change of the figures, summed over the workers of a build.
type Tally struct {
	Documents, RawBytes, Embeddings, Embedded int64
	Present                                   []int64 // by field id
}

// NewTally returns a tally for a number of fields.
func NewTally(fields int) Tally { return Tally{Present: make([]int64, fields)} }

// Add adds another tally with as many fields.
func (t *Tally) Add(o Tally) {
	t.Documents += o.Documents
	t.RawBytes += o.RawBytes
	t.Embeddings += o.Embeddings
	t.Embedded += o.Embedded
	for i, n := range o.Present {
		t.Present[i] += n
	}
}

// Apply changes the figures of a state.
func (t *Tally) Apply(s *State) {
	s.Documents = uint64(int64(s.Documents) + t.Documents)
	s.RawBytes = uint64(int64(s.RawBytes) + t.RawBytes)
	s.Embeddings = uint64(int64(s.Embeddings) + t.Embeddings)
	s.EmbeddedDocuments = uint64(int64(s.EmbeddedDocuments) + t.Embedded)
	present := make([]uint64, max(len(s.Present), len(t.Present)))
	copy(present, s.Present)
	for i, n := range t.Present {
		present[i] = uint64(int64(present[i]) + n)
	}
	s.Present = present
}

// DecodeSettings decodes stored settings; empty input gives the defaults. Do not modify
// them: shards with equal settings share them.
func DecodeSettings(raw []byte) (*settings.Settings, error) {
	s, err := wire.DecodeSettings(raw)
	if err != nil {
		return nil, fmt.Errorf("shard: %w", err)
	}
	return s, nil
}
