package shard

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"shoal/shard/store"
	"shoal/wire"
)

// Verify is the function Verify on the store of a node that runs: every table file is
// compared with its checksums past the caches, and every shard is read at its newest
// version. It gives way to searches. What it finds damaged is fetched from another node
// as after a scrub; so the second time may find less. Deltas that wait are not read: what
// was installed or dropped meanwhile would seem to be lost.
func (h *Host) Verify(ctx context.Context) (*Verified, error) {
	if err := h.enter(); err != nil {
		return nil, err
	}
	defer h.leave()
	out := &Verified{}
	v := &verification{ctx: ctx, store: h.store, shared: h.shared, out: out}
	yield := h.gate.pacer()
	files, err := h.store.TableFiles()
	for _, f := range files {
		if err != nil {
			break
		}
		out.Files++
		out.Bytes += f.Size
		fault := h.store.CheckTable(f.Path, func(int) error { return yield(ctx) })
		if fault != nil && store.Damaged(fault) {
			h.damagedFile(ctx, f, fault)
		}
		err = v.note("table file "+f.Path, fault)
	}
	if err != nil {
		return nil, err
	}
	keys, err := h.Shards()
	if err = v.note("the list of shards", err); err != nil {
		return nil, err
	}
	for _, key := range keys {
		c, err := h.contentOf(v, key)
		switch {
		case err == nil:
			out.Copies = append(out.Copies, c)
		case errors.Is(err, wire.ErrNoShard): // it was dropped meanwhile
		default:
			_ = h.fault(err, key) // marks the shard; the error is told below
			if err = v.note(fmt.Sprintf("shard %v", key), err); err != nil {
				return nil, err
			}
		}
	}
	for _, d := range h.damages.all() { // those that were known before, too
		line := fmt.Sprintf("shard %v: %s", d.Key, d.Why)
		if !slices.Contains(out.Damage, line) {
			out.Damage = append(out.Damage, line)
		}
	}
	return out, nil
}

// contentOf reads the newest version of a shard.
func (h *Host) contentOf(v *verification, key wire.ShardKey) (Content, error) {
	r, err := h.replica(key)
	if err != nil {
		return Content{}, err
	}
	if err := r.load(); err != nil {
		return Content{}, err
	}
	newest := h.newest(key)
	if newest == nil {
		return Content{}, wire.ErrNoShard
	}
	defer newest.Release()
	return v.read(key, newest)
}
