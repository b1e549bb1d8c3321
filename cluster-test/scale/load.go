package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	clustertest "shoal/cluster-test"
)

// result is what one cluster did in its turns.
type result struct {
	times []time.Duration
	wall  time.Duration
	cpu   time.Duration // of all nodes
	said  traffic       // between the nodes, for searches
}

// cpu is what a process has used so far, by /proc.
func cpu(n *clustertest.Node) (time.Duration, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", n.PID()))
	if err != nil {
		return 0, fmt.Errorf("CPU time of %s: %w", n.Name, err)
	}
	f := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	used := time.Duration(0)
	for _, i := range []int{11, 12} { // utime, stime in hundredths
		v, err := strconv.Atoi(f[i])
		if err != nil {
			return 0, fmt.Errorf("CPU time of %s: %w", n.Name, err)
		}
		used += time.Duration(v) * 10 * time.Millisecond
	}
	return used, nil
}

// cpu is what all nodes have used so far.
func (t *target) cpu() (sum time.Duration, err error) {
	for _, n := range t.cluster.Nodes {
		used, err := cpu(n)
		if err != nil {
			return 0, err
		}
		sum += used
	}
	return sum, nil
}

// inTurns lets every cluster answer searches, one after the other, again and again.
// clients ask each node that is asked: all of them, or the first alone.
func inTurns(ctx context.Context, o *options, all []*target, s *searches, clients int, everyNode bool) ([]result, error) {
	results := make([]result, len(all))
	for turn := range o.turns {
		for i, t := range all {
			nodes := t.cluster.Nodes
			if !everyNode {
				nodes = nodes[turn%len(nodes):][:1]
			}
			if err := results[i].turn(ctx, o, t, nodes, s, clients, turn); err != nil {
				return nil, err
			}
		}
	}
	return results, nil
}

// turn adds one turn of a cluster.
func (r *result) turn(ctx context.Context, o *options, t *target, nodes []*clustertest.Node, s *searches, clients, number int) error {
	said, err := t.traffic(ctx)
	if err != nil {
		return err
	}
	before, err := t.cpu()
	if err != nil {
		return err
	}
	begun := time.Now()
	until := begun.Add(o.turn)
	var next atomic.Int64
	next.Store(int64(number * 997))
	var mu sync.Mutex
	var failed error
	var wg sync.WaitGroup
	for _, n := range nodes {
		for range clients {
			wg.Go(func() {
				times, err := ask(ctx, n, s, &next, until)
				mu.Lock()
				defer mu.Unlock()
				r.times, failed = append(r.times, times...), errors.Join(failed, err)
			})
		}
	}
	wg.Wait()
	after, err := t.cpu()
	r.wall += time.Since(begun)
	r.cpu += after - before
	if failed = errors.Join(failed, err); failed != nil {
		return failed
	}
	now, err := t.traffic(ctx)
	r.said.messages += now.messages - said.messages
	r.said.bytes += now.bytes - said.bytes
	return err
}

// ask sends one search after the other to a node.
func ask(ctx context.Context, n *clustertest.Node, s *searches, next *atomic.Int64, until time.Time) (times []time.Duration, err error) {
	for time.Now().Before(until) {
		body := s.list[int(next.Add(1))%len(s.list)]
		at := time.Now()
		status, b, err := n.Do(ctx, http.MethodPost, index+"/search", body)
		if err != nil || status != http.StatusOK {
			return times, fmt.Errorf("%s: %s: %d %s %w", n.Name, body, status, b, err)
		}
		times = append(times, time.Since(at))
	}
	return times, nil
}
