package state

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"shoal/wire"
)

// The state machine's keys are one letter and a big-endian number or a name:
//
//	m                  figures (see figures), rewritten with every ApplyBatch
//	t uid u32          task: renames uvarint . msgpack wire.Task
//	b uid u32          batch: msgpack batchRecord
//	h seq u64          rename of an index, for task history (see rename)
//	q seq u64          answered request id (see request)
//	i id u32           wire.Index
//	k uid              wire.Key
//	v name             wire.Value
//	n node id          wire.Node
//	a name             wire.Alias
const (
	figuresKey    = 'm'
	taskPrefix    = 't'
	batchPrefix   = 'b'
	renamePrefix  = 'h'
	requestPrefix = 'q'
	indexPrefix   = 'i'
	keyPrefix     = 'k'
	valuePrefix   = 'v'
	nodePrefix    = 'n'
	aliasPrefix   = 'a'
)

// figures are the counters of the state machine. They are stored in the same
// pebble batch as the effects of the entries up to Applied.
type figures struct {
	Applied       uint64 `msgpack:"a"`  // last entry whose effect is in the store
	Term          uint64 `msgpack:"t"`  // its term
	LastAt        int64  `msgpack:"at"` // time given to that entry, larger than any before
	Visible       int64  `msgpack:"v"`  // watermark that the newest entry carried
	Tasks         uint64 `msgpack:"nt"` // accepted enqueues = next task uid
	Batches       uint64 `msgpack:"nb"` // next batch uid
	NextIndex     uint32 `msgpack:"ni"`
	StageEpoch    uint64 `msgpack:"se"`
	MinStageEpoch uint64 `msgpack:"me"`
	FirstRequest  uint64 `msgpack:"fr"`
	NextRequest   uint64 `msgpack:"nr"`
	FirstRename   uint64 `msgpack:"fn"`
	NextRename    uint64 `msgpack:"nn"`
	Hash          uint64 `msgpack:"hs"` // running hash of the entries up to Applied (see history.go)
}

// batchRecord is a batch as stored, with what the batch filters need: unlike the
// history of tasks it is not rewritten by swaps and renames (spec tasks-auth-ops-api 4.7).
type batchRecord struct {
	Batch    wire.Batch  `msgpack:"b"`
	Indexes  []string    `msgpack:"x"` // of its tasks, sorted
	Kinds    []wire.Kind `msgpack:"k"` // of its tasks, sorted
	Statuses uint8       `msgpack:"s"` // bit per status of its tasks
	Global   bool        `msgpack:"g"` // holds a task without an index of its own
}

func (r *batchRecord) running() bool { return r.Batch.FinishedAt == 0 }

func u32Key(prefix byte, n uint32) []byte {
	return binary.BigEndian.AppendUint32([]byte{prefix}, n)
}

func u64Key(prefix byte, n uint64) []byte {
	return binary.BigEndian.AppendUint64([]byte{prefix}, n)
}

func nameKey(prefix byte, name string) []byte {
	return append([]byte{prefix}, name...)
}

// encodeTask renders a task together with the number of renames it has already
// been through.
func encodeTask(t *wire.Task, renames uint64) ([]byte, error) {
	body, err := wire.Marshal(t)
	if err != nil {
		return nil, fmt.Errorf("encode task %d: %w", t.UID, err)
	}
	out := make([]byte, 0, len(body)+binary.MaxVarintLen64)
	return append(binary.AppendUvarint(out, renames), body...), nil
}

var errTruncated = errors.New("truncated task record")

// splitTask separates a task record into its rename count and its body.
func splitTask(record []byte) (renames uint64, body []byte, err error) {
	renames, n := binary.Uvarint(record)
	if n <= 0 {
		return 0, nil, errTruncated
	}
	return renames, record[n:], nil
}

// decode reads one value of the store into v; ok is false when there is none.
func decode(db pebble.Reader, key []byte, v any) (ok bool, err error) {
	value, closer, err := db.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read %q: %w", key, err)
	}
	err = wire.Unmarshal(value, v)
	if cerr := closer.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return false, fmt.Errorf("decode %q: %w", key, err)
	}
	return true, nil
}

// scan calls visit for every pair under a prefix in key order. The slices are
// valid during the call only.
func scan(db pebble.Reader, prefix byte, visit func(key, value []byte) error) error {
	it, err := db.NewIter(&pebble.IterOptions{LowerBound: []byte{prefix}, UpperBound: []byte{prefix + 1}})
	if err != nil {
		return fmt.Errorf("scan %q: %w", prefix, err)
	}
	for it.First(); it.Valid(); it.Next() {
		if err := visit(it.Key(), it.Value()); err != nil {
			return errors.Join(fmt.Errorf("record %q: %w", it.Key(), err), it.Close())
		}
	}
	return it.Close()
}
