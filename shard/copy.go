package shard

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/google/uuid"

	"shoal/wire"
)

// SendCopy writes a whole shard at its newest version here, which must be at
// least version, for another node's Receive. It returns the version written.
// The stream comes from one snapshot; the shard goes on meanwhile.
func (h *Host) SendCopy(ctx context.Context, key wire.ShardKey, version uint64, w io.Writer) (uint64, error) {
	v, err := h.View(ctx, &wire.PinnedIndex{Key: key, Version: version})
	if err != nil {
		return 0, err
	}
	err = v.core.sendCopy(ctx, w)
	return v.state.Version, errors.Join(err, v.Close())
}

func (c *core) sendCopy(ctx context.Context, w io.Writer) error {
	head := &deltaHead{
		Format: deltaFormat, Key: c.keys.key, ID: "copy-" + uuid.NewString(), Term: c.state.Term,
		Version: c.state.Version, Whole: true,
	}
	if err := writeShipHead(w, head); err != nil {
		return err
	}
	out := newRunWriter(w)
	tables := newCollector(c.keys).order
	for _, t := range tables {
		if t == tablePending {
			continue
		}
		if err := c.sendTable(ctx, t, out); err != nil {
			return err
		}
	}
	return out.close()
}

func (c *core) sendTable(ctx context.Context, t table, out *runWriter) error {
	prefix := c.keys.prefix(nil, t)
	it := c.borrow()
	defer c.giveBack(it)
	n := 0
	for more := it.SeekGE(prefix); more && tablePrefixed(it.Key(), prefix); more = it.Next() {
		if n++; n&0xfff == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		value, err := it.ValueAndErr()
		if err != nil {
			return err
		}
		if err := out.add(op{kind: opSet, key: it.Key(), value: value}); err != nil {
			return err
		}
	}
	return it.Error()
}

// receiveCopy replaces the shard by a copy.
func (r *replica) receiveCopy(head *deltaHead, in io.Reader) error {
	r.installing.Lock()
	defer r.installing.Unlock()
	if r.newest.Load() > head.Version {
		return fmt.Errorf("shard %v: a copy of version %d is older than what is here: %w", r.key, head.Version, wire.ErrFenced)
	}
	var err error
	if head.Drop, err = r.host.wholeShard(r.key); err != nil {
		return err
	}
	sink := r.host.newSink(head)
	sink.large = true // files bring their deletions along, whatever the size
	run := newRunReader(in)
	for {
		o, ok, e := run.next()
		if e == nil && ok {
			if !r.owns(o.key) {
				e = fmt.Errorf("shard %v: a copy holds foreign keys: %w", r.key, errCorruptValue)
			} else {
				e = sink.add(o)
			}
		}
		if e != nil {
			return errors.Join(e, sink.abort(), r.host.dropFiles(head, len(sink.files)+1))
		}
		if !ok {
			break
		}
	}
	if head.Files, _, head.Bytes, err = sink.finish(); err != nil {
		return errors.Join(err, sink.abort(), r.host.dropFiles(head, len(sink.files)+1))
	}
	err = r.ingest(head)
	if err == nil {
		err = r.renew(head, nil)
	}
	return errors.Join(err, r.host.dropFiles(head, len(head.Files)))
}

// owns tells whether a key belongs to the shard and may be part of a copy.
func (r *replica) owns(key []byte) bool {
	return len(key) >= prefixLen && binary.BigEndian.Uint32(key) == r.key.IndexID &&
		binary.BigEndian.Uint16(key[6:]) == r.key.Shard && tableOf(key) != tablePending
}

// wholeShard lists the key ranges in which a shard has anything but pending
// deltas, ascending.
func (h *Host) wholeShard(key wire.ShardKey) ([]keyRange, error) {
	it, err := h.store.db.NewIter(nil)
	if err != nil {
		return nil, err
	}
	var out []keyRange
	for generation := uint32(0); generation <= 0xffff; generation++ {
		lo, hi := appendPrefix(nil, key, uint16(generation), 0), appendPrefix(nil, key, uint16(generation), 0xff)
		if !it.SeekGE(lo) {
			break
		}
		at := slices.Clone(it.Key())
		if len(at) < prefixLen || binary.BigEndian.Uint32(at) != key.IndexID {
			break
		}
		if string(at) < string(hi) {
			if generation == 0 {
				out = append(out,
					keyRange{lo, appendPrefix(nil, key, 0, tablePending)},
					keyRange{appendPrefix(nil, key, 0, tablePending+1), hi})
			} else {
				out = append(out, keyRange{lo, hi})
			}
			continue
		}
		// Nothing of this generation: go on with the next that has keys.
		if next := uint32(binary.BigEndian.Uint16(at[4:])); next > generation+1 {
			generation = next - 1
		}
	}
	return out, errors.Join(it.Error(), it.Close())
}
