package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"shoal/api/apierr"
	"shoal/coordinator/driver"
	"shoal/coordinator/fanout"
	"shoal/coordinator/replica"
	"shoal/wire"
)

// shardFault is a failure of one replica, which another one may not have.
type shardFault struct {
	node wire.NodeID
	err  error
}

func (f *shardFault) Error() string { return fmt.Sprintf("node %s: %v", f.node, f.err) }

func (f *shardFault) Unwrap() error { return f.err }

// source is one source of a search, a copy of a shard on a node: a session that marks
// failures of the node, so that another one is asked, and counts the waits.
type source struct {
	session wire.Session
	search  *Search
	node    wire.NodeID
	// refused is the error of the first step, which went along with the opening. It is
	// told when the driver asks the step of all sources: another one may find an error
	// before it.
	refused *apierr.Error
	// front is what the driver asks: the source, or what spares waits for another node.
	front  wire.Session
	rounds int // waits so far
}

// Step asks the source; it marks failures of the copy with its node.
func (s *source) Step(ctx context.Context, step *wire.SearchStep) (*wire.SearchReply, error) {
	s.rounds++
	if s.refused != nil {
		return nil, s.refused
	}
	reply, err := s.session.Step(ctx, step)
	if err != nil && replica.Failed(err) {
		return nil, &shardFault{node: s.node, err: err}
	}
	return reply, err
}

// Close ends the session.
func (s *source) Close() error {
	if s.session == nil {
		return nil
	}
	return s.session.Close()
}

// assignment is one source of a search before it is opened: a shard, and the nodes
// that may answer for it, the first to ask first.
type assignment struct {
	shard *wire.Shard
	nodes []wire.NodeID
}

// assign lists the sources of a search on an index: nothing above it knows shards.
// Nodes that failed before are asked last.
func assign(x *wire.Index, copies func(*wire.Shard) []wire.NodeID, failed map[wire.NodeID]bool) []assignment {
	out := make([]assignment, len(x.Shards))
	for i := range x.Shards {
		nodes := copies(&x.Shards[i])
		if len(failed) > 0 {
			nodes = slices.Clone(nodes)
			slices.SortStableFunc(nodes, func(a, b wire.NodeID) int { return compareBool(failed[a], failed[b]) })
		}
		out[i] = assignment{&x.Shards[i], nodes}
	}
	return out
}

// compareBool orders false before true.
func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// Open opens the sources of a search on an index, on its exact version. A shard
// without a copy that answers is an error, never left out. plan is what the sources
// will be driven by, nil when it is not known.
func (c *Attempt) Open(ctx context.Context, x *wire.Index, budget time.Duration, plan *driver.Plan) ([]*source, error) {
	copies := func(shard *wire.Shard) []wire.NodeID {
		return replica.InSync(c.Search.shards, shard, c.Search.self, int(x.ID)+int(shard.Number))
	}
	assigned := assign(x, copies, c.failed)
	sources := make([]*source, len(assigned))
	openOne := func(ctx context.Context, i int) (err error) {
		sources[i], err = c.openSource(ctx, x, assigned[i], len(assigned), budget, plan)
		return err
	}
	var err error
	if len(sources) == 1 {
		err = openOne(ctx, 0)
	} else {
		g, ctx := fanout.WithContext(ctx)
		for i := range sources {
			g.Go(func() error { return openOne(ctx, i) })
		}
		err = g.Wait()
	}
	if err != nil {
		closeSources(sources)
		return nil, err
	}
	return sources, nil
}

// openSource tries the nodes of one of several sources in their order.
func (c *Attempt) openSource(ctx context.Context, x *wire.Index, a assignment, sources int, budget time.Duration, plan *driver.Plan) (*source, error) {
	err := wire.ErrUnavailable
	for _, node := range a.nodes {
		open := &wire.SearchOpen{Index: replica.PinVersion(x, a.shard), DeadlineMillis: budget.Milliseconds()}
		s := &source{search: c.Search, node: node}
		s.front = s
		if plan != nil && node != c.Search.self {
			s.front, open.First = driver.NewPrefetchClient(s, plan, sources, budget)
		}
		s.session, err = c.Search.shards.OpenSearch(ctx, node, open)
		if errors.Is(err, wire.ErrBehind) {
			// Its catalogue may lag: send what it needs to know.
			open.Index.Settings, open.Index.Fields = x.Settings, x.Fields
			s.session, err = c.Search.shards.OpenSearch(ctx, node, open)
		}
		if errors.As(err, &s.refused) {
			s.session, err = nil, nil
		}
		if err == nil {
			return s, nil
		}
		if !replica.Failed(err) {
			return nil, err
		}
	}
	if errors.Is(err, wire.ErrBehind) || errors.Is(err, wire.ErrNoShard) || errors.Is(err, wire.ErrClosed) {
		err = fmt.Errorf("shard %d of index %s: %w", a.shard.Number, x.UID, wire.ErrUnavailable)
	}
	return nil, err
}

// closeSources ends the sessions of a search.
func closeSources(sources []*source) {
	var searched func(elsewhere bool, rounds int)
	here, elsewhere := 0, 0
	for _, s := range sources {
		if s == nil {
			continue
		}
		if searched = s.search.searched; s.node == s.search.self {
			here = max(here, s.rounds)
		} else {
			elsewhere = max(elsewhere, s.rounds)
		}
		// A session that does not close cleanly has no answer left to lose.
		_ = s.front.Close()
	}
	if rounds := cmp.Or(elsewhere, here); rounds > 0 && searched != nil {
		searched(elsewhere > 0, rounds)
	}
}
