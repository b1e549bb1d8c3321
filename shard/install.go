package shard

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"shoal/shard/docset"
	"shoal/wire"
)

// install brings a pending delta into effect, and those before it that lead to
// its base. The caller knows that it is committed; so are then its ancestors. A
// delta that is in effect already is fine; one whose base is not here is
// wire.ErrBehind.
func (r *replica) install(id string) error {
	r.installing.Lock()
	defer r.installing.Unlock()
	return r.installLocked(id)
}

func (r *replica) installLocked(id string) error {
	var chain []*pendingDelta
	r.mu.Lock()
	if r.gone || r.current == nil {
		r.mu.Unlock()
		return wire.ErrNoShard
	}
	at, version := r.current.state.DeltaID, r.current.state.Version
	for next := id; next != at; {
		p := r.pending[next]
		if p == nil || p.head.Version <= version {
			r.mu.Unlock()
			if len(chain) == 0 && p != nil {
				return nil // in effect, and newer ones too
			}
			return fmt.Errorf("shard %v: delta %s has no path from version %d: %w", r.key, id, version, wire.ErrBehind)
		}
		chain = append(chain, p)
		next = p.head.BaseID
	}
	r.mu.Unlock()
	for i := len(chain) - 1; i >= 0; i-- {
		if err := r.installOne(chain[i]); err != nil {
			return fmt.Errorf("shard %v: installing delta %s: %w", r.key, chain[i].head.ID, err)
		}
	}
	return nil
}

// installOne applies one delta on top of the current version.
func (r *replica) installOne(p *pendingDelta) error {
	head, ops, err := r.readPending(p.head.Version, p.head.ID)
	if err != nil {
		return err
	}
	if len(head.Files) > 0 {
		err = r.ingest(&head)
	} else {
		err = r.apply(&head, ops)
	}
	if err != nil {
		return err
	}
	if err := r.renew(&head, ops); err != nil {
		return err
	}
	r.mu.Lock()
	p.installed, p.since = true, r.host.o.Now()
	r.mu.Unlock()
	return nil
}

// renew publishes the version that the store now holds.
func (r *replica) renew(head *deltaHead, ops []byte) error {
	var c *core
	var err error
	if head.Rebuilt || head.Whole || len(head.Files) > 0 {
		c, err = r.loadCore()
	} else {
		c, err = r.current.next(r, ops)
	}
	if err != nil {
		return err
	}
	old := r.current
	inherits := c.epoch == old.epoch
	changed, known, err := changedBy(head, ops)
	if err != nil {
		c.release()
		return err
	}
	r.caching.Store(c.state.Version)
	if inherits {
		if err := r.forgetSets(c, ops); err != nil {
			c.release()
			return err
		}
	}
	if inherits && known {
		c.lens.memo.Inherit(&old.lens.memo, changed)
	}
	r.columns.advance(c, changed, known && c.keys.gen.Text == old.keys.gen.Text, r.host.o.Now())
	r.publish(c)
	r.host.vectors.retire(old.vectors, c.vectors)
	return nil
}

// changedBy returns the documents whose words or values a delta changes; known is
// false when all may have changed.
func changedBy(head *deltaHead, ops []byte) (changed docset.Set, known bool, err error) {
	switch {
	case head.Rebuilt || head.Whole:
		return docset.Set{}, false, nil
	case len(head.Files) > 0:
		if head.Changed == nil {
			return docset.Set{}, false, nil
		}
		return changed, true, changed.UnmarshalBinary(head.Changed)
	}
	var set docset.Builder
	dec := &opDecoder{rest: ops}
	for {
		o, ok, err := dec.next()
		if err != nil {
			return docset.Set{}, false, err
		}
		if !ok {
			return set.Set(), true, nil
		}
		switch tableOf(o.key) {
		case tableDocument, tableTokens, tableValues:
			set.Add(binary.BigEndian.Uint32(o.key[prefixLen:]))
		}
	}
}

// apply writes a small delta in one batch. It is not synced: the delta itself
// is, and a restart applies it again when the batch was lost. The state among
// its ops is the mark that it is in effect.
func (r *replica) apply(head *deltaHead, ops []byte) error {
	b := r.host.store.db.NewBatch()
	err := fill(b, head.Drop, ops)
	if err == nil {
		err = b.Commit(pebble.NoSync)
	}
	return errors.Join(err, b.Close())
}

