package coordtest

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"

	"shoal/api/settings"
	"shoal/coordinator"
	"shoal/wire"
)

// Log is a log in memory that applies entries at once. It follows the rules of package
// consensus as far as the scheduler depends on them.
type Log struct {
	Mu          sync.Mutex
	State       *Catalog
	StoredTasks map[uint32]*wire.Task
	batches     map[uint32]*wire.Batch
	requests    map[string]*wire.Result
	Next        uint32
	nextB       uint32
	clock       int64
	Term        uint64
	leads       bool
	changed     chan struct{}
	Starts      int
	// Before is called with each command, without the lock. An error refuses the command.
	Before func(*wire.Command) error
	// After is called after a command was applied or refused.
	After func(*wire.Command)
}

// Catalog is one state of a Log.
type Catalog struct {
	applied uint64
	ByID    map[uint32]*wire.Index
	Members []*wire.Node
	next    uint32
	epoch   uint64
	Stored  uint64
	values  map[string]wire.Value
	aliases map[string]*wire.Alias
}

// NewLog returns an empty log of voters that hold data.
func NewLog(nodes ...string) *Log {
	l := &Log{
		StoredTasks: map[uint32]*wire.Task{}, batches: map[uint32]*wire.Batch{}, requests: map[string]*wire.Result{},
		Term: 1, leads: true, changed: make(chan struct{}), clock: 1000,
		State: &Catalog{ByID: map[uint32]*wire.Index{}, next: 1},
	}
	for _, n := range nodes {
		l.State.Members = append(l.State.Members, &wire.Node{ID: wire.NodeID(n), Data: true, Voter: true, Version: wire.Version})
	}
	return l
}

// Alias finds an alias by its name.
func (c *Catalog) Alias(name string) (*wire.Alias, bool) {
	a, ok := c.aliases[name]
	return a, ok
}

// Aliases lists the aliases by name.
func (c *Catalog) Aliases() []*wire.Alias {
	return slices.SortedFunc(maps.Values(c.aliases), func(a, b *wire.Alias) int { return cmp.Compare(a.Name, b.Name) })
}

func (c *Catalog) Applied() uint64              { return c.applied }
func (c *Catalog) ClusterID() string            { return "test" }
func (c *Catalog) Key(string) (*wire.Key, bool) { return nil, false }
func (c *Catalog) Keys() []*wire.Key            { return nil }

// Value finds a stored value by its name.
func (c *Catalog) Value(name string) (wire.Value, bool) {
	v, ok := c.values[name]
	return v, ok
}

func (c *Catalog) Nodes() []*wire.Node      { return c.Members }
func (c *Catalog) Spoken() int              { return wire.LeastSpoken(c.Members) }
func (c *Catalog) LastTask() (uint32, bool) { return 0, false }
func (c *Catalog) StageEpoch() uint64       { return c.epoch }
func (c *Catalog) StoredTasks() uint64      { return c.Stored }
func (c *Catalog) Node(id wire.NodeID) (*wire.Node, bool) {
	i := slices.IndexFunc(c.Members, func(n *wire.Node) bool { return n.ID == id })
	if i < 0 {
		return nil, false
	}
	return c.Members[i], true
}

func (c *Catalog) IndexByID(id uint32) (*wire.Index, bool) { x, ok := c.ByID[id]; return x, ok }

func (c *Catalog) Index(uid string) (*wire.Index, bool) {
	for _, x := range c.ByID {
		if x.UID == uid {
			return x, true
		}
	}
	return nil, false
}

func (c *Catalog) Indexes() []*wire.Index {
	return slices.SortedFunc(maps.Values(c.ByID), func(a, b *wire.Index) int { return cmp.Compare(a.UID, b.UID) })
}

// ChangedSince implements coordinator.Differing.
func (c *Catalog) ChangedSince(earlier any) (changed []*wire.Index, ok bool) {
	from, ok := earlier.(*Catalog)
	if !ok {
		return nil, false
	}
	for id, x := range c.ByID {
		if from.ByID[id] != x {
			changed = append(changed, x)
		}
	}
	return changed, true
}

func (l *Log) Catalog() coordinator.Catalog {
	l.Mu.Lock()
	defer l.Mu.Unlock()
	return l.State
}

func (l *Log) Propose(ctx context.Context, cmd *wire.Command) (*wire.Result, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	l.Mu.Lock()
	before, after := l.Before, l.After
	l.Mu.Unlock()
	if after != nil {
		defer after(cmd)
	}
	if before != nil {
		if err := before(cmd); err != nil {
			return nil, err
		}
	}
	l.Mu.Lock()
	defer l.Mu.Unlock()
	if !l.leads {
		return nil, wire.ErrNoLeader
	}
	l.clock++
	c := *l.State
	c.ByID = maps.Clone(c.ByID)
	c.Members = slices.Clone(c.Members)
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
		l.State = &c
	}
	close(l.changed)
	l.changed = make(chan struct{})
	return res, nil
}

