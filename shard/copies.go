package shard

import (
	"bufio"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/cockroachdb/pebble/v2"
	"github.com/google/uuid"

	"shoal/shard/pending"
	"shoal/shard/shipment"
	"shoal/shard/store"
	"shoal/shard/version"
	"shoal/wire"
)

// Copies exchange deltas and whole shards with other nodes. Safe for concurrent use.
type Copies struct {
	*resources
	calls    *calls
	replicas *replicas
	searches *Searches
	repair   *repair
}

// shipBuffer buffers the small fields. Larger reads bypass it.
const shipBuffer = 16 << 10

// Send writes a pending or kept delta for another node's Receive. The error is
// wire.ErrGone if the delta is not here.
func (c *Copies) Send(ref *wire.PendingRef, w io.Writer) error {
	if err := c.calls.enter(); err != nil {
		return err
	}
	defer c.calls.leave()
	r, err := c.replicas.loaded(ref.Key)
	if err != nil {
		return err
	}
	r.mu.Lock()
	p := r.pending[ref.DeltaID]
	r.mu.Unlock()
	if p == nil {
		return fmt.Errorf("shard %v: delta %s: %w", ref.Key, ref.DeltaID, wire.ErrGone)
	}
	return r.send(p.head.Version, p.head.ID, w)
}

// send writes a delta that is here in the form of package shipment.
func (r *replica) send(version uint64, id string, w io.Writer) error {
	head, ops, err := r.table.Get(r.key, version, id)
	if err != nil {
		return err
	}
	if err := shipment.WriteHead(w, &head); err != nil {
		return err
	}
	if len(head.Files) == 0 {
		return shipment.WriteOps(w, ops)
	}
	return shipment.WriteFiles(w, r.store, &head)
}

// Receive reads the output of another node's Send or SendCopy. When it returns, a delta
// is durable as pending, and a copy is in effect. A delta that is already here is read
// and ignored.
func (c *Copies) Receive(in io.Reader) (wire.PendingRef, error) {
	if err := c.calls.enter(); err != nil {
		return wire.PendingRef{}, err
	}
	defer c.calls.leave()
	br := bufio.NewReaderSize(in, shipBuffer)
	head, err := shipment.ReadHead(br)
	if err != nil {
		return wire.PendingRef{}, err
	}
	ref := wire.PendingRef{Key: head.Key, Term: head.Term, Base: head.Base, DeltaID: head.ID}
	r, err := c.replicas.loaded(head.Key)
	if _, damaged := c.faults.Of(head.Key); damaged && !head.Whole {
		err = cmp.Or(err, c.faults.Refusal(head.Key))
	} else if damaged {
		err = nil // the copy replaces it
	}
	if err != nil {
		return ref, err
	}
	if head.Whole {
		return ref, c.receiveCopy(r, &head, br)
	}
	if r.holds(head.ID) {
		_, err := io.Copy(io.Discard, br)
		return ref, err
	}
	return ref, r.receive(&head, br)
}

// receive reads the rest of a delta and keeps it.
func (r *replica) receive(head *store.Head, in io.Reader) error {
	if len(head.Files) == 0 {
		ops, err := shipment.ReadOps(in)
		if err != nil {
			return err
		}
		return r.keep(head, ops)
	}
	if err := shipment.ReadFiles(in, r.store, head); err != nil {
		return err
	}
	err := r.keep(head, nil)
	if err != nil {
		err = errors.Join(err, r.store.DropFiles(head, len(head.Files)))
	}
	return err
}

// SendCopy writes the newest version of a whole shard for another node's Receive and
// returns its number. It fails unless that is at least version. The stream is one
// snapshot, so the shard may change meanwhile.
func (c *Copies) SendCopy(ctx context.Context, key wire.ShardKey, version uint64, w io.Writer) (uint64, error) {
	v, err := c.searches.View(ctx, &wire.PinnedIndex{Key: key, Version: version})
	if err != nil {
		return 0, err
	}
	err = c.faults.Translate(sendCopy(ctx, v.Version, w), key)
	return v.State().Version, errors.Join(err, v.Close())
}

func sendCopy(ctx context.Context, c *version.Version, w io.Writer) error {
	head := &store.Head{
		Format: store.FormatOf(c.State().Rows), Key: c.Keys().Key, ID: pending.CopyID + uuid.NewString(), Term: c.State().Term,
		Version: c.State().Version, Whole: true,
	}
	if err := shipment.WriteHead(w, head); err != nil {
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
// arrived, because it may be the last copy of which anything can be read. The error is
// wire.ErrNoShard if the shard was dropped while the copy waited for another change.
func (c *Copies) receiveCopy(r *replica, head *store.Head, in io.Reader) error {
	r.installing.Lock()
	defer r.installing.Unlock()
	if r.dropped() {
		return fmt.Errorf("shard %v: %w", r.key, wire.ErrNoShard)
	}
	_, damaged := c.faults.Of(r.key)
	if !damaged && r.newest.Load() > head.Version {
		return fmt.Errorf("shard %v: a copy of version %d is older than the shard here: %w", r.key, head.Version, wire.ErrFenced)
	}
	var err error
	if !damaged {
		head.Drop, err = wholeShard(c.store, r.key)
	}
	if err != nil {
		return c.faults.Translate(err, r.key)
	}
	sink := c.store.NewSink(head, c.limits)
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
			return errors.Join(e, sink.Abort(), c.store.DropFiles(head, len(sink.Files)+1))
		}
		if !ok {
			break
		}
	}
	if head.Files, _, head.Bytes, err = sink.Finish(); err != nil {
		return errors.Join(err, sink.Abort(), c.store.DropFiles(head, len(sink.Files)+1))
	}
	if damaged {
		err = c.repair.empty(r)
	}
	if err == nil {
		err = r.ingest(head, func(*pebble.Batch) error { return nil })
		c.arrivals.Add(1) // as in keep
	}
	if err == nil {
		err = r.renew(&preparedInstall{head: *head})
	}
	if err == nil && damaged {
		err = c.repair.repaired(r.key)
	}
	return errors.Join(err, c.store.DropFiles(head, len(head.Files)))
}

// owns reports whether a key belongs to the shard and may be part of a copy.
func (r *replica) owns(key []byte) bool {
	return len(key) >= store.PrefixLen && binary.BigEndian.Uint32(key) == r.key.IndexID &&
		binary.BigEndian.Uint16(key[6:]) == r.key.Shard && store.TableOf(key) != store.TablePending
}
