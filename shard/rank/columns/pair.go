package columns

import (
	"shoal/shard/docset"
)

// Pair is two words, left directly before right.
type Pair struct{ Left, Right string }

// SideBySide returns the documents of a set with two words side by side, and those
// whose records have to tell.
func (c *Columns) SideBySide(k Pair, set docset.Set) (side, unknown docset.Set) {
	var found, rest docset.Builder
	var lows []uint16
	for block, docs := range set.And(c.Covered()).Blocks() {
		var b *BlockColumns
		var left, right uint16
		lows = docs.AppendTo(lows[:0])
		for _, low := range lows {
			ord := uint32(block)<<16 | uint32(low)
			if of := c.Of(ord); of != b {
				b, left, right = of, of.Code(k.Left), of.Code(k.Right)
			}
			yes, ok := false, left != NoCode && right != NoCode
			if ok {
				yes, ok = sideBySide(b.OrderOf(low), left, right)
			}
			switch {
			case !ok:
				rest.Add(ord)
			case yes:
				found.Add(ord)
			}
		}
	}
	return found.Set(), set.AndNot(c.Covered()).Or(rest.Set())
}

// sideBySide tells whether a word stands directly before another one; ok is false
// when the codes do not tell.
func sideBySide(codes []uint16, left, right uint16) (yes, ok bool) {
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
