package coordinator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"shoal/api"
	"shoal/coordinator/driver"
	"shoal/coordinator/fanout"
	"shoal/wire"
)

// shardFault is a failure of one replica, which another one may not have.
type shardFault struct {
	node wire.NodeID
	err  error
}

func (f *shardFault) Error() string { return fmt.Sprintf("node %s: %v", f.node, f.err) }

func (f *shardFault) Unwrap() error { return f.err }

// openSession is the session of one shard, with the node that holds it.
type openSession struct {
	Session
	search *Search
	node   wire.NodeID
	asker  driver.Session // Session, or what spares waits for another node
	rounds int            // waits for the shard so far
}

// refusal is the session of a shard that refused the first step.
type refusal struct{ err *api.Error }

// Step returns the error.
func (r refusal) Step(context.Context, *wire.SearchStep) (*wire.SearchReply, error) {
	return nil, r.err
}

// Close has nothing to close.
func (refusal) Close() error { return nil }

// Step answers a step of the driver.
func (s *openSession) Step(ctx context.Context, step *wire.SearchStep) (*wire.SearchReply, error) {
	return s.asker.Step(ctx, step)
}

// ask asks the shard; it marks failures of the replica with its node.
func (s *openSession) ask(ctx context.Context, step *wire.SearchStep) (*wire.SearchReply, error) {
	s.rounds++
	reply, err := s.Session.Step(ctx, step)
	if err != nil && replicaFailed(err) {
		return nil, &shardFault{node: s.node, err: err}
	}
	return reply, err
}

// pinned says which state of a shard a request reads.
func pinned(x *wire.Index, shard *wire.Shard) wire.PinnedIndex {
	p := wire.PinnedIndex{
		Key: wire.ShardKey{IndexID: x.ID, Shard: shard.Number}, Version: x.Version,
		Generations: x.Generations, SettingsVersion: x.SettingsVersion,
	}
	for i := len(shard.Deltas) - 1; i >= 0; i-- {
		if shard.Deltas[i].Version == x.Version {
			p.DeltaID = shard.Deltas[i].ID
			break
		}
	}
	if x.PrimaryKey != nil {
		p.PrimaryKey = *x.PrimaryKey
	}
	return p
}

// open opens one session per shard of an index, on its exact version. A shard
// without answering replica is an error, never left out. plan is what the sessions
// will be driven by, nil when it is not known.
func (c *Cut) open(ctx context.Context, x *wire.Index, budget time.Duration, plan *driver.Plan) ([]*openSession, error) {
	sessions := make([]*openSession, len(x.Shards))
	openOne := func(ctx context.Context, i int) (err error) {
		sessions[i], err = c.openShard(ctx, x, &x.Shards[i], budget, plan)
		return err
	}
	var err error
	if len(sessions) == 1 {
		err = openOne(ctx, 0)
	} else {
		g, ctx := fanout.WithContext(ctx)
		for i := range sessions {
			g.Go(func() error { return openOne(ctx, i) })
		}
		err = g.Wait()
	}
	if err != nil {
		closeSessions(sessions)
		return nil, err
	}
	return sessions, nil
}

// openShard tries the replicas of a shard: this node's first, then the others in
// an order that differs from index to index, those that failed before last.
func (c *Cut) openShard(ctx context.Context, x *wire.Index, shard *wire.Shard, budget time.Duration, plan *driver.Plan) (*openSession, error) {
	err := wire.ErrUnavailable
	for _, node := range c.replicas(x, shard) {
		open := &wire.SearchOpen{Index: pinned(x, shard), DeadlineMillis: budget.Milliseconds()}
		s := &openSession{search: c.search, node: node}
		s.asker = driver.SessionFunc(s.ask)
		if plan != nil && node != c.search.self {
			s.asker, open.First = driver.NewRecaller(s.asker, plan, len(x.Shards), budget)
		}
		s.Session, err = c.search.shards.OpenSearch(ctx, node, open)
		if errors.Is(err, wire.ErrBehind) {
			// Its catalogue may lag: send what it needs to know.
			open.Index.Settings, open.Index.Fields = x.Settings, x.Fields
			s.Session, err = c.search.shards.OpenSearch(ctx, node, open)
		}
		var refused *api.Error
		if errors.As(err, &refused) {
			// What was refused is the first step, which went along. It is answered when
			// the driver asks it of all shards: another one may find an error before it.
			s.Session, err = refusal{refused}, nil
		}
		if err == nil {
			return s, nil
		}
		if !replicaFailed(err) {
			return nil, err
		}
	}
	if errors.Is(err, wire.ErrBehind) || errors.Is(err, wire.ErrNoShard) || errors.Is(err, wire.ErrClosed) {
		err = fmt.Errorf("shard %d of index %s: %w", shard.Number, x.UID, wire.ErrUnavailable)
	}
	return nil, err
}

// replicas lists the nodes to ask for a shard, in order.
func (c *Cut) replicas(x *wire.Index, shard *wire.Shard) []wire.NodeID {
	nodes := inSync(c.search.shards, shard, c.search.self, int(x.ID)+int(shard.Number))
	if len(c.failed) == 0 {
		return nodes
	}
	order := make([]wire.NodeID, 0, len(nodes))
	for _, again := range []bool{false, true} {
		for _, n := range nodes {
			if c.failed[n] == again {
				order = append(order, n)
			}
		}
	}
	return order
}

// closeSessions ends the sessions of a search.
func closeSessions(sessions []*openSession) {
	var searched func(elsewhere bool, rounds int)
	here, elsewhere := 0, 0
	for _, s := range sessions {
		if s == nil {
			continue
		}
		if searched = s.search.searched; s.node == s.search.self {
			here = max(here, s.rounds)
		} else {
			elsewhere = max(elsewhere, s.rounds)
		}
		// A session that does not close cleanly has no answer left to lose.
		_ = s.Close()
	}
	if rounds := cmp.Or(elsewhere, here); rounds > 0 && searched != nil {
		searched(elsewhere > 0, rounds)
	}
}
