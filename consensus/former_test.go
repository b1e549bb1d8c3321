package consensus

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/raft"

	"shoal/consensus/lease"
	"shoal/wire"
)

// ledger hears of the leases that nodes hold, and compares them with those that leaders count.
type ledger struct {
	mu    sync.Mutex
	held  map[wire.NodeID]held
	wrong []string
}

// held is the newest lease of a node.
type held struct {
	term  uint64
	until time.Duration
}

// account is what one node tells a ledger.
type account struct {
	*ledger
	node wire.NodeID
}

func (a account) Opened(uint64)              {}
func (a account) Applied([]*raft.Log, []any) {}

func (a account) Leased(term uint64, until time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.held[a.node] = held{term, until}
}

func (a account) Shown(term uint64, _ int64, counted []wire.NodeID) {
	now := lease.Uptime()
	a.mu.Lock()
	defer a.mu.Unlock()
	for id, h := range a.held {
		if id != a.node && h.term <= term && h.until > now && !slices.Contains(counted, id) {
			a.wrong = append(a.wrong, fmt.Sprintf("%s holds a lease for %s after the leader of term %d stopped waiting for it", id, h.until-now, term))
		}
	}
}

// The leases of the dead leader were counted from the beginning of the next term, although
// nobody had renewed them since its death. No node may count as not leased while it holds a
// lease.
func TestWritesWaitForAWholeLeaseAfterTheElection(t *testing.T) {
	n := newNetwork(t)
	leases := &ledger{held: map[wire.NodeID]held{}}
	nodes := n.cluster(3, func(c *Config) {
		c.HeartbeatTimeout, c.Lease, c.FormerLease = 300*time.Millisecond, 900*time.Millisecond, 250*time.Millisecond
		c.Observer = account{leases, c.NodeID}
	})
	saved := 0
	for round := range 5 {
		awaitLeases(t, nodes)
		eventually(t, "the voters to be known for a while", func() bool { return n.leader().ticks.Now() > int64(600*time.Millisecond) })
		old := n.leader()
		if round%2 == 0 {
			n.isolate(old)
		} else {
			n.silence(old) // it hears no reports; raft goes on until the transfer
			_ = old.raft.LeadershipTransfer().Error()
		}
		next := n.leader()
		begun := time.Now()
		put := wire.Change{PutValue: &wire.Value{Name: "features", JSON: []byte(`{}`)}}
		if _, err := next.Propose(within(t, 10*time.Second), &wire.Command{Update: &wire.Update{Changes: []wire.Change{put}, Everywhere: true}}); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begun); took < 800*time.Millisecond {
			saved++
		}
		n.rejoin(old)
	}
	if saved == 0 {
		t.Error("every leader waited for a whole lease")
	}
	leases.mu.Lock()
	defer leases.mu.Unlock()
	for _, one := range leases.wrong {
		t.Error(one)
	}
}
