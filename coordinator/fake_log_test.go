package coordinator

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"

	"shoal/wire"
)

// fakeLog is a Log in memory that applies entries at once, by the rules of
// package consensus as far as the scheduler depends on them.
type fakeLog struct {
	mu       sync.Mutex
	catalog  *fakeCatalog
	tasks    map[uint32]*wire.Task
	batches  map[uint32]*wire.Batch
	requests map[string]*wire.Result
	next     uint32
	nextB    uint32
	clock    int64
	term     uint64
	leads    bool
	changed  chan struct{}
	starts   int
	// before is called with each command, unlocked; an error refuses it.
	before func(*wire.Command) error
}

type fakeCatalog struct {
	applied uint64
	indexes map[uint32]*wire.Index
	nodes   []*wire.Node
	next    uint32
	epoch   uint64
	stored  uint64
}

func newFakeLog(nodes ...string) *fakeLog {
	l := &fakeLog{
		tasks: map[uint32]*wire.Task{}, batches: map[uint32]*wire.Batch{}, requests: map[string]*wire.Result{},
		term: 1, leads: true, changed: make(chan struct{}), clock: 1000,
		catalog: &fakeCatalog{indexes: map[uint32]*wire.Index{}, next: 1},
	}
	for _, n := range nodes {
		l.catalog.nodes = append(l.catalog.nodes, &wire.Node{ID: wire.NodeID(n), Data: true, Voter: true, Version: wire.Version})
	}
	return l
}

func (c *fakeCatalog) Applied() uint64                 { return c.applied }
func (c *fakeCatalog) ClusterID() string               { return "test" }
func (c *fakeCatalog) Key(string) (*wire.Key, bool)    { return nil, false }
func (c *fakeCatalog) Keys() []*wire.Key               { return nil }
func (c *fakeCatalog) Value(string) (wire.Value, bool) { return wire.Value{}, false }
func (c *fakeCatalog) Nodes() []*wire.Node             { return c.nodes }
func (c *fakeCatalog) LastTask() (uint32, bool)        { return 0, false }
func (c *fakeCatalog) StageEpoch() uint64              { return c.epoch }
func (c *fakeCatalog) StoredTasks() uint64             { return c.stored }
func (c *fakeCatalog) Node(id wire.NodeID) (*wire.Node, bool) {
	i := slices.IndexFunc(c.nodes, func(n *wire.Node) bool { return n.ID == id })
	if i < 0 {
		return nil, false
	}
	return c.nodes[i], true
}

func (c *fakeCatalog) IndexByID(id uint32) (*wire.Index, bool) { x, ok := c.indexes[id]; return x, ok }

func (c *fakeCatalog) Index(uid string) (*wire.Index, bool) {
	for _, x := range c.indexes {
		if x.UID == uid {
			return x, true
		}
	}
	return nil, false
}

func (c *fakeCatalog) Indexes() []*wire.Index {
	return slices.SortedFunc(maps.Values(c.indexes), func(a, b *wire.Index) int { return cmp.Compare(a.UID, b.UID) })
}

func (l *fakeLog) Catalog() Catalog {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.catalog
}

