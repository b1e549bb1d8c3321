package state

import (
	"slices"

	"shoal/wire"
)

// metadata is what a layer reads from below: the catalogue or another layer.
type metadata interface {
	IndexByID(id uint32) (*wire.Index, bool)
	Index(uid string) (*wire.Index, bool)
	Key(uid string) (*wire.Key, bool)
	Value(name string) (wire.Value, bool)
	Node(id wire.NodeID) (*wire.Node, bool)
	Alias(name string) (*wire.Alias, bool)
	aliasesOf(uid string) []string
	NextIndexID() uint32
}

// layer collects changes above an unchanged state. One layer holds what the
// accepted entries of an ApplyBatch did; each Commit and Update works on its own
// layer above that one and merges it down only when it is accepted whole. A nil
// value in a map means: removed.
type layer struct {
	below     metadata
	indexes   map[uint32]*wire.Index
	names     map[string]*wire.Index
	keys      map[string]*wire.Key
	values    map[string]*wire.Value
	nodes     map[wire.NodeID]*wire.Node
	aliases   map[string]*wire.Alias
	nextIndex uint32
}

func newLayer(below metadata) *layer {
	return &layer{below: below, nextIndex: below.NextIndexID()}
}

func put[K comparable, V any](m *map[K]V, key K, value V) {
	if *m == nil {
		*m = make(map[K]V)
	}
	(*m)[key] = value
}

func (l *layer) NextIndexID() uint32 { return l.nextIndex }

func (l *layer) IndexByID(id uint32) (*wire.Index, bool) {
	if x, here := l.indexes[id]; here {
		return x, x != nil
	}
	return l.below.IndexByID(id)
}

func (l *layer) Index(uid string) (*wire.Index, bool) {
	if x, here := l.names[uid]; here {
		return x, x != nil
	}
	return l.below.Index(uid)
}

func (l *layer) Key(uid string) (*wire.Key, bool) {
	if k, here := l.keys[uid]; here {
		return k, k != nil
	}
	return l.below.Key(uid)
}

func (l *layer) Value(name string) (wire.Value, bool) {
	if v, here := l.values[name]; here {
		if v == nil {
			return wire.Value{}, false
		}
		return *v, true
	}
	return l.below.Value(name)
}

func (l *layer) Node(id wire.NodeID) (*wire.Node, bool) {
	if n, here := l.nodes[id]; here {
		return n, n != nil
	}
	return l.below.Node(id)
}

func (l *layer) Alias(name string) (*wire.Alias, bool) {
	if a, here := l.aliases[name]; here {
		return a, a != nil
	}
	return l.below.Alias(name)
}

// uidOf returns the uid that a name means: that of the index of an alias, or the name itself.
func (l *layer) uidOf(name string) string {
	if a, ok := l.Alias(name); ok {
		return a.Index
	}
	return name
}

// aliasesOf lists the aliases of an index, sorted.
func (l *layer) aliasesOf(uid string) []string {
	var names []string
	for _, name := range l.below.aliasesOf(uid) {
		if _, changed := l.aliases[name]; !changed {
			names = append(names, name)
		}
	}
	for name, a := range l.aliases {
		if a != nil && a.Index == uid {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// turnAliases points the aliases of one index to another; "" removes them.
func (l *layer) turnAliases(from, to string) {
	for _, name := range l.aliasesOf(from) {
		if to == "" {
			put(&l.aliases, name, nil)
		} else {
			put(&l.aliases, name, &wire.Alias{Name: name, Index: to})
		}
	}
}

// putIndex files a record under its id and name. The caller has cleared a name
// that the index had before.
func (l *layer) putIndex(x *wire.Index) {
	put(&l.indexes, x.ID, x)
	put(&l.names, x.UID, x)
	l.nextIndex = max(l.nextIndex, x.ID+1)
}

func (l *layer) dropIndex(x *wire.Index) {
	put(&l.indexes, x.ID, nil)
	put(&l.names, x.UID, nil)
	l.turnAliases(x.UID, "")
}

// mergeInto moves the changes one layer down.
func (l *layer) mergeInto(down *layer) {
	for id, x := range l.indexes {
		put(&down.indexes, id, x)
	}
	for uid, x := range l.names {
		put(&down.names, uid, x)
	}
	for uid, k := range l.keys {
		put(&down.keys, uid, k)
	}
	for name, v := range l.values {
		put(&down.values, name, v)
	}
	for id, n := range l.nodes {
		put(&down.nodes, id, n)
	}
	for name, a := range l.aliases {
		put(&down.aliases, name, a)
	}
	down.nextIndex = l.nextIndex
}

// over returns the catalogue that results from the layer on top of c. Figures of
// the log (applied, task counts, epochs) are the caller's to set.
func (l *layer) over(c *Catalog) *Catalog {
	next := &Catalog{
		applied: c.applied, clusterID: c.clusterID, program: c.program,
		indexes: c.indexes, names: c.names, keys: c.keys, values: c.values, nodes: c.nodes, aliases: c.aliases, copies: c.copies,
		tasks: c.tasks, nextIndex: l.nextIndex,
		stageEpoch: c.stageEpoch, minStageEpoch: c.minStageEpoch, storedTasks: c.storedTasks,
		indexList: c.indexList, keyList: c.keyList, nodeList: c.nodeList, aliasList: c.aliasList,
	}
	if len(l.indexes) > 0 {
		next.indexes = overlay(c.indexes, l.indexes)
		next.copies = l.recount(c)
	}
	if len(l.names) > 0 {
		next.names = overlay(c.names, l.names)
		next.indexList = c.indexList.after(l.names)
	}
	if len(l.keys) > 0 {
		next.keys = overlay(c.keys, l.keys)
		next.keyList = new(list[*wire.Key])
	}
	if len(l.nodes) > 0 {
		next.nodes = overlay(c.nodes, l.nodes)
		next.nodeList = new(list[*wire.Node])
	}
	if len(l.aliases) > 0 {
		next.aliases = overlay(c.aliases, l.aliases)
		next.aliasList = new(list[*wire.Alias])
	}
	if len(l.values) > 0 {
		edit := editTable(c.values)
		for name, v := range l.values {
			if v == nil {
				edit.remove(name)
			} else {
				edit.set(name, *v)
			}
		}
		next.values = edit.table
		if v, ok := next.values.get(wire.ValueCluster); ok {
			next.clusterID = clusterIDOf(v)
		}
		if v, ok := next.values.get(wire.ValueProgram); ok {
			next.program = wire.ProgramOf(v)
		}
	}
	return next
}

// recount is how many copies each node has with the changed indexes.
func (l *layer) recount(c *Catalog) map[wire.NodeID]int {
	copies := c.Copies()
	count := func(x *wire.Index, by int) {
		for i := range x.Shards {
			for _, r := range x.Shards[i].Replicas {
				if copies[r.Node] += by; copies[r.Node] == 0 {
					delete(copies, r.Node)
				}
			}
		}
	}
	for id, x := range l.indexes {
		if old, had := c.indexes.get(id); had {
			count(old, -1)
		}
		if x != nil {
			count(x, 1)
		}
	}
	return copies
}

func overlay[K comparable, V any](t table[K, *V], changes map[K]*V) table[K, *V] {
	edit := editTable(t)
	for key, value := range changes {
		if value == nil {
			edit.remove(key)
		} else {
			edit.set(key, value)
		}
	}
	return edit.table
}
