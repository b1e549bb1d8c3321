package chaos

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	clustertest "shoal/cluster-test"
	"shoal/cluster-test/rig"
)

// limp lets a node run 50 ms of each second until the returned function is called.
func limp(t *testing.T, n *clustertest.Node) (heal func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		for ctx.Err() == nil {
			if n.Freeze() != nil {
				return // it was ended
			}
			pause(ctx, 950*time.Millisecond)
			_ = n.Thaw()
			pause(ctx, 50*time.Millisecond)
		}
		_ = n.Thaw()
	})
	heal = sync.OnceFunc(func() { cancel(); wg.Wait() })
	t.Cleanup(heal)
	return heal
}

// placed makes indexes until one has a copy on a node that does not lead, and names both.
func placed(t *testing.T, c *clustertest.Cluster) (index string, leads, holder *clustertest.Node) {
	t.Helper()
	leads = leader(t, c)
	for _, index = range []string{"a", "b", "c", "d", "e", "f"} {
		write(t, leads, "POST", "/indexes/"+index+"/documents", documents(0, 100))
		for _, names := range holders(t, leads, index) {
			for _, n := range others(c, leads) {
				if slices.Contains(names, n.Name) {
					return index, leads, n
				}
			}
		}
	}
	t.Fatal("all copies are on the node that leads")
	return "", nil, nil
}

// A copy on a node that ran 50 ms of each second made every write take 0.9 s for as long
// as the node was slow.
func TestRow05ASlowCopyLeavesTheInSyncSetAndReturns(t *testing.T) {
	c := rig.New(t, 3, rig.Shards(1), "SHOAL_DEFAULT_REPLICAS=2")
	rig.Start(t, c)
	index, leads, slow := placed(t, c)
	eventually(t, 20*time.Second, "two copies", func(context.Context) bool { return len(holders(t, leads, index)[0]) == 2 })
	heal := limp(t, slow)
	var first, later []time.Duration
	next, left := 1000, false
	watched(t, []*clustertest.Node{leads}, index, 4*time.Second, "one copy is slow", func() {
		for begin := time.Now(); time.Since(begin) < length(t, 20*time.Second); next++ {
			one := time.Now()
			write(t, leads, "POST", "/indexes/"+index+"/documents", documents(next, 1))
			if took := time.Since(one); one.Sub(begin) < 10*time.Second {
				first = append(first, took)
			} else {
				later = append(later, took)
			}
			left = left || !slices.Contains(holders(t, leads, index)[0], slow.Name)
			pause(t.Context(), 10*time.Millisecond)
		}
	})
	slices.Sort(first)
	slices.Sort(later)
	median := later[len(later)/2]
	t.Logf("%d writes within 10 s, median %s, longest %s; then %d, median %s, longest %s", len(first), first[len(first)/2], first[len(first)-1], len(later), median, later[len(later)-1])
	if median > 400*time.Millisecond {
		t.Errorf("half of the writes take more than %s beside a slow copy", median)
	}
	if !left {
		t.Error("the slow copy was never taken out of sync")
	}
	heal()
	healed := time.Now()
	eventually(t, 40*time.Second, "the copy to be in sync again", func(context.Context) bool {
		return slices.Contains(holders(t, leads, index)[0], slow.Name)
	})
	t.Logf("in sync again %s after it was quick again", time.Since(healed).Round(time.Millisecond))
	// With the other copy gone, it alone answers, and has everything.
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	found, err := ids(ctx, slow, index)
	if err != nil || len(found) != 100+next-1000 {
		t.Errorf("the node that was slow lists %d documents of %d: %v", len(found), 100+next-1000, err)
	}
}

// The only copy never leaves the set: writes wait for it, searches get their answers.
func TestRow06ASlowOnlyCopyStaysAndSearchesGoOn(t *testing.T) {
	c := rig.New(t, 3, rig.Shards(1), "SHOAL_DEFAULT_REPLICAS=1")
	rig.Start(t, c)
	index, leads, slow := placed(t, c)
	heal := limp(t, slow)
	stay := func() {
		t.Helper()
		if h := holders(t, leads, index); len(h) != 1 || !slices.Equal(h[0], []string{slow.Name}) {
			t.Errorf("the only copy is on %s, in sync are %v", slow.Name, h)
		}
	}
	var longest time.Duration
	for i := range 5 {
		begin := time.Now()
		write(t, leads, "POST", "/indexes/"+index+"/documents", documents(1000+i, 1))
		longest = max(longest, time.Since(begin))
		stay()
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		a, err := leads.Ask(ctx, "POST", "/indexes/"+index+"/search", map[string]any{"q": "document"})
		cancel()
		if err != nil || a.Status != http.StatusOK {
			t.Errorf("a search while the only copy is slow: %+v %v", a, err)
		}
	}
	t.Logf("5 writes with a slow only copy, the longest took %s", longest.Round(time.Millisecond))
	heal()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if found, err := ids(ctx, leads, index); err != nil || len(found) != 105 {
		t.Errorf("%d documents of 105: %v", len(found), err)
	}
	stay()
}
