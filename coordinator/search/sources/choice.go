package sources

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"shoal/coordinator"
	"shoal/coordinator/driver"
	"shoal/coordinator/fanout"
	"shoal/coordinator/replica"
	"shoal/wire"
)

// Choice is which nodes the queries of one attempt of a request ask. Safe for concurrent use.
type Choice struct {
	opener  *Opener
	catalog coordinator.Catalog
	failed  map[wire.NodeID]bool // in earlier attempts

	mu        sync.Mutex
	divisions map[uint32]*division // by index
}

// division is the assignment of the shards of an index to sources. All rankings of an attempt
// share it, so that their sources have the same documents.
type division struct {
	mu    sync.Mutex
	parts []assignment // nil before the first sources are open
}

// divided returns the division of an index.
func (c *Choice) divided(x *wire.Index) *division {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.divisions == nil {
		c.divisions = make(map[uint32]*division)
	}
	d := c.divisions[x.ID]
	if d == nil {
		d = new(division)
		c.divisions[x.ID] = d
	}
	return d
}

// Open opens the sources of a search on an index, at its exact version. The i-th source has the
// same shards in every call of an attempt. A shard without an answering copy is an error, it is
// never left out. until is the deadline of the search, plan the plan of the driver, nil when
// not known yet.
func (c *Choice) Open(ctx context.Context, x *wire.Index, until time.Time, plan *driver.Plan) (Set, error) {
	d := c.divided(x)
	d.mu.Lock()
	if d.parts == nil {
		defer d.mu.Unlock()
		return c.openFirst(ctx, x, d, until, plan)
	}
	d.mu.Unlock()
	// Each call has its own copy, because a hedge may change the node of a source.
	parts := slices.Clone(d.parts)
	sources, failed, err := c.openAll(ctx, x, parts, 0, until, plan)
	for i, fault := range failed {
		if err == nil && fault != nil {
			err = &Fault{Node: parts[i].node, Err: fault}
		}
	}
	if err != nil {
		sources.Close()
		return nil, err
	}
	return sources, nil
}

// openFirst divides the shards. Shards whose node fails are assigned to other nodes. The caller
// holds mu of the division.
func (c *Choice) openFirst(ctx context.Context, x *wire.Index, d *division, until time.Time, plan *driver.Plan) (Set, error) {
	left := make([]*wire.Shard, 0, len(x.Shards))
	for i := range x.Shards {
		left = append(left, &x.Shards[i])
	}
	h := c.holders(x)
	fault := wire.ErrUnavailable
	var sources Set
	var parts []assignment
	for len(left) > 0 {
		assigned, without := assign(left, h)
		if without != nil {
			sources.Close()
			return nil, unanswered(x, without, fault)
		}
		opened, failed, err := c.openAll(ctx, x, assigned, len(sources), until, plan)
		sources = append(sources, opened...)
		if err != nil {
			sources.Close()
			return nil, err
		}
		left = nil
		for i, err := range failed {
			if err == nil {
				parts = append(parts, assigned[i])
				continue
			}
			fault, h.away[assigned[i].node] = err, true
			left = append(left, assigned[i].shards...)
		}
	}
	d.parts = parts
	return sources, nil
}

// unanswered returns the error of a shard that no node answers for. fault is the error of the
// node asked last.
func unanswered(x *wire.Index, s *wire.Shard, fault error) error {
	if errors.Is(fault, wire.ErrBehind) || errors.Is(fault, wire.ErrNoShard) || errors.Is(fault, wire.ErrClosed) {
		return fmt.Errorf("shard %d of index %s: %w", s.Number, x.UID, wire.ErrUnavailable)
	}
	return fault
}

// holders returns the nodes that this attempt may ask.
func (c *Choice) holders(x *wire.Index) *holders {
	o := c.opener
	return &holders{
		self: o.self, away: make(map[wire.NodeID]bool), from: int(x.ID),
		shaky:  func(n wire.NodeID) bool { return c.failed[n] || o.shards.Suspect(n) },
		unites: c.unites,
		busy:   o.asked.count,
	}
}

