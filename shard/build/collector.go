package build

import (
	"bytes"
	"cmp"
	"slices"

	"shoal/shard/docset"
	"shoal/shard/store"
)

// collector gathers the changes that one worker of a builder finds, and hands
// them out as one stream of ops in key order. For one goroutine.
type collector struct {
	keys  store.Keyspace
	fixed [256][]store.Op // puts and deletes by table
	posts [256]*postings
	arena []byte
	block int // size of the last arena
	bytes int // estimate of the memory held
	order []store.Table
}

// postings collects, for each name of one table, the ordinals to set and to
// clear.
type postings struct {
	byName map[string]int32
	lists  []postingList
}

type postingList struct {
	name       string
	set, clear []uint32
}

func newCollector(keys store.Keyspace) *collector {
	return &collector{keys: keys, order: keys.Tables()}
}

// Arenas begin small, for most builds are, and grow with what comes.
const leastArena, mostArena = 4 << 10, 256 << 10

// room makes sure that n bytes fit into the arena.
func (c *collector) room(n int) {
	if cap(c.arena)-len(c.arena) < n {
		c.block = min(max(2*c.block, leastArena), mostArena)
		c.arena = make([]byte, 0, max(n, c.block))
	}
}

func (c *collector) put(t store.Table, key, value []byte) {
	n := len(key) + len(value)
	c.room(n)
	at := len(c.arena)
	c.arena = append(append(c.arena, key...), value...)
	mid, end := at+len(key), len(c.arena)
	c.fixed[t] = append(c.fixed[t], store.Op{Kind: store.OpSet, Key: c.arena[at:mid:mid], Value: c.arena[mid:end:end]})
	c.bytes += n + 56
}

func (c *collector) remove(t store.Table, key []byte) {
	c.room(len(key))
	at := len(c.arena)
	c.arena = append(c.arena, key...)
	c.fixed[t] = append(c.fixed[t], store.Op{Kind: store.OpDelete, Key: c.arena[at:len(c.arena):len(c.arena)]})
	c.bytes += len(key) + 56
}

// post records that the document gets (set) or loses a posting under name.
func (c *collector) post(t store.Table, name []byte, ord uint32, set bool) {
	c.note(c.list(t, name), ord, set)
}

// list is what is collected under a name, valid until the next call.
func (c *collector) list(t store.Table, name []byte) *postingList {
	p := c.posts[t]
	if p == nil {
		p = &postings{byName: make(map[string]int32)}
		c.posts[t] = p
	}
	i, ok := p.byName[string(name)]
	if !ok {
		i = int32(len(p.lists))
		s := string(name)
		p.byName[s] = i
		p.lists = append(p.lists, postingList{name: s})
		c.bytes += len(s) + 120
	}
	return &p.lists[i]
}

func (c *collector) note(l *postingList, ord uint32, set bool) {
	into := &l.set
	if !set {
		into = &l.clear
	}
	if len(*into) == cap(*into) {
		c.bytes += 4 * max(cap(*into), 4)
	}
	*into = append(*into, ord)
}

// toggle is post for names that one document first loses and then may get back
// unchanged: the two cancel out.
func (c *collector) toggle(t store.Table, name []byte, ord uint32, set bool) {
	l := c.list(t, name)
	if n := len(l.clear); set && n > 0 && l.clear[n-1] == ord {
		l.clear = l.clear[:n-1]
		return
	}
	c.note(l, ord, set)
}

// empty tells whether nothing was collected.
func (c *collector) empty() bool { return c.bytes == 0 }

// emit hands out everything collected in key order and empties the collector.
// The ops are valid during the call only.
func (c *collector) emit(f func(store.Op) error) error {
	for _, t := range c.order {
		ops := c.fixed[t]
		slices.SortFunc(ops, func(a, b store.Op) int { return bytes.Compare(a.Key, b.Key) })
		for _, o := range ops {
			if err := f(o); err != nil {
				return err
			}
		}
		c.fixed[t] = nil
		var err error
		switch t {
		case store.TableWords:
			err = c.emitCounts(f)
		case store.TableWord, store.TableExact:
			err = c.emitWords(t, f)
		default:
			err = c.emitValues(t, f)
		}
		if err != nil {
			return err
		}
	}
	*c = collector{keys: c.keys, order: c.order, block: c.block}
	return nil
}

