package columns

import (
	"cmp"
	"slices"
	"sort"
	"sync"
	"sync/atomic"

	"shoal/shard/docset"
)

const (
	// aheadReaders is the number of concurrent reads of one search. A disk serves that
	// many in little more time than one.
	aheadReaders = 8
	// aheadLeast is the least number of pieces for which reading ahead is worthwhile.
	aheadLeast = 4
	// aheadMost bounds the pieces of one call. 1/aheadShare of the cache bounds their
	// bytes; more would be evicted before use.
	aheadMost, aheadShare = 4096, 4
	// aheadBlocks is the number of blocks after which a search checks whether it is
	// cold.
	aheadBlocks = 4
)

// ColdReads is the number of read pieces that makes a search cold. It changes no
// answer; tests lower it.
var ColdReads = int64(8)

// Ahead collects pieces that a search is about to need and reads the uncached ones
// concurrently. Right after a start, every piece would otherwise wait for the disk. It
// changes no answer: what it does not read is read on demand. For one goroutine.
type Ahead struct {
	cache *PieceCache
	// since is the cache's number of reads when Ahead was created.
	since int64
	wants []want
	// bytes is the size of wants, most its bound (0 before the first). cut means that
	// some pieces were not added.
	bytes, most int
	cut         bool
}

// Ahead returns a reader for one search.
func (c *Columns) Ahead() *Ahead {
	if c != nil {
		for _, list := range c.blocks {
			for _, s := range list {
				s.cache.watch()
				return &Ahead{cache: s.cache, since: s.cache.reads.Load()}
			}
		}
	}
	return &Ahead{}
}

// Cold reports whether much was read since Ahead was created, and reads waited for the
// disk. Then more reads will follow. Data in the page cache need not be read ahead.
func (a *Ahead) Cold() bool {
	return a.cache != nil && a.cache.reads.Load()-a.since >= ColdReads && a.cache.waits()
}

type want struct {
	of *pieces
	i  uint32
}

func (a *Ahead) add(ps *pieces, i uint32) {
	if n := len(a.wants); n > 0 && a.wants[n-1] == (want{ps, i}) {
		return
	}
	if a.most == 0 {
		a.most = max(1, int(a.cache.Limit()/aheadShare))
	}
	if int(i) >= len(ps.slots) || ps.slots[i].Load() != nil || ps.isSound(i) {
		return
	}
	if a.cut = a.cut || len(a.wants) == aheadMost || a.bytes >= a.most; !a.cut {
		a.wants, a.bytes = append(a.wants, want{ps, i}), a.bytes+int(ps.refs[i].size)+pieceOverhead
	}
}

// Names adds the pieces with some names, for the blocks of a set.
func (a *Ahead) Names(c *Columns, keys []Key, docs docset.Set) {
	for block := range docs.Blocks() {
		for _, seg := range c.blocks[block] {
			for _, key := range keys {
				a.name(seg.BlockColumns, key)
			}
		}
	}
}

func (a *Ahead) name(b *BlockColumns, key Key) {
	p := &b.words
	if key.Prefix && key.Last == "" {
		p = &b.prefixes
	}
	if _, kept := b.kept.find(summaryName{p == &b.prefixes, key.Text}); kept {
		return
	}
	if k := p.pageOf(key.Text); k >= 0 {
		a.add(&b.pieces, p.piece[k])
	}
}

// Spread adds document sets of some words by field and place, for the blocks of a set.
// The pieces of Names must have been read.
func (a *Ahead) Spread(c *Columns, keys []Key, docs docset.Set, fields, places uint32) {
	for block := range docs.Blocks() {
		for _, seg := range c.blocks[block] {
			for _, key := range keys {
				sp, ok := blockSpread{}, false
				if key.Prefix && key.Last == "" {
					sp, ok = seg.prefix(key.Text)
				} else if !key.Prefix {
					sp, ok = seg.spreadOf(key.Text)
				}
				if ok {
					a.sets(&seg.pieces, sp.fields, fields)
					a.sets(&seg.pieces, sp.places, places)
				}
			}
		}
	}
}

