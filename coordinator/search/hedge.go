package search

import (
	"context"
	"slices"
	"sync"
	"time"

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

// hedge is a source that two nodes are asked for.
type hedge struct {
	mu    sync.Mutex
	over  bool    // the first one has answered
	won   *source // of the second one
	ended chan struct{}
}

// openHedged opens a source on the node of an assignment, or on one of others when that
// takes long. open does it; the assignment gets the node that was faster.
func (s *Search) openHedged(ctx context.Context, a *assignment, others []wire.NodeID, open func(ctx context.Context, a *assignment) (*source, error)) (*source, error) {
	timed := func(ctx context.Context, a *assignment) (*source, error) {
		begun := time.Now()
		out, err := open(ctx, a)
		if err == nil {
			s.pace.took(a.node, time.Since(begun))
		}
		return out, err
	}
	wait, known := s.pace.patience(a.node, others)
	if !known {
		return timed(ctx, a)
	}
	first, stop := context.WithCancel(ctx)
	defer stop()
	second, give := context.WithCancel(ctx)
	defer give()
	h := &hedge{ended: make(chan struct{})}
	timer := time.AfterFunc(wait, func() {
		defer close(h.ended)
		if !s.pace.spend() {
			return
		}
		var out *source
		err := wire.Catch(func() (err error) {
			out, err = timed(second, &assignment{others[0], a.shards})
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
			stop()
		}
		if s.hedged != nil {
			s.hedged(h.won != nil)
		}
	})
	begun := time.Now()
	out, err := timed(first, a)
	if timer.Stop() {
		return out, err
	}
	h.mu.Lock()
	h.over = err == nil && h.won == nil
	h.mu.Unlock()
	if h.over {
		give()
	}
	<-h.ended
	if h.won == nil {
		return out, err
	}
	if err == nil {
		_ = out.front.Close()
	} else {
		// Given up, it took this long at least.
		s.pace.took(a.node, time.Since(begun))
	}
	a.node = h.won.node
	return h.won, nil
}
