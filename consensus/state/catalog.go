package state

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"sync"

	"shoal/wire"
)

// Catalog is one immutable state of the cluster's metadata, as of one entry of the log. It
// is safe for concurrent use. Returned values are shared and must not be modified (clone an
// Index first). A change costs as much as it touches (architecture 4), whatever the number
// of indexes.
type Catalog struct {
	applied   uint64
	clusterID string
	program   int // of wire.ValueProgram, 0 without
	indexes   table[uint32, *wire.Index]
	names     table[string, *wire.Index] // the same records by uid
	keys      table[string, *wire.Key]
	values    table[string, wire.Value]
	nodes     table[wire.NodeID, *wire.Node]
	aliases   table[string, *wire.Alias]
	copies    map[wire.NodeID]int // of shards, on each node that has any; not modified

	tasks         uint64 // number of accepted enqueues = next task uid
	nextIndex     uint32
	stageEpoch    uint64
	minStageEpoch uint64
	storedTasks   uint64

	// Sorted lists are made on first use and carried over to the next catalogue
	// as long as their table does not change.
	indexList *indexList
	keyList   *list[*wire.Key]
	nodeList  *list[*wire.Node]
	aliasList *list[*wire.Alias]
}

// list is a sorted listing of a table, made at most once.
type list[T any] struct {
	once  sync.Once
	items []T
}

func (l *list[T]) get(build func() []T) []T {
	l.once.Do(func() { l.items = build() })
	return l.items
}

func newCatalog() *Catalog {
	return &Catalog{
		nextIndex: 1,
		indexList: new(indexList),
		keyList:   new(list[*wire.Key]),
		nodeList:  new(list[*wire.Node]),
		aliasList: new(list[*wire.Alias]),
	}
}

// Applied is the log index that produced this state.
func (c *Catalog) Applied() uint64 { return c.applied }

// ClusterID is the uuid of the cluster, "" until its first leader has written it.
func (c *Catalog) ClusterID() string { return c.clusterID }

// Index returns the index with this public name.
func (c *Catalog) Index(uid string) (*wire.Index, bool) { return c.names.get(uid) }

// Alias returns an alias by its name.
func (c *Catalog) Alias(name string) (*wire.Alias, bool) { return c.aliases.get(name) }

// Aliases lists all aliases by name.
func (c *Catalog) Aliases() []*wire.Alias {
	return c.aliasList.get(func() []*wire.Alias {
		all := make([]*wire.Alias, 0, c.aliases.size)
		c.aliases.each(func(_ string, a *wire.Alias) { all = append(all, a) })
		slices.SortFunc(all, func(a, b *wire.Alias) int { return cmp.Compare(a.Name, b.Name) })
		return all
	})
}

// aliasesOf lists the aliases of an index, in no particular order.
func (c *Catalog) aliasesOf(uid string) (names []string) {
	c.aliases.each(func(name string, a *wire.Alias) {
		if a.Index == uid {
			names = append(names, name)
		}
	})
	return names
}

// CountIndexes is the number of indexes.
func (c *Catalog) CountIndexes() int { return c.indexes.size }

// IndexByID returns the index with this id; ids survive renames and swaps.
func (c *Catalog) IndexByID(id uint32) (*wire.Index, bool) { return c.indexes.get(id) }

// Indexes lists all indexes by uid.
func (c *Catalog) Indexes() []*wire.Index {
	return c.indexList.get(c.indexes)
}

// ChangedSince lists the records of indexes, by id, that are new or different from those of
// an earlier catalogue. It costs as much as has changed, whatever the number of indexes. ok
// is false if the other catalogue is not of this package.
func (c *Catalog) ChangedSince(earlier any) (changed []*wire.Index, ok bool) {
	from, ok := earlier.(*Catalog)
	if !ok {
		return nil, false
	}
	differences(c.indexes, from.indexes, func(_ uint32, x *wire.Index) { changed = append(changed, x) })
	slices.SortFunc(changed, func(a, b *wire.Index) int { return cmp.Compare(a.ID, b.ID) })
	return changed, true
}

// Copies is how many copies of shards each node has, in whatever state; the caller may
// change it.
func (c *Catalog) Copies() map[wire.NodeID]int {
	out := make(map[wire.NodeID]int, len(c.copies))
	maps.Copy(out, c.copies)
	return out
}

// NextIndexID is the id of the next new index, unless another one is created first. A batch
// may plan with it: a Commit that puts an index under an id that has been taken since is
// refused.
func (c *Catalog) NextIndexID() uint32 { return c.nextIndex }

// Key returns an API key by its uid.
func (c *Catalog) Key(uid string) (*wire.Key, bool) { return c.keys.get(uid) }

// Keys lists all API keys by uid.
func (c *Catalog) Keys() []*wire.Key {
	return c.keyList.get(func() []*wire.Key {
		all := make([]*wire.Key, 0, c.keys.size)
		c.keys.each(func(_ string, k *wire.Key) { all = append(all, k) })
		slices.SortFunc(all, func(a, b *wire.Key) int { return cmp.Compare(a.UID, b.UID) })
		return all
	})
}

// Value returns one named document.
func (c *Catalog) Value(name string) (wire.Value, bool) { return c.values.get(name) }

// Node returns a member of the cluster.
func (c *Catalog) Node(id wire.NodeID) (*wire.Node, bool) { return c.nodes.get(id) }

// Nodes lists all members by id.
func (c *Catalog) Nodes() []*wire.Node {
	return c.nodeList.get(func() []*wire.Node {
		all := make([]*wire.Node, 0, c.nodes.size)
		c.nodes.each(func(_ wire.NodeID, n *wire.Node) { all = append(all, n) })
		slices.SortFunc(all, func(a, b *wire.Node) int { return cmp.Compare(a.ID, b.ID) })
		return all
	})
}

// Spoken is the wire.Version for which the log is written. A cluster whose leaders ran
// older programs does not record it; then it is the version that its members know.
func (c *Catalog) Spoken() int {
	if c.program > 0 {
		return c.program
	}
	return wire.LeastSpoken(c.Nodes())
}

// Program is the version for which the log says it is written, 0 if it says nothing yet.
func (c *Catalog) Program() int { return c.program }

// Votes is how many votes the cluster keeps (wire.ValueVotes), 0 when the log says nothing yet.
func (c *Catalog) Votes() int {
	v, _ := c.values.get(wire.ValueVotes)
	return wire.VotesOf(v)
}

// LastTask is the uid given most recently; any is false when there was none.
func (c *Catalog) LastTask() (uid uint32, any bool) {
	if c.tasks == 0 {
		return 0, false
	}
	return uint32(c.tasks - 1), true
}

// StoredTasks is the number of task records that exist. The scheduler proposes
// deletions when it reaches upstream's cap of 1,000,000 (spec tasks-auth-ops-api 4.2).
func (c *Catalog) StoredTasks() uint64 { return c.storedTasks }

// StageEpoch is the epoch under which blobs are staged now.
func (c *Catalog) StageEpoch() uint64 { return c.stageEpoch }

// MinStageEpoch is the oldest epoch whose blobs are still accepted: a node may
// delete an unreferenced blob staged under an older one (architecture 5.10).
func (c *Catalog) MinStageEpoch() uint64 { return c.minStageEpoch }

// clusterIDOf reads the cluster id out of its value.
func clusterIDOf(v wire.Value) string {
	var id string
	// Only this package writes the value, as a JSON string.
	if err := json.Unmarshal(v.JSON, &id); err != nil {
		return ""
	}
	return id
}
