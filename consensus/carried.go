package consensus

import (
	"bytes"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/raft"

	"shoal/consensus/lull"
	"shoal/wire"
)

// Reports inside heartbeats. An idle follower receives a heartbeat from its leader about
// as often as it would report to it, and each of the two is a message and an answer. So an
// idle node puts its report into its answer to a heartbeat, and the leader puts its answer
// to the report into the next heartbeat. That saves a message, and no goroutine wakes up
// for it.
//
// Both use fields of raft's messages that raft reads only from older programs: they repeat
// the address of the sender, which is its id here. Programs that do not know such reports
// neither accept nor send any. A node whose reports do not get through this way sends them
// as messages of their own, a quarter of a lease after the last one that did (reporter.run,
// spared).
//
// A report and its answer mean the same either way (package lease). But the answer
// arrives one heartbeat after it was given. Reply.Left counts from the moment at which the
// report was sent in both cases, and Reply.Carried says which report that was. The clock of
// the leader is read when the answer is sent, so that a proof of leadership is not older
// than a round trip.

// mark is the prefix of a report or an answer inside a heartbeat. No id of a node begins
// with it.
var mark = []byte{0, 'r'}

// carriedReports keeps track of the reports that this node sends inside answers to heartbeats.
type carriedReports struct {
	mu    sync.Mutex
	last  uint64 // the number of the newest, 0: none yet
	sent  int64  // when that one was sent
	heard Reply  // the newest answer of a leader, inside a heartbeat or not

	leased atomic.Int64 // when a heartbeat last brought a lease, 0: not since this node last reported by itself
}

// hear keeps what a leader answered, for the next report.
func (r *carriedReports) hear(reply *Reply) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if old := &r.heard; reply.Term > old.Term || reply.Term == old.Term && reply.Clock > old.Clock {
		r.heard = *reply
	}
}

// sentAt returns when the report with this number was sent. known is false unless it is the
// newest report of this process.
func (r *carriedReports) sentAt(number uint64) (at int64, known bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.sent, number != 0 && number == r.last
}

// number gives a report its number. The first number is random, so that an answer to a
// report of an earlier process is not mistaken for an answer to one of this process.
func (r *carriedReports) number(report *Report, now int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.last++; r.last == 1 {
		r.last = rand.Uint64()>>1 + 1
	}
	r.sent, report.Carried = now, r.last
}

// carry sends a heartbeat of this term to a follower. It takes with it the answer to the
// follower's last report, if that came inside an answer to a heartbeat. The follower's
// answer brings its next report.
func (l *leadership) carry(to raft.ServerID, m *raft.AppendEntriesRequest, answer *raft.AppendEntriesResponse, send func(*raft.AppendEntriesRequest) error) error {
	answered, ok := l.leases.Carried(wire.NodeID(to))
	if !ok {
		return send(m)
	}
	text, err := wire.Marshal(replyTo(answered, l.g.cfg.Clock.Now()))
	if err != nil {
		return err
	}
	carrying := *m                                       // raft sends its own copy again
	carrying.Leader = append(bytes.Clone(mark), text...) //nolint:staticcheck // this field is free because raft reads the header
	answer.Addr = nil
	if err := send(&carrying); err != nil || !answer.Success {
		return err
	}
	if text, carried := bytes.CutPrefix(answer.Addr, mark); carried {
		report := new(Report)
		if err := wire.Unmarshal(text, report); err != nil || report.Node != wire.NodeID(to) {
			l.g.log.Error("a report inside the answer to a heartbeat is refused", "of", string(report.Node), "from", string(to), "error", err)
			return nil
		}
		// If this node no longer leads, the other node finds that out by itself.
		if l, ok := l.g.leads(); ok {
			_ = l.takeReport(report)
		}
	}
	return nil
}

// takeCarried reads what came with a heartbeat, once raft has accepted that heartbeat, and
// adds a report to the answer.
func (r *reporter) takeCarried(m *raft.AppendEntriesRequest, answer *raft.AppendEntriesResponse) {
	text, carried := bytes.CutPrefix(m.Leader, mark) //nolint:staticcheck // as in carry
	if !carried || !answer.Success {
		return
	}
	reply := new(Reply)
	if err := wire.Unmarshal(text, reply); err != nil || reply.Term != m.Term {
		r.log.Error("the answer to a report inside a heartbeat cannot be read", "term", m.Term, "error", err)
		return
	}
	now := r.ticks.Now()
	r.own.Contact.Hear(reply.Term, now)
	r.carried.hear(reply)
	if sent, known := r.carried.sentAt(reply.Carried); known {
		r.clock.hear(reply, sent+reply.Held, r.ticks.Now())
		if r.take(reply, sent) == nil {
			r.carried.leased.Store(now)
		}
	}
	report := r.report(r.fsm.LastAt.Load(), now)
	r.carried.number(report, now)
	text, err := wire.Marshal(report)
	if err != nil {
		r.log.Error("a report cannot be sent inside the answer to a heartbeat", "error", err)
		return
	}
	answer.Addr = append(bytes.Clone(mark), text...)
}

// spared returns the time for which a node need not report, because heartbeats renew its leases.
// It is not positive once they have stopped doing so. It is read when a timer expires. A
// timer that every heartbeat sets again would wake the process up for nothing at the time
// for which it was set before. The interval is a little more than two heartbeats, so the
// timer expires at every second one. What is left of a lease then is enough for two more
// reports.
func (r *reporter) spared() time.Duration {
	at := r.carried.leased.Load()
	if at == 0 {
		return 0
	}
	return r.cfg.Lease/4 - time.Duration(r.ticks.Now()-at)
}

// send sends a message of raft when it is due, a heartbeat together with an answer to a
// report.
func (g *Group) send(to raft.ServerID, m *raft.AppendEntriesRequest, answer *raft.AppendEntriesResponse, now func(*raft.AppendEntriesRequest) error) error {
	return g.lull.Send(to, m, answer, func() error {
		if l := g.leading.Load(); l != nil && l.term == m.Term && lull.IsHeartbeat(m) {
			return l.carry(to, m, answer, now)
		}
		return now(m)
	})
}

// beat lets raft handle a heartbeat, and reads the answer to a report that came with it. A
// heartbeat may arrive while raft is still starting, and is not answered with a report then.
func (g *Group) beat(rpc raft.RPC, take func(raft.RPC)) {
	reporter := g.reporter.Load()
	m, ok := rpc.Command.(*raft.AppendEntriesRequest)
	if !ok || reporter == nil || !bytes.HasPrefix(m.Leader, mark) { //nolint:staticcheck // as in carry
		take(rpc)
		return
	}
	answered := make(chan raft.RPCResponse, 1)
	take(raft.RPC{Command: rpc.Command, Reader: rpc.Reader, RespChan: answered})
	select {
	case a := <-answered:
		if answer, ok := a.Response.(*raft.AppendEntriesResponse); ok && a.Error == nil {
			reporter.takeCarried(m, answer)
		}
		rpc.RespChan <- a
	default: // raft has ended and answers nothing
	}
}
