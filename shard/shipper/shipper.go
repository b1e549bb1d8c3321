package shipper

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"shoal/wire"
)

// How long a delta waits for its holders (docs/adr/0009-a-slow-copy-is-left-behind.md).
const (
	// shipBound is the least time of a holder.
	shipBound = 500 * time.Millisecond
	// A holder may take buildTimes times as long as the builder, or shipTimes times as
	// long as the fastest other holder.
	buildTimes, shipTimes = 2, 4
	// probation is how long a late holder gets only 1/probationShare of the usual time.
	// It ends early once deltas have arrived in time for probationEnd. A single one is
	// not enough: a node that runs intermittently takes it while it runs.
	probation      = 10 * time.Second
	probationShare = 5
	probationEnd   = 2 * time.Second
	// shipTail is how long a late delta remains in flight.
	shipTail = time.Minute
)

// Shipper sends deltas to the other holders of their shards. The slowest one does not
// set the pace: a node that takes much longer than the fastest is left out, and gets
// the delta after Ship has returned. Safe for concurrent use.
type Shipper struct {
	log    *slog.Logger
	ctx    context.Context // of sends whose caller no longer waits
	cancel context.CancelFunc
	work   sync.WaitGroup // those sends

	mu sync.Mutex
	// slow are the holders on probation.
	slow map[wire.NodeID]paroled
	// late are the copies with a send in flight that nobody waits for.
	late map[destination]struct{}
}

// paroled is the state of a holder that was late.
type paroled struct {
	until time.Time // it gets little time until then
	good  time.Time // when the first delta since arrived in time; zero before
}

// destination is one copy of a shard.
type destination struct {
	key  wire.ShardKey
	node wire.NodeID
}

// New returns a Shipper with nothing in flight.
func New(log *slog.Logger) *Shipper {
	s := &Shipper{log: log, slow: map[wire.NodeID]paroled{}, late: map[destination]struct{}{}}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s
}

// Close cancels sends in flight and waits for them. No call of Ship may be running.
func (s *Shipper) Close() {
	s.cancel()
	s.work.Wait()
}

// arrival is the end of the send to one of the nodes.
type arrival struct {
	i    int
	err  error
	took time.Duration
}

// Ship calls send for each node concurrently and returns which of them have the delta,
// by index in nodes. Silent nodes get as little time as those on probation. built is
// how long the build took. A node that takes much longer than the others counts as not
// having the delta; the send to it continues until shipTail or Close. When ctx ends, so
// do all sends.
func (s *Shipper) Ship(ctx context.Context, key wire.ShardKey, nodes, silent []wire.NodeID, built time.Duration, send func(context.Context, wire.NodeID) error) []bool {
	have := make([]bool, len(nodes))
	arrived := make(chan arrival, len(nodes))
	begin, limit := time.Now(), max(shipBound, buildTimes*built)
	own, stop := context.WithCancel(context.WithoutCancel(ctx))
	deadline := map[int]time.Duration{} // of those that Ship waits for
	for i, node := range nodes {
		given, free := s.timeFor(destination{key, node}, begin, limit)
		if !free {
			continue
		}
		if slices.Contains(silent, node) {
			given = min(given, limit/probationShare)
		}
		deadline[i] = given
		go func() {
			err := wire.Catch(func() error { return send(own, node) })
			arrived <- arrival{i, err, time.Since(begin)}
		}()
	}
	running := len(deadline)
	take := func(a arrival) {
		running--
		have[a.i] = a.err == nil
		delete(deadline, a.i)
		s.judge(nodes[a.i], a, begin, limit)
		if a.err != nil {
			s.log.Warn("shard: a delta could not be shipped", "node", nodes[a.i], "shard", key, "error", a.err)
			return
		}
		limit = max(limit, shipTimes*a.took)
		for i, d := range deadline {
			deadline[i] = max(d, shipTimes*a.took)
		}
	}
	for len(deadline) > 0 {
		next := time.NewTimer(time.Until(begin.Add(soonest(deadline))))
		select {
		case a := <-arrived:
			take(a)
		case <-next.C:
			s.leaveOut(key, nodes, deadline, time.Since(begin), limit)
		case <-ctx.Done():
			stop()
			take(<-arrived)
		}
		next.Stop()
	}
	if running == 0 {
		stop()
		return have
	}
	s.follow(key, nodes, arrived, running, begin, limit, stop)
	return have
}

// timeFor returns how long a copy may take. It is not free while an earlier delta is in
// flight to it.
func (s *Shipper) timeFor(to destination, now time.Time, limit time.Duration) (given time.Duration, free bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, busy := s.late[to]; busy {
		return 0, false
	}
	if now.Before(s.slow[to.node].until) {
		return limit / probationShare, true
	}
	return limit, true
}

// judge records whether a node was in time.
func (s *Shipper) judge(node wire.NodeID, a arrival, begin time.Time, limit time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := begin.Add(a.took)
	p, slow := s.slow[node]
	switch {
	case a.took > limit:
		s.slow[node] = paroled{until: now.Add(probation)}
	case a.err != nil || !slow:
	case p.good.IsZero():
		p.good = now
		s.slow[node] = p
	case now.Sub(p.good) >= probationEnd:
		delete(s.slow, node)
	}
}

// leaveOut removes the nodes whose time is up from deadline.
func (s *Shipper) leaveOut(key wire.ShardKey, nodes []wire.NodeID, deadline map[int]time.Duration, passed, limit time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, d := range deadline {
		if d > passed {
			continue
		}
		delete(deadline, i)
		s.late[destination{key, nodes[i]}] = struct{}{}
		if passed < limit {
			continue // it had little time; the end of the send will show how slow it is
		}
		s.slow[nodes[i]] = paroled{until: time.Now().Add(probation)}
		s.log.Warn("shard: a copy is slow and is left behind; it catches up by itself", "node", nodes[i], "shard", key, "waited", passed.Round(time.Millisecond))
	}
}

// follow waits for late sends after Ship has returned.
func (s *Shipper) follow(key wire.ShardKey, nodes []wire.NodeID, arrived <-chan arrival, running int, begin time.Time, limit time.Duration, stop context.CancelFunc) {
	unhook := context.AfterFunc(s.ctx, stop)
	tail := time.AfterFunc(shipTail, stop)
	s.work.Add(1)
	go func() {
		defer s.work.Done()
		for range running {
			a := <-arrived
			s.judge(nodes[a.i], a, begin, limit)
			s.mu.Lock()
			delete(s.late, destination{key, nodes[a.i]})
			s.mu.Unlock()
			if a.err != nil {
				s.log.Debug("shard: a late delta did not arrive", "node", nodes[a.i], "shard", key, "error", a.err)
			}
		}
		tail.Stop()
		unhook()
		stop()
	}()
}

func soonest(deadline map[int]time.Duration) time.Duration {
	least := time.Duration(-1)
	for _, d := range deadline {
		if least < 0 || d < least {
			least = d
		}
	}
	return least
}
