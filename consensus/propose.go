package consensus

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/hashicorp/raft"

	"shoal/consensus/entry"
	"shoal/wire"
)

// Propose appends one command to the log and returns when this node has applied it (with
// Update.Everywhere, when all leased nodes have). A node other than the leader forwards it.
// Without a leader it retries for Config.ProposeTimeout. That is safe, because a command
// without a request id gets one, and one id is applied only once.
//
// Start and Commit belong to one term: they are proposed only on the leader and never
// repeated. A refusal by the state (guards, term, epochs) is not an error but Result.Fenced
// or Restage.
//
// Errors: wire.ErrNoLeader (the outcome is unknown: repeat with the same request id),
// wire.ErrNotLeader for a Start or Commit elsewhere (nothing was accepted), wire.ErrClosed,
// those of ctx, and wire.ErrTooLarge for a command above entry.MaxSize.
func (g *Group) Propose(ctx context.Context, cmd *wire.Command) (*wire.Result, error) {
	return g.propose(ctx, cmd, cmd.Start != nil || len(cmd.Commit) > 0)
}

// propose is Propose. With here, it proposes only on this node, once, while it leads.
func (g *Group) propose(ctx context.Context, cmd *wire.Command, here bool) (*wire.Result, error) {
	if !g.enter() {
		return nil, wire.ErrClosed
	}
	defer g.work.Done()
	body, err := entry.Encode(identified(cmd), g.fsm.Catalog.Load().Spoken())
	if err != nil {
		return nil, err
	}
	ctx, cancel := g.client.patience(ctx)
	defer cancel()
	var res *wire.Result
	ask := func() (err error) {
		res, err = g.attempt(ctx, body, here)
		return err
	}
	if here {
		err = ask()
	} else {
		err = g.client.persist(ctx, ask)
	}
	if err != nil {
		return nil, err
	}
	// The entry is committed. Even if this node is too slow to apply it in time, the
	// caller gets the promised result.
	if err := g.awaitApplied(ctx, res.Index); err != nil {
		g.log.Warn("a committed entry was not applied here in time", "entry", res.Index, "error", err)
	}
	if cmd.Update != nil && cmd.Update.Everywhere && !res.Fenced {
		g.awaitEverywhere(ctx, res.At)
	}
	return res, nil
}

// update proposes changes that count only if a value of the catalogue is what it was. Errors:
// those of Propose, and wire.ErrFenced if the value is another one.
func (g *Group) update(ctx context.Context, was *wire.Value, changes []wire.Change) error {
	res, err := g.Propose(ctx, &wire.Command{Update: &wire.Update{Changes: changes, CompareValue: was}})
	if err == nil && res.Fenced {
		err = wire.ErrFenced
	}
	return err
}

// identified gives a repeatable command a request id.
func identified(cmd *wire.Command) *wire.Command {
	switch {
	case cmd.Enqueue != nil && cmd.Enqueue.RequestID == "":
		c, e := *cmd, *cmd.Enqueue
		e.RequestID = uuid.NewString()
		c.Enqueue = &e
		return &c
	case cmd.Update != nil && cmd.Update.RequestID == "":
		c, u := *cmd, *cmd.Update
		u.RequestID = uuid.NewString()
		c.Update = &u
		return &c
	case cmd.Restore != nil && cmd.Restore.RequestID == "":
		c, r := *cmd, *cmd.Restore
		r.RequestID = uuid.NewString()
		c.Restore = &r
		return &c
	}
	return cmd
}

// attempt proposes once, here or on the leader.
func (g *Group) attempt(ctx context.Context, body []byte, here bool) (*wire.Result, error) {
	if g.raft.State() == raft.Leader {
		return g.proposeHere(ctx, body)
	}
	if here {
		return nil, wire.ErrNotLeader
	}
	reply, err := g.client.call(ctx, &Request{Propose: body})
	if err != nil {
		return nil, err
	}
	if reply.Result == nil {
		return nil, fmt.Errorf("the leader answered a proposal without a result")
	}
	return reply.Result, nil
}

// proposeHere stamps a command and appends it to this node's log as the leader. Entries
// queued at the same time share syncs.
func (g *Group) proposeHere(ctx context.Context, body []byte) (*wire.Result, error) {
	deadline, ok := ctx.Deadline()
	if !ok {
		deadline = time.Now().Add(g.cfg.ProposeTimeout)
	}
	data := entry.Stamp(g.cfg.Clock.Now().UnixNano(), g.watermark(), body, g.spoken(entry.SummedSince))
	var future raft.ApplyFuture
	err := g.raft.await(ctx, func() raft.Future {
		future = g.raft.Apply(data, max(time.Until(deadline), time.Millisecond))
		return future
	})
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, errors.Join(wire.ErrNoLeader, err)
	case err != nil:
		return nil, err
	}
	switch r := future.Response().(type) {
	case *wire.Result:
		return r, nil
	case error:
		return nil, r
	}
	return nil, fmt.Errorf("entry %d was not applied", future.Index())
}

// awaitEverywhere waits until every leased node has applied the entry of that log time. A
// node that is too slow loses its lease by the end of ctx or soon after. The entry is
// committed, so the caller gets its result in any case.
func (g *Group) awaitEverywhere(ctx context.Context, at int64) {
	for {
		change := g.fsm.Applied.Next()
		if g.watermark() >= at {
			return
		}
		select {
		case <-change:
		case <-ctx.Done():
			g.log.Warn("a node was slow to apply what a client changed", "error", ctx.Err())
			return
		case <-g.ctx.Done():
			return
		}
	}
}

// awaitApplied waits until this node's state contains an entry.
func (g *Group) awaitApplied(ctx context.Context, index uint64) error {
	for {
		change := g.fsm.Applied.Next()
		if g.fsm.Catalog.Load().Applied() >= index {
			return nil
		}
		select {
		case <-change:
		case <-ctx.Done():
			return ctx.Err()
		case <-g.ctx.Done():
			return wire.ErrClosed
		}
	}
}

// Serve answers a request of another node's Group. It returns the errors of Propose and
// Barrier.
func (g *Group) Serve(ctx context.Context, req *Request) (*Reply, error) {
	if !g.enter() {
		return nil, wire.ErrClosed
	}
	defer g.work.Done()
	switch {
	case len(req.Propose) > 0:
		if g.raft.State() != raft.Leader {
			return nil, wire.ErrNotLeader
		}
		if err := entry.CheckSize(req.Propose); err != nil {
			return nil, err
		}
		res, err := g.proposeHere(ctx, req.Propose)
		return &Reply{Result: res}, err
	case req.ReadIndex:
		index, err := g.leaderIndex(ctx)
		return &Reply{Index: index, Watermark: g.watermark()}, err
	case req.Report != nil:
		l, ok := g.leads()
		if !ok {
			return nil, wire.ErrNotLeader
		}
		return l.takeReport(req.Report), nil
	case req.Watermark != 0:
		g.own.Learn(req.Watermark)
		return &Reply{}, nil
	case req.Remove != nil:
		return &Reply{}, g.removeHere(ctx, *req.Remove)
	case req.Recall != nil:
		return &Reply{Index: g.history.memory.of(*req.Recall), At: g.history.memory.peerAddr(*req.Recall)}, nil
	case req.Forked != nil:
		g.history.met(req.Forked)
		return &Reply{}, nil
	case req.Verdict != nil:
		return &Reply{}, g.judged(req.Verdict)
	case req.Ping:
		return &Reply{Node: g.cfg.NodeID}, nil
	}
	return nil, errors.New("a request that this version does not know")
}
