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
	// aheadReaders is the number of pieces that one search has read at the same time: a
	// disk serves so many in little more time than one.
	aheadReaders = 8
	// aheadLeast is the number of pieces from which on reading ahead is worth it.
	aheadLeast = 4
	// aheadMost bounds the pieces of one call, aheadShare, a divisor, the part of the cache
	// that they take: with more they would be evicted before they are used.
	aheadMost, aheadShare = 4096, 4
	// aheadBlocks is the number of blocks after which a search looks whether it is cold.
	aheadBlocks = 4
)

// ColdReads is the number of pieces from which on a search that read them is cold. It
// changes no answer; tests lower it.
var ColdReads = int64(8)

// Ahead collects pieces that a search is about to need and reads those that are not in
// the cache, several at a time: right after a start every piece waits for the disk. It
// changes no answer: what it does not read is read when it is asked for. For one
// goroutine.
type Ahead struct {
	cache *PieceCache
	// since is the number of pieces that had been read when it was made.
	since int64
	wants []want
	// bytes are those of wants, most is what they may be; 0 when nothing was wanted yet.
	// cut: not all that was added is among them.
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

// Cold tells whether much was read since a was made, and the disk was waited for: there
// will be more. What the system has in its memory is read as soon when it is asked for.
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

// Names adds where some words stand, in the blocks of a set.
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

// Spread adds, of the sets of documents of some words in the blocks of a set, those of
// some fields and places. What the names tell must have been read.
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

// prefix reads which documents of some blocks have a word with a prefix.
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

// pair reads what tells in which documents of some blocks two words stand side by side.
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
			docs.And(seg.docs).Each(func(low uint16) bool {
				if p := seg.orderPage(low); p >= 0 {
					a.add(&seg.pieces, seg.orders[p])
				}
				return !a.cut
			})
		}
	}
	a.Read()
}

func (a *Ahead) sets(ps *pieces, refs []byte, mask uint32) {
	for ; len(refs) > 0; refs = refs[setRefBytes:] {
		if mask>>refs[setRefBytes-1]&1 != 0 {
			a.add(ps, pieceOfRef(refs))
		}
	}
}

// Order adds the words of a document in their order.
func (a *Ahead) Order(c *Columns, ord uint32) {
	if b := c.Of(ord); b != nil {
		if k := b.orderPage(uint16(ord)); k >= 0 {
			a.add(&b.pieces, b.orders[k])
		}
	}
}

// Read reads what was added, and begins anew. It tells whether that was all: what comes
// after it would have to be looked up in pieces that were not read.
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

// pageOf returns the page where a name is, if it has a column; -1 for none.
func (p *pageIndex) pageOf(w string) int {
	return sort.Search(len(p.first), func(k int) bool { return p.first[k] > w }) - 1
}

// orderPage returns the piece with the words of a document; -1 for none.
func (b *BlockColumns) orderPage(low uint16) int {
	return sort.Search(len(b.firsts), func(k int) bool { return b.firsts[k] > low }) - 1
}
