package columns

import "shoal/shard/docset"

// InFields finds the documents of a set with a word of a key in some fields, by their word
// order. All of the set must have such a word in any field. The records of unknown must be
// read.
func (c *Columns) InFields(key Key, counts func(field uint16) bool, set docset.Set, ahead *Ahead) (found, unknown docset.Set) {
	var in, rest docset.Assembler
	covered := set.And(c.Covered())
	for block, docs := range covered.Blocks() {
		list := c.blocks[block]
		var yes, unsure docset.Container
		for i := range list {
			own := docs
			if len(list) > 1 {
				own = docs.And(list[i].docs)
			}
			if own.Empty() {
				continue
			}
			if ahead.Cold() {
				ahead.blockOrders(list[i].BlockColumns, own)
				ahead.Read()
			}
			y, u := list[i].inFields(list[i].spanOf(key), counts, own)
			yes, unsure = yes.Or(y), unsure.Or(u)
		}
		in.Append(block, yes)
		rest.Append(block, unsure)
	}
	return in.Set(), set.AndNot(covered).Or(rest.Set())
}

// codeSpan are the codes of the words of a key, from first to last. If first or last is
// even, it may also be the code of other words. single means that it is the span of one
// word.
type codeSpan struct {
	first, last uint16
	single      bool
}

// spanOf returns the codes of the words of a key.
func (b *BlockColumns) spanOf(key Key) codeSpan {
	if key.Prefix {
		lo, n := b.RangeAt(key.Text, key.Last)
		return codeSpan{first: uint16(2 * lo), last: uint16(2 * (lo + n))}
	}
	n, ok := b.Find(key.Text)
	code := uint16(2 * n)
	if ok {
		code++
	}
	return codeSpan{code, code, true}
}

// inFields is InFields for one file.
func (b *BlockColumns) inFields(span codeSpan, counts func(field uint16) bool, docs docset.Container) (found, unknown docset.Container) {
	var in, rest, codes []uint16
	docs.Each(func(low uint16) bool {
		switch sure, maybe, elsewhere := span.find(b.OrderOf(low, &codes), counts); {
		case sure || maybe && (!elsewhere || span.single && b.Distinct(low)):
			in = append(in, low)
		case maybe || !elsewhere:
			rest = append(rest, low)
		}
		return true
	})
	return docset.ContainerOf(in), docset.ContainerOf(rest)
}

// find looks for a word of the span in a document's codes: surely or maybe in some
// fields, or maybe elsewhere.
func (s codeSpan) find(codes []uint16, counts func(field uint16) bool) (sure, maybe, elsewhere bool) {
	here := false
	for _, code := range codes {
		switch {
		case code >= CodeField && code < CodeGap:
			here = counts(code - CodeField)
		case code < s.first || code > s.last:
		case !here:
			elsewhere = true
		case code&1 == 0 && (code == s.first || code == s.last):
			maybe = true
		default:
			return true, maybe, elsewhere
		}
	}
	return false, maybe, elsewhere
}
