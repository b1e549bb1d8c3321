package placement

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"shoal/coordinator"
	"shoal/wire"
	"shoal/wire/await"
)

// BalancerConfig connects a Balancer to its node.
type BalancerConfig struct {
	Log       coordinator.Log
	Placement Placement
	// Alive tells whether a node answers, as far as this node can see (gossip and probes).
	Alive func(wire.NodeID) bool
	// DeadAfter is how long a node must be away before its replicas are replaced. 0 means 5
	// minutes.
	DeadAfter time.Duration
	// MaxCopies bounds the copies that arrive at one node at the same time. 0 means 2.
	MaxCopies int
	Faults    *slog.Logger
	// Now is the clock. It is used for waiting times only.
	Now func() time.Time
}

// Balancer keeps the replicas of all shards where they should be. It adds missing replicas,
// replaces those of dead nodes after a delay, empties draining nodes, removes surplus replicas
// and evens out the load (architecture 6). It works on the leader. It is level-triggered: each
// pass looks at the current catalogue. Create it with NewBalancer and run it with Run.
type Balancer struct {
	BalancerConfig
	away map[wire.NodeID]time.Time // when a node stopped answering
	rest seen                      // what the last pass without decisions saw

	// names remembers the names of all members this node has seen, so that reasons can name a
	// node that has left.
	names map[wire.NodeID]string

	mu      sync.Mutex
	decided []Decided // the newest decisions
}

// NewBalancer returns a Balancer.
func NewBalancer(cfg BalancerConfig) *Balancer {
	if cfg.DeadAfter <= 0 {
		cfg.DeadAfter = 5 * time.Minute
	}
	if cfg.MaxCopies <= 0 {
		cfg.MaxCopies = 2
	}
	if cfg.Faults == nil {
		cfg.Faults = slog.Default()
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Alive == nil {
		cfg.Alive = func(wire.NodeID) bool { return true }
	}
	return &Balancer{BalancerConfig: cfg, away: map[wire.NodeID]time.Time{}, names: map[wire.NodeID]string{}}
}

const (
	// balancePause is the shortest pause between two passes. The pause is also at least
	// balanceShare times as long as planning took, which is 10 ms with ten thousand indexes.
	balancePause = 250 * time.Millisecond
	balanceShare = 100
	// balanceEvery is the interval of passes without any change in the log. Nodes can fail and
	// return without one.
	balanceEvery = 2 * time.Second
	// maxDecisions bounds the decisions of one pass.
	maxDecisions = 64
	// Operators see at most decisionsKept decisions, none older than decisionsFor.
	decisionsKept = 50
	decisionsFor  = 24 * time.Hour
)

// Run balances while this node leads, until ctx ends.
func (b *Balancer) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		changed := b.Log.Changed()
		begin := time.Now()
		rest := balancePause
		if _, ok := b.Log.Leading(); ok {
			decisions := b.Plan(b.Log.Catalog())
			rest = max(rest, balanceShare*time.Since(begin))
			for _, d := range decisions {
				b.carryOut(ctx, d)
			}
		} else {
			clear(b.away) // a new leader observes the nodes itself
		}
		planned := time.Now()
		t := time.NewTimer(await.Until(balanceEvery))
		select {
		case <-ctx.Done():
		case <-changed:
		case <-t.C:
		}
		t.Stop()
		if left := min(rest, balanceEvery) - time.Since(planned); left > 0 && await.Sleep(ctx, left) != nil {
			break
		}
	}
	return ctx.Err()
}

// Decision is one change of placement with its reason.
type Decision struct {
	Change wire.Change
	Reason string
}

func (b *Balancer) carryOut(ctx context.Context, d Decision) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	_, err := b.Log.Propose(ctx, &wire.Command{Update: &wire.Update{Changes: []wire.Change{d.Change}}})
	if err != nil {
		b.Faults.Debug("a decision about copies was not carried out", "reason", d.Reason, "error", err)
		return
	}
	b.Faults.Info("placement", "reason", d.Reason)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.decided = append(b.decided, Decided{At: b.Now(), Reason: d.Reason})
	b.decided = slices.Clone(b.decided[max(0, len(b.decided)-decisionsKept):])
}