// sorted orders the lists by name and each list by ordinal.
func (p *postings) sorted() []postingList {
	if p == nil {
		return nil
	}
	if p.byName != nil { // not yet sorted
		p.byName = nil
		slices.SortFunc(p.lists, func(a, b postingList) int { return cmp.Compare(a.name, b.name) })
		for i := range p.lists {
			l := &p.lists[i]
			if !slices.IsSorted(l.set) {
				slices.Sort(l.set)
			}
			if !slices.IsSorted(l.clear) {
				slices.Sort(l.clear)
			}
		}
	}
	return p.lists
}

// emitCounts derives the changes of the words' document counts.
func (c *collector) emitCounts(f func(store.Op) error) error {
	tolerant, exact := c.posts[store.TableWord].sorted(), c.posts[store.TableExact].sorted()
	var key, value []byte
	for len(tolerant) > 0 || len(exact) > 0 {
		var n store.Counts
		var word string
		order := -1
		if len(tolerant) == 0 {
			order = 1
		} else if len(exact) > 0 {
			order = cmp.Compare(tolerant[0].name, exact[0].name)
		}
		if order <= 0 {
			word = tolerant[0].name
			n.Tolerant = int64(len(tolerant[0].set) - len(tolerant[0].clear))
			tolerant = tolerant[1:]
		}
		if order >= 0 {
			word = exact[0].name
			n.Exact = int64(len(exact[0].set) - len(exact[0].clear))
			exact = exact[1:]
		}
		if n == (store.Counts{}) {
			continue
		}
		key, value = c.keys.WordsKey(key[:0], []byte(word)), n.Append(value[:0])
		if err := f(store.Op{Kind: store.OpMerge, Key: key, Value: value}); err != nil {
			return err
		}
	}
	return nil
}

// emitWords hands out a table whose keys begin with the group.
func (c *collector) emitWords(t store.Table, f func(store.Op) error) error {
	lists := c.posts[t].sorted()
	if len(lists) == 0 {
		return nil
	}
	var key, value []byte
	for group, more := uint32(0), true; more; group++ {
		more = false
		end := uint64(group+1) << store.GroupShift
		for i := range lists {
			l := &lists[i]
			err := l.blocks(end, func(block uint16, o store.Operand) error {
				key, value = c.keys.WordKey(key[:0], t, []byte(l.name), block), o.Append(value[:0])
				return f(store.Op{Kind: store.OpMerge, Key: key, Value: value})
			})
			if err != nil {
				return err
			}
			more = more || len(l.set) > 0 || len(l.clear) > 0
		}
	}
	return nil
}

// emitValues hands out a table whose keys begin with the name.
func (c *collector) emitValues(t store.Table, f func(store.Op) error) error {
	var key, value []byte
	lists := c.posts[t].sorted()
	for i := range lists {
		l := &lists[i]
		err := l.blocks(1<<32, func(block uint16, o store.Operand) error {
			key, value = c.keys.ValueKey(key[:0], t, []byte(l.name), block), o.Append(value[:0])
			return f(store.Op{Kind: store.OpMerge, Key: key, Value: value})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// blocks takes the ordinals below end off the list, block by block.
func (l *postingList) blocks(end uint64, f func(block uint16, o store.Operand) error) error {
	for {
		next := end
		if len(l.set) > 0 {
			next = uint64(l.set[0])
		}
		if len(l.clear) > 0 {
			next = min(next, uint64(l.clear[0]))
		}
		if next >= end {
			return nil
		}
		block := uint16(next >> 16)
		o := store.Operand{Set: takeBlock(&l.set, block), Clear: takeBlock(&l.clear, block)}
		if err := f(block, o); err != nil {
			return err
		}
	}
}

func takeBlock(ords *[]uint32, block uint16) docset.Container {
	n := 0
	for n < len(*ords) && uint16((*ords)[n]>>16) == block {
		n++
	}
	if n == 0 {
		return docset.Container{}
	}
	low := make([]uint16, n)
	for i, ord := range (*ords)[:n] {
		low[i] = uint16(ord)
	}
	*ords = (*ords)[n:]
	return docset.ContainerOf(low)
}
