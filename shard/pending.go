package shard

import (
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"shoal/shard/store"
	"shoal/shard/version"
	"shoal/wire"
)

const (
	// keepDeltas and keepDeltaBytes bound how long installed deltas are kept for absent
	// replicas.
	keepDeltas     = 10 * time.Minute
	keepDeltaBytes = 1 << 30
)

// pendingDelta is a delta that is durable here. It waits for its commit, or is
// installed and kept for replicas that missed it.
type pendingDelta struct {
	head      store.Head
	installed bool
	since     time.Time
	// prepared is the prepared part of its install on the newest version, or nil.
	prepared *preparedInstall
}

// The stored value of a pending delta is its head with a length prefix, then the ops of
// a small delta. The files of a large delta are in the staging folder.

func (r *replica) pendingKey(version uint64, id string) []byte {
	key := binary.BigEndian.AppendUint64(store.AppendPrefix(nil, r.key, 0, store.TablePending), version)
	return append(key, id...)
}

func encodePending(head *store.Head, ops []byte) ([]byte, error) {
	raw, err := wire.Marshal(head)
	if err != nil {
		return nil, err
	}
	value := binary.AppendUvarint(make([]byte, 0, len(raw)+len(ops)+8), uint64(len(raw)))
	return append(append(value, raw...), ops...), nil
}

func decodePending(value []byte) (head store.Head, ops []byte, err error) {
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

// keep makes a delta durable as pending: files first, then the synced value that names
// them. Then it drops superseded deltas and prepares the install. The error is
// wire.ErrFenced if a delta that supersedes this one is here.
func (r *replica) keep(head *store.Head, ops []byte) error {
	if r.isSuperseded(head) {
		return fmt.Errorf("shard %v: delta %s comes after a later attempt: %w", r.key, head.ID, wire.ErrFenced)
	}
	value, err := encodePending(head, ops)
	if err != nil {
		return err
	}
	if len(head.Files) > 0 {
		if err := r.host.store.SyncStaging(); err != nil {
			return err
		}
	}
	err = r.host.store.DB.Set(r.pendingKey(head.Version, head.ID), value, pebble.Sync)
	r.host.arrivals.Add(1) // it may be there despite an error
	if err != nil {
		return err
	}
	if err := r.addPending(head); err != nil {
		return err
	}
	if err := r.dropSuperseded(head); err != nil {
		return err
	}
	r.prepare(head, value[len(value)-len(ops):])
	return nil
}

// addPending lists a delta as pending.
func (r *replica) addPending(head *store.Head) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.gone {
		return wire.ErrNoShard
	}
	r.pending[head.ID] = &pendingDelta{head: *head, since: r.host.o.Now()}
	r.host.worklist.add(r)
	r.wake()
	return nil
}

// holds reports whether a delta is pending or kept here.
func (r *replica) holds(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.pending[id] != nil
}

// isPending reports whether a delta is pending here that leads beyond the newest version.
func (r *replica) isPending(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.pending[id]
	return p != nil && p.head.Version > r.newest.Load()
}

// loadPending reads the list of pending deltas. c is the version on disk.
func (r *replica) loadPending(c *version.Version) (map[string]*pendingDelta, error) {
	out := make(map[string]*pendingDelta)
	prefix := store.AppendPrefix(nil, r.key, 0, store.TablePending)
	it := c.Borrow(prefix)
	defer c.GiveBack(it)
	for more := it.First(); more; more = it.Next() {
		value, err := it.ValueAndErr()
		if err != nil {
			return nil, err
		}
		head, _, err := decodePending(value)
		if err != nil {
			return nil, err
		}
		out[head.ID] = &pendingDelta{head: head, installed: head.Version <= c.State().Version, since: r.host.o.Now()}
	}
	return out, it.Error()
}

// readPending reads one pending delta. ops are nil for a large one.
func (r *replica) readPending(version uint64, id string) (head store.Head, ops []byte, err error) {
	value, closer, err := r.host.store.DB.Get(r.pendingKey(version, id))
	if err != nil {
		return head, nil, err
	}
	head, ops, err = decodePending(value)
	ops = slices.Clone(ops)
	return head, ops, errors.Join(err, closer.Close())
}

// discard removes a pending delta and its files.
func (r *replica) discard(p *pendingDelta) error {
	r.mu.Lock()
	delete(r.pending, p.head.ID)
	r.mu.Unlock()
	err := r.host.store.DB.Delete(r.pendingKey(p.head.Version, p.head.ID), pebble.NoSync)
	return errors.Join(err, r.host.store.DropFiles(&p.head, len(p.head.Files)))
}

