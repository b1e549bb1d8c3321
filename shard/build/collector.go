package build

import (
	"bytes"
	"cmp"
	"slices"

	"shoal/shard/docset"
	"shoal/shard/rows"
	"shoal/shard/store"
	"shoal/shard/symbol"
)

// collector gathers the changes found by one worker of a builder and emits them as one
// stream of ops in key order. For one goroutine.
type collector struct {
	keys  store.Keyspace
	fixed [256][]store.Op // puts and deletes by table
	posts [256]*postings
	// words numbers the names of the word tables.
	words *symbol.Table
	arena []byte
	block int // size of the last arena
	bytes int // estimate of the memory held, without names of words
	order []store.Table
	// numbered are ordinals by row, in no order.
	numbered []numbered
	// Scratch space of blocks.
	set, clear       []uint32
	setLow, clearLow []uint16
}

// numbered is the ordinal of a row.
type numbered struct{ row, ordinal uint32 }

// postings collects, for each name of one table, the rows to set and to clear.
type postings struct {
	names      *symbol.Table
	set, clear rowLists
	// least and most are the smallest and the largest row.
	least, most uint32
}

// newCollector returns a collector of the ops of a shard. words numbers the words of
// its documents; emit empties it.
func newCollector(keys store.Keyspace, words *symbol.Table) *collector {
	return &collector{keys: keys, order: keys.Tables(), words: words}
}

// Arenas start small, because most builds are, and grow with the input.
const leastArena, mostArena = 4 << 10, 256 << 10

// room ensures that n bytes fit into the arena.
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
	p := c.postings(t)
	c.note(p, p.names.Number(name), ord, set)
}

// postWord is post for a word by its number.
func (c *collector) postWord(t store.Table, word, ord uint32, set bool) {
	c.note(c.postings(t), word, ord, set)
}

func (c *collector) postings(t store.Table) *postings {
	if p := c.posts[t]; p != nil {
		return p
	}
	p := &postings{names: c.words, least: ^uint32(0)}
	if t != store.TableWord && t != store.TableExact {
		p.names = new(symbol.Table)
	}
	c.posts[t] = p
	return p
}

func (c *collector) note(p *postings, name, ord uint32, set bool) {
	to := &p.set
	if !set {
		to = &p.clear
	}
	before := to.bytes
	to.add(name, ord)
	p.least, p.most = min(p.least, ord), max(p.most, ord)
	c.bytes += to.bytes - before
}

// number records the ordinal of a row.
func (c *collector) number(row, ordinal uint32) {
	c.numbered = append(c.numbered, numbered{row, ordinal})
	c.bytes += 8
}

// toggle is post for names that a document first loses and may then get back unchanged.
// The two cancel out.
func (c *collector) toggle(t store.Table, name []byte, ord uint32, set bool) {
	p := c.postings(t)
	before := p.names.Bytes()
	n := p.names.Number(name)
	c.bytes += p.names.Bytes() - before
	if !set || !p.clear.drop(n, ord) {
		c.note(p, n, ord, set)
	}
}

// held returns the memory held.
func (c *collector) held() int { return c.bytes + c.words.Bytes() }

// empty reports whether nothing was collected.
func (c *collector) empty() bool { return c.bytes == 0 }

// emit emits everything in key order and empties the collector. The ops are valid only
// during the call.
func (c *collector) emit(f func(store.Op) error) error {
	words := c.words.Sorted(nil)
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
		case store.TableRows:
			err = c.emitRows(f)
		case store.TableWords:
			err = c.emitCounts(words, f)
		case store.TableWord, store.TableExact:
			err = c.emitWords(t, words, f)
		default:
			err = c.emitValues(t, f)
		}
		if err != nil {
			return err
		}
	}
	c.words.Reset()
	*c = collector{keys: c.keys, order: c.order, block: c.block, words: c.words}
	return nil
}

