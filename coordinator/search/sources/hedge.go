package sources

import (
	"context"
	"slices"
	"sync"
	"time"

	"shoal/coordinator/replica"
	"shoal/wire"
)

// A node that is slow for a moment should not delay a search. When opening a source takes
// longer than 95 % of its peers' openings, another node with the same shards is asked too. The
// first answer wins.
const (
	// paceKept is the number of durations remembered for each node. Below paceLeast durations
	// no percentile is computed. It is computed again after paceEvery new ones.
	paceKept, paceLeast, paceEvery = 128, 32, 16
	// hedgedPart bounds the fraction of sources that are hedged, hedgedAtOnce the burst after a
	// time without hedges.
	hedgedPart, hedgedAtOnce = 0.05, 5
	// leastHedge is the least wait before a hedge; a shorter one is not worth a request.
	leastHedge = 2 * time.Millisecond
)

// pace records how long nodes take to open sources. Safe for concurrent use; the zero value is
// ready.
type pace struct {
	mu    sync.Mutex
	nodes map[wire.NodeID]*nodeLatency
	// saved is the budget of hedges. Each source adds hedgedPart.
	saved float64
}

// nodeLatency are the newest durations of a node.
type nodeLatency struct {
	times []time.Duration // a ring buffer that continues at next
	next  int
	p95   time.Duration // 0: not known yet
}

// took records how long a node took.
func (p *pace) took(n wire.NodeID, t time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.saved = min(p.saved+hedgedPart, hedgedAtOnce)
	if p.nodes == nil {
		p.nodes = make(map[wire.NodeID]*nodeLatency)
	}
	k := p.nodes[n]
	if k == nil {
		k = &nodeLatency{times: make([]time.Duration, 0, paceKept)}
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

// hedgeDelay is how long to wait for a node before another one is asked: 1.5 times the greatest
// 95th percentile of its peers. Without the factor every twentieth healthy source would use up
// a hedge shortly before it answers. ok is false while no percentile is known.
func (p *pace) hedgeDelay(n wire.NodeID, peers []wire.NodeID) (wait time.Duration, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, other := range peers {
		if k := p.nodes[other]; other != n && k != nil {
			wait = max(wait, k.p95)
		}
	}
	return max(wait+wait/2, leastHedge), wait > 0
}

// spend takes one hedge from the budget; false when none is left.
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
	opener *Opener
	shards []*wire.Shard
	open   func(ctx context.Context, a *assignment) (*Source, error)

	mu sync.Mutex
	// others are the nodes that were not asked yet, the best first.
	others []wire.NodeID
	// over: the outcome is decided. won is the source of the second node, if it answered first.
	over bool
	won  *Source
	stop context.CancelFunc // ends the wait for the nodes that are asked in turn
	done chan struct{}      // closed when the second node's attempt has ended
}

// openHedged opens a source with open on the node of an assignment, or on one of others when
// that takes long. It sets the assignment's node to the faster one.
func (o *Opener) openHedged(ctx context.Context, a *assignment, others []wire.NodeID, open func(ctx context.Context, a *assignment) (*Source, error)) (*Source, error) {
	h := &hedge{opener: o, shards: a.shards, open: open, others: others, done: make(chan struct{})}
	wait, known := o.pace.hedgeDelay(a.node, others)
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
		// The second node may fail too, so the others are asked as well.
		other, ok := h.next()
		if !ok {
			break
		}
		node = other
		out, err = h.timed(first, &assignment{other, a.shards})
	}
	return h.decide(a, node, out, err, begun, give)
}

// timed opens a source and records the duration.
func (h *hedge) timed(ctx context.Context, a *assignment) (*Source, error) {
	begun := time.Now()
	out, err := h.open(ctx, a)
	if err == nil {
		h.opener.pace.took(a.node, time.Since(begun))
	}
	return out, err
}

// next returns a node that was not asked yet; false when there is none, or when an answer has
// come.
func (h *hedge) next() (n wire.NodeID, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.others) == 0 || h.over || h.won != nil {
		return "", false
	}
	n, h.others = h.others[0], h.others[1:]
	return n, true
}

// beside asks one more node, if the budget allows it.
func (h *hedge) beside(ctx context.Context) {
	if !h.opener.pace.spend() {
		return
	}
	node, ok := h.next()
	if !ok {
		return
	}
	var out *Source
	err := wire.Catch(func() (err error) {
		out, err = h.timed(ctx, &assignment{node, h.shards})
		return err
	})
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case err != nil:
	case h.over:
		_ = out.front.Close() // the first node was faster
	default:
		h.won = out
		h.stop()
	}
	if hedged := h.opener.hedged; hedged != nil {
		hedged(h.won != nil)
	}
}

// decide takes the source that came first: from the nodes asked in turn, or from the second
// node.
func (h *hedge) decide(a *assignment, node wire.NodeID, out *Source, err error, begun time.Time, give context.CancelFunc) (*Source, error) {
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
		// It was given up; it took at least this long.
		h.opener.pace.took(a.node, time.Since(begun))
	}
	a.node = h.won.node
	return h.won, nil
}
