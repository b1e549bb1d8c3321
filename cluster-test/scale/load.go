package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	clustertest "shoal/cluster-test"
)

// result is what one cluster did in its turns.
type result struct {
	times []time.Duration
	wall  time.Duration
	cpu   time.Duration   // of all nodes, without what they use when idle
	turns []time.Duration // CPU time of a search, by turn
	said  traffic         // between the nodes, for searches
}

// measureIdle finds out what the nodes use while nobody asks them: it is no part of what a
// search costs.
func (t *target) measureIdle(ctx context.Context, during time.Duration) error {
	before, err := t.cluster.CPU()
	if err != nil {
		return err
	}
	begun := time.Now()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(during):
	}
	after, err := t.cluster.CPU()
	t.idle = float64(after-before) / float64(time.Since(begun))
	return err
}

// until tells when a turn is over: after so many searches or, when there is no number,
// after a while.
type until struct {
	searches int
	time     time.Duration
}

// inTurns lets every cluster answer searches, one after the other, again and again.
// clients ask each node that is asked: all of them, or one in turn alone. In a turn that
// ends by number all clusters answer the same searches.
func inTurns(ctx context.Context, o *options, all []*target, s *searches, end until, clients int, everyNode bool) ([]result, error) {
	results := make([]result, len(all))
	turns := o.turns
	if end.searches == 0 {
		turns = max(1, turns/5) // longer ones
	}
	for turn := range turns {
		for i, t := range all {
			nodes := t.cluster.Nodes
			if !everyNode {
				nodes = nodes[turn%len(nodes):][:1]
			}
			if err := results[i].turn(ctx, t, nodes, s, end, clients, turn); err != nil {
				return nil, err
			}
		}
	}
	return results, nil
}

// turn adds one turn of a cluster.
func (r *result) turn(ctx context.Context, t *target, nodes []*clustertest.Node, s *searches, end until, clients int, number int) error {
	said, err := t.traffic(ctx)
	if err != nil {
		return err
	}
	next := &pile{searches: s, end: math.MaxInt64}
	if end.searches > 0 {
		next.taken.Store(int64(number * end.searches))
		next.end = int64((number + 1) * end.searches)
	} else {
		next.taken.Store(int64(number * 997))
	}
	before, err := t.cluster.CPU()
	if err != nil {
		return err
	}
	begun := time.Now()
	if end.searches == 0 {
		next.over = begun.Add(end.time)
	}
	var mu sync.Mutex
	var failed error
	var wg sync.WaitGroup
	answered := 0
	for _, n := range nodes {
		for range clients {
			wg.Go(func() {
				times, err := ask(ctx, n, next)
				mu.Lock()
				defer mu.Unlock()
				answered += len(times)
				r.times, failed = append(r.times, times...), errors.Join(failed, err)
			})
		}
	}
	wg.Wait()
	after, err := t.cluster.CPU()
	took := time.Since(begun)
	used := after - before - time.Duration(t.idle*float64(took))
	r.wall += took
	r.cpu += used
	if answered > 0 {
		r.turns = append(r.turns, used/time.Duration(answered))
	}
	if failed = errors.Join(failed, err); failed != nil {
		return failed
	}
	now, err := t.traffic(ctx)
	r.said.messages += now.messages - said.messages
	r.said.bytes += now.bytes - said.bytes
	return err
}

// pile is the searches of a turn. Its clients take one after the other.
type pile struct {
	*searches
	taken atomic.Int64
	end   int64     // no more are taken then
	over  time.Time // nor from then on, unless it is zero
}

// take returns the next search; false when the turn is over.
func (p *pile) take() (json.RawMessage, bool) {
	n := p.taken.Add(1)
	if n > p.end || !p.over.IsZero() && !time.Now().Before(p.over) {
		return nil, false
	}
	return p.list[int(n)%len(p.list)], true
}

// ask sends one search after the other to a node.
func ask(ctx context.Context, n *clustertest.Node, from *pile) (times []time.Duration, err error) {
	for {
		body, more := from.take()
		if !more {
			return times, nil
		}
		at := time.Now()
		status, b, err := n.Do(ctx, http.MethodPost, index+"/search", body)
		if err != nil || status != http.StatusOK {
			return times, fmt.Errorf("%s: %s: %d %s %w", n.Name, body, status, b, err)
		}
		times = append(times, time.Since(at))
	}
}