// Decisions lists the newest decisions of the last day that this node made, oldest first.
func (b *Balancer) Decisions() []Decided {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(b.decided), func(d Decided) bool { return b.Now().Sub(d.At) > decisionsFor })
}

// Plan decides what to change. It takes at most one step per shard, so that the next pass sees
// the effect of each step.
func (b *Balancer) Plan(c coordinator.Catalog) []Decision {
	p := planner{Balancer: b, c: c, load: ReplicaLoad(c), zones: zonesOf(c), incoming: map[wire.NodeID]int{}, goals: b.Placement.goalsOf(c), widths: map[uint32]bool{}}
	p.look()
	now := seen{c.Indexes(), c.Nodes(), p.answering()}
	if now.same(b.rest) {
		return nil
	}
	if p.plan(); len(p.out) == 0 {
		b.rest = now
	}
	return p.out
}

// seen is everything that a pass decides by. Its lists belong to a catalogue. Any change in the
// catalogue makes a new list, so it is enough to compare addresses.
type seen struct {
	indexes   []*wire.Index
	nodes     []*wire.Node
	answering string
}

func (s seen) same(o seen) bool {
	return sameList(s.indexes, o.indexes) && sameList(s.nodes, o.nodes) && s.answering == o.answering
}

func sameList[T any](a, b []T) bool {
	return len(a) == len(b) && len(a) > 0 && &a[0] == &b[0]
}

// answering names the nodes that answer, those that count as dead, and those whose disk is
// nearly full.
func (p *planner) answering() string {
	var out []string
	for _, n := range p.c.Nodes() {
		out = append(out, fmt.Sprint(n.ID, p.Alive(n.ID), p.dead[n.ID], p.Placement.full(n.ID)))
	}
	return strings.Join(out, " ")
}

func (p *planner) plan() {
	c := p.c
	for _, x := range c.Indexes() {
		for i := range x.Shards {
			for _, r := range x.Shards[i].Replicas {
				if r.State != wire.InSync {
					p.incoming[r.Node]++
				}
			}
		}
	}
	p.judgeWidths()
	for _, x := range c.Indexes() {
		for i := range x.Shards {
			p.shard(x, &x.Shards[i])
			if len(p.out) >= maxDecisions {
				return
			}
		}
	}
	for _, more := range p.more {
		if len(p.out) < maxDecisions {
			p.add(more.x, more.s)
		}
	}
	if len(p.out) == 0 && !p.waiting {
		p.spreadZones()
	}
	if len(p.out) == 0 && !p.waiting {
		p.spread()
	}
}

// planner is the state of one pass.
type planner struct {
	*Balancer
	c        coordinator.Catalog
	load     map[wire.NodeID]int
	zones    zones
	incoming map[wire.NodeID]int // copies that are not in sync yet, by target
	dead     map[wire.NodeID]bool
	goes     map[wire.NodeID]bool // gone or leaving, by replicas' nodes
	goals    *goals
	widths   map[uint32]bool // what was decided about Index.Wide, by index
	more     []lacking       // shards that survive failures and get copies after all others
	waiting  bool            // a shard gets one more copy once a node is less busy
	out      []Decision
}

// lacking is a shard that should have more copies.
type lacking struct {
	x *wire.Index
	s *wire.Shard
}

// look notes which nodes answer. Dead are those that have not for a while, and
// those that left the cluster.
func (p *planner) look() {
	now := p.Now()
	p.dead, p.goes = map[wire.NodeID]bool{}, map[wire.NodeID]bool{}
	for _, n := range p.c.Nodes() {
		if n.Name != "" {
			p.names[n.ID] = n.Name
		}
		if p.Alive(n.ID) {
			delete(p.away, n.ID)
			continue
		}
		since, noted := p.away[n.ID]
		if !noted {
			since = now
			p.away[n.ID] = now
		}
		if now.Sub(since) >= p.DeadAfter {
			p.dead[n.ID] = true
		}
	}
}

