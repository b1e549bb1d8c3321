package state

import (
	"fmt"
	"slices"

	"shoal/consensus/entry"
	"shoal/wire"
)

// deltasKept is how many delta names the catalogue keeps per shard.
const deltasKept = 64

// scope runs the changes of one Commit or Update on a layer of their own, so that
// a refusal leaves nothing behind. Effects on tasks are collected and done after
// acceptance.
type scope struct {
	l      *layer
	at     int64
	commit bool

	created []uint32 // ids given to new indexes
	renames []rename // without bounds
	cancels []*wire.CancelTasks
	deletes []*wire.DeleteTasks
}

// change runs one change. ok is false when it contradicts the state; an error
// means an entry that this version does not understand.
func (sc *scope) change(c *wire.Change) (ok bool, err error) {
	switch {
	case c.PutIndex != nil:
		return sc.putIndex(c), nil
	case c.DropIndex != nil:
		if x, found := sc.l.IndexByID(*c.DropIndex); found {
			sc.l.dropIndex(x)
		}
	case c.SwapNames != nil:
		return sc.swapNames(c.SwapNames[0], c.SwapNames[1]), nil
	case c.RenameIndex != nil:
		return sc.renameIndex(c.RenameIndex), nil
	case c.PutKey != nil:
		put(&sc.l.keys, c.PutKey.UID, c.PutKey)
	case c.DropKey != nil:
		put(&sc.l.keys, *c.DropKey, nil)
	case c.PutValue != nil:
		v := c.PutValue
		if v.Name == wire.ValueProgram {
			if err := entry.CheckProgram(wire.ProgramOf(*v)); err != nil {
				return false, err
			}
		}
		if len(v.JSON) == 0 {
			put(&sc.l.values, v.Name, nil)
		} else {
			put(&sc.l.values, v.Name, v)
		}
	case c.PutNode != nil:
		sc.putNode(c)
	case c.DropNode != nil:
		put(&sc.l.nodes, *c.DropNode, nil)
	case c.PutReplica != nil:
		return sc.putReplica(c.PutReplica), nil
	case c.PutWide != nil:
		return sc.putWide(c.PutWide), nil
	case c.PutDraining != nil:
		return sc.putDraining(c.PutDraining), nil
	case c.PutAlias != nil:
		return sc.putAlias(c.PutAlias), nil
	case c.CancelTasks != nil:
		sc.cancels = append(sc.cancels, c.CancelTasks)
	case c.DeleteTasks != nil:
		sc.deletes = append(sc.deletes, c.DeleteTasks)
	default:
		return false, fmt.Errorf("%w: a catalogue change", entry.ErrUnknown)
	}
	return true, nil
}

func (sc *scope) putIndex(c *wire.Change) bool {
	old, exists := sc.l.IndexByID(c.PutIndex.ID)
	x, ok := c.Index(old)
	if !ok {
		return false
	}
	if x.CreatedAt == 0 {
		x.CreatedAt = sc.at
	}
	if x.UpdatedAt == 0 {
		x.UpdatedAt = sc.at
	}
	if x.ID == 0 {
		x.ID = sc.l.nextIndex
	}
	for i := range x.Shards {
		s := &x.Shards[i]
		s.Deltas = s.Deltas[max(0, len(s.Deltas)-deltasKept):]
	}
	switch {
	case exists && old.UID != x.UID:
		return false
	case exists:
		sc.keepReplicas(x, old)
	case x.ID < sc.l.nextIndex:
		return false // dropped
	default:
		if sc.taken(x.UID) {
			return false
		}
		sc.created = append(sc.created, x.ID)
	}
	sc.l.putIndex(x)
	return true
}

// keepReplicas takes over what only PutReplica, Holders and PutWide may change: a batch
// that was planned before a replica moved must not undo the move.
func (sc *scope) keepReplicas(x, old *wire.Index) {
	for i := range x.Shards {
		s := &x.Shards[i]
		if o := shardOf(old, s.Number); o != nil {
			s.Replicas = slices.Clone(o.Replicas)
		}
	}
	x.Wide = old.Wide
	if sc.commit {
		x.ReplicaGoal = old.ReplicaGoal
	}
}

func shardOf(x *wire.Index, number uint16) *wire.Shard {
	for i := range x.Shards {
		if x.Shards[i].Number == number {
			return &x.Shards[i]
		}
	}
	return nil
}