// prefix reads the documents of some blocks that have a word with a prefix.
func (a *Ahead) prefix(c *Columns, prefix string, blocks []uint16) {
	keys := []Key{{Text: prefix, Prefix: true}}
	var docs docset.Assembler
	for _, block := range blocks {
		docs.Append(block, c.covered.Block(block))
	}
	set := docs.Set()
	if a.Names(c, keys, set); a.Read() {
		a.Spread(c, keys, set, 0, 1<<wholeBit)
		a.Read()
	}
}

// pair reads what SideBySide needs for two words in the blocks of a set.
func (a *Ahead) pair(c *Columns, k Pair, set docset.Set) {
	if a.Names(c, []Key{{Text: k.Left}, {Text: k.Right}}, set); !a.Read() {
		return
	}
	for block, docs := range set.Blocks() {
		for _, seg := range c.blocks[block] {
			left, leftOk := seg.Find(k.Left)
			right, rightOk := seg.Find(k.Right)
			if !leftOk || !rightOk {
				continue
			}
			if key, ok := seg.pairedAs(left, right); ok {
				if p := seg.pairs.pageOf(key); p >= 0 {
					a.add(&seg.pieces, seg.pairs.piece[p])
				}
				continue
			}
			a.blockOrders(seg.BlockColumns, docs.And(seg.docs))
		}
	}
	a.Read()
}

// blockOrders adds the word order of some documents of a block.
func (a *Ahead) blockOrders(b *BlockColumns, docs docset.Container) {
	docs.Each(func(low uint16) bool {
		if p := b.orderPage(low); p >= 0 {
			a.add(&b.pieces, b.orders[p])
		}
		return !a.cut
	})
}

// orders reads the word order of documents.
func (a *Ahead) orders(c *Columns, docs docset.Set) {
	docs.Each(func(ord uint32) bool {
		a.Order(c, ord)
		return !a.cut
	})
	a.Read()
}

func (a *Ahead) sets(ps *pieces, refs []byte, mask uint32) {
	for ; len(refs) > 0; refs = refs[setRefBytes:] {
		if mask>>refs[setRefBytes-1]&1 != 0 {
			a.add(ps, pieceOfRef(refs))
		}
	}
}

// Order adds the word order of a document.
func (a *Ahead) Order(c *Columns, ord uint32) {
	if b := c.Of(ord); b != nil {
		if k := b.orderPage(uint16(ord)); k >= 0 {
			a.add(&b.pieces, b.orders[k])
		}
	}
}

// Read reads the collected pieces and starts over. It returns false if some were cut.
// Later steps would then look up pieces that were not read.
func (a *Ahead) Read() (all bool) {
	slices.SortFunc(a.wants, func(x, y want) int {
		if x.of != y.of {
			return cmp.Compare(x.of.serial, y.of.serial)
		}
		return cmp.Compare(x.i, y.i)
	})
	wants := slices.Compact(a.wants)
	all = !a.cut
	a.wants, a.bytes, a.cut = a.wants[:0], 0, false
	if len(wants) < aheadLeast {
		return all
	}
	var next atomic.Int64
	var readers sync.WaitGroup
	for range min(aheadReaders, len(wants)) {
		readers.Go(func() {
			var buf []byte
			for n := next.Add(1) - 1; n < int64(len(wants)); n = next.Add(1) - 1 {
				w := wants[n]
				if kind := w.of.refs[w.i].kind; kind == pieceBitset || !w.of.prove(w.i, &buf) {
					w.of.get(w.i, kind) // a fault is kept
				}
			}
		})
	}
	readers.Wait()
	return all
}

// pageOf returns the page that would have a name, or -1.
func (p *pageIndex) pageOf(w string) int {
	return sort.Search(len(p.first), func(k int) bool { return p.first[k] > w }) - 1
}

// orderPage returns the piece with a document's word order, or -1.
func (b *BlockColumns) orderPage(low uint16) int {
	return sort.Search(len(b.firsts), func(k int) bool { return b.firsts[k] > low }) - 1
}
