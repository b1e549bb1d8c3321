package chaos

import (
	"context"
	"testing"
	"time"

	clustertest "shoal/cluster-test"
)

// written sends one document again and again until it is acknowledged, then waits
// for its task, and returns how long both took.
func written(t *testing.T, n *clustertest.Node, id int) (acknowledged, succeeded time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	begin := time.Now()
	for {
		uid, err := n.Enqueue(ctx, "POST", "/indexes/docs/documents", documents(id, 1))
		if err == nil {
			acknowledged = time.Since(begin)
			if _, err := n.Wait(ctx, uid); err != nil {
				t.Fatal(err)
			}
			return acknowledged, time.Since(begin)
		}
		if ctx.Err() != nil {
			t.Fatal(err)
		}
		pause(ctx, 10*time.Millisecond)
	}
}

// healthy waits until every shard has all its copies, and returns how long that
// took.
func healthy(t *testing.T, n *clustertest.Node) time.Duration {
	t.Helper()
	begin := time.Now()
	eventually(t, time.Minute, "all copies to be in sync", func(ctx context.Context) bool {
		s, err := n.Status(ctx)
		return err == nil && s.Healthy
	})
	return time.Since(begin).Round(time.Millisecond)
}

func TestWritesGoOnSoonAfterANodeDied(t *testing.T) {
	c := start(t, 3, 3)
	write(t, c.Nodes[0], "POST", "/indexes/docs/documents", documents(0, 100))
	for i, kind := range []string{"leader", "follower", "leader", "follower"} {
		victim := leader(t, c)
		if kind == "follower" {
			victim = others(c, victim)[0]
		}
		writer := others(c, victim)[0]
		victim.Kill()
		acknowledged, succeeded := written(t, writer, 1000+i)
		t.Logf("%s killed: a write was acknowledged after %s and succeeded after %s", kind, acknowledged.Round(time.Millisecond), succeeded.Round(time.Millisecond))
		if succeeded > 4*time.Second {
			t.Errorf("%s killed: a write succeeded after %s", kind, succeeded.Round(time.Millisecond))
		}
		restart(t, c, victim)
		t.Logf("%s is back, every copy is in sync after %s", victim.Name, healthy(t, writer))
	}
}
