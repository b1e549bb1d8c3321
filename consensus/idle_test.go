package consensus

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/raft"

	"shoal/wire"
)

const testHeartbeat = 500 * time.Millisecond

// Three nodes on a virtual clock: a message takes oneWay, an append to the log diskTime,
// everything else no time at all.
const (
	oneWay   = time.Millisecond
	diskTime = 3 * time.Millisecond
)

// traffic counts what leaders send, and when it arrives.
type traffic struct {
	reports atomic.Int64 // that were messages of their own
	mu      sync.Mutex
	arrived map[raft.ServerID][]time.Time
}

func (f *traffic) note(to raft.ServerID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.arrived[to] = append(f.arrived[to], time.Now())
}

// since are the messages that have arrived at each node since a given time.
func (f *traffic) since(moment time.Time) map[raft.ServerID][]time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := map[raft.ServerID][]time.Time{}
	for id, list := range f.arrived {
		for _, at := range list {
			if at.After(moment) {
				out[id] = append(out[id], at)
			}
		}
	}
	return out
}

// far is a transport whose messages take time.
type far struct {
	raft.Transport
	m       *member
	group   *Group
	traffic *traffic
}

func (t *far) AppendEntries(id raft.ServerID, to raft.ServerAddress, m *raft.AppendEntriesRequest, answer *raft.AppendEntriesResponse) error {
	return t.group.send(id, m, answer, func(m *raft.AppendEntriesRequest) error {
		time.Sleep(oneWay)
		t.traffic.note(id)
		err := t.m.transport.AppendEntries(id, to, m, answer)
		if err == nil {
			t.m.net.carry(t.m.id, wire.NodeID(id), m, answer)
		}
		time.Sleep(oneWay)
		return err
	})
}

func (t *far) AppendEntriesPipeline(raft.ServerID, raft.ServerAddress) (raft.AppendPipeline, error) {
	return nil, raft.ErrPipelineReplicationNotSupported
}

// slowLog is a log on a slow disk.
type slowLog struct{ kept }

func (l slowLog) StoreLogs(logs []*raft.Log) error {
	time.Sleep(diskTime)
	return l.kept.StoreLogs(logs)
}

func (l slowLog) StoreLog(one *raft.Log) error { return l.StoreLogs([]*raft.Log{one}) }

// virtual runs a test with three idle nodes in a bubble of testing/synctest.
func virtual(t *testing.T, disk bool, test func(t *testing.T, n *network, lead *member, f *traffic)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		n, f := newNetwork(t), &traffic{arrived: map[raft.ServerID][]time.Time{}}
		begun := time.Now()
		all := n.cluster(3, func(c *Config) {
			m := n.nodes[c.NodeID]
			c.HeartbeatTimeout = testHeartbeat
			c.Clock.Elapsed = func() time.Duration { return time.Since(begun) }
			c.transport = func(g *Group) raft.Transport { return &far{m.transport, m, g, f} }
			direct := c.Call
			c.Call = func(ctx context.Context, to wire.NodeID, r *Request) (*Reply, error) {
				if r.Report != nil {
					f.reports.Add(1)
				}
				return direct(ctx, to, r)
			}
			if disk {
				c.RaftLog = func(string) (Log, error) { return slowLog{kept{m.logs, m.logs}}, nil }
			}
		})
		awaitLeases(t, all)
		test(t, n, n.leader(), f)
	})
}

func TestAnIdleLeaderSendsAHundredMessagesASecond(t *testing.T) {
	virtual(t, true, func(t *testing.T, _ *network, _ *member, f *traffic) {
		time.Sleep(10 * time.Second)
		begun := time.Now()
		time.Sleep(10 * time.Second)
		got := f.since(begun)
		if len(got) != 2 {
			t.Fatalf("%d nodes heard from the leader, there are two followers", len(got))
		}
		for id, list := range got {
			if len(list) > 10*13 {
				t.Errorf("%s got %d messages in ten seconds in which nothing happened", id, len(list))
			}
			// Followers begin an election as soon after the leader's death as with heartbeats alone.
			last := begun
			for _, at := range list {
				if gap := at.Sub(last); gap > testHeartbeat/5+4*oneWay {
					t.Errorf("%s heard nothing for %s", id, gap)
				}
				last = at
			}
		}
	})
}

// latency is the shortest and the longest duration of an operation, measured right after
// the previous one and after a pause.
func latency(t *testing.T, idle time.Duration, what func() error) (shortest, longest time.Duration) {
	t.Helper()
	shortest = time.Hour
	for range 20 {
		time.Sleep(idle)
		begun := time.Now()
		if err := what(); err != nil {
			t.Fatal(err)
		}
		took := time.Since(begun)
		shortest, longest = min(shortest, took), max(longest, took)
	}
	return shortest, longest
}

