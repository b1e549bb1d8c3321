package columns

import (
	"slices"
	"sort"

	"shoal/shard/docset"
)

// Pair is two words, left directly before right.
type Pair struct{ Left, Right string }

// SideBySide returns the documents of a set with left directly before right, and those
// whose records must be read.
func (c *Columns) SideBySide(k Pair, set docset.Set) (side, unknown docset.Set) {
	return c.sift(set, func(b *BlockColumns, docs docset.Container) (side, unknown docset.Container) {
		return b.sideBySide(k, docs)
	}, func(ahead *Ahead, covered docset.Set) { ahead.pair(c, k, covered) })
}

// sift returns the documents of a set that pass a test of their columns, and those whose
// records must be read. If the disk is slow, read reads ahead for all of them.
func (c *Columns) sift(set docset.Set, test func(b *BlockColumns, docs docset.Container) (yes, unknown docset.Container), read func(*Ahead, docset.Set)) (yes, unknown docset.Set) {
	var found, rest docset.Assembler
	covered, ahead, looked, cold := set.And(c.Covered()), c.Ahead(), 0, false
	for block, docs := range covered.Blocks() {
		if looked++; !cold && looked%aheadBlocks == 0 && ahead.Cold() {
			cold = true
			read(ahead, covered)
		}
		list := c.blocks[block]
		var some, unsure docset.Container
		for i := range list {
			own := docs
			if len(list) > 1 {
				own = docs.And(list[i].docs)
			}
			if own.Empty() {
				continue
			}
			passed, untold := test(list[i].BlockColumns, own)
			some, unsure = some.Or(passed), unsure.Or(untold)
		}
		found.Append(block, some)
		rest.Append(block, unsure)
	}
	return found.Set(), set.AndNot(c.Covered()).Or(rest.Set())
}

// sideBySide is SideBySide for one file. It reads the lists of pairs for frequent
// words, or else the word order of each document.
func (b *BlockColumns) sideBySide(k Pair, docs docset.Container) (side, unknown docset.Container) {
	left, leftOk := b.Find(k.Left)
	right, rightOk := b.Find(k.Right)
	if !leftOk || !rightOk {
		return side, docs
	}
	if key, ok := b.pairedAs(left, right); ok {
		return b.pairDocs(key).And(docs), b.loose.And(docs)
	}
	var found, rest, codes []uint16
	docs.Each(func(low uint16) bool {
		switch yes, ok := adjacent(b.OrderOf(low, &codes), uint16(2*left+1), uint16(2*right+1)); {
		case !ok:
			rest = append(rest, low)
		case yes:
			found = append(found, low)
		}
		return true
	})
	return docset.ContainerOf(found), docset.ContainerOf(rest)
}

// pairedAs returns the key of two words, by their numbers. ok is false unless their
// pairs are listed.
func (b *BlockColumns) pairedAs(left, right int) (key uint32, ok bool) {
	l, leftOk := slices.BinarySearch(b.paired, uint16(left))
	r, rightOk := slices.BinarySearch(b.paired, uint16(right))
	return pairKey(l, r), leftOk && rightOk
}

// adjacent reports whether a word is directly before another one. ok is false if the
// codes are not sufficient.
func adjacent(codes []uint16, left, right uint16) (yes, ok bool) {
	before := uint16(NoCode)
	for _, code := range codes {
		if code == CodeBack {
			return false, false
		}
		yes = yes || before == left && code == right
		before = code
	}
	return yes, len(codes) > 0
}

// pairDocs returns the listed documents of a pair.
func (b *BlockColumns) pairDocs(key uint32) docset.Container {
	p := b.pairs.pageOf(key)
	if p < 0 {
		return docset.Container{}
	}
	page := b.get(b.pairs.piece[p], pieceLists).values
	if len(page) == 0 {
		return docset.Container{} // there is a fault
	}
	n := int(page[0])
	if len(page) < 1+n*pairEntry {
		b.fail(ErrDamaged)
		return docset.Container{}
	}
	entries, lists := page[1:1+n*pairEntry], page[1+n*pairEntry:]
	i := sort.Search(n, func(i int) bool { return entryKey(entries[i*pairEntry:]) >= key })
	if i == n || entryKey(entries[i*pairEntry:]) != key {
		return docset.Container{}
	}
	at, count := int(entries[i*pairEntry+2]), int(entries[i*pairEntry+3])+1
	length := count
	if count > maxList {
		length = 2
	}
	if at+length > len(lists) {
		b.fail(ErrDamaged)
		return docset.Container{}
	}
	list := lists[at : at+length : at+length]
	if count <= maxList {
		return docset.ContainerOf(list)
	}
	set := b.get(uint32(list[0])|uint32(list[1])<<16, pieceBitset)
	if set.bits == nil {
		return docset.Container{}
	}
	return docset.ContainerOfWords(set.bits, count)
}