// heldByAll is the newest version whose deltas no other replica can lack: all replicas were
// in sync when it was published, so they hold it. It is 0 if one is away.
func (r *replica) heldByAll(x *wire.Index) uint64 {
	for i := range x.Shards {
		if s := &x.Shards[i]; s.Number == r.key.Shard && len(s.Replicas) > 0 {
			away := func(p wire.Replica) bool { return p.State != wire.InSync }
			if !slices.ContainsFunc(s.Replicas, away) {
				return x.Version
			}
		}
	}
	return 0
}

// heldByAll asks the newest catalogue on this node.
func (h *Host) heldByAll(r *replica) uint64 {
	if h.o.Index == nil {
		return 0
	}
	x, ok := h.o.Index(r.key.IndexID)
	if !ok {
		return 0
	}
	return r.heldByAll(x)
}

// knownHeldByAll includes versions of a commit that the catalogue does not show yet.
func (r *replica) knownHeldByAll() uint64 {
	r.mu.Lock()
	told := r.announced
	r.mu.Unlock()
	return max(told, r.host.heldByAll(r))
}

// keepsFiles reports whether the staging folder has files of an installed delta.
func (r *replica) keepsFiles() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range r.pending {
		if p.installed && len(p.head.Files) > 0 {
			return true
		}
	}
	return false
}

// forget removes deltas that nobody will ask for: installed ones after a while or once
// all replicas hold them, and attempts that lost against another delta of their
// version.
func (r *replica) forget(now time.Time, heldByAll uint64) error {
	r.mu.Lock()
	if r.gone { // the names may now belong to a shard that came back
		r.mu.Unlock()
		return nil
	}
	var installed, drop []*pendingDelta
	total := int64(0)
	for _, p := range r.pending {
		switch {
		case p.installed && p.head.Version <= heldByAll && (len(p.head.Files) > 0 || now.Sub(p.since) > retention):
			// The store holds the files of a large delta durably. A small delta may
			// have to be applied again after a crash until the log entry of its write
			// is durable.
			drop = append(drop, p)
		case p.installed:
			installed = append(installed, p)
			total += p.head.Bytes
		case r.current != nil && p.head.Version <= r.current.State().Version && now.Sub(p.since) > retention:
			drop = append(drop, p)
		}
	}
	r.mu.Unlock()
	slices.SortFunc(installed, func(a, b *pendingDelta) int { return int(int64(a.head.Version) - int64(b.head.Version)) })
	for i, p := range installed {
		last := i == len(installed)-1
		if now.Sub(p.since) > keepDeltas || total > keepDeltaBytes && !last {
			total -= p.head.Bytes
			drop = append(drop, p)
		}
	}
	var err error
	for _, p := range drop {
		err = errors.Join(err, r.discard(p))
	}
	return err
}

// sweepStaging removes files from the staging folder that no pending delta names.
func (h *Host) sweepStaging() error {
	names, err := h.store.FS.List(h.store.Staging)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return nil
	}
	wanted, err := h.stagedFiles()
	if err != nil {
		return err
	}
	for _, name := range names {
		if !wanted[name] {
			err = errors.Join(err, h.store.RemoveStaged(filepath.Join(h.store.Staging, name)))
		}
	}
	return err
}

// stagedFiles lists the file names of all pending deltas in the store.
func (h *Host) stagedFiles() (map[string]bool, error) {
	out := map[string]bool{}
	it, err := h.store.DB.NewIter(nil)
	if err != nil {
		return nil, err
	}
	defer func() { _ = it.Close() }() // Error was checked
	for more := it.First(); more; {
		key := it.Key()
		if len(key) < store.PrefixLen {
			more = it.Next()
			continue
		}
		// Only generation 0 of a shard has pending deltas.
		shard := wire.ShardKey{IndexID: binary.BigEndian.Uint32(key), Shard: binary.BigEndian.Uint16(key[6:])}
		generation := binary.BigEndian.Uint16(key[4:])
		if t := store.TableOf(key); generation != 0 || t > store.TablePending {
			more = it.SeekGE(store.AppendPrefix(nil, wire.ShardKey{IndexID: shard.IndexID, Shard: shard.Shard}, generation, 0xff))
			continue
		} else if t < store.TablePending {
			more = it.SeekGE(store.AppendPrefix(nil, shard, 0, store.TablePending))
			continue
		}
		value, err := it.ValueAndErr()
		if err != nil {
			return nil, err
		}
		head, _, err := decodePending(value)
		if err != nil {
			return nil, err
		}
		for i := range head.Files {
			out[filepath.Base(h.store.DeltaPath(&head, i))] = true
		}
		more = it.Next()
	}
	return out, it.Error()
}

// validID reports whether a delta id may be part of a file name.
func validID(id string) bool {
	return id != "" && len(id) <= 128 && strings.Trim(id, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_") == ""
}
