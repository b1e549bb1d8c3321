package node

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"shoal/api/apierr"
	"shoal/coordinator"
	"shoal/coordinator/admin"
	"shoal/node/peer"
	"shoal/wire"
)

// lease adapts the log to the front.
type lease struct {
	standby
	importing *importing
}

// Lease tells whether the state of this node is fresh, or else its age in seconds.
func (l lease) Lease() (fresh bool, staleSeconds int) { return l.group.Lease() }

// Importing tells whether a dump or snapshot is partly imported, or about to be: the leader
// verifies the file before it announces the import.
func (l lease) Importing() bool {
	c := l.raft.Catalog()
	if l.Follows() {
		s, _ := coordinator.Standby(c)
		return s.Snapshot == "" && len(s.Indexes) == 0 // no snapshot has arrived yet
	}
	switch coordinator.Importing(c) {
	case coordinator.ImportDocuments, coordinator.ImportQueue:
		return true
	case coordinator.ImportNone:
		if l.importing.elsewhere {
			_, any := c.LastTask()
			return !any && len(c.Indexes()) == 0
		}
	}
	return false
}

const methodReady = "ready"

const (
	// readyWithin bounds one check of the other nodes.
	readyWithin = time.Second
	// assembly is how long a new cluster waits for the descriptions of all its first members
	// before it serves without the missing ones.
	assembly = 10 * time.Second
)

// readiness adds this node's own state to the statistics. /health answers 200 once the node
// can serve, or in a local cluster once all nodes can.
type readiness struct {
	*figures
	lease
	greeter *greeter
	found   time.Time // when this node knew its cluster
	was     atomic.Bool
}

// figures is an alias because a field named Stats would hide the method.
type figures = admin.Stats

// openReadiness makes this node tell others whether it is ready.
func openReadiness(l lease, g *greeter, found time.Time) *readiness {
	r := &readiness{figures: l.stats, lease: l, greeter: g, found: found}
	peer.Handle(r.server, methodReady, r.serveReady)
	return r
}

// Health is nil while the node can serve.
func (r *readiness) Health(ctx context.Context) error {
	if r.Importing() {
		return apierr.ImportRunning()
	}
	if r.was.Load() {
		return r.figures.Health(ctx)
	}
	switch err := r.ready(ctx); {
	case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
		return wire.ErrNoLeader // readyWithin was too short: the client asks again
	case err != nil:
		return err
	}
	if err := r.figures.Health(ctx); err != nil {
		return err
	}
	r.was.Store(true)
	return nil
}

// ready tells whether this node has caught up with a leader and, in a local
// cluster, whether every node has.
func (r *readiness) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	if err := r.selfReady(ctx); err != nil {
		return err
	}
	if r.cfg.ExpectNodes <= 1 {
		return nil
	}
	for _, d := range r.group.Catalog().Nodes() {
		if d.ID == r.self.ID {
			continue
		}
		if _, err := peer.Call[hello, helloReply](ctx, r.link, d.ID, methodReady, r.greeter.hello()); err != nil {
			return err
		}
	}
	return nil
}

// selfReady checks that the log is applied up to now, including the expected members, the
// default keys and, in a new cluster, the version of the log that its programs know: before
// it, nodes would refuse what needs that version.
func (r *readiness) selfReady(ctx context.Context) error {
	if err := r.group.Barrier(ctx); err != nil {
		return err
	}
	if fresh, _ := r.group.Lease(); !fresh {
		return wire.ErrUnavailable
	}
	c := r.group.Catalog()
	if c.ClusterID() == "" || len(c.Nodes()) < r.expectedNodes() || len(c.Keys()) == 0 || r.assembling() && c.Program() < min(wire.LeastSpoken(c.Nodes()), wire.Version) {
		if last, any := c.LastTask(); !any && last == 0 {
			return wire.ErrUnavailable
		}
	}
	return nil
}

// assembling reports whether a new cluster may still be without some of its first members.
func (r *readiness) assembling() bool { return time.Since(r.found) < assembly }

// expectedNodes is how many members the catalogue must list before clients are told to
// come. Earlier writes would have fewer copies at first.
func (r *readiness) expectedNodes() int {
	if len(r.cfg.InitMembers) > r.cfg.ExpectNodes && r.assembling() {
		return len(r.cfg.InitMembers)
	}
	return max(1, r.cfg.ExpectNodes)
}

// serveReady tells another node whether this one is ready.
func (r *readiness) serveReady(ctx context.Context, _ *hello) (*helloReply, error) {
	if err := r.selfReady(ctx); err != nil {
		return nil, err
	}
	return &helloReply{Hello: *r.greeter.hello()}, nil
}