// gone tells whether a node is dead or has left the cluster.
func (p *planner) gone(n wire.NodeID) bool {
	_, member := p.c.Node(n)
	return !member || p.dead[n]
}

// leaving tells whether the replicas of a node should move to others.
func (p *planner) leaving(n wire.NodeID) bool {
	node, member := p.c.Node(n)
	return member && (node.Draining || !node.Data)
}

func (p *planner) decide(x *wire.Index, s *wire.Shard, r wire.Replica, remove bool, reason string, args ...any) {
	p.out = append(p.out, Decision{
		Change: wire.Change{PutReplica: &wire.ReplicaChange{IndexID: x.ID, Shard: s.Number, Replica: r, Remove: remove}},
		Reason: fmt.Sprintf("%s/%d: ", x.UID, s.Number) + fmt.Sprintf(reason, args...),
	})
}

// shard takes one step for one shard.
func (p *planner) shard(x *wire.Index, s *wire.Shard) {
	goal := p.goals.of(p.wanted(x))
	stays, synced := 0, 0 // replicas that will stay; those of them in sync
	for _, r := range s.Replicas {
		if !p.stays(r.Node) {
			continue
		}
		stays++
		if r.State == wire.InSync {
			synced++
		}
	}
	switch {
	case stays < p.goals.needed(x):
		p.add(x, s)
	case stays < goal:
		p.more = append(p.more, lacking{x, s})
	case synced >= goal:
		p.remove(x, s, goal, synced)
	}
}

// stays tells whether the copies on a node count, which is neither gone nor leaving.
func (p *planner) stays(n wire.NodeID) bool {
	goes, known := p.goes[n]
	if !known {
		goes = p.gone(n) || p.leaving(n)
		p.goes[n] = goes
	}
	return !goes
}

// staying lists the nodes that stay and have a copy of a shard.
func (p *planner) staying(s *wire.Shard) (nodes []wire.NodeID) {
	for _, r := range s.Replicas {
		if p.stays(r.Node) {
			nodes = append(nodes, r.Node)
		}
	}
	return nodes
}

// free lists the nodes that may get a copy of a shard. They answer and have none.
func (p *planner) free(s *wire.Shard) []wire.NodeID {
	return slices.DeleteFunc(dataNodes(p.c), func(n wire.NodeID) bool {
		return p.dead[n] || !p.Alive(n) || s.ReplicaOn(n) != nil
	})
}

// add gives a shard one more replica, in the zones that have fewest of it, on the node
// that holds least. A node that many copies are on their way to is passed over for others of
// such zones, not for those of other zones: the copy would have to move again. A copy that
// is not needed to survive failures goes to no nearly full disk, and leaves room on the way
// for one that is.
func (p *planner) add(x *wire.Index, s *wire.Shard) {
	free, have, most := p.free(s), p.staying(s), p.MaxCopies
	needed := len(have) < p.goals.needed(x)
	if !needed {
		free = slices.DeleteFunc(free, p.Placement.full)
		most = max(1, most-1)
	}
	best := p.zones.best(free, have, p.load)
	free = slices.DeleteFunc(free, func(n wire.NodeID) bool {
		busy := p.incoming[n] >= most && x.Version > 0
		return busy || p.zones.beside(n, have) > p.zones.beside(best, have)
	})
	if slices.ContainsFunc(free, func(n wire.NodeID) bool { return !p.Placement.full(n) }) {
		free = slices.DeleteFunc(free, p.Placement.full)
	}
	n := p.zones.best(free, have, p.load)
	if n == "" {
		p.waiting = p.waiting || best != ""
		return
	}
	r := wire.Replica{Node: n, Incarnation: p.Placement.IncarnationOf(n), State: wire.Copying}
	if x.Version == 0 && inSyncCount(s) == 0 {
		r.State = wire.InSync // there is nothing to copy, and no source
	}
	p.load[n]++
	p.incoming[n]++
	p.decide(x, s, r, false, "a replica on %s, %d of %d are there", p.name(n), len(s.Replicas), p.goals.of(p.wanted(x)))
}