// emitRows emits the ordinals of rows, page by page.
func (c *collector) emitRows(f func(store.Op) error) error {
	list := c.numbered
	slices.SortFunc(list, func(a, b numbered) int { return cmp.Compare(a.row, b.row) })
	var entries []rows.Entry
	var key, value []byte
	for len(list) > 0 {
		page := list[0].row >> rows.PageShift
		entries = entries[:0]
		for ; len(list) > 0 && list[0].row>>rows.PageShift == page; list = list[1:] {
			entries = append(entries, rows.Entry{Low: uint16(list[0].row & (rows.PageRows - 1)), Ordinal: list[0].ordinal})
		}
		key, value = c.keys.Row(key[:0], store.TableRows, page), rows.AppendEntries(value[:0], entries)
		if err := f(store.Op{Kind: store.OpMerge, Key: key, Value: value}); err != nil {
			return err
		}
	}
	return nil
}

// emitCounts computes the changes of the words' document counts.
func (c *collector) emitCounts(words []uint32, f func(store.Op) error) error {
	changes := func(t store.Table, word uint32) int64 {
		if p := c.posts[t]; p != nil {
			return int64(p.set.len(word) - p.clear.len(word))
		}
		return 0
	}
	var key, value []byte
	for _, word := range words {
		n := store.Counts{Tolerant: changes(store.TableWord, word), Exact: changes(store.TableExact, word)}
		if n == (store.Counts{}) {
			continue
		}
		key, value = c.keys.WordsKey(key[:0], c.words.Name(word)), n.Append(value[:0])
		if err := f(store.Op{Kind: store.OpMerge, Key: key, Value: value}); err != nil {
			return err
		}
	}
	return nil
}

// emitWords emits a table whose keys begin with the group.
func (c *collector) emitWords(t store.Table, words []uint32, f func(store.Op) error) error {
	p := c.posts[t]
	if p == nil {
		return nil
	}
	var key, value []byte
	for group := p.least >> store.GroupShift; group <= p.most>>store.GroupShift; group++ {
		for _, word := range words {
			err := c.blocks(p, word, group<<store.GroupShift, group<<store.GroupShift|(1<<store.GroupShift-1), func(block uint16, o store.Operand) error {
				key, value = c.keys.WordKey(key[:0], t, p.names.Name(word), block), o.Append(value[:0])
				return f(store.Op{Kind: store.OpMerge, Key: key, Value: value})
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// emitValues emits a table whose keys begin with the name.
func (c *collector) emitValues(t store.Table, f func(store.Op) error) error {
	p := c.posts[t]
	if p == nil {
		return nil
	}
	var key, value []byte
	for _, name := range p.names.Sorted(nil) {
		err := c.blocks(p, name, 0, ^uint32(0), func(block uint16, o store.Operand) error {
			key, value = c.keys.ValueKey(key[:0], t, p.names.Name(name), block), o.Append(value[:0])
			return f(store.Op{Kind: store.OpMerge, Key: key, Value: value})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// blocks calls f with the rows of a name from least to most, block by block. The
// arguments of f are valid during the call.
func (c *collector) blocks(p *postings, name, least, most uint32, f func(block uint16, o store.Operand) error) error {
	c.set = within(p.set.appendTo(c.set[:0], name), least, most)
	c.clear = within(p.clear.appendTo(c.clear[:0], name), least, most)
	for set, clear := c.set, c.clear; len(set) > 0 || len(clear) > 0; {
		next := most
		if len(set) > 0 {
			next = set[0]
		}
		if len(clear) > 0 {
			next = min(next, clear[0])
		}
		var o store.Operand
		block := uint16(next >> 16)
		o.Set = takeBlock(&set, block, &c.setLow)
		o.Clear = takeBlock(&clear, block, &c.clearLow)
		if err := f(block, o); err != nil {
			return err
		}
	}
	return nil
}

// within sorts rows and returns those from least to most.
func within(ords []uint32, least, most uint32) []uint32 {
	if !slices.IsSorted(ords) {
		slices.Sort(ords)
	}
	lo, _ := slices.BinarySearch(ords, least)
	hi, found := slices.BinarySearch(ords, most)
	if found {
		hi++
	}
	return ords[lo:hi]
}

// takeBlock removes the rows of a block from a list. The returned set is stored in
// low.
func takeBlock(ords *[]uint32, block uint16, low *[]uint16) docset.Container {
	*low = (*low)[:0]
	n := 0
	for n < len(*ords) && uint16((*ords)[n]>>16) == block {
		*low = append(*low, uint16((*ords)[n]))
		n++
	}
	*ords = (*ords)[n:]
	if n == 0 {
		return docset.Container{}
	}
	return docset.ContainerOf(*low)
}
