package chaos

import (
	"context"
	"net/http"
	"os"
	"testing"
	"time"

	clustertest "shoal/cluster-test"
	"shoal/cluster-test/rig"
)

func TestANodeThatDoesNotBelongIsRefused(t *testing.T) {
	c := start(t, 3, 1)
	t.Run("wrong secret", func(t *testing.T) {
		n := joining(t, c)
		n.Env = []string{"SHOAL_CLUSTER_SECRET=quite another secret"}
		refused(t, c, n, "--cluster-secret")
	})
	t.Run("no secret", func(t *testing.T) {
		n := joining(t, c)
		n.Env = []string{"SHOAL_CLUSTER_SECRET="}
		refused(t, c, n, "--cluster-secret")
	})
	t.Run("wrong master key", func(t *testing.T) {
		n := joining(t, c)
		n.Env = []string{"SHOAL_MASTER_KEY=not the key of the others"}
		refused(t, c, n, "--master-key")
	})
	t.Run("of another cluster", func(t *testing.T) {
		other := rig.New(t, 1)
		rig.Start(t, other)
		n := other.Nodes[0]
		n.Stop()
		n.Option("join", c.Nodes[0].Gossip)
		refused(t, other, n, "another cluster", "--join", n.Folder())
	})
	// None of this did any harm.
	write(t, c.Nodes[1], "POST", "/indexes/docs/documents", documents(0, 10))
	for _, n := range c.Nodes {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		s, err := n.Status(ctx)
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Nodes) != 3 {
			t.Errorf("%s knows %d members", n.Name, len(s.Nodes))
		}
	}
}

// joining prepares a node that would join; it is no part of the cluster's list.
func joining(t *testing.T, c *clustertest.Cluster) *clustertest.Node {
	t.Helper()
	n, err := c.Join()
	if err != nil {
		t.Fatal(err)
	}
	c.Nodes = c.Nodes[:len(c.Nodes)-1]
	t.Cleanup(n.Kill)
	t.Cleanup(func() { _ = os.RemoveAll(n.Folder()) }) // the next one has the same name
	return n
}

func TestAWipedNodeComesBackUnderANewName(t *testing.T) {
	c := start(t, 3, 3)
	write(t, c.Nodes[0], "POST", "/indexes/docs/documents", documents(0, 500))
	lost := leader(t, c)
	lost.Kill()
	if err := os.RemoveAll(lost.Folder()); err != nil {
		t.Fatal(err)
	}
	rest := others(c, lost)
	refused(t, c, lost, "already knows", "--name", "--join")
	n, err := c.Join()
	if err != nil {
		t.Fatal(err)
	}
	restart(t, c, n)
	write(t, rest[0], "POST", "/indexes/docs/documents", documents(500, 100))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	// The lost member is taken out by hand; its copies and its vote move to the
	// newcomer.
	eventually(t, 20*time.Second, "the removal of the lost member", func(ctx context.Context) bool {
		status, _, err := rest[1].Do(ctx, "DELETE", "/cluster/nodes/"+lost.Name, nil)
		return err == nil && status == http.StatusOK
	})
	eventually(t, time.Minute, "all copies", func(ctx context.Context) bool {
		s, err := n.Status(ctx)
		return err == nil && s.Healthy && len(s.Nodes) == 3
	})
	// Any one of the three may fail now, the newcomer's vote counts.
	eventually(t, 30*time.Second, "the newcomer's vote", func(ctx context.Context) bool {
		s, err := n.Status(ctx)
		return err == nil && s.Voters() == 3
	})
	rest[0].Kill()
	for _, survivor := range []*clustertest.Node{n, rest[1]} {
		eventually(t, 20*time.Second, "writes", func(ctx context.Context) bool {
			uid, err := survivor.Enqueue(ctx, "POST", "/indexes/docs/documents", documents(600, 50))
			if err == nil {
				_, err = survivor.Wait(ctx, uid)
			}
			return err == nil
		})
		found, err := ids(ctx, survivor, "docs")
		if err != nil || len(found) != 650 {
			t.Errorf("%s has %d documents: %v", survivor.Name, len(found), err)
		}
	}
}
