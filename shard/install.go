package shard

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"shoal/shard/docset"
	"shoal/shard/store"
	"shoal/shard/version"
	"shoal/wire"
)

// install brings a pending delta into effect, after those that lead to its base. The
// caller knows that it is committed, which implies that its ancestors are. A delta that
// is already in effect is no error. The error is wire.ErrBehind if the base is not
// here.
func (r *replica) install(id string) error {
	r.installing.Lock()
	defer r.installing.Unlock()
	r.mu.Lock()
	if r.gone || r.current == nil {
		r.mu.Unlock()
		return wire.ErrNoShard
	}
	at := r.current.State()
	chain, whole := r.pending.path(at.DeltaID, at.Version, id)
	past := len(chain) == 0 && r.pending[id] != nil
	r.mu.Unlock()
	if past {
		return nil // already in effect, like newer ones
	}
	if !whole {
		return fmt.Errorf("shard %v: delta %s has no path from version %d: %w", r.key, id, at.Version, wire.ErrBehind)
	}
	for i := len(chain) - 1; i >= 0; i-- {
		if err := r.installOne(chain[i]); err != nil {
			return fmt.Errorf("shard %v: installing delta %s: %w", r.key, chain[i].head.ID, err)
		}
	}
	return nil
}

// installOne applies one delta on top of the current version.
func (r *replica) installOne(p *pendingDelta) error {
	written, err := version.Written(r.store, r.key)
	if err != nil {
		return err
	}
	// An earlier attempt may have written the delta and failed afterwards. It must not
	// be written twice, and the files of a large delta are gone.
	again := written == p.head.ID
	h := r.takePrepared(p)
	if h == nil || again {
		head, ops, err := r.table.Get(r.key, p.head.Version, p.head.ID)
		if err != nil {
			return err
		}
		if h, err = r.prepareOn(r.current, &head, ops, again); err != nil {
			return err
		}
	}
	log := func(b *pebble.Batch) error {
		if !h.known {
			return nil // renew drops all columns
		}
		return r.current.Keys().LogChanges(b, h.head.Version, h.changed)
	}
	switch {
	case again:
	case len(h.head.Files) > 0:
		err = r.ingest(&h.head, log)
	default:
		err = r.apply(&h.head, h.ops, log)
	}
	if err != nil {
		return err
	}
	if err := r.renew(h); err != nil {
		return err
	}
	r.mu.Lock()
	p.installed, p.since = true, r.now()
	r.mu.Unlock()
	return nil
}

const (
	// digestOf is the largest size of a large delta whose ops update the structures in
	// memory. Beyond it they are read from the store again. digestMost bounds the
	// memory of these ops.
	digestOf, digestMost = 64 << 20, 16 << 20
)

// digest returns the ops of a large delta that update the structures in memory. told is
// false if these must be read from the store instead.
func (r *replica) digest(head *store.Head, records bool) (ops []byte, told bool, err error) {
	if head.Rebuilt || head.Whole || head.Changed == nil || head.Bytes > digestOf {
		return nil, false, nil
	}
	ops, err = r.store.Digest(head, digestMost, records)
	if store.Damaged(err) {
		return nil, false, nil // whoever reads the store finds it again
	}
	return ops, ops != nil, err
}

// renew publishes the version that the store holds now.
func (r *replica) renew(h *preparedInstall) error {
	old, ops, changed, known := r.current, h.ops, h.changed, h.known
	c, err := r.after(h)
	if err != nil {
		return err
	}
	inherits := c.Follows(old)
	r.caching.Store(c.State().Version)
	if inherits {
		if err := c.Follow(ops); err != nil {
			c.Release()
			return err
		}
	}
	installed := false
	done, err := r.unions.Installing(r.key, ops, inherits)
	defer func() { done(installed) }()
	if err != nil {
		c.Release()
		return err
	}
	if inherits && known {
		c.Inherit(old, changed)
	}
	if known = known && c.Keys().Gen.Text == old.Keys().Gen.Text; !known {
		if err := r.columns.Reset(c); err != nil {
			c.Release()
			return err
		}
	}
	r.columns.Advance(c, changed)
	r.publish(c)
	installed = true
	c.Replaces(old)
	return nil
}

// after returns the version that the store holds now.
func (r *replica) after(h *preparedInstall) (*version.Version, error) {
	if h.told() {
		if c, ok := r.current.Next(h.draft); ok {
			return c, nil
		}
	}
	return version.Load(r.shared, r.key, r.caching.Load)
}

// changedBy returns the documents whose words or values a delta changes. known is false
// if any document may have changed.
func changedBy(head *store.Head, ops []byte) (changed docset.Set, known bool, err error) {
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
	dec := &store.OpDecoder{Rest: ops}
	for {
		o, ok, err := dec.Next()
		if err != nil {
			return docset.Set{}, false, err
		}
		if !ok {
			return set.Set(), true, nil
		}
		switch store.TableOf(o.Key) {
		case store.TableDocument, store.TableTokens, store.TableValues:
			set.Add(binary.BigEndian.Uint32(o.Key[store.PrefixLen:]))
		}
	}
}

// apply writes a small delta in one batch without syncing. The pending delta is
// durable, and a restart applies it again if the batch was lost. The state among its
// ops shows whether it is in effect.
func (r *replica) apply(head *store.Head, ops []byte, log func(*pebble.Batch) error) error {
	b := r.store.DB.NewBatch()
	err := errors.Join(fill(b, head.Drop, ops), log(b))
	if err == nil {
		err = b.Commit(pebble.NoSync)
	}
	return errors.Join(err, b.Close())
}

func fill(b *pebble.Batch, drop []store.KeyRange, ops []byte) error {
	for _, d := range drop {
		if err := b.DeleteRange(d.Lo, d.Hi, nil); err != nil {
			return err
		}
	}
	dec := &store.OpDecoder{Rest: ops}
	for {
		o, ok, err := dec.Next()
		if err != nil || !ok {
			return err
		}
		switch o.Kind {
		case store.OpSet:
			err = b.Set(o.Key, o.Value, nil)
		case store.OpDelete:
			err = b.Delete(o.Key, nil)
		case store.OpMerge:
			err = b.Merge(o.Key, o.Value, nil)
		}
		if err != nil {
			return err
		}
	}
}

// ingest moves the files of a large delta into the store, or links them if other
// replicas may still ask for the delta. All earlier writes are synced first: the
// ingested files survive a crash, so nothing older may be lost beneath them.
func (r *replica) ingest(head *store.Head, log func(*pebble.Batch) error) error {
	s := r.store
	b := s.DB.NewBatch()
	err := errors.Join(b.LogData([]byte("ingest "+head.ID), nil), log(b))
	if err == nil {
		err = b.Commit(pebble.Sync)
	}
	if err = errors.Join(err, b.Close()); err != nil {
		return err
	}
	paths := make([]string, len(head.Files))
	moved := r.knownHeldByAll() >= head.Version
	for i := range head.Files {
		from := r.store.DeltaPath(head, i)
		if moved {
			// The store removes it once its own name for the file is durable.
			paths[i] = from
			continue
		}
		paths[i] = from + ".in"
		if err := s.RemoveStaged(paths[i]); err != nil {
			return err
		}
		if err := vfs.LinkOrCopy(s.FS, from, paths[i]); err != nil {
			return err
		}
	}
	return s.DB.Ingest(context.Background(), paths)
}
