package chaos

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	clustertest "shoal/cluster-test"
)

// A leader that everybody hears and that hears nobody must not lead on.
func TestRow08ALeaderThatCannotReceiveIsReplaced(t *testing.T) {
	c, net := partitioned(t, 2)
	s := &storm{t: t, c: c, seed: 8, sent: map[int]bool{}, kept: map[int]bool{}}
	write(t, c.Nodes[0], "POST", "/indexes", map[string]any{"uid": "docs", "primaryKey": "id"})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var wg sync.WaitGroup
	for worker := range 2 {
		wg.Go(func() { s.write(ctx, worker) })
	}
	deaf := leader(t, c)
	rest := others(c, deaf)
	for _, o := range rest {
		net.lose(o, deaf)
	}
	begin := time.Now()
	eventually(t, 20*time.Second, "another node to lead", func(ctx context.Context) bool {
		for _, o := range rest {
			if st, err := o.Status(ctx); err == nil && st.Term > 0 && st.Leader == o.Name {
				return true
			}
		}
		return false
	})
	elected := time.Since(begin)
	acknowledged, succeeded := written(t, rest[0], 900_000)
	t.Logf("another node led after %s; a write on it was acknowledged after %s and succeeded after %s", elected.Round(time.Millisecond), acknowledged.Round(time.Millisecond), succeeded.Round(time.Millisecond))
	within(t, 10*time.Second, "a refusal of a write", func(ctx context.Context) {
		status, b, err := deaf.Do(ctx, "POST", "/indexes/docs/documents", documents(900_001, 1))
		if err != nil || status != http.StatusServiceUnavailable || !strings.Contains(string(b), `"no_leader"`) {
			t.Errorf("a write on the node that cannot receive: %d %s %v", status, b, err)
		}
	})
	pause(ctx, length(t, 3*time.Second))
	for _, o := range rest {
		net.find(o, deaf)
	}
	pause(ctx, time.Second)
	cancel()
	wg.Wait()
	healthy(t, c.Nodes[0])
	s.mu.Lock()
	s.sent[900_000], s.kept[900_000], s.sent[900_001] = true, true, true
	s.mu.Unlock()
	s.check()
}

// A front that reaches everybody but the leader keeps searching, and says soon whether it
// takes a write.
func TestRow09AFrontThatIsCutOffFromTheLeaderOnly(t *testing.T) {
	c, net := partitioned(t, 2)
	leads := leader(t, c)
	front, third := others(c, leads)[0], others(c, leads)[1]
	write(t, leads, "POST", "/indexes/docs/documents", documents(0, 200))
	net.lose(front, leads)
	net.lose(leads, front)
	taken, refused, longest := 0, 0, time.Duration(0)
	watched(t, []*clustertest.Node{front, third}, "docs", 5*time.Second, "a front is cut off from the leader", func() {
		ctx, cancel := context.WithTimeout(t.Context(), length(t, 10*time.Second))
		defer cancel()
		for id := 1000; ctx.Err() == nil; id++ {
			begin := time.Now()
			one, stop := context.WithTimeout(t.Context(), 20*time.Second)
			status, b, err := front.Do(one, "POST", "/indexes/docs/documents", documents(id, 1))
			stop()
			longest = max(longest, time.Since(begin))
			switch {
			case err == nil && status == http.StatusAccepted:
				taken++
			case err == nil && status == http.StatusServiceUnavailable:
				refused++
			default:
				t.Errorf("a write on a front that is cut off from the leader: %d %s %v", status, b, err)
			}
			pause(ctx, 100*time.Millisecond)
		}
	})
	t.Logf("%d writes were taken, %d refused, the longest answer took %s", taken, refused, longest.Round(time.Millisecond))
	if longest > 8*time.Second {
		t.Errorf("a write was answered after %s", longest)
	}
	write(t, third, "POST", "/indexes/docs/documents", documents(5000, 1))
	net.find(front, leads)
	net.find(leads, front)
	healthy(t, c.Nodes[0])
	write(t, front, "POST", "/indexes/docs/documents", documents(5001, 1))
}
