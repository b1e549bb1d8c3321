package node

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"shoal/consensus"
	"shoal/node/peer"
	"shoal/wire"
)

// methodReports takes what nodes report to their leader, one report after the other on a
// stream: most messages between nodes that nobody asks are reports, and a call costs about
// twice as much.
const methodReports = "reports"

// reports sends those of this node. Safe for concurrent use.
type reports struct {
	ctx  context.Context // ends the stream at the latest
	link *peer.Link

	busy sync.Mutex  // held while one is on its way by stream, or may be
	able wire.NodeID // who said that it takes streams
	to   wire.NodeID // where open leads
	open *peer.ClientStream
	end  context.CancelFunc // of open
}

// ask sends a report and returns its answer: by a stream to a leader that said that it
// takes one, else by a call.
func (r *reports) ask(ctx context.Context, to wire.NodeID, call *raftCall) (*consensus.Reply, error) {
	if !r.busy.TryLock() {
		return peer.Call[raftCall, consensus.Reply](ctx, r.link, to, methodRaft, call)
	}
	defer r.busy.Unlock()
	if r.open != nil && (r.to != to || !r.open.Current()) {
		r.drop()
	}
	if r.able == to {
		return r.exchange(ctx, to, call)
	}
	reply, err := peer.Call[raftCall, consensus.Reply](ctx, r.link, to, methodRaft, call)
	if err == nil && reply.Stream {
		r.able = to
	}
	return reply, err
}

// exchange is ask by the stream, which is opened if there is none. After a failure the next
// report is a call. The caller holds busy.
func (r *reports) exchange(ctx context.Context, to wire.NodeID, call *raftCall) (reply *consensus.Reply, err error) {
	if r.open == nil {
		below, end := context.WithCancel(r.ctx)
		open, err := r.link.Open(below, to, methodReports)
		if err != nil {
			end()
			r.able = ""
			return nil, err
		}
		r.open, r.to, r.end = open, to, end
	}
	// A late answer must not be taken for that of the next report.
	stop := context.AfterFunc(ctx, r.end)
	reply = new(consensus.Reply)
	if err = r.open.Ask(call); err == nil {
		err = r.open.Recv(reply)
	}
	if inTime := stop(); err == nil && inTime {
		return reply, nil
	}
	r.drop()
	if err == nil {
		return reply, nil
	}
	r.able = ""
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, io.EOF):
		return nil, fmt.Errorf("node %s takes no more reports: %w", to, wire.ErrUnavailable)
	}
	return nil, err
}

// drop ends the stream. The caller holds busy.
func (r *reports) drop() {
	if r.open != nil {
		r.end()
	}
	r.open, r.end = nil, nil
}
