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
// as messages of their own, a quarter of a lease after the last one that did (Group.report,
// spared).
//
// A report and its answer mean the same either way (leases.go, former.go). But the answer
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

// carry sends a message to a follower. A heartbeat takes with it the answer to the
// follower's last report, if that came inside an answer to a heartbeat. The follower's
// answer brings its next report.
func (g *Group) carry(to raft.ServerID, m *raft.AppendEntriesRequest, answer *raft.AppendEntriesResponse, send func(*raft.AppendEntriesRequest) error) error {
	l := g.leading.Load()
	if l == nil || l.term != m.Term || !lull.IsHeartbeat(m) {
		return send(m)
	}
	reply := l.leases.carriedTo(wire.NodeID(to))
	if reply == nil {
		return send(m)
	}
	reply.Wall = g.cfg.Clock.Now().UnixNano()
	text, err := wire.Marshal(reply)
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
			g.log.Error("a report inside the answer to a heartbeat is refused", "of", string(report.Node), "from", string(to), "error", err)
			return nil
		}
		// It fails if this node no longer leads, and the other node finds that out by
		// itself.
		_, _ = g.takeReport(report)
	}
	return nil
}

// carriedTo is the answer that goes with the next heartbeat to a node. It is nil if the node has
// not reported in this term, or if heartbeats are frequent because somebody reads.
func (b *leaseTable) carriedTo(node wire.NodeID) *Reply {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.g.now()
	s := b.nodes[node]
	if s == nil || s.spoke == 0 || s.carriedAt != 0 && now-s.carriedAt < int64(b.g.cfg.HeartbeatTimeout/10) {
		return nil
	}
	s.carriedAt = now
	reply := s.carried
	if reply.Carried != 0 {
		reply.Held = now - s.spoken
	}
	reply.Clock, reply.Term = now, b.term
	return &reply
}

// keep stores the answer to a report that came inside an answer to a heartbeat; it leaves
// with the next heartbeat. A watermark that is newer than what the node was told does not
// wait for that. The caller holds b.mu.
func (s *standing) keep(reply *Reply, number uint64, told, now int64) {
	s.carried, s.spoken, s.told = *reply, now, told
	s.carried.Carried = number
}

// takeCarried reads what came with a heartbeat, once raft has accepted that heartbeat, and
// adds a report to the answer.
func (g *Group) takeCarried(m *raft.AppendEntriesRequest, answer *raft.AppendEntriesResponse) {
	text, carried := bytes.CutPrefix(m.Leader, mark) //nolint:staticcheck // as in carry
	if !carried || !answer.Success {
		return
	}
	reply := new(Reply)
	if err := wire.Unmarshal(text, reply); err != nil || reply.Term != m.Term {
		g.log.Error("the answer to a report inside a heartbeat cannot be read", "term", m.Term, "error", err)
		return
	}
	now := g.now()
	g.contact.hear(reply.Term, now)
	g.carried.hear(reply)
	if sent, known := g.carried.sentAt(reply.Carried); known {
		g.hear(reply, sent+reply.Held)
		if g.take(reply, sent) == nil {
			g.carried.leased.Store(now)
		}
	}
	report := g.newReport(g.fsm.LastAt.Load(), now)
	g.carried.number(report, now)
	text, err := wire.Marshal(report)
	if err != nil {
		g.log.Error("a report cannot be sent inside the answer to a heartbeat", "error", err)
		return
	}
	answer.Addr = append(bytes.Clone(mark), text...)
}

// reportEvery is how often a node reports if nothing has changed.
func (g *Group) reportEvery() time.Duration { return g.cfg.Lease / 6 }

// spared is how long a node need not report by itself because heartbeats bring its leases.
// It is not positive once they have stopped doing so. It is read when a timer expires. A
// timer that every heartbeat sets again would wake the process up for nothing at the time
// for which it was set before. The interval is a little more than two heartbeats, so the
// timer expires at every second one. What is left of a lease then is enough for two more
// reports.
func (g *Group) spared() time.Duration {
	at := g.carried.leased.Load()
	if at == 0 {
		return 0
	}
	return g.cfg.Lease/4 - time.Duration(g.now()-at)
}

// send sends a message of raft when it is due, together with a report or an answer.
func (g *Group) send(to raft.ServerID, m *raft.AppendEntriesRequest, answer *raft.AppendEntriesResponse, now func(*raft.AppendEntriesRequest) error) error {
	return g.lull.Send(to, m, answer, func() error { return g.carry(to, m, answer, now) })
}

// beat lets raft handle a heartbeat, and reads the answer to a report that came with it.
func (g *Group) beat(rpc raft.RPC, take func(raft.RPC)) {
	m, ok := rpc.Command.(*raft.AppendEntriesRequest)
	if !ok || !bytes.HasPrefix(m.Leader, mark) { //nolint:staticcheck // as in carry
		take(rpc)
		return
	}
	answered := make(chan raft.RPCResponse, 1)
	take(raft.RPC{Command: rpc.Command, Reader: rpc.Reader, RespChan: answered})
	select {
	case a := <-answered:
		if answer, ok := a.Response.(*raft.AppendEntriesResponse); ok && a.Error == nil {
			g.takeCarried(m, answer)
		}
		rpc.RespChan <- a
	default: // raft has ended and answers nothing
	}
}
