package view

import (
	"context"

	"shoal/consensus"
	"shoal/coordinator/placement"
	"shoal/coordinator/schedule"
	"shoal/node/peer"
	"shoal/node/poll"
	"shoal/wire"
)

// Leader tells what the leader of the cluster works on. Safe for concurrent use.
type Leader struct {
	self      wire.NodeID
	group     *consensus.Group
	scheduler *schedule.Scheduler
	balancer  *placement.Balancer

	batches poll.Question[progressRequest, progressReply]
	behind  poll.Question[lagsRequest, lagsReply]
	waiting poll.Question[waitsRequest, waitsReply]
}

// OpenLeader makes this node answer while it leads: with the work of its scheduler and its
// balancer.
func OpenLeader(m *poll.Members, s *peer.Server, scheduler *schedule.Scheduler, balancer *placement.Balancer) *Leader {
	l := &Leader{self: m.Self, group: m.Group, scheduler: scheduler, balancer: balancer}
	l.batches = poll.NewQuestion(m, s, "batch.progress", l.serveProgress)
	l.behind = poll.NewQuestion(m, s, "cluster.lags", l.serveLags)
	l.waiting = poll.NewQuestion(m, s, "cluster.waits", l.serveWaits)
	return l
}

// progressRequest asks for the progress of batches. progressReply has those that the node
// works on.
type progressRequest struct {
	Batches []uint32 `msgpack:"b"`
}

type progressReply struct {
	Batches  []uint32 `msgpack:"b"`
	Progress [][]byte `msgpack:"p"`
}

// serveProgress answers with the progress of the batches that this node's scheduler works
// on.
func (l *Leader) serveProgress(_ context.Context, req *progressRequest) (*progressReply, error) {
	reply := &progressReply{}
	for _, uid := range req.Batches {
		if p := l.scheduler.Progress(uid); p != nil {
			reply.Batches, reply.Progress = append(reply.Batches, uid), append(reply.Progress, p)
		}
	}
	return reply, nil
}

// Progress asks the leader for the progress of batches. Those that it does not work on are
// missing, and all are if it cannot tell.
func (l *Leader) Progress(ctx context.Context, batches []uint32) map[uint32][]byte {
	reply, err := l.batches.Leader(ctx, &progressRequest{Batches: batches})
	if err != nil || len(reply.Batches) != len(reply.Progress) {
		return nil
	}
	known := make(map[uint32][]byte, len(reply.Batches))
	for i, uid := range reply.Batches {
		known[uid] = reply.Progress[i]
	}
	return known
}

type lagsRequest struct{}

// lagsReply has the number of log entries that each member still has to apply.
type lagsReply struct {
	Lags map[wire.NodeID]uint64 `msgpack:"l"`
}

// serveLags answers on the leader.
func (l *Leader) serveLags(context.Context, *lagsRequest) (*lagsReply, error) {
	lags, ok := l.group.Lags()
	if !ok {
		return nil, wire.ErrNotLeader
	}
	lags[l.self] = 0
	return &lagsReply{Lags: lags}, nil
}

// Lags asks the leader how many log entries each member still has to apply. It returns nil
// if the leader cannot tell.
func (l *Leader) Lags(ctx context.Context) map[wire.NodeID]uint64 {
	reply, err := l.behind.Leader(ctx, &lagsRequest{})
	if err != nil {
		return nil
	}
	return reply.Lags
}

type waitsRequest struct{}

// waitsReply is a placement.Work. Older programs omit the decisions.
type waitsReply struct {
	Waits     []string            `msgpack:"w"`
	Decisions []placement.Decided `msgpack:"d"`
}

// serveWaits answers on the leader.
func (l *Leader) serveWaits(context.Context, *waitsRequest) (*waitsReply, error) {
	if _, leads := l.group.Leading(); !leads {
		return nil, wire.ErrNotLeader
	}
	return &waitsReply{Waits: l.scheduler.Waits(), Decisions: l.balancer.Decisions()}, nil
}

// Work asks the leader what waits there, and what its balancer has decided. The result is
// empty if the leader cannot tell.
func (l *Leader) Work(ctx context.Context) placement.Work {
	reply, err := l.waiting.Leader(ctx, &waitsRequest{})
	if err != nil {
		return placement.Work{}
	}
	return placement.Work{Waits: reply.Waits, Decisions: reply.Decisions}
}
