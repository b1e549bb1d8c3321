package shard

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"shoal/shard/pending"
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

// deltas are the pending and kept deltas of one shard by their ids. For one goroutine
// at a time.
type deltas map[string]*pendingDelta

// path lists the deltas that lead from the version at, with the number number, to the
// delta id, the last one first. whole is false if one is missing; then the list ends
// before it.
func (d deltas) path(at string, number uint64, id string) (chain []*pendingDelta, whole bool) {
	for next := id; next != at; {
		p := d[next]
		if p == nil || p.head.Version <= number {
			return chain, false
		}
		chain = append(chain, p)
		next = p.head.BaseID
	}
	return chain, true
}

// chosen lists the deltas that choose returns true for.
func (d deltas) chosen(choose func(*pendingDelta) bool) (list []*pendingDelta) {
	for _, p := range d {
		if choose(p) {
			list = append(list, p)
		}
	}
	return list
}

// unprepare forgets all prepared installs.
func (d deltas) unprepare() {
	for _, p := range d {
		p.prepared = nil
	}
}

// outdated lists the deltas that nobody will ask for: installed ones after a while or
// once all replicas hold them, and attempts that lost against another delta of their
// version. newest is the installed version, 0 before the shard is loaded.
func (d deltas) outdated(now time.Time, heldByAll, newest uint64) (drop []*pendingDelta) {
	var installed []*pendingDelta
	total := int64(0)
	for _, p := range d {
		switch {
		case p.installed && p.head.Version <= heldByAll && (len(p.head.Files) > 0 || now.Sub(p.since) > retention):
			// The store holds the files of a large delta durably. A small delta may
			// have to be applied again after a crash until the log entry of its write
			// is durable.
			drop = append(drop, p)
		case p.installed:
			installed = append(installed, p)
			total += p.head.Bytes
		case p.head.Version <= newest && now.Sub(p.since) > retention:
			drop = append(drop, p)
		}
	}
	slices.SortFunc(installed, func(a, b *pendingDelta) int { return int(int64(a.head.Version) - int64(b.head.Version)) })
	for i, p := range installed {
		last := i == len(installed)-1
		if now.Sub(p.since) > keepDeltas || total > keepDeltaBytes && !last {
			total -= p.head.Bytes
			drop = append(drop, p)
		}
	}
	return drop
}

// maxCatalogDeltas is how many deltas the catalogue lists per shard. A shorter list is
// the whole history.
const maxCatalogDeltas = 64

// missing lists the catalogue's deltas after the version at that are not here, in
// order. It is empty if the catalogue does not know at: then a copy is needed.
func (d deltas) missing(key wire.ShardKey, at string, published []wire.Delta) wire.Missing {
	m := wire.Missing{Key: key}
	from := -1
	if at == "" && len(published) < maxCatalogDeltas {
		from = 0
	}
	for i, p := range published {
		if p.ID == at {
			from = i + 1
		}
	}
	if from < 0 {
		return m
	}
	for _, p := range published[from:] {
		if d[p.ID] == nil {
			m.Deltas = append(m.Deltas, wire.PendingRef{Key: key, Base: p.Version - 1, DeltaID: p.ID})
		}
	}
	return m
}

// keep makes a delta durable as pending: files first, then the synced value that names
// them. Then it drops superseded deltas and prepares the install. The error is
// wire.ErrFenced if a delta that supersedes this one is here.
func (r *replica) keep(head *store.Head, ops []byte) error {
	if r.isSuperseded(head) {
		return fmt.Errorf("shard %v: delta %s comes after a later attempt: %w", r.key, head.ID, wire.ErrFenced)
	}
	value, err := pending.Encode(head, ops)
	if err != nil {
		return err
	}
	if len(head.Files) > 0 {
		if err := r.store.SyncStaging(); err != nil {
			return err
		}
	}
	err = r.table.Put(head, value)
	r.arrivals.Add(1) // it may be there despite an error
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
	r.pending[head.ID] = &pendingDelta{head: *head, since: r.now()}
	r.worklist.add(r)
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
func (r *replica) loadPending(c *version.Version) (deltas, error) {
	it := c.Borrow(store.AppendPrefix(nil, r.key, 0, store.TablePending))
	defer c.GiveBack(it)
	heads, err := pending.Heads(it)
	if err != nil {
		return nil, err
	}
	out := make(deltas, len(heads))
	for _, head := range heads {
		out[head.ID] = &pendingDelta{head: head, installed: head.Version <= c.State().Version, since: r.now()}
	}
	return out, nil
}

// discard removes a pending delta and its files.
func (r *replica) discard(p *pendingDelta) error {
	r.mu.Lock()
	delete(r.pending, p.head.ID)
	r.mu.Unlock()
	return r.table.Delete(&p.head)
}

// knownHeldByAll includes versions of a commit that the catalogue does not show yet.
func (r *replica) knownHeldByAll() uint64 {
	r.mu.Lock()
	told := r.announced
	r.mu.Unlock()
	return max(told, r.catalogue.heldByAll(r.key))
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

// forget removes deltas that nobody will ask for any more.
func (r *replica) forget(now time.Time, heldByAll uint64) error {
	r.mu.Lock()
	if r.gone { // the names may now belong to a shard that came back
		r.mu.Unlock()
		return nil
	}
	installed := uint64(0)
	if r.current != nil {
		installed = r.current.State().Version
	}
	drop := r.pending.outdated(now, heldByAll, installed)
	r.mu.Unlock()
	var err error
	for _, p := range drop {
		err = errors.Join(err, r.discard(p))
	}
	return err
}

// missing lists the catalogue's deltas that are not here.
func (r *replica) missing(published []wire.Delta) wire.Missing {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.pending.missing(r.key, r.current.State().DeltaID, published)
}