func (l *fakeLog) Propose(ctx context.Context, cmd *wire.Command) (*wire.Result, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	l.mu.Lock()
	before := l.before
	l.mu.Unlock()
	if before != nil {
		if err := before(cmd); err != nil {
			return nil, err
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.leads {
		return nil, wire.ErrNoLeader
	}
	l.clock++
	c := *l.catalog
	c.indexes = maps.Clone(c.indexes)
	c.nodes = slices.Clone(c.nodes)
	c.applied++
	res := &wire.Result{Index: c.applied}
	switch {
	case cmd.Enqueue != nil:
		res = l.enqueue(cmd.Enqueue, res)
	case cmd.Start != nil:
		l.start(cmd.Start, res)
	case cmd.Commit != nil:
		for i := range cmd.Commit {
			l.commit(&c, &cmd.Commit[i], res)
		}
	case cmd.Update != nil:
		u := cmd.Update
		if r, seen := l.requests[u.RequestID]; u.RequestID != "" && seen {
			return r, nil
		}
		res.Fenced = !guarded(&c, u.Guards) || !l.change(&c, u.Changes, res)
		if u.RequestID != "" {
			l.requests[u.RequestID] = res
		}
	}
	if !res.Fenced {
		l.catalog = &c
	}
	close(l.changed)
	l.changed = make(chan struct{})
	return res, nil
}

func (l *fakeLog) enqueue(e *wire.Enqueue, res *wire.Result) *wire.Result {
	if r, seen := l.requests[e.RequestID]; seen {
		return r
	}
	t := e.Task
	t.UID, t.EnqueuedAt, t.Status = l.next, l.clock, wire.Enqueued
	l.next++
	l.tasks[t.UID] = &t
	res.Task = &t
	l.requests[e.RequestID] = res
	return res
}

func (l *fakeLog) start(s *wire.Start, res *wire.Result) {
	for _, uid := range s.Batch.Tasks {
		if t := l.tasks[uid]; t == nil || t.Status > wire.Processing || s.Term != l.term {
			res.Fenced = true
			return
		}
	}
	b := s.Batch
	if b.UID == wire.NoBatch {
		b.UID = l.nextB
		l.nextB++
	}
	l.starts++
	l.batches[b.UID] = &b
	for _, uid := range b.Tasks {
		t := *l.tasks[uid]
		t.Status, t.Batch, t.StartedAt = wire.Processing, &b.UID, b.StartedAt
		l.tasks[uid] = &t
	}
	res.Batches = []uint32{b.UID}
}

func guarded(c *fakeCatalog, guards []wire.Guard) bool {
	return !slices.ContainsFunc(guards, func(g wire.Guard) bool {
		x, ok := c.indexes[g.IndexID]
		return !ok || x.Version != g.Version
	})
}

func (l *fakeLog) commit(c *fakeCatalog, k *wire.Commit, res *wire.Result) {
	ok := k.Term == l.term && guarded(c, k.Guards)
	for _, r := range k.Results {
		t := l.tasks[r.UID]
		ok = ok && t != nil && t.Status <= wire.Processing
	}
	if ok && k.Batch.UID != wire.NoBatch {
		b := l.batches[k.Batch.UID]
		ok = b != nil && b.FinishedAt == 0
	}
	if !ok || !l.change(c, k.Changes, res) {
		res.Fenced = true
		return
	}
	for _, h := range k.Holders {
		x := c.indexes[h.IndexID].Clone()
		for i := range x.Shards {
			for j := range x.Shards[i].Replicas {
				if r := &x.Shards[i].Replicas[j]; x.Shards[i].Number == h.Shard && !slices.Contains(h.Nodes, r.Node) {
					r.State = wire.Copying
				}
			}
		}
		c.indexes[h.IndexID] = x
	}
	b := k.Batch
	if b.UID == wire.NoBatch && len(k.Results) > 0 {
		b.UID = l.nextB
		l.nextB++
	}
	b.FinishedAt = l.clock
	for _, r := range k.Results {
		t := *l.tasks[r.UID]
		t.Status, t.Error, t.CanceledBy, t.Batch, t.FinishedAt = r.Status, r.Error, r.CanceledBy, &b.UID, l.clock
		if r.Details != nil {
			t.Details = r.Details
		}
		l.tasks[r.UID] = &t
	}
	for uid, t := range l.tasks {
		if t.Status == wire.Processing && *t.Batch == b.UID {
			back := *t
			back.Status, back.Batch = wire.Enqueued, nil
			l.tasks[uid] = &back
		}
	}
	if len(k.Results) > 0 {
		l.batches[b.UID] = &b
	} else {
		delete(l.batches, b.UID)
	}
	res.Batches = append(res.Batches, b.UID)
}

func (l *fakeLog) change(c *fakeCatalog, changes []wire.Change, res *wire.Result) bool {
	for _, ch := range changes {
		switch {
		case ch.PutIndex != nil:
			x, ok := ch.Index(c.indexes[ch.PutIndex.ID])
			if !ok {
				return false
			}
			if x.ID == 0 {
				if _, taken := c.Index(x.UID); taken {
					return false
				}
				x.ID = c.next
				c.next++
				res.Indexes = append(res.Indexes, x.ID)
			} else if old, ok := c.indexes[x.ID]; !ok || old.UID != x.UID {
				return false
			} else {
				for i := range x.Shards {
					if s := shardNumbered(old, x.Shards[i].Number); s != nil {
						x.Shards[i].Replicas = slices.Clone(s.Replicas)
					}
				}
			}
			if x.UpdatedAt == 0 {
				x.UpdatedAt = l.clock
			}
			c.indexes[x.ID] = x
		case ch.DropIndex != nil:
			delete(c.indexes, *ch.DropIndex)
		case ch.SwapNames != nil:
			a, b := c.indexes[ch.SwapNames[0]].Clone(), c.indexes[ch.SwapNames[1]].Clone()
			a.UID, b.UID = b.UID, a.UID
			c.indexes[a.ID], c.indexes[b.ID] = a, b
		case ch.RenameIndex != nil:
			x := c.indexes[ch.RenameIndex.IndexID].Clone()
			x.UID = ch.RenameIndex.UID
			c.indexes[x.ID] = x
		case ch.PutReplica != nil:
			x := c.indexes[ch.PutReplica.IndexID].Clone()
			s := shardNumbered(x, ch.PutReplica.Shard)
			s.Replicas = slices.DeleteFunc(s.Replicas, func(r wire.Replica) bool { return r.Node == ch.PutReplica.Replica.Node })
			if !ch.PutReplica.Remove {
				s.Replicas = append(s.Replicas, ch.PutReplica.Replica)
			}
			c.indexes[x.ID] = x
		case ch.PutNode != nil:
			for i, n := range c.nodes {
				if n.ID == ch.PutNode.ID {
					c.nodes[i] = ch.PutNode
				}
			}
		case ch.DeleteTasks != nil:
			set := roaring.New()
			if err := set.UnmarshalBinary(ch.DeleteTasks.Bitmap); err != nil {
				return false
			}
			for _, uid := range set.ToArray() {
				delete(l.tasks, uid)
			}
		}
	}
	return true
}

func (l *fakeLog) Barrier(context.Context) error { return nil }

func (l *fakeLog) Task(uid uint32) (*wire.Task, bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	t, ok := l.tasks[uid]
	return t, ok, nil
}

func (l *fakeLog) Batch(uid uint32) (*wire.Batch, bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	b, ok := l.batches[uid]
	return b, ok, nil
}

func (l *fakeLog) Tasks(*wire.TaskQuery) ([]*wire.Task, uint64, error)    { return nil, 0, nil }
func (l *fakeLog) Batches(*wire.TaskQuery) ([]*wire.Batch, uint64, error) { return nil, 0, nil }

func (l *fakeLog) TaskUIDs(q *wire.TaskQuery) ([]uint32, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []uint32
	for uid, t := range l.tasks {
		if (q.UIDs == nil || slices.Contains(q.UIDs, uid)) && (q.Statuses == nil || slices.Contains(q.Statuses, t.Status)) {
			out = append(out, uid)
		}
	}
	slices.Sort(out)
	return out, nil
}

func (l *fakeLog) Pending() []*wire.Task {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []*wire.Task
	for _, t := range l.tasks {
		if t.Status <= wire.Processing {
			out = append(out, t)
		}
	}
	slices.SortFunc(out, func(a, b *wire.Task) int { return cmp.Compare(a.UID, b.UID) })
	return out
}

func (l *fakeLog) Changed() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.changed
}

func (l *fakeLog) Leading() (uint64, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.term, l.leads
}

func (l *fakeLog) Lease() (bool, int)  { return true, 0 }
func (l *fakeLog) Visible(uint32) bool { return true }
