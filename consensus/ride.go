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

// Reports that ride. A node that nobody asks anything hears a heartbeat of its leader as
// often as it would report to it, and each is a message and its answer. So the report of an
// idle node rides with the answer to a heartbeat, and what the leader answers to it rides
// with the next heartbeat: no message of its own, and nobody wakes up for it.
//
// Both ride in members of raft's messages that raft reads from older programs only: they
// repeat the address of the sender, which is its id here. Programs that know nothing of
// rides neither take nor give one. A node whose reports do not get through this way reports
// by itself, a quarter of a lease after the last one that did (Group.report, spared).
//
// What a report and its answer mean is the same either way (leases.go, former.go). But the
// answer arrives a heartbeat later than it was given: Reply.Left counts from when the report
// was sent in any case, and Ride says which report that was. The clock of the leader is from
// when the answer left, so that a proof of leadership is not older than a round trip.

// mark begins what rides: ids of nodes do not.
var mark = []byte{0, 'r'}

// rides are the reports of this node that ride.
type rides struct {
	mu    sync.Mutex
	last  uint64 // the number of the newest, 0: none yet
	sent  int64  // when it was
	heard Reply  // the newest that a leader said, be it in a ride or not

	leased atomic.Int64 // when one brought a lease last, 0: not since this node reported by itself
}

// hear notes what a leader answered, for the next report.
func (r *rides) hear(reply *Reply) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if old := &r.heard; reply.Term > old.Term || reply.Term == old.Term && reply.Clock > old.Clock {
		r.heard = *reply
	}
}

// sentAt returns when the report was sent to which an answer came. known is false unless
// it is the newest report of this process.
func (r *rides) sentAt(number uint64) (at int64, known bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.sent, number != 0 && number == r.last
}

// number gives a report its number. The first number is random, so that an answer to a
// report of a former process is not mistaken for one to this process.
func (r *rides) number(report *Report, now int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.last++; r.last == 1 {
		r.last = rand.Uint64()>>1 + 1
	}
	r.sent, report.Ride = now, r.last
}

// carry sends a message to a follower. On a heartbeat rides what is answered to the
// follower's last report, if it came by a ride, and with the answer the next one.
func (g *Group) carry(to raft.ServerID, m *raft.AppendEntriesRequest, answer *raft.AppendEntriesResponse, send func(*raft.AppendEntriesRequest) error) error {
	l := g.leading.Load()
	if l == nil || l.term != m.Term || !lull.IsHeartbeat(m) {
		return send(m)
	}
	reply := l.leases.ride(wire.NodeID(to))
	if reply == nil {
		return send(m)
	}
	reply.Wall = g.cfg.Clock.Now().UnixNano()
	text, err := wire.Marshal(reply)
	if err != nil {
		return err
	}
	carrying := *m                                       // raft sends its own again
	carrying.Leader = append(bytes.Clone(mark), text...) //nolint:staticcheck // it is free because raft reads the header
	answer.Addr = nil
	if err := send(&carrying); err != nil || !answer.Success {
		return err
	}
	if text, rode := bytes.CutPrefix(answer.Addr, mark); rode {
		report := new(Report)
		if err := wire.Unmarshal(text, report); err != nil || report.Node != wire.NodeID(to) {
			g.log.Error("a report that rode is refused", "of", string(report.Node), "from", string(to), "error", err)
			return nil
		}
		// It fails when this node has ceased to lead, and the other finds that out.
		_, _ = g.takeReport(report)
	}
	return nil
}

// ride is what rides with the next heartbeat to a node; nil for nothing: the node has not
// reported in this term, or heartbeats come often because somebody reads.
func (b *leaseTable) ride(node wire.NodeID) *Reply {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.g.now()
	s := b.nodes[node]
	if s == nil || s.spoke == 0 || s.rode != 0 && now-s.rode < int64(b.g.cfg.HeartbeatTimeout/10) {
		return nil
	}
	s.rode = now
	reply := s.rides
	if reply.Ride != 0 {
		reply.Held = now - s.spoken
	}
	reply.Clock, reply.Term = now, b.term
	return &reply
}

// keep takes the answer to a report that rode: it leaves with the next heartbeat. A
// watermark that is newer than what the node was told does not wait for that. The caller
// holds b.mu.
func (s *standing) keep(reply *Reply, number uint64, told, now int64) {
	s.rides, s.spoken, s.told = *reply, now, told
	s.rides.Ride = number
}

// takeRide takes what rode with a heartbeat, when raft has taken that, and has a report ride
// with the answer.
func (g *Group) takeRide(m *raft.AppendEntriesRequest, answer *raft.AppendEntriesResponse) {
	text, rode := bytes.CutPrefix(m.Leader, mark) //nolint:staticcheck // as in carry
	if !rode || !answer.Success {
		return
	}
	reply := new(Reply)
	if err := wire.Unmarshal(text, reply); err != nil || reply.Term != m.Term {
		g.log.Error("what rode with a heartbeat cannot be read", "term", m.Term, "error", err)
		return
	}
	now := g.now()
	g.contact.hear(reply.Term, now)
	g.rides.hear(reply)
	if sent, known := g.rides.sentAt(reply.Ride); known {
		g.hear(reply, sent+reply.Held)
		if g.take(reply, sent) == nil {
			g.rides.leased.Store(now)
		}
	}
	report := g.newReport(g.fsm.LastAt.Load(), now)
	g.rides.number(report, now)
	text, err := wire.Marshal(report)
	if err != nil {
		g.log.Error("a report cannot ride", "error", err)
		return
	}
	answer.Addr = append(bytes.Clone(mark), text...)
}

// reportEvery is how often a node reports that has nothing new to tell.
func (g *Group) reportEvery() time.Duration { return g.cfg.Lease / 6 }

// spared is for how long a node need not report by itself because rides bring its leases;
// not positive when they have ceased to. It is asked when a timer runs out, not a timer that
// each ride sets again: that wakes the process up for nothing at the moment it was set for
// before. A little more than two heartbeats, it runs out at every second one, and what is
// left of a lease then is enough for two more reports.
func (g *Group) spared() time.Duration {
	at := g.rides.leased.Load()
	if at == 0 {
		return 0
	}
	return g.cfg.Lease/4 - time.Duration(g.now()-at)
}

// send sends a message of raft, when it is due and with what rides on it.
func (g *Group) send(to raft.ServerID, m *raft.AppendEntriesRequest, answer *raft.AppendEntriesResponse, now func(*raft.AppendEntriesRequest) error) error {
	return g.lull.Send(to, m, answer, func() error { return g.carry(to, m, answer, now) })
}

// beat has raft take a heartbeat, and takes what rides on it.
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
			g.takeRide(m, answer)
		}
		rpc.RespChan <- a
	default: // raft has ended and answers nothing
	}
}
