package pending

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"shoal/shard/store"
	"shoal/wire"
)

// Table is the table of pending deltas in the store of a node. The stored value of a
// delta is its head with a length prefix, then the ops of a small delta. The files of a
// large delta are in the staging folder. Safe for concurrent use.
type Table struct{ *store.Store }

func key(shard wire.ShardKey, version uint64, id string) []byte {
	key := binary.BigEndian.AppendUint64(store.AppendPrefix(nil, shard, 0, store.TablePending), version)
	return append(key, id...)
}

// Encode returns the stored value of a delta. It ends with the ops.
func Encode(head *store.Head, ops []byte) ([]byte, error) {
	raw, err := wire.Marshal(head)
	if err != nil {
		return nil, err
	}
	value := binary.AppendUvarint(make([]byte, 0, len(raw)+len(ops)+8), uint64(len(raw)))
	return append(append(value, raw...), ops...), nil
}

// decode reads what Encode wrote. The ops are a part of value.
func decode(value []byte) (head store.Head, ops []byte, err error) {
	n, w := binary.Uvarint(value)
	if w <= 0 || n > uint64(len(value)-w) {
		return head, nil, store.ErrCorruptValue
	}
	if err := wire.Unmarshal(value[w:w+int(n)], &head); err != nil {
		return head, nil, fmt.Errorf("shard: pending delta: %w", err)
	}
	if !head.Known() {
		return head, nil, fmt.Errorf("shard: pending delta has unknown format %d", head.Format)
	}
	return head, value[w+int(n):], nil
}

// Put stores the value of a delta, whose files are durable already. When it returns, the
// delta is durable. After an error it may be there, too.
func (t Table) Put(head *store.Head, value []byte) error {
	return t.DB.Set(key(head.Key, head.Version, head.ID), value, pebble.Sync)
}

// Get reads one delta. ops are nil for a large one; the caller owns them.
func (t Table) Get(shard wire.ShardKey, version uint64, id string) (head store.Head, ops []byte, err error) {
	value, closer, err := t.DB.Get(key(shard, version, id))
	if err != nil {
		return head, nil, err
	}
	head, ops, err = decode(value)
	ops = slices.Clone(ops)
	return head, ops, errors.Join(err, closer.Close())
}

// Delete removes a delta and its files, not durably.
func (t Table) Delete(head *store.Head) error {
	err := t.DB.Delete(key(head.Key, head.Version, head.ID), pebble.NoSync)
	return errors.Join(err, t.DropFiles(head, len(head.Files)))
}

// Heads reads the heads of all deltas within the bounds of it. After an error it returns
// those before.
func Heads(it *pebble.Iterator) (heads []store.Head, err error) {
	for more := it.First(); more; more = it.Next() {
		value, err := it.ValueAndErr()
		if err != nil {
			return heads, err
		}
		head, _, err := decode(value)
		if err != nil {
			return heads, err
		}
		heads = append(heads, head)
	}
	return heads, it.Error()
}