func TestAWriteAfterIdlenessDoesNotWaitForHeldMessages(t *testing.T) {
	for name, c := range map[string]struct {
		disk bool
		more time.Duration
	}{
		// The append takes longer than the message that it sets free.
		"a disk":            {true, 0},
		"no time on a disk": {false, 2 * oneWay},
	} {
		t.Run(name, func(t *testing.T) {
			virtual(t, c.disk, func(t *testing.T, _ *network, lead *member, _ *traffic) {
				write := func() error {
					_, err := lead.Propose(t.Context(), addTask("movies"))
					return err
				}
				_, busy := latency(t, 0, write)
				_, idle := latency(t, 3333*time.Millisecond, write)
				if idle > busy+c.more {
					t.Errorf("a write took %s when nothing had happened for a while, %s otherwise", idle, busy)
				}
			})
		})
	}
}

func TestAReadAfterIdlenessDoesNotWaitForHeldHeartbeats(t *testing.T) {
	virtual(t, true, func(t *testing.T, n *network, lead *member, f *traffic) {
		for _, m := range n.running() {
			if _, longest := latency(t, 3333*time.Millisecond, func() error { return m.Barrier(t.Context()) }); longest > 2*oneWay {
				t.Errorf("a read on %s took %s, a proof of leadership is one message and its answer", m.id, longest)
			}
		}
	})
}

// Held messages must not keep a leader alive for its followers, nor make it believe that it
// still leads.
func TestAnElectionAfterIdlenessTakesNoLonger(t *testing.T) {
	virtual(t, true, func(t *testing.T, n *network, lead *member, _ *traffic) {
		time.Sleep(10 * time.Second)
		cut, term := time.Now(), lead.raft.CurrentTerm()
		n.isolate(lead)
		for lead.raft.State() == raft.Leader {
			time.Sleep(time.Millisecond)
		}
		if took := time.Since(cut); took > testHeartbeat+20*time.Millisecond {
			t.Errorf("the leader that was cut off stayed in office for %s", took)
		}
		next := n.leader()
		// A follower checks after one to two timeouts, drawn at random. If it checks just
		// before one timeout has passed since the last message, it checks once more after
		// that. Candidates that collide begin a new term with the same delay.
		elections, limit := next.raft.CurrentTerm()-term, testHeartbeat+20*time.Millisecond
		for range elections {
			limit += 2 * testHeartbeat
		}
		if took := time.Since(cut); next == lead || took > limit {
			t.Errorf("%s led %s later, after %d elections", next.id, took, elections)
		}
		if _, err := next.Propose(t.Context(), addTask("movies")); err != nil {
			t.Error(err)
		}
		n.rejoin(lead)
		eventually(t, "the old leader to follow", func() bool {
			leader, ok := lead.Leader()
			return ok && leader != lead.id && lead.Catalog().Applied() == next.Catalog().Applied()
		})
	})
}

// A node that comes back does not know what is committed, and the leader does not repeat
// its last message for a while.
func TestANodeThatComesBackToAnIdleLeaderHearsOfTheCommitAtOnce(t *testing.T) {
	virtual(t, true, func(t *testing.T, n *network, lead *member, _ *traffic) {
		var back *member
		for _, m := range n.running() {
			if m != lead {
				back = m
			}
		}
		if _, err := lead.Propose(t.Context(), addTask("movies")); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Second)
		n.stop(back)
		var i int
		for i = range 3 {
			if nodeName(i) == back.id {
				break
			}
		}
		begun := time.Now()
		back = n.start(i, nil, func(c *Config) {
			c.HeartbeatTimeout = testHeartbeat
			c.Clock.Elapsed = func() time.Duration { return time.Since(begun) }
		})
		want := lead.raft.CommitIndex()
		eventually(t, "the node to know what is committed", func() bool { return back.raft.CommitIndex() >= want })
		if took := time.Since(begun); took > testHeartbeat/2 {
			t.Errorf("it took %s", took)
		}
		if err := back.Barrier(within(t, time.Second)); err != nil {
			t.Error(err)
		}
	})
}

// Schedulers wait for Changed and do not look by themselves for a second.
func TestChangedIsClosedWhenANodeBecomesLeader(t *testing.T) {
	virtual(t, true, func(t *testing.T, n *network, lead *member, _ *traffic) {
		time.Sleep(10 * time.Second)
		var waiting sync.WaitGroup
		for _, m := range n.running() {
			waiting.Go(func() {
				_, led := m.Leading()
				for {
					changed := m.Changed()
					if _, leads := m.Leading(); leads != led {
						return
					}
					select {
					case <-changed:
					case <-time.After(4 * testHeartbeat):
						if _, leads := m.Leading(); leads != led {
							t.Errorf("%s did not hear that it leads: %v", m.id, leads)
						}
						return
					}
				}
			})
		}
		n.isolate(lead)
		waiting.Wait()
	})
}