func (l *Log) enqueue(e *wire.Enqueue, res *wire.Result) *wire.Result {
	if r, seen := l.requests[e.RequestID]; seen {
		return r
	}
	t := e.Task
	t.UID, t.EnqueuedAt, t.Status = l.Next, l.clock, wire.Enqueued
	l.Next++
	l.StoredTasks[t.UID] = &t
	res.Task = &t
	l.requests[e.RequestID] = res
	return res
}

func (l *Log) start(s *wire.Start, res *wire.Result) {
	for _, uid := range s.Batch.Tasks {
		if t := l.StoredTasks[uid]; t == nil || t.Status > wire.Processing || s.Term != l.Term {
			res.Fenced = true
			return
		}
	}
	b := s.Batch
	if b.UID == wire.NoBatch {
		b.UID = l.nextB
		l.nextB++
	}
	l.Starts++
	l.batches[b.UID] = &b
	for _, uid := range b.Tasks {
		t := *l.StoredTasks[uid]
		t.Status, t.Batch, t.StartedAt = wire.Processing, &b.UID, b.StartedAt
		l.StoredTasks[uid] = &t
	}
	res.Batches = []uint32{b.UID}
}

func guarded(c *Catalog, guards []wire.Guard) bool {
	return !slices.ContainsFunc(guards, func(g wire.Guard) bool {
		x, ok := c.ByID[g.IndexID]
		return !ok || !g.Holds(x)
	})
}

func (l *Log) commit(c *Catalog, k *wire.Commit, res *wire.Result) {
	ok := k.Term == l.Term && guarded(c, k.Guards)
	for _, r := range k.Results {
		t := l.StoredTasks[r.UID]
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
		x := c.ByID[h.IndexID].Clone()
		for i := range x.Shards {
			for j := range x.Shards[i].Replicas {
				if r := &x.Shards[i].Replicas[j]; x.Shards[i].Number == h.Shard && !slices.Contains(h.Nodes, r.Node) {
					r.State = wire.Copying
				}
			}
		}
		c.ByID[h.IndexID] = x
	}
	b := k.Batch
	if b.UID == wire.NoBatch && len(k.Results) > 0 {
		b.UID = l.nextB
		l.nextB++
	}
	b.FinishedAt = l.clock
	for _, r := range k.Results {
		t := *l.StoredTasks[r.UID]
		t.Status, t.Error, t.CanceledBy, t.Batch, t.FinishedAt = r.Status, r.Error, r.CanceledBy, &b.UID, l.clock
		if r.Details != nil {
			t.Details = r.Details
		}
		l.StoredTasks[r.UID] = &t
	}
	for uid, t := range l.StoredTasks {
		if t.Status == wire.Processing && *t.Batch == b.UID {
			back := *t
			back.Status, back.Batch = wire.Enqueued, nil
			l.StoredTasks[uid] = &back
		}
	}
	if len(k.Results) > 0 {
		l.batches[b.UID] = &b
	} else {
		delete(l.batches, b.UID)
	}
	res.Batches = append(res.Batches, b.UID)
}

