package search

import (
	"context"
	"slices"
	"sync"
	"time"

	"shoal/coordinator/replica"
	"shoal/wire"
)

// A node that is slow for a moment does not set the pace of a search: when it takes
// longer to open a source than its peers take nearly always, another node with the same
// shards is asked too, and who answers first is used.
const (
	// paceKept is how many times of a node are remembered, paceLeast from how many on
	// they say something, paceEvery after how many new ones they are looked at again.
	paceKept, paceLeast, paceEvery = 128, 32, 16
	// hedgedPart bounds the sources that are asked for twice, hedgedAtOnce how many in a
	// row when none was for long.
	hedgedPart, hedgedAtOnce = 0.05, 5
	// leastHedge is a wait that is not worth another question.
	leastHedge = 2 * time.Millisecond
)

// pace knows how long nodes take to open sources. Safe for concurrent use; the zero value
// is ready.
type pace struct {
	mu    sync.Mutex
	nodes map[wire.NodeID]*nodePace
	// saved are the hedges that may be made: each source adds a part of one.
	saved float64
}

// nodePace are the newest times of a node.
type nodePace struct {
	times []time.Duration // a ring from next on
	next  int
	p95   time.Duration // 0: not known yet
}

// took notes how long a node took.
func (p *pace) took(n wire.NodeID, t time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.saved = min(p.saved+hedgedPart, hedgedAtOnce)
	if p.nodes == nil {
		p.nodes = make(map[wire.NodeID]*nodePace)
	}
	k := p.nodes[n]
	if k == nil {
		k = &nodePace{times: make([]time.Duration, 0, paceKept)}
		p.nodes[n] = k
	}
	if len(k.times) < paceKept {
		k.times = append(k.times, t)
	} else {
		k.times[k.next%paceKept] = t
	}
	if k.next++; len(k.times) >= paceLeast && k.next%paceEvery == 0 {
		sorted := slices.Sorted(slices.Values(k.times))
		k.p95 = sorted[len(sorted)*95/100]
	}
}

// patience is how long a node may take until another one is asked: half more than 95 of
// 100 sources of its peers take at most, of the slowest of these. Five of 100 take longer
// than that 95th by nature; they are nearly done then, and would use up all hedges. ok is
// false while nobody knows.
func (p *pace) patience(n wire.NodeID, peers []wire.NodeID) (wait time.Duration, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, other := range peers {
		if k := p.nodes[other]; other != n && k != nil {
			wait = max(wait, k.p95)
		}
	}
	return max(wait+wait/2, leastHedge), wait > 0
}

// spend tells whether one more source may be asked for twice.
func (p *pace) spend() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.saved < 1 {
		return false
	}
	p.saved--
	return true
}

// hedge is a source that several nodes are asked for at the same time.
type hedge struct {
	search *Search
	shards []*wire.Shard
	open   func(ctx context.Context, a *assignment) (*source, error)

	mu sync.Mutex
	// others are the nodes that were not asked yet, those first that are better.
	others []wire.NodeID
	// over: somebody has answered, or all hope is gone. won is the source of the node that
	// was asked beside the first one.
	over bool
	won  *source
	stop context.CancelFunc // ends the wait for the nodes that are asked in turn
	done chan struct{}      // closed when the one beside has ended
}

// openHedged opens a source on the node of an assignment, or on one of others when that
// takes long. open does it; the assignment gets the node that was faster.
func (s *Search) openHedged(ctx context.Context, a *assignment, others []wire.NodeID, open func(ctx context.Context, a *assignment) (*source, error)) (*source, error) {
	h := &hedge{search: s, shards: a.shards, open: open, others: others, done: make(chan struct{})}
	wait, known := s.pace.patience(a.node, others)
	if !known {
		return h.timed(ctx, a)
	}
	first, stop := context.WithCancel(ctx)
	defer stop()
	h.stop = stop
	beside, give := context.WithCancel(ctx)
	defer give()
	timer := time.AfterFunc(wait, func() {
		defer close(h.done)
		h.beside(beside)
	})
	begun := time.Now()
	out, err := h.timed(first, a)
	if timer.Stop() {
		return out, err
	}
	node := a.node
	for err != nil && first.Err() == nil && replica.Failed(err) {
		// Two nodes were asked: that the other one will answer is not known.
		other, ok := h.next()
		if !ok {
			break
		}
		node = other
		out, err = h.timed(first, &assignment{other, a.shards})
	}
	return h.decide(a, node, out, err, begun, give)
}

// timed opens a source and notes how long that took.
func (h *hedge) timed(ctx context.Context, a *assignment) (*source, error) {
	begun := time.Now()
	out, err := h.open(ctx, a)
	if err == nil {
		h.search.pace.took(a.node, time.Since(begun))
	}
	return out, err
}

// next returns a node that was not asked yet; false when there is none, or an answer.
func (h *hedge) next() (n wire.NodeID, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.others) == 0 || h.over || h.won != nil {
		return "", false
	}
	n, h.others = h.others[0], h.others[1:]
	return n, true
}

// beside asks one more node, if that may be.
func (h *hedge) beside(ctx context.Context) {
	if !h.search.pace.spend() {
		return
	}
	node, ok := h.next()
	if !ok {
		return
	}
	var out *source
	err := wire.Catch(func() (err error) {
		out, err = h.timed(ctx, &assignment{node, h.shards})
		return err
	})
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case err != nil:
	case h.over:
		_ = out.front.Close() // nobody waits for it
	default:
		h.won = out
		h.stop()
	}
	if h.search.hedged != nil {
		h.search.hedged(h.won != nil)
	}
}

// decide takes the source that was first: of a node asked in turn, or of the one beside.
func (h *hedge) decide(a *assignment, node wire.NodeID, out *source, err error, begun time.Time, give context.CancelFunc) (*source, error) {
	h.mu.Lock()
	h.over = err == nil && h.won == nil
	h.mu.Unlock()
	if h.over {
		give()
	}
	<-h.done
	if h.won == nil {
		if err == nil {
			a.node = node
		}
		return out, err
	}
	if err == nil {
		_ = out.front.Close()
	} else if node == a.node {
		// Given up, it took this long at least.
		h.search.pace.took(a.node, time.Since(begun))
	}
	a.node = h.won.node
	return h.won, nil
}
