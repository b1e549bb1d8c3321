package shard

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"shoal/shard/build"
	"shoal/shard/listing"
	"shoal/shard/session"
	"shoal/shard/store"
	"shoal/wire"
	"shoal/wire/span"
)

// Build computes the delta of a batch, makes it durable on this node and the other
// holders, and reports which nodes have it. A holder that fails or is much slower than
// this node is left out; the caller decides what follows. Errors: wire.ErrBehind,
// wire.ErrGone (the base is not here), wire.ErrFenced (a newer term has built on this
// shard), wire.ErrDied (see BuildRequest.Deaths).
func (h *Host) Build(ctx context.Context, req *wire.BuildRequest) (*wire.BuildReply, error) {
	if err := h.enter(); err != nil {
		return nil, err
	}
	defer h.leave()
	if !validID(req.DeltaID) {
		return nil, fmt.Errorf("shard: invalid delta id %q", req.DeltaID)
	}
	r, err := h.replica(req.Key)
	if err != nil {
		return nil, err
	}
	c, err := r.acquire(ctx, h.deltaAt(req.Key, req.Base))
	if err != nil {
		return nil, err
	}
	base, err := c.Base(req.Settings, req.PrimaryKey)
	if err != nil {
		return nil, err
	}
	// An install needs the words. If they are lost, nothing must be accepted.
	if _, _, err := base.Dictionaries(); err != nil {
		return nil, errors.Join(h.fault(err, req.Key), base.Close())
	}
	end, err := h.attempts.Begin(req)
	if err != nil {
		return nil, errors.Join(err, base.Close())
	}
	begin := time.Now()
	building, piece := span.Start(ctx, "build")
	piece.SetInt("shoal.shard", int(req.Key.Shard))
	embedding, ended := h.embeds(req.DeltaID)
	delta, reply, err := build.Run(building, &h.env, &r.plans, base, req, embedding)
	ended()
	if pebble.IsCorruptionError(err) { // other errors may come from the payload
		err = h.fault(err, req.Key)
	}
	if delta != nil {
		reply.Stats = delta.After.Stats(req.Fields)
		if err = r.keep(&delta.Head, delta.Ops); err != nil {
			err = errors.Join(err, h.store.DropFiles(&delta.Head, len(delta.Head.Files)))
		}
	}
	piece.Fail(err)
	piece.End()
	if fault := end(err); fault != nil {
		h.o.Log.Warn("shard: the note of a running build could not be removed", "shard", req.Key, "error", fault)
	}
	if err = errors.Join(err, base.Close()); err != nil || delta == nil {
		return reply, err
	}
	reply.Holders = append([]wire.NodeID{h.o.Node}, h.ship(ctx, r, &delta.Head, req.Holders, req.Silent, time.Since(begin))...)
	return reply, nil
}

// embeds returns the counter of calls to embedders for a build, which Embedding reads until
// ended is called.
func (h *Host) embeds(deltaID string) (embedding *build.Embedding, ended func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	embedding = &build.Embedding{}
	h.embedding[deltaID] = embedding
	return embedding, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.embedding, deltaID)
	}
}

// Embedding tells how far a running build of this node is with the vectors that embedders
// make.
func (h *Host) Embedding(_ context.Context, req *wire.EmbeddingRequest) (*wire.EmbedderFigures, error) {
	h.mu.Lock()
	running := h.embedding[req.DeltaID]
	h.mu.Unlock()
	var figures wire.EmbedderFigures
	if running != nil {
		figures = running.Figures()
	}
	return &figures, nil
}

// ship sends a pending delta to other nodes concurrently. It returns those that have
// it, in the given order, without those that are much slower than the rest. Silent
// nodes get little time. built is how long this node's build took.
func (h *Host) ship(ctx context.Context, r *replica, head *store.Head, nodes, silent []wire.NodeID, built time.Duration) []wire.NodeID {
	ctx, piece := span.Start(ctx, "ship")
	defer piece.End()
	others := slices.DeleteFunc(slices.Clone(nodes), func(n wire.NodeID) bool { return n == h.o.Node })
	have := h.shipper.Ship(ctx, r.key, others, silent, built, func(ctx context.Context, node wire.NodeID) error {
		return h.o.Ship(ctx, node, func(w io.Writer) error { return r.send(head.Version, head.ID, w) })
	})
	var out []wire.NodeID
	for i, node := range others {
		if have[i] {
			out = append(out, node)
		}
	}
	return out
}

// Resolve returns the payload positions of documents that the shard does not hold, in
// the order in which they get ordinals.
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
	base := c.View()
	reply, err := build.Resolve(ctx, &h.env, base, req)
	if pebble.IsCorruptionError(err) {
		err = h.fault(err, req.Key)
	}
	return reply, errors.Join(err, base.Close())
}

// OpenSearch opens a search session on one version of a shard, or of several shards as
// one. Closing the session releases the version.
func (h *Host) OpenSearch(ctx context.Context, r *wire.SearchOpen) (wire.Session, error) {
	if len(r.Others) > 0 {
		v, err := h.United(ctx, &r.Index, r.Others)
		if err != nil {
			return nil, err
		}
		keys := []wire.ShardKey{r.Index.Key}
		for _, o := range r.Others {
			keys = append(keys, wire.ShardKey{IndexID: r.Index.Key.IndexID, Shard: o.Shard})
		}
		return &hostSession{session.New(v), h, keys}, nil
	}
	v, err := h.View(ctx, &r.Index)
	if err != nil {
		return nil, err
	}
	return &hostSession{session.New(v), h, []wire.ShardKey{r.Index.Key}}, nil
}

// hostSession makes background work yield to its steps and reports data that the disk
// lost.
type hostSession struct {
	wire.Session
	host *Host
	keys []wire.ShardKey
}

// Step implements wire.Session.
func (s *hostSession) Step(ctx context.Context, step *wire.SearchStep) (*wire.SearchReply, error) {
	s.host.gate.enter()
	defer s.host.gate.leave()
	ctx, piece := span.Start(ctx, "step")
	defer piece.End()
	piece.Set("shoal.step", step.Kind())
	reply, err := s.Session.Step(ctx, step)
	piece.Fail(err)
	return reply, s.host.fault(err, s.keys...)
}

// List reads documents in listing order.
func (h *Host) List(ctx context.Context, r *wire.ListRequest) (*wire.ListReply, error) {
	v, err := h.View(ctx, &r.Index)
	if err != nil {
		return nil, err
	}
	reply, err := listing.List(ctx, v, r)
	return reply, errors.Join(h.fault(err, r.Index.Key), v.Close())
}
