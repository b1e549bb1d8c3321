package consensus

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/hashicorp/raft"

	"shoal/consensus/fsm"
	"shoal/consensus/lease"
	"shoal/wire"
)

// reporter keeps the leader informed of this node's progress, and takes what the leader
// answers: a lease, the watermark, the time of day.
type reporter struct {
	ticks   lease.Clock
	cfg     *Config
	log     *slog.Logger
	life    *lifetime
	fsm     *fsm.FSM
	raft    *raftNode
	client  *client
	history *histories
	own     *lease.Own
	clock   *leaderClock
	leading *atomic.Pointer[leadership] // of this node
	carried carriedReports
}

// every is how often a node reports if nothing has changed.
func (r *reporter) every() time.Duration { return r.cfg.Lease / 6 }

// run keeps the leader informed of this node's progress: immediately when it has applied
// what clients wait for, otherwise often enough to keep the lease, unless heartbeats carry
// its reports.
func (r *reporter) run() {
	due := time.NewTimer(0)
	defer due.Stop()
	reported := int64(0)
	every := r.every()
	for {
		r.carried.leased.Store(0) // a former leader's grant does not extend a lease of the next one
		applied, lead := r.fsm.Applied.Next(), r.client.leadChange.Next()
		wait := every
		if r.raft.State() == raft.Leader {
			wait = 10 * every // it is woken when it stops leading
		} else {
			at := r.fsm.LastAt.Load()
			switch err := r.send(at); {
			case err == nil:
				reported = at
			case errors.Is(err, wire.ErrBehind):
				wait = min(every, retryEvery)
			default:
				wait = min(every, 4*retryEvery)
			}
		}
		due.Reset(wait)
		for idle := true; idle; {
			select {
			case <-r.life.ctx.Done():
				return
			case <-lead:
				idle = false
			case <-due.C:
				if wait = r.spared(); wait > 0 {
					due.Reset(wait)
				} else {
					idle = false
				}
			case <-applied:
				applied = r.fsm.Applied.Next()
				idle = r.fsm.LastAwaited.Load() <= reported
			}
		}
	}
}

// report makes a report of this node as of now. It has applied everything up to the log
// time at.
func (r *reporter) report(at, now int64) *Report {
	r.carried.mu.Lock()
	heard := r.carried.heard
	r.carried.mu.Unlock()
	// Read the term after receiving the answer that the report repeats.
	mark := r.fsm.Mark() // read before the term: it was reached in this term or an earlier one
	p := &Report{Node: r.cfg.NodeID, At: at, Index: r.raft.AppliedIndex(), Applied: mark.Index, Hash: mark.Hash}
	p.Term = r.raft.CurrentTerm()
	if heard.Term == p.Term {
		p.Echo = heard.Clock
	}
	if r.leading.Load() == nil { // otherwise its term is just ending
		p.Quiet = r.own.Contact.Quiet(p.Term, now)
	}
	return p
}

// send reports and takes the granted lease. It returns the errors of take and of the
// call.
func (r *reporter) send(at int64) error {
	sent := r.ticks.Now()
	ctx, cancel := context.WithTimeout(r.life.ctx, r.cfg.FormerLease/5)
	defer cancel()
	reply, err := r.client.call(ctx, &Request{Report: r.report(at, sent)})
	if err != nil {
		return err
	}
	r.own.Contact.Hear(reply.Term, r.ticks.Now())
	r.carried.hear(reply)
	r.clock.hear(reply, sent, r.ticks.Now())
	return r.take(reply, sent)
}

// take handles the answer to a report that was sent at a moment. It returns ErrBehind if
// there is no lease yet because this node has to catch up or the leader still lacks a
// proof. It returns nil without a lease if this node is too slow for one (see package lease).
func (r *reporter) take(reply *Reply, sent int64) error {
	leader, _ := r.raft.leader()
	if err := r.history.recognise(reply, leader, r.raft.CurrentTerm()); err != nil {
		return err
	}
	r.own.Learn(reply.Watermark)
	if reply.Leased {
		r.own.Prolong(reply.Term, sent+min(reply.Left, int64(r.cfg.Lease)))
		return nil
	}
	if reply.Barred {
		return nil // it reports as often as a node with a lease, not more often
	}
	return wire.ErrBehind
}
