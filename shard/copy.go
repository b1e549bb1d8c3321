package shard

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/cockroachdb/pebble/v2"
	"github.com/google/uuid"

	"shoal/shard/store"
	"shoal/shard/version"
	"shoal/wire"
)

// copyID is the prefix of the ids of copies.
const copyID = "copy-"

// SendCopy writes the newest version of a whole shard for another node's Receive and
// returns its number. It fails unless that is at least version. The stream is one
// snapshot, so the shard may change meanwhile.
func (h *Host) SendCopy(ctx context.Context, key wire.ShardKey, version uint64, w io.Writer) (uint64, error) {
	v, err := h.View(ctx, &wire.PinnedIndex{Key: key, Version: version})
	if err != nil {
		return 0, err
	}
	err = h.fault(sendCopy(ctx, v.Version, w), key)
	return v.State().Version, errors.Join(err, v.Close())
}

func sendCopy(ctx context.Context, c *version.Version, w io.Writer) error {
	head := &store.Head{
		Format: store.FormatOf(c.State().Rows), Key: c.Keys().Key, ID: copyID + uuid.NewString(), Term: c.State().Term,
		Version: c.State().Version, Whole: true,
	}
	if err := writeShipHead(w, head); err != nil {
		return err
	}
	out := store.NewCopyWriter(w)
	for _, t := range c.Keys().Tables() {
		if t == store.TablePending {
			continue
		}
		if err := sendTable(ctx, c, t, out); err != nil {
			return err
		}
	}
	return out.Close()
}

func sendTable(ctx context.Context, c *version.Version, t store.Table, out *store.RunWriter) error {
	prefix := c.Keys().Prefix(nil, t)
	it := c.Borrow(prefix)
	defer c.GiveBack(it)
	n := 0
	for more := it.First(); more; more = it.Next() {
		if n++; n&0xfff == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		value, err := it.ValueAndErr()
		if err != nil {
			return err
		}
		if err := out.Add(store.Op{Kind: store.OpSet, Key: it.Key(), Value: value}); err != nil {
			return err
		}
	}
	return it.Error()
}

// receiveCopy replaces the shard by a copy. Damaged data stays until the whole copy has
// arrived, because it may be the last copy of which anything can be read.
func (r *replica) receiveCopy(head *store.Head, in io.Reader) error {
	r.installing.Lock()
	defer r.installing.Unlock()
	_, damaged := r.host.damages.of(r.key)
	if !damaged && r.newest.Load() > head.Version {
		return fmt.Errorf("shard %v: a copy of version %d is older than the shard here: %w", r.key, head.Version, wire.ErrFenced)
	}
	var err error
	if !damaged {
		head.Drop, err = r.host.wholeShard(r.key)
	}
	if err != nil {
		return r.host.fault(err, r.key)
	}
	sink := r.host.store.NewSink(head, r.host.o.limits)
	sink.Large = true // the files contain their deletions, whatever the size
	run := store.NewRunReader(in)
	for {
		o, ok, e := run.Next()
		if e == nil && ok {
			if !r.owns(o.Key) {
				e = fmt.Errorf("shard %v: a copy holds foreign keys: %w", r.key, store.ErrCorruptValue)
			} else {
				e = sink.Add(o)
			}
		}
		if e != nil {
			return errors.Join(e, sink.Abort(), r.host.store.DropFiles(head, len(sink.Files)+1))
		}
		if !ok {
			break
		}
	}
	if head.Files, _, head.Bytes, err = sink.Finish(); err != nil {
		return errors.Join(err, sink.Abort(), r.host.store.DropFiles(head, len(sink.Files)+1))
	}
	if damaged {
		err = r.empty()
	}
	if err == nil {
		err = r.ingest(head, func(*pebble.Batch) error { return nil })
		r.host.arrivals.Add(1) // as in keep
	}
	if err == nil {
		err = r.renew(&preparedInstall{head: *head})
	}
	if err == nil && damaged {
		err = r.host.repaired(r.key)
	}
	return errors.Join(err, r.host.store.DropFiles(head, len(head.Files)))
}

// owns reports whether a key belongs to the shard and may be part of a copy.
func (r *replica) owns(key []byte) bool {
	return len(key) >= store.PrefixLen && binary.BigEndian.Uint32(key) == r.key.IndexID &&
		binary.BigEndian.Uint16(key[6:]) == r.key.Shard && store.TableOf(key) != store.TablePending
}

// wholeShard lists the key ranges, ascending, that hold data of a shard other than
// pending deltas.
func (h *Host) wholeShard(key wire.ShardKey) ([]store.KeyRange, error) {
	it, err := h.store.DB.NewIter(nil)
	if err != nil {
		return nil, err
	}
	var out []store.KeyRange
	for generation := uint32(0); generation <= 0xffff; generation++ {
		lo, hi := store.AppendPrefix(nil, key, uint16(generation), 0), store.AppendPrefix(nil, key, uint16(generation), 0xff)
		if !it.SeekGE(lo) {
			break
		}
		at := slices.Clone(it.Key())
		if len(at) < store.PrefixLen || binary.BigEndian.Uint32(at) != key.IndexID {
			break
		}
		if string(at) < string(hi) {
			if generation == 0 {
				out = append(out,
					store.KeyRange{Lo: lo, Hi: store.AppendPrefix(nil, key, 0, store.TablePending)},
					store.KeyRange{Lo: store.AppendPrefix(nil, key, 0, store.TablePending+1), Hi: hi})
			} else {
				out = append(out, store.KeyRange{Lo: lo, Hi: hi})
			}
			continue
		}
		// This generation is empty. Continue with the next one that has keys.
		if next := uint32(binary.BigEndian.Uint16(at[4:])); next > generation+1 {
			generation = next - 1
		}
	}
	return out, errors.Join(it.Error(), it.Close())
}
