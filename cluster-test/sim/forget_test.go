package sim

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/cryptotest"
	"testing/synctest"
	"time"
)

// foundWithin is how long a node whose disk was put back may take to end.
const foundWithin = 20 * time.Second

// forget puts an older copy of a host's disk back while all members run and remember what
// its node has acknowledged. The node must not start. It gets an empty disk, as its last
// line says, and the cluster fills it.
func (n *nemesis) forget(ctx context.Context, r *rand.Rand) {
	h := n.victim(r)
	older, before := h.disk.copy(), n.o.clients.succeeded()
	n.o.note("the disk of %s is copied", h.name)
	lasts(ctx, r, 6*time.Second)
	n.quiet.only()
	defer n.quiet.over()
	if n.emptied > 0 || h.gone || n.o.whole(ctx) != nil {
		return
	}
	// A member remembers what it was told while it led, or by the one that led: nobody does
	// when the only one that was told has just been killed.
	pause(ctx, time.Second)
	written := n.o.clients.succeeded() - before
	if written == 0 || ctx.Err() != nil || !h.kill(true) {
		return
	}
	h.expectFork(true)
	if !h.disk.putBack(older) {
		h.start()
		h.expectFork(false)
		return
	}
	n.emptied++
	n.forgotten++
	n.o.trace.putBack(h)
	n.o.note("%s is put back by %d writes", h.name, written)
	h.start()
	if !n.o.ends(ctx, h) {
		n.o.wrong("%s runs with the disk of %d writes ago", h.name, written)
		h.kill(true)
	}
	h.expectFork(false)
	h.disk.replace()
	n.away(ctx, r, h)
}

// ends waits for the end of a host's process for two histories.
func (o *outcome) ends(ctx context.Context, h *host) bool {
	ctx = context.WithoutCancel(ctx)
	for begun := time.Now(); time.Since(begun) < foundWithin; pause(ctx, 100*time.Millisecond) {
		if h.parted() != nil {
			return true
		}
	}
	return false
}

// TestADiskThatIsPutBackIsFoundAndSaid: the fault alone, so that it comes in each seed.
func TestADiskThatIsPutBackIsFoundAndSaid(t *testing.T) {
	put := 0
	for seed := uint64(1); seed <= 4; seed++ {
		simulate(t, seed, func(ctx context.Context, o *outcome) {
			n := newNemesis(o)
			for n.forgotten == 0 && ctx.Err() == nil {
				n.forget(ctx, n.random)
			}
			put += n.forgotten
			n.end()
		})
	}
	if put == 0 {
		t.Error("no disk was put back")
	}
	t.Logf("%d disks were put back", put)
}

// TestTwoHistoriesAreNeverServedTogether: what no node can prevent. One voter is away, two
// acknowledge writes, then the disk of one of the two is put back while the other one is
// away. The one that forgot and the one that never knew elect a leader. When the node that
// has the writes meets the other history, it must end, or both of the others must. None
// of its answers may pass for one of the cluster, and none of them may start again.
func TestTwoHistoriesAreNeverServedTogether(t *testing.T) {
	for seed := uint64(1); seed <= 6; seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			cryptotest.SetGlobalRandom(t, seed)
			synctest.Test(t, func(t *testing.T) { twoHistories(t, seed) })
		})
	}
}

// twoHistories is TestTwoHistoriesAreNeverServedTogether for one seed.
func twoHistories(t *testing.T, seed uint64) {
	c := newCluster(t, seed, hugeDisk, firstMembers, 0)
	o := &outcome{cluster: c, clients: newClients(c)}
	defer func() {
		c.shutdown()
		for _, f := range c.faults {
			t.Error(f)
		}
		if t.Failed() || *tell {
			t.Log(strings.Join(c.diary, "\n"))
		}
	}()
	ctx, r := t.Context(), c.random("two histories")
	for _, h := range c.hosts {
		h.start()
	}
	if !o.await(ctx, "a new cluster", o.whole) || !o.prepare(ctx) || !o.await(ctx, "three copies", o.whole) {
		return
	}
	hosts := slices.Clone(c.hosts)
	r.Shuffle(len(hosts), func(i, j int) { hosts[i], hosts[j] = hosts[j], hosts[i] })
	knows, forgets, away := hosts[0], hosts[1], hosts[2]
	o.batch(ctx, knows, 1)
	away.kill(false)
	older := forgets.disk.copy()
	lost := 3 + 20*r.IntN(4)
	for batch := 2; batch <= lost; batch++ {
		o.batch(ctx, knows, batch)
	}
	pause(ctx, 200*time.Millisecond) // what a node has applied is written down every 100 ms
	knows.kill(false)
	forgets.kill(true)
	forgets.disk.putBack(older)
	forgets.start()
	away.start()
	o.batch(ctx, away, lost+1) // nothing that the two can read tells them what is missing
	for _, h := range hosts {
		h.expectFork(true)
	}
	knows.start()
	if !o.shownUntilEnd(ctx, knows, lost, forgets, away) {
		return
	}
	for _, h := range hosts {
		if h.parted() == nil {
			continue
		}
		h.expectFork(true)
		h.start()
		if !o.ends(ctx, h) {
			c.wrong("%s starts again", h.name)
		}
	}
}

// batch writes a batch of the first group through a host and waits until it is there.
func (o *outcome) batch(ctx context.Context, h *host, batch int) {
	o.await(ctx, fmt.Sprintf("batch %d through %s", batch, h.name), func(ctx context.Context) error {
		uid, err := o.clients.enqueue(ctx, h, "POST", "/indexes/docs/documents", documents(0, batch))
		if err != nil {
			return err
		}
		status, err := o.clients.taskStatus(ctx, h, uid)
		for ; err == nil && status != "succeeded"; status, err = o.clients.taskStatus(ctx, h, uid) {
			pause(ctx, 50*time.Millisecond)
		}
		return err
	})
}

// shownUntilEnd reads on a host until its process ends for two histories, or those of all
// others do: its log is longer, so it may be elected and meet them as their leader. An answer
// that shows a batch up to lost must be stale.
func (o *outcome) shownUntilEnd(ctx context.Context, h *host, lost int, others ...*host) bool {
	for begun := time.Now(); time.Since(begun) < foundWithin; pause(ctx, 20*time.Millisecond) {
		if h.parted() != nil || !slices.ContainsFunc(others, func(other *host) bool { return other.parted() == nil }) {
			return true
		}
		query := map[string]any{"indexUid": "docs", "filter": "group = 0", "limit": 2 * groupDocuments}
		a, err := o.clients.do(ctx, h, time.Second, "POST", "/multi-search", map[string]any{"queries": []any{query, query}})
		if err != nil || a.status != http.StatusOK || a.stale {
			continue
		}
		if batch, ok := o.clients.judge(h, 0, a.body); ok && batch <= lost {
			o.wrong("%s shows batch %d as of now: the cluster has lost it", h.name, batch)
		}
	}
	o.wrong("%s serves on beside another history", h.name)
	return false
}
