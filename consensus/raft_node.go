package consensus

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/hashicorp/raft"

	"shoal/consensus/raftlog"
	"shoal/wire"
)

// raftNode is this node in its Raft group: raft, and the operations of raft under way.
type raftNode struct {
	*raft.Raft
	id       wire.NodeID
	life     *lifetime
	inFlight inFlight
}

// await starts an operation of raft and waits until it ends, or ctx ends, or the group is
// closed. If the wait ends early, the operation continues and its outcome is unknown.
func (r *raftNode) await(ctx context.Context, start func() raft.Future) error {
	r.inFlight.add(1)
	if r.life.ctx.Err() != nil {
		r.inFlight.add(-1)
		return wire.ErrClosed
	}
	done := make(chan error, 1)
	go func() { // owned by inFlight
		defer r.inFlight.add(-1)
		done <- start().Error()
	}()
	select {
	case err := <-done:
		return condition(err)
	case <-ctx.Done():
		return ctx.Err()
	case <-r.life.ctx.Done():
		return wire.ErrClosed
	}
}

// condition translates raft's errors.
func condition(err error) error {
	switch {
	case errors.Is(err, raft.ErrNotLeader), errors.Is(err, raft.ErrLeadershipTransferInProgress):
		return wire.ErrNotLeader
	case errors.Is(err, raft.ErrLeadershipLost), errors.Is(err, raft.ErrEnqueueTimeout), errors.Is(err, raft.ErrAbortedByRestore):
		return wire.ErrNoLeader
	case errors.Is(err, raft.ErrRaftShutdown):
		return wire.ErrClosed
	}
	return err
}

// leads tells whether this node leads in a term.
func (r *raftNode) leads(term uint64) bool {
	return r.State() == raft.Leader && r.CurrentTerm() == term
}

// leader is the leader known to this node.
func (r *raftNode) leader() (wire.NodeID, bool) {
	_, id := r.LeaderWithID()
	return wire.NodeID(id), id != ""
}

// servers is the newest known membership of the group, read without a lock.
func (r *raftNode) servers() []raft.Server {
	return r.GetConfiguration().Configuration().Servers
}

// member tells whether a node is in the group.
func (r *raftNode) member(id wire.NodeID) bool {
	return slices.ContainsFunc(r.servers(), func(s raft.Server) bool { return wire.NodeID(s.ID) == id })
}

// soleVoter tells whether this node is the only voter.
func (r *raftNode) soleVoter() bool {
	voters := raftlog.VotersOf(r.servers())
	return len(voters) == 1 && voters[0] == r.id
}

// inFlight counts the raft futures that somebody waits for. Raft may leave futures without
// an answer when it is shut down, so Close waits for them first. While raft runs, each of
// them ends, at the latest when the leader steps down because it has lost its majority.
type inFlight struct {
	mu   sync.Mutex
	n    int
	idle chan struct{} // closed when n becomes 0; nil while nobody waits
}

func (f *inFlight) add(d int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.n += d; f.n == 0 && f.idle != nil {
		close(f.idle)
		f.idle = nil
	}
}

// wait waits until no future is open. It returns false after the timeout.
func (f *inFlight) wait(timeout time.Duration) bool {
	f.mu.Lock()
	if f.n == 0 {
		f.mu.Unlock()
		return true
	}
	if f.idle == nil {
		f.idle = make(chan struct{})
	}
	idle := f.idle
	f.mu.Unlock()
	select {
	case <-idle:
		return true
	case <-time.After(timeout):
		return false
	}
}
