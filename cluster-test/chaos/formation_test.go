package chaos

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	clustertest "shoal/cluster-test"
	"shoal/cluster-test/rig"
)

// wipe gives a node that does not run an empty disk.
func wipe(t *testing.T, n *clustertest.Node) {
	t.Helper()
	if n.PID() != 0 {
		t.Fatalf("%s runs", n.Name)
	}
	if err := os.RemoveAll(n.Folder()); err != nil {
		t.Fatal(err)
	}
}

// allThere waits until every node answers and has exactly the documents from 0 to n.
func allThere(t *testing.T, nodes []*clustertest.Node, n int) {
	t.Helper()
	for _, o := range nodes {
		eventually(t, 45*time.Second, o.Name+" to be ready", func(ctx context.Context) bool {
			one, cancel := context.WithTimeout(ctx, 2*time.Second)
			defer cancel()
			return o.PID() != 0 && o.Ready(one) == nil
		})
		missing := ""
		eventually(t, 30*time.Second, "the documents on "+o.Name, func(ctx context.Context) bool {
			found, err := ids(ctx, o, "docs")
			if err != nil {
				missing = err.Error()
				return false
			}
			for id := range n {
				if !found[id] {
					t.Fatalf("%s lost document %d, which was acknowledged", o.Name, id)
				}
			}
			return len(found) == n
		})
		if t.Failed() {
			t.Log(missing)
		}
	}
}

// Row 11 of the failure matrix, with the node that has the newest entries away: two
// members that do not know of them must not agree to forget them.
func TestAFirstMemberWithAnEmptyDiskDoesNotUndoAcknowledgedWrites(t *testing.T) {
	t.Parallel()
	for _, away := range []string{"stopped", "frozen"} {
		t.Run("the third member was "+away, func(t *testing.T) {
			c := rig.New(t, 3, rig.Shards(1), "SHOAL_DEFAULT_REPLICAS=3")
			rig.Start(t, c)
			write(t, c.Nodes[0], "POST", "/indexes/docs/documents", documents(0, 10))
			third := others(c, leader(t, c))[0]
			rest := others(c, third)
			if away == "stopped" {
				third.Stop()
			} else if err := third.Freeze(); err != nil {
				t.Fatal(err)
			}
			for i := range 10 {
				write(t, rest[i%2], "POST", "/indexes/docs/documents", documents(10+i, 1))
			}
			keeper, wiped := rest[0], rest[1]
			keeper.Kill()
			wiped.Kill()
			wipe(t, wiped)
			begin(t, c, wiped)
			time.Sleep(time.Second) // nobody answers its questions meanwhile
			if away == "stopped" {
				begin(t, c, third)
			} else if err := third.Thaw(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(3 * time.Second) // for them to do harm
			begin(t, c, keeper)
			allThere(t, c.Nodes, 20)
			write(t, wiped, "POST", "/indexes/docs/documents", documents(20, 5))
			allThere(t, c.Nodes, 25)
		})
	}
}

// begin starts a node that need not answer yet.
func begin(t *testing.T, c *clustertest.Cluster, n *clustertest.Node) {
	t.Helper()
	if err := n.Start(c); err != nil {
		t.Fatal(err)
	}
}

func TestNewMembersWaitForEachOtherAndSayForWhom(t *testing.T) {
	c := rig.New(t, 3)
	for _, n := range c.Nodes[:2] {
		begin(t, c, n)
	}
	for _, n := range c.Nodes[:2] {
		eventually(t, 10*time.Second, n.Name+" to say that it waits", func(context.Context) bool {
			return strings.Contains(n.Tail(5), "waiting for first members") && strings.Contains(n.Tail(5), c.Nodes[2].Name+" (does not answer)")
		})
	}
	// One of them gets a new disk meanwhile; and one that waits can be stopped.
	c.Nodes[0].Kill()
	wipe(t, c.Nodes[0])
	begin(t, c, c.Nodes[0])
	c.Nodes[1].Stop()
	if last := c.Nodes[1].LastLog(); strings.Contains(last, "Error") {
		t.Errorf("it was stopped and says %s", last)
	}
	begin(t, c, c.Nodes[1])
	begin(t, c, c.Nodes[2])
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for _, n := range c.Nodes {
		if err := n.Ready(ctx); err != nil {
			t.Fatal(err)
		}
	}
	write(t, c.Nodes[0], "POST", "/indexes/docs/documents", documents(0, 10))
	allThere(t, c.Nodes, 10)
}

// Most members are new at once: the one that is not has everything.
func TestTwoNewMembersAndAnOldOneDoNotBeginAnotherCluster(t *testing.T) {
	t.Parallel()
	c := start(t, 3, 1)
	write(t, c.Nodes[0], "POST", "/indexes/docs/documents", documents(0, 10))
	for _, n := range c.Nodes {
		n.Kill()
	}
	old, lost := c.Nodes[0], c.Nodes[1:]
	for _, n := range lost {
		wipe(t, n)
		begin(t, c, n)
	}
	for _, n := range lost {
		eventually(t, 10*time.Second, n.Name+" to say that it waits", func(context.Context) bool {
			return strings.Contains(n.Tail(3), old.Name+" (does not answer)")
		})
	}
	begin(t, c, old)
	for _, n := range lost {
		eventually(t, 20*time.Second, n.Name+" to find the cluster", func(context.Context) bool {
			return strings.Contains(n.Tail(20), "the cluster exists already")
		})
	}
	for _, n := range c.Nodes {
		ctx, cancel := context.WithTimeout(t.Context(), 8*time.Second)
		if _, err := n.Enqueue(ctx, "POST", "/indexes/docs/documents", documents(10, 1)); err == nil {
			t.Errorf("%s accepted a write, one of three votes is left", n.Name)
		}
		cancel()
	}
}
