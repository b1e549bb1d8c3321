package shard

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"shoal/shard/attempts"
	"shoal/shard/build"
	"shoal/shard/shipment"
	"shoal/shard/shipper"
	"shoal/shard/store"
	"shoal/wire"
	"shoal/wire/span"
)

// Builds compute the deltas of batches and bring them to the other holders. Safe for
// concurrent use.
type Builds struct {
	*resources
	calls    *calls
	replicas *replicas
	env      build.Env
	derived  atomic.Uint64 // documents indexed by builds here
	// attempts knows which batches ended processes of this node.
	attempts *attempts.Attempts
	shipper  *shipper.Shipper
	// send is Options.Ship.
	send func(ctx context.Context, node wire.NodeID, write func(io.Writer) error) error

	mu sync.Mutex
	// embedding has the running builds by their deltas.
	embedding map[string]*build.Embedding
}

// Build computes the delta of a batch, makes it durable on this node and the other
// holders, and reports which nodes have it. A holder that fails or is much slower than
// this node is left out; the caller decides what follows. Errors: wire.ErrBehind,
// wire.ErrGone (the base is not here), wire.ErrFenced (a newer term has built on this
// shard), wire.ErrDied (see BuildRequest.Deaths).
func (b *Builds) Build(ctx context.Context, req *wire.BuildRequest) (*wire.BuildReply, error) {
	if err := b.calls.enter(); err != nil {
		return nil, err
	}
	defer b.calls.leave()
	if !shipment.ValidID(req.DeltaID) {
		return nil, fmt.Errorf("shard: invalid delta id %q", req.DeltaID)
	}
	r, err := b.replicas.loaded(req.Key)
	if err != nil {
		return nil, err
	}
	c, err := r.acquire(ctx, b.catalogue.deltaAt(req.Key, req.Base))
	if err != nil {
		return nil, err
	}
	base, err := c.Base(req.Settings, req.PrimaryKey)
	if err != nil {
		return nil, err
	}
	// An install needs the words. If they are lost, nothing must be accepted.
	if _, _, err := base.Dictionaries(); err != nil {
		return nil, errors.Join(b.faults.Translate(err, req.Key), base.Close())
	}
	end, err := b.attempts.Begin(req)
	if err != nil {
		return nil, errors.Join(err, base.Close())
	}
	begin := time.Now()
	building, piece := span.Start(ctx, "build")
	piece.SetInt("shoal.shard", int(req.Key.Shard))
	embedding, ended := b.embeds(req.DeltaID)
	delta, reply, err := build.Run(building, &b.env, &r.plans, base, req, embedding)
	ended()
	if pebble.IsCorruptionError(err) { // other errors may come from the payload
		err = b.faults.Translate(err, req.Key)
	}
	if delta != nil {
		reply.Stats = delta.After.Stats(req.Fields)
		if err = r.keep(&delta.Head, delta.Ops); err != nil {
			err = errors.Join(err, b.store.DropFiles(&delta.Head, len(delta.Head.Files)))
		}
	}
	piece.Fail(err)
	piece.End()
	if fault := end(err); fault != nil {
		b.log.Warn("shard: the note of a running build could not be removed", "shard", req.Key, "error", fault)
	}
	if err = errors.Join(err, base.Close()); err != nil || delta == nil {
		return reply, err
	}
	reply.Holders = append([]wire.NodeID{b.catalogue.node}, b.ship(ctx, r, &delta.Head, req.Holders, req.Silent, time.Since(begin))...)
	return reply, nil
}

// embeds returns the counter of calls to embedders for a build, which Embedding reads until
// ended is called.
func (b *Builds) embeds(deltaID string) (embedding *build.Embedding, ended func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	embedding = &build.Embedding{}
	b.embedding[deltaID] = embedding
	return embedding, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.embedding, deltaID)
	}
}

// Embedding tells how far a running build of this node is with the vectors that embedders
// make.
func (b *Builds) Embedding(_ context.Context, req *wire.EmbeddingRequest) (*wire.EmbedderFigures, error) {
	b.mu.Lock()
	running := b.embedding[req.DeltaID]
	b.mu.Unlock()
	var figures wire.EmbedderFigures
	if running != nil {
		figures = running.Figures()
	}
	return &figures, nil
}

// ship sends a pending delta to other nodes concurrently. It returns those that have
// it, in the given order, without those that are much slower than the rest. Silent
// nodes get little time. built is how long this node's build took.
func (b *Builds) ship(ctx context.Context, r *replica, head *store.Head, nodes, silent []wire.NodeID, built time.Duration) []wire.NodeID {
	ctx, piece := span.Start(ctx, "ship")
	defer piece.End()
	others := slices.DeleteFunc(slices.Clone(nodes), func(n wire.NodeID) bool { return n == b.catalogue.node })
	have := b.shipper.Ship(ctx, r.key, others, silent, built, func(ctx context.Context, node wire.NodeID) error {
		return b.send(ctx, node, func(w io.Writer) error { return r.send(head.Version, head.ID, w) })
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
func (b *Builds) Resolve(ctx context.Context, req *wire.ResolveRequest) (*wire.ResolveReply, error) {
	if err := b.calls.enter(); err != nil {
		return nil, err
	}
	defer b.calls.leave()
	r, err := b.replicas.loaded(req.Key)
	if err != nil {
		return nil, err
	}
	c, err := r.acquire(ctx, b.catalogue.deltaAt(req.Key, req.Base))
	if err != nil {
		return nil, err
	}
	base := c.View()
	reply, err := build.Resolve(ctx, &b.env, base, req)
	if pebble.IsCorruptionError(err) {
		err = b.faults.Translate(err, req.Key)
	}
	return reply, errors.Join(err, base.Close())
}