func (sc *scope) swapNames(a, b uint32) bool {
	x, okX := sc.l.IndexByID(a)
	y, okY := sc.l.IndexByID(b)
	if !okX || !okY || a == b {
		return false
	}
	x, y = x.Clone(), y.Clone()
	sc.renames = append(sc.renames, rename{From: x.UID, To: y.UID, Swap: true})
	x.UID, y.UID = y.UID, x.UID
	sc.l.putIndex(x)
	sc.l.putIndex(y)
	return true
}

func (sc *scope) renameIndex(r *wire.Rename) bool {
	x, ok := sc.l.IndexByID(r.IndexID)
	if !ok {
		return false
	}
	if x.UID == r.UID {
		return true
	}
	if sc.taken(r.UID) {
		return false
	}
	sc.l.turnAliases(x.UID, r.UID)
	sc.renames = append(sc.renames, rename{From: x.UID, To: r.UID, Swap: r.Exchange})
	put(&sc.l.names, x.UID, nil)
	x = x.Clone()
	x.UID = r.UID
	sc.l.putIndex(x)
	return true
}

// taken tells whether an index or an alias has a name.
func (sc *scope) taken(name string) bool {
	_, index := sc.l.Index(name)
	_, alias := sc.l.Alias(name)
	return index || alias
}

// putAlias turns or removes an alias.
func (sc *scope) putAlias(c *wire.AliasChange) bool {
	old, exists := sc.l.Alias(c.Name)
	if c.From != nil && (!exists || old.Index != *c.From) {
		return false
	}
	if c.Index == "" {
		put(&sc.l.aliases, c.Name, nil)
		return true
	}
	if _, index := sc.l.Index(c.Name); index {
		return false
	}
	if _, ok := sc.l.Index(c.Index); !ok {
		return false
	}
	put(&sc.l.aliases, c.Name, &wire.Alias{Name: c.Name, Index: c.Index})
	return true
}

// putReplica sets or removes one replica. A shard with published data never
// loses its last in-sync copy this way.
func (sc *scope) putReplica(c *wire.ReplicaChange) bool {
	old, ok := sc.l.IndexByID(c.IndexID)
	if !ok {
		return false
	}
	x := old.Clone()
	s := shardOf(x, c.Shard)
	if s == nil {
		return false
	}
	had := inSync(s)
	i := slices.IndexFunc(s.Replicas, func(r wire.Replica) bool { return r.Node == c.Replica.Node })
	switch {
	case c.Remove && i >= 0:
		s.Replicas = slices.Delete(s.Replicas, i, i+1)
	case c.Remove:
	case i >= 0:
		s.Replicas[i] = c.Replica
	default:
		s.Replicas = append(s.Replicas, c.Replica)
	}
	if x.Version > 0 && had > 0 && inSync(s) == 0 {
		return false
	}
	sc.l.putIndex(x)
	return true
}

// putWide says whether an index has a copy on every node.
func (sc *scope) putWide(c *wire.WideChange) bool {
	old, ok := sc.l.IndexByID(c.IndexID)
	if !ok {
		return false
	}
	x := old.Clone()
	x.Wide = c.Wide
	sc.l.putIndex(x)
	return true
}

func (sc *scope) putNode(c *wire.Change) {
	n := c.PutNode
	if old, ok := sc.l.Node(n.ID); ok && c.KeepDraining && n.Draining != old.Draining {
		described := *n
		described.Draining = old.Draining
		n = &described
	}
	put(&sc.l.nodes, n.ID, n)
}

func (sc *scope) putDraining(c *wire.DrainingChange) bool {
	old, ok := sc.l.Node(c.Node)
	if !ok {
		return false
	}
	n := *old
	n.Draining = c.Draining
	put(&sc.l.nodes, n.ID, &n)
	return true
}

func inSync(s *wire.Shard) int {
	n := 0
	for _, r := range s.Replicas {
		if r.State == wire.InSync {
			n++
		}
	}
	return n
}

// holders takes in-sync replicas that do not hold a shard's new delta out of the
// in-sync set, in the entry that publishes it (architecture 5.5). False when no
// in-sync holder would be left.
func (sc *scope) holders(list []wire.ShardHolders) bool {
	for _, h := range list {
		old, ok := sc.l.IndexByID(h.IndexID)
		if !ok {
			return false
		}
		x := old.Clone()
		s := shardOf(x, h.Shard)
		if s == nil {
			return false
		}
		for i := range s.Replicas {
			if r := &s.Replicas[i]; r.State == wire.InSync && !slices.Contains(h.Nodes, r.Node) {
				r.State = wire.Copying
			}
		}
		if inSync(s) == 0 {
			return false
		}
		sc.l.putIndex(x)
	}
	return true
}