func (l *Log) change(c *Catalog, changes []wire.Change, res *wire.Result) bool {
	for _, ch := range changes {
		switch {
		case ch.PutIndex != nil:
			x, ok := ch.Index(c.ByID[ch.PutIndex.ID])
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
			} else if old, ok := c.ByID[x.ID]; !ok || old.UID != x.UID {
				return false
			} else {
				for i := range x.Shards {
					if s := old.ShardNumbered(x.Shards[i].Number); s != nil {
						x.Shards[i].Replicas = slices.Clone(s.Replicas)
					}
				}
				x.Wide = old.Wide
			}
			if x.UpdatedAt == 0 {
				x.UpdatedAt = l.clock
			}
			c.ByID[x.ID] = x
		case ch.PutValue != nil:
			c.values = maps.Clone(c.values)
			if c.values == nil {
				c.values = map[string]wire.Value{}
			}
			c.values[ch.PutValue.Name] = *ch.PutValue
		case ch.PutAlias != nil:
			c.aliases = maps.Clone(c.aliases)
			if c.aliases == nil {
				c.aliases = map[string]*wire.Alias{}
			}
			c.aliases[ch.PutAlias.Name] = &wire.Alias{Name: ch.PutAlias.Name, Index: ch.PutAlias.Index}
			if ch.PutAlias.Index == "" {
				delete(c.aliases, ch.PutAlias.Name)
			}
		case ch.DropIndex != nil:
			delete(c.ByID, *ch.DropIndex)
		case ch.SwapNames != nil:
			a, b := c.ByID[ch.SwapNames[0]].Clone(), c.ByID[ch.SwapNames[1]].Clone()
			a.UID, b.UID = b.UID, a.UID
			c.ByID[a.ID], c.ByID[b.ID] = a, b
		case ch.RenameIndex != nil:
			x := c.ByID[ch.RenameIndex.IndexID].Clone()
			x.UID = ch.RenameIndex.UID
			c.ByID[x.ID] = x
		case ch.PutReplica != nil:
			x := c.ByID[ch.PutReplica.IndexID].Clone()
			s := x.ShardNumbered(ch.PutReplica.Shard)
			s.Replicas = slices.DeleteFunc(s.Replicas, func(r wire.Replica) bool { return r.Node == ch.PutReplica.Replica.Node })
			if !ch.PutReplica.Remove {
				s.Replicas = append(s.Replicas, ch.PutReplica.Replica)
			}
			c.ByID[x.ID] = x
		case ch.PutWide != nil:
			x := c.ByID[ch.PutWide.IndexID].Clone()
			x.Wide = ch.PutWide.Wide
			c.ByID[x.ID] = x
		case ch.PutDraining != nil:
			for i, n := range c.Members {
				if n.ID == ch.PutDraining.Node {
					next := *n
					next.Draining = ch.PutDraining.Draining
					c.Members[i] = &next
				}
			}
		case ch.PutNode != nil:
			for i, n := range c.Members {
				if n.ID == ch.PutNode.ID {
					c.Members[i] = ch.PutNode
				}
			}
		case ch.DeleteTasks != nil:
			set := roaring.New()
			if err := set.UnmarshalBinary(ch.DeleteTasks.Bitmap); err != nil {
				return false
			}
			for _, uid := range set.ToArray() {
				delete(l.StoredTasks, uid)
			}
		}
	}
	return true
}

func (l *Log) Barrier(context.Context) error { return nil }

func (l *Log) Task(uid uint32) (*wire.Task, bool, error) {
	l.Mu.Lock()
	defer l.Mu.Unlock()
	t, ok := l.StoredTasks[uid]
	return t, ok, nil
}

func (l *Log) Batch(uid uint32) (*wire.Batch, bool, error) {
	l.Mu.Lock()
	defer l.Mu.Unlock()
	b, ok := l.batches[uid]
	return b, ok, nil
}

func (l *Log) Tasks(*wire.TaskQuery) ([]*wire.Task, uint64, error)    { return nil, 0, nil }
func (l *Log) Batches(*wire.TaskQuery) ([]*wire.Batch, uint64, error) { return nil, 0, nil }

func (l *Log) TaskUIDs(q *wire.TaskQuery) ([]uint32, error) {
	l.Mu.Lock()
	defer l.Mu.Unlock()
	var out []uint32
	for uid, t := range l.StoredTasks {
		if (q.UIDs == nil || slices.Contains(q.UIDs, uid)) && (q.Statuses == nil || slices.Contains(q.Statuses, t.Status)) {
			out = append(out, uid)
		}
	}
	slices.Sort(out)
	return out, nil
}

func (l *Log) Pending() []*wire.Task {
	l.Mu.Lock()
	defer l.Mu.Unlock()
	var out []*wire.Task
	for _, t := range l.StoredTasks {
		if t.Status <= wire.Processing {
			out = append(out, t)
		}
	}
	slices.SortFunc(out, func(a, b *wire.Task) int { return cmp.Compare(a.UID, b.UID) })
	return out
}

func (l *Log) Changed() <-chan struct{} {
	l.Mu.Lock()
	defer l.Mu.Unlock()
	return l.changed
}

func (l *Log) Leading() (uint64, bool) {
	l.Mu.Lock()
	defer l.Mu.Unlock()
	return l.Term, l.leads
}

func (l *Log) Lease() (bool, int)  { return true, 0 }
func (l *Log) Visible(uint32) bool { return true }

// Settled implements coordinator.Log.
func (l *Log) Settled() func() bool { return func() bool { return true } }

// NewFilmsLog returns a log with one empty index, films.
func NewFilmsLog() *Log {
	log := NewLog("n1")
	log.State.ByID[7] = &wire.Index{ID: 7, UID: "films", Settings: wire.EncodeSettings(settings.Default()), Shards: []wire.Shard{
		{SlotHi: wire.Slots, Replicas: []wire.Replica{{Node: "n1", State: wire.InSync}}},
	}}
	return log
}
