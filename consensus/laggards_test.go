package consensus

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"shoal/wire"
)

// A node that was late with every report kept its lease. Each task was shown as finished
// only when that node had reported.
func TestRow05ASlowNodeHoldsUpNoTasksForLong(t *testing.T) {
	var delay atomic.Int64
	net := newNetwork(t)
	net.walk[nodeName(2)] = true // else it would be quick
	const lease = 600 * time.Millisecond
	nodes := net.cluster(3, func(c *Config) {
		c.HeartbeatTimeout = 300 * time.Millisecond // a busy machine does not change the leader
		c.Lease, c.FormerLease = lease, lease
		direct := c.Call
		c.Call = func(ctx context.Context, to wire.NodeID, r *Request) (*Reply, error) {
			if d := delay.Load(); d != 0 && r.Report != nil && r.Report.Node == nodeName(2) {
				time.Sleep(time.Duration(d))
				return direct(context.WithoutCancel(ctx), to, r)
			}
			return direct(ctx, to, r)
		}
	})
	awaitLeases(t, nodes)
	slow := nodes[2]
	if slow == net.leader() {
		t.Skip("the node that is to be slow leads")
	}
	leads := net.leader()
	task := func() time.Duration {
		begin := time.Now()
		term, _ := leads.Leading()
		res, err := leads.Propose(within(t, 10*time.Second), addTask("movies"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := leads.Propose(within(t, 10*time.Second), finish(term, res.Task.UID)); err != nil {
			t.Fatal(err)
		}
		eventually(t, "visibility", func() bool {
			// What is shown anywhere is applied where a lease is held.
			fresh, _ := slow.Lease()
			shown := leads.Visible(res.Task.UID)
			if held, _, _ := slow.Task(res.Task.UID); fresh && shown && (held == nil || held.Status != wire.Succeeded) {
				t.Fatal("a task is shown as finished while a node without it holds a lease")
			}
			return shown
		})
		return time.Since(begin)
	}
	delay.Store(int64(300 * time.Millisecond))
	var took time.Duration
	tries := 0
	for ; tries < 40 && !leads.Slow(slow.id); tries++ {
		took = task()
	}
	if !leads.Slow(slow.id) {
		t.Fatalf("the last of %d tasks took %s, and nobody noticed the slow node", tries, took)
	}
	eventually(t, "the end of its lease", func() bool { fresh, _ := slow.Lease(); return !fresh })
	time.Sleep(lease / 5) // the leader waits a little longer
	fast := 0
	for range 10 {
		if task() < 250*time.Millisecond {
			fast++
		}
	}
	if fast < 8 {
		t.Errorf("%d of 10 tasks were quick with a slow node that has no lease", fast)
	}
	delay.Store(0)
	eventually(t, "the lease of a node that keeps up again", func() bool { fresh, _ := slow.Lease(); return fresh && !leads.Slow(slow.id) })
	if took := task(); took > lease {
		t.Errorf("a task took %s with all nodes quick", took)
	}
}