func inSyncCount(s *wire.Shard) int {
	n := 0
	for _, r := range s.Replicas {
		if r.State == wire.InSync {
			n++
		}
	}
	return n
}

// remove takes one replica away that is not needed: of a lost or leaving node, or a surplus
// one, in the zone that has most of them, on a nearly full disk, on the node that holds most. As many as wanted are in sync on nodes that stay, so
// the last in-sync copy never goes. A surplus is what is in sync beyond the goal: a copy
// on its way, such as one that spread asked for, replaces none before it has arrived.
func (p *planner) remove(x *wire.Index, s *wire.Shard, goal, synced int) {
	for _, r := range s.Replicas {
		switch {
		case p.gone(r.Node):
			p.decide(x, s, r, true, "node %s is away", p.name(r.Node))
			return
		case p.leaving(r.Node):
			p.decide(x, s, r, true, "node %s is draining", p.name(r.Node))
			return
		}
	}
	if synced <= goal {
		return
	}
	have := p.staying(s)
	fullest := slices.MaxFunc(s.Replicas, func(a, b wire.Replica) int {
		return cmp.Or(cmp.Compare(p.zones.beside(a.Node, have), p.zones.beside(b.Node, have)),
			cmp.Compare(figure(p.Placement.full(a.Node)), figure(p.Placement.full(b.Node))), cmp.Compare(p.load[a.Node], p.load[b.Node]))
	})
	p.load[fullest.Node]--
	p.decide(x, s, fullest, true, "one replica more than the wanted %d", goal)
}

func figure(holds bool) int {
	if holds {
		return 1
	}
	return 0
}

// spread moves one replica from the fullest node to the emptiest, of all or else of one
// zone, if that evens out more than a tenth: it adds a copy there, the surplus goes when that
// has arrived.
func (p *planner) spread() {
	nodes := slices.DeleteFunc(dataNodes(p.c), func(n wire.NodeID) bool { return !p.Alive(n) })
	p.even(nodes)
	for _, zone := range p.zones.names() {
		if len(p.out) == 0 {
			p.even(slices.DeleteFunc(slices.Clone(nodes), func(n wire.NodeID) bool { return p.zones[n] != zone }))
		}
	}
}

// even moves one replica between some nodes, to none with a nearly full disk. It leaves no zone with more copies of the
// shard than there were in the one that it came from.
func (p *planner) even(nodes []wire.NodeID) {
	if len(nodes) < 2 {
		return
	}
	low, high := wire.NodeID(""), nodes[0]
	for _, n := range nodes {
		if (low == "" || p.load[n] < p.load[low]) && !p.Placement.full(n) {
			low = n
		}
		if p.load[n] > p.load[high] {
			high = n
		}
	}
	if low == "" {
		return
	}
	if gap := p.load[high] - p.load[low]; gap < 2 || gap*10 <= p.load[high] || p.incoming[low] > 0 {
		return
	}
	for _, x := range p.c.Indexes() {
		for i := range x.Shards {
			s := &x.Shards[i]
			if s.ReplicaOn(high) == nil || s.ReplicaOn(low) != nil || len(s.Replicas) != inSyncCount(s) || p.crowds(s, high, low) {
				continue
			}
			r := wire.Replica{Node: low, Incarnation: p.Placement.IncarnationOf(low), State: wire.Copying}
			p.decide(x, s, r, false, "moves from %s (%d replicas) to %s (%d)", p.name(high), p.load[high], p.name(low), p.load[low])
			return
		}
	}
}

// crowds tells whether a move would leave more copies in the new zone than the old one has
// then.
func (p *planner) crowds(s *wire.Shard, from, to wire.NodeID) bool {
	have := p.staying(s)
	return p.zones != nil && p.zones[from] != p.zones[to] && p.zones.beside(to, have) >= p.zones.beside(from, have)
}

// name is the name of a node as operators know it.
func (p *planner) name(id wire.NodeID) string {
	return cmp.Or(p.names[id], string(id))
}