func fill(b *pebble.Batch, drop []keyRange, ops []byte) error {
	for _, d := range drop {
		if err := b.DeleteRange(d.Lo, d.Hi, nil); err != nil {
			return err
		}
	}
	dec := &opDecoder{rest: ops}
	for {
		o, ok, err := dec.next()
		if err != nil || !ok {
			return err
		}
		switch o.kind {
		case opSet:
			err = b.Set(o.key, o.value, nil)
		case opDelete:
			err = b.Delete(o.key, nil)
		case opMerge:
			err = b.Merge(o.key, o.value, nil)
		}
		if err != nil {
			return err
		}
	}
}

// ingest moves the files of a large delta into the store, or links them when other
// replicas may ask for the delta. Everything before must be durable first: the
// files survive a crash, and older versions must not be lost beneath them.
func (r *replica) ingest(head *deltaHead) error {
	s := r.host.store
	if err := s.db.LogData([]byte("ingest "+head.ID), pebble.Sync); err != nil {
		return err
	}
	paths := make([]string, len(head.Files))
	moved := r.host.spare(r) >= head.Version
	for i := range head.Files {
		from := r.host.deltaPath(head, i)
		if moved {
			// The store removes it once its own name for the file is durable.
			paths[i] = from
			continue
		}
		paths[i] = from + ".in"
		if err := s.removeStaged(paths[i]); err != nil {
			return err
		}
		if err := vfs.LinkOrCopy(s.fs, from, paths[i]); err != nil {
			return err
		}
	}
	return s.db.Ingest(context.Background(), paths)
}

// forgetSets drops the cached posting lists that the ops changed.
func (r *replica) forgetSets(c *core, ops []byte) error {
	dec := &opDecoder{rest: ops}
	for {
		o, ok, err := dec.next()
		if err != nil || !ok {
			return err
		}
		t := tableOf(o.key)
		switch t {
		case tableWord, tableExact:
			word, _, ok := cutTerminated(o.key[prefixLen+2:])
			if ok {
				c.cache.remove(setName{c.epoch, t, string(word)})
			}
		case tableCount, tableState, tableNumber, tableString:
			c.cache.remove(setName{c.epoch, t, string(o.key[prefixLen : len(o.key)-2])})
		}
	}
}

// Publish brings this node's replica of every shard of x up to the catalogue:
// it installs what is pending. It returns the deltas that are missing here, in
// order, for each shard that cannot follow: they have to be fetched (Send,
// Receive) or the shard copied.
func (h *Host) Publish(x *wire.Index, shards ...uint16) (missing []Missing, err error) {
	if err := h.enter(); err != nil {
		return nil, err
	}
	defer h.leave()
	for i := range x.Shards {
		s := &x.Shards[i]
		for _, number := range shards {
			if number != s.Number || len(s.Deltas) == 0 {
				continue
			}
			r, e := h.replica(wire.ShardKey{IndexID: x.ID, Shard: number})
			if e == nil {
				e = r.install(s.Deltas[len(s.Deltas)-1].ID)
			}
			if errors.Is(e, wire.ErrBehind) {
				missing = append(missing, r.missing(s.Deltas))
				e = nil
			} else if e == nil && r.keepsFiles() {
				e = r.forget(h.o.Now(), r.spare(x))
			}
			err = errors.Join(err, e)
		}
	}
	return missing, err
}

// Missing names what a replica lacks to reach the newest version of its shard.
type Missing struct {
	Key wire.ShardKey
	// Deltas have to be fetched, oldest first. Empty: the deltas known to the
	// catalogue do not lead here from what the replica has; it must be copied.
	Deltas []wire.PendingRef
}

// missing compares the catalogue's deltas with what is here.
func (r *replica) missing(deltas []wire.Delta) Missing {
	r.mu.Lock()
	defer r.mu.Unlock()
	m := Missing{Key: r.key}
	from := -1
	if r.current.state.DeltaID == "" && len(deltas) < maxCatalogDeltas {
		from = 0
	}
	for i, d := range deltas {
		if d.ID == r.current.state.DeltaID {
			from = i + 1
		}
	}
	if from < 0 {
		return m
	}
	for _, d := range deltas[from:] {
		if r.pending[d.ID] == nil {
			m.Deltas = append(m.Deltas, wire.PendingRef{Key: r.key, Base: d.Version - 1, DeltaID: d.ID})
		}
	}
	return m
}

// maxCatalogDeltas is how many deltas the catalogue lists per shard: a shorter
// list is the whole history.
const maxCatalogDeltas = 64
