package consensus

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashicorp/raft"

	"shoal/consensus/lease"
	"shoal/consensus/raftlog"
	"shoal/wire"
)

// A lease counted with a clock that stands still while the machine sleeps would be valid
// for a whole night. The node would then answer with tasks of the evening before.
func TestALeaseEndsWhileTheMachineSleeps(t *testing.T) {
	net := newNetwork(t)
	slept := make([]atomic.Int64, 3)
	var ids []wire.NodeID
	for i := range slept {
		ids = append(ids, nodeName(i))
	}
	for i := range slept {
		net.start(i, ids, func(c *Config) {
			c.Lease = 5 * time.Second // it does not end by itself in this test
			c.Clock.Elapsed = func() time.Duration { return lease.Uptime() + time.Duration(slept[i].Load()) }
		})
	}
	leads := net.leader()
	for i := range slept {
		m := net.nodes[nodeName(i)]
		if m == leads {
			continue
		}
		eventually(t, "a lease", func() bool { fresh, _ := m.Lease(); return fresh })
		net.silence(m)
		if fresh, _ := m.Lease(); !fresh {
			t.Fatal("the lease ended with the first word that was not heard")
		}
		slept[i].Store(int64(time.Hour))
		if fresh, stale := m.Lease(); fresh || stale < 3500 {
			t.Errorf("after an hour of sleep the node answers for tasks: %v, stale by %d s", fresh, stale)
		}
		net.rejoin(m)
		eventually(t, "a lease after the sleep", func() bool { fresh, _ := m.Lease(); return fresh })
	}
}

// A node that started again without the others said that its answers were as old as its
// process, whatever it had missed, and served revoked keys for --max-staleness after each start.
func TestARestartDoesNotMakeAnswersYounger(t *testing.T) {
	net := newNetwork(t)
	nodes := net.cluster(3, nil)
	if _, err := net.leader().Propose(within(t, 20*time.Second), addTask("movies")); err != nil {
		t.Fatal(err)
	}
	for _, m := range nodes {
		net.stop(m)
	}
	alone := net.start(0, nil, func(c *Config) {
		c.Clock.Now = func() time.Time { return time.Now().Add(time.Hour) }
	})
	if fresh, stale := alone.Lease(); fresh || stale < 3590 || stale > 3700 {
		t.Errorf("fresh %v, stale by %d s after an hour", fresh, stale)
	}
}

// Row 16 of the failure matrix: the clocks of the nodes are an hour apart.
func TestRow16AClockThatIsWrongByAnHour(t *testing.T) {
	net := newNetwork(t)
	skew := []time.Duration{0, time.Hour, -time.Hour}
	var ids []wire.NodeID
	for i := range skew {
		ids = append(ids, nodeName(i))
	}
	members := map[wire.NodeID]*member{}
	clocks := map[wire.NodeID]time.Duration{}
	for i := range skew {
		m := net.start(i, ids, func(c *Config) {
			c.Clock.Now = func() time.Time { return time.Now().Add(skew[i]) }
		})
		members[m.id], clocks[m.id] = m, skew[i]
	}
	ctx := within(t, time.Minute)
	lastUID, lastAt := int64(-1), int64(0)
	for round := range 2 * len(skew) {
		leads := net.leader()
		t.Logf("round %d: %s leads, its clock is off by %s", round, leads.id, clocks[leads.id])
		for _, m := range members {
			eventually(t, "a lease on every node", func() bool { fresh, _ := m.Lease(); return fresh })
			// What expires is judged by the leader's time on every node. On a busy machine
			// another one may lead meanwhile.
			eventually(t, "every node to take the leader's time", func() bool {
				return m.Now().Sub(time.Now().Add(clocks[net.leader().id])).Abs() < time.Second
			})
		}
		for _, m := range members {
			res, err := m.Propose(ctx, addTask("movies"))
			if err != nil {
				t.Fatal(err)
			}
			task, ok, err := m.Task(res.Task.UID)
			if err != nil || !ok {
				t.Fatal(ok, err)
			}
			if int64(task.UID) != lastUID+1 || task.EnqueuedAt <= lastAt {
				t.Errorf("task %d at %d comes after task %d at %d", task.UID, task.EnqueuedAt, lastUID, lastAt)
			}
			lastUID, lastAt = int64(task.UID), task.EnqueuedAt
		}
		// Each of them leads, in an order that lets time go back.
		next := nodeName((1 + round) % len(skew))
		if next == leads.id {
			continue
		}
		eventually(t, "the next one to lead", func() bool {
			_ = net.leader().raft.LeadershipTransferToServer(raft.ServerID(next), raftlog.AddressOf(next)).Error() // it may be on its way
			return net.leader().id == next
		})
	}
}
