package chaos

import (
	"context"
	"net/http"
	"testing"
	"time"

	clustertest "shoal/cluster-test"
)

// A node that may not vote takes the address of a dead voter while the third one
// hangs: nothing that it says may count for the voter.
func TestANodeAtTheAddressOfADeadVoterMakesNoQuorum(t *testing.T) {
	c := start(t, 3, 1)
	write(t, c.Nodes[0], "POST", "/indexes/docs/documents", documents(0, 10))
	stranger, err := c.Join()
	if err != nil {
		t.Fatal(err)
	}
	stranger.Env = []string{"SHOAL_NO_VOTER=true"}
	if err := stranger.Start(c); err != nil {
		t.Fatal(err)
	}
	eventually(t, 30*time.Second, "the fourth node to belong", func(ctx context.Context) bool {
		s, err := stranger.Status(ctx)
		return err == nil && len(s.Nodes) == 4
	})
	leads := leader(t, c)
	var rest []*clustertest.Node
	for _, n := range c.Nodes[:3] {
		if n != leads {
			rest = append(rest, n)
		}
	}
	dead, frozen := rest[0], rest[1]
	dead.Kill()
	stranger.Stop()
	stranger.Option("peer-addr", dead.Peer)
	if err := stranger.Start(c); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := stranger.Ready(ctx); err != nil {
		t.Fatal(err)
	}
	write(t, leads, "POST", "/indexes/docs/documents", documents(10, 10)) // two of three voters
	if err := frozen.Freeze(); err != nil {
		t.Fatal(err)
	}
	acknowledged := 0
	for begin, id := time.Now(), 1000; time.Since(begin) < 8*time.Second; id++ {
		status, b, err := leads.Do(ctx, "POST", "/indexes/docs/documents", documents(id, 1))
		if err == nil && status == http.StatusAccepted {
			acknowledged++
			t.Logf("acknowledged after %s: %s", time.Since(begin).Round(time.Millisecond), b)
		}
	}
	if acknowledged > 0 {
		t.Errorf("%d writes were acknowledged while one of three voters was there", acknowledged)
	}
	if err := frozen.Thaw(); err != nil {
		t.Fatal(err)
	}
	eventually(t, 20*time.Second, "the cluster to take writes again", func(ctx context.Context) bool {
		return leads.Write(ctx, "POST", "/indexes/docs/documents", documents(5000, 1)) == nil
	})
	if s, err := leads.Status(ctx); err != nil || s.Voters() != 3 {
		t.Errorf("voters: %+v %v", s, err)
	}
}