// openAll opens the assigned sources concurrently. The first `before` sources of the search are
// already open. failed are the errors of sources whose node failed, by assignment. err is an
// error of the request, or of this node.
func (c *Choice) openAll(ctx context.Context, x *wire.Index, assigned []assignment, before int, until time.Time, plan *driver.Plan) (opened Set, failed []error, err error) {
	failed = make([]error, len(assigned))
	sources := make(Set, len(assigned))
	var others []*driver.Transcript
	var meanwhile func()
	openOne := func(ctx context.Context, i int) error {
		open := func(ctx context.Context, a *assignment) (*Source, error) {
			return c.openSource(ctx, x, a, &driver.Outlook{
				Plan: plan, Sources: before + len(assigned), Part: part(assigned[i].shards), Left: time.Until(until), Others: others,
				Alongside: meanwhile != nil,
			}, meanwhile)
		}
		var s *Source
		var err error
		if spare := c.others(&assigned[i]); len(spare) > 0 && plan != nil {
			s, err = c.opener.openHedged(ctx, &assigned[i], spare, open)
		} else {
			s, err = open(ctx, &assigned[i])
		}
		if err != nil && replica.Failed(err) {
			failed[i] = err
			return nil
		}
		sources[i] = s
		return err
	}
	if len(sources) == 1 {
		err = openOne(ctx, 0)
	} else if here := slices.IndexFunc(assigned, func(a assignment) bool { return a.node == c.opener.self }); before == 0 && len(sources) == 2 && here >= 0 && plan != nil {
		// With this node's report about the words, one request to the other node suffices.
		// Opening the source here takes less time than waking a goroutine for it.
		err = openOne(ctx, here)
		switch s := sources[here]; {
		case err != nil || s == nil:
		case plan.Immediate():
			meanwhile = s.runAhead(ctx, plan, until)
		default:
			until = until.Add(s.waited)
			others, err = s.inform(ctx, plan, time.Until(until))
		}
		if err == nil {
			err = openOne(ctx, 1-here)
		}
	} else if len(sources) > 1 {
		// The last source on another node is opened in this goroutine, which would only wait.
		g, ctx := fanout.WithContext(ctx)
		last := len(sources) - 1
		if assigned[last].node == c.opener.self {
			last--
		}
		for i := range sources {
			if i != last {
				g.Go(func() error { return openOne(ctx, i) })
			}
		}
		g.Do(func() error { return openOne(ctx, last) })
		err = g.Wait()
	}
	return slices.DeleteFunc(sources, func(s *Source) bool { return s == nil }), failed, err
}

// part is the fraction of an index's documents that some shards have.
func part(shards []*wire.Shard) (sum float64) {
	for _, s := range shards {
		sum += float64(s.SlotHi-s.SlotLo) / wire.Slots
	}
	return sum
}

// openSource opens one of several sources. meanwhile, which may be nil, is called while another
// node works.
func (c *Choice) openSource(ctx context.Context, x *wire.Index, a *assignment, o *driver.Outlook, meanwhile func()) (*Source, error) {
	open := &wire.SearchOpen{Meanwhile: meanwhile, Index: replica.PinVersion(x, a.shards[0]), DeadlineMillis: o.Left.Milliseconds(), Spare: a.node != c.opener.self && c.spared(a)}
	for _, shard := range a.shards[1:] {
		open.Others = append(open.Others, wire.PinnedShard{Shard: shard.Number, DeltaID: replica.PinVersion(x, shard).DeltaID})
	}
	s := &Source{opener: c.opener, node: a.node, shards: a.shards}
	s.front = s
	if o.Plan != nil && a.node != c.opener.self {
		s.front, open.First = driver.Prefetch(s, o)
	}
	s.opener.asked.add(s.node, 1)
	begun := time.Now()
	var err error
	s.again = func() (wire.Session, error) { return c.opener.shards.OpenSearch(ctx, a.node, open) }
	s.session, err = s.again()
	if errors.Is(err, wire.ErrBehind) {
		// Its catalogue may lag, so send the settings and fields along.
		open.Index.Settings, open.Index.Fields = x.Settings, x.Fields
		s.session, err = s.again()
	}
	if errors.As(err, &s.refused) {
		s.session, err = nil, nil
	}
	if err != nil {
		s.opener.asked.add(s.node, -1)
		return nil, err
	}
	if far, ok := s.session.(belated); ok {
		s.waited = far.Waited()
	} else if a.node == c.opener.self {
		s.waited = time.Since(begun)
	}
	return s, nil
}

// belated is a session on another node that had to wait for the version of the index before it
// could open. Its later work is part of the search.
type belated interface{ Waited() time.Duration }

// others returns the other nodes that have all shards of a source on another node, the least
// busy first.
func (c *Choice) others(a *assignment) (nodes []wire.NodeID) {
	o := c.opener
	if a.node == o.self {
		return nil
	}
	for _, r := range a.shards[0].Replicas {
		if r.Node != a.node && r.Node != o.self && !slices.ContainsFunc(a.shards, func(x *wire.Shard) bool {
			r := x.ReplicaOn(r.Node)
			return r == nil || r.State != wire.InSync
		}) && !c.failed[r.Node] && !o.shards.Suspect(r.Node) && (len(a.shards) == 1 || c.unites(r.Node)) {
			nodes = append(nodes, r.Node)
		}
	}
	if len(nodes) > 1 {
		slices.SortStableFunc(nodes, func(a, b wire.NodeID) int { return cmp.Compare(o.asked.count(a), o.asked.count(b)) })
	}
	return nodes
}

// unites tells whether a node can answer for several shards together. The version that it
// reported is not enough: while the log has an older version, the node may go back to a program
// that answers for the first shard only.
func (c *Choice) unites(n wire.NodeID) bool {
	node, ok := c.catalog.Node(n)
	return n == c.opener.self || ok && min(node.Version, c.catalog.Spoken()) >= wire.UnitedSince
}

// spared tells whether other nodes have all shards of a source.
func (c *Choice) spared(a *assignment) bool {
	for _, s := range a.shards {
		if !slices.ContainsFunc(s.Replicas, func(r wire.Replica) bool {
			return r.Node != a.node && r.State == wire.InSync && !c.failed[r.Node] && !c.opener.shards.Suspect(r.Node)
		}) {
			return false
		}
	}
	return true
}
