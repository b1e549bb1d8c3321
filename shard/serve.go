package shard

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"

	"shoal/wire"
)

// Build computes the delta of a batch on this node, makes it durable here and on
// the other holders, and reports who has it. A holder that fails is left out; the
// caller decides what that means. Errors: wire.ErrBehind, wire.ErrGone (the base
// is not here), wire.ErrFenced (a newer term has built on this shard).
func (h *Host) Build(ctx context.Context, req *wire.BuildRequest) (*wire.BuildReply, error) {
	if err := h.enter(); err != nil {
		return nil, err
	}
	defer h.leave()
	if !validID(req.DeltaID) {
		return nil, fmt.Errorf("shard: delta id %q", req.DeltaID)
	}
	r, err := h.replica(req.Key)
	if err != nil {
		return nil, err
	}
	c, err := r.acquire(ctx, h.deltaAt(req.Key, req.Base))
	if err != nil {
		return nil, err
	}
	base := h.viewOf(c)
	delta, reply, err := h.build(ctx, r, base, req)
	if delta != nil {
		reply.Stats = delta.after.stats(req.Fields)
		if err = r.keep(&delta.head, delta.ops); err != nil {
			err = errors.Join(err, h.dropFiles(&delta.head, len(delta.head.Files)))
		}
	}
	if err = errors.Join(err, base.Close()); err != nil || delta == nil {
		return reply, err
	}
	reply.Holders = append([]wire.NodeID{h.o.Node}, h.ship(ctx, r, &delta.head, req.Holders)...)
	return reply, nil
}

// ship sends a pending delta to other nodes at the same time and returns those
// that have it, in the order given.
func (h *Host) ship(ctx context.Context, r *replica, head *deltaHead, nodes []wire.NodeID) []wire.NodeID {
	have := make([]bool, len(nodes))
	var wait sync.WaitGroup
	for i, node := range nodes {
		if node == h.o.Node {
			continue
		}
		wait.Add(1)
		go func() {
			defer wait.Done()
			err := h.o.Ship(ctx, node, func(w io.Writer) error { return r.send(head.Version, head.ID, w) })
			if err != nil {
				h.o.Log.Warn("shard: shipping a delta", "node", node, "delta", head.ID, "error", err)
			}
			have[i] = err == nil
		}()
	}
	wait.Wait()
	var out []wire.NodeID
	for i, node := range nodes {
		if have[i] {
			out = append(out, node)
		}
	}
	return out
}

// Resolve tells which payload positions bring documents that the shard does not
// hold, in the order in which they get ordinals.
func (h *Host) Resolve(ctx context.Context, req *wire.ResolveRequest) (*wire.ResolveReply, error) {
	if err := h.enter(); err != nil {
		return nil, err
	}
	defer h.leave()
	r, err := h.replica(req.Key)
	if err != nil {
		return nil, err
	}
	c, err := r.acquire(ctx, h.deltaAt(req.Key, req.Base))
	if err != nil {
		return nil, err
	}
	base := h.viewOf(c)
	reply, err := h.resolve(ctx, base, req)
	return reply, errors.Join(err, base.Close())
}

func (h *Host) resolve(ctx context.Context, base *View, req *wire.ResolveRequest) (*wire.ResolveReply, error) {
	f := newFolder(h, base, req.PrimaryKey, req.SlotLo, req.SlotHi)
	// Filters and edits never bring new documents.
	ops := slices.DeleteFunc(slices.Clone(req.Ops), func(op wire.Op) bool {
		return op.Kind == wire.OpDeleteFilter || op.Kind == wire.OpEdit
	})
	if err := f.fold(ctx, ops); err != nil {
		return nil, err
	}
	reply := &wire.ResolveReply{New: f.positions}
	if req.WantLive {
		live := roaring.BitmapOf(base.live.AppendTo(nil)...)
		live.RunOptimize()
		var buf bytes.Buffer
		if _, err := live.WriteTo(&buf); err != nil {
			return nil, err
		}
		reply.Live = buf.Bytes()
	}
	return reply, nil
}

// OpenSearch opens a search session on one version; closing the session lets go
// of it.
func (h *Host) OpenSearch(ctx context.Context, r *wire.SearchOpen) (Session, error) {
	v, err := h.View(ctx, &r.Index)
	if err != nil {
		return nil, err
	}
	s, err := h.o.Search(ctx, v, r)
	if err != nil {
		return nil, errors.Join(err, v.Close())
	}
	return s, nil
}

// List reads documents in listing order.
func (h *Host) List(ctx context.Context, r *wire.ListRequest) (*wire.ListReply, error) {
	v, err := h.View(ctx, &r.Index)
	if err != nil {
		return nil, err
	}
	reply, err := h.o.List(ctx, v, r)
	return reply, errors.Join(err, v.Close())
}
