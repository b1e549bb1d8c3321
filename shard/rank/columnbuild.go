package rank

import (
	"context"
	"math/bits"
	"slices"

	"shoal/query"
	"shoal/shard/docset"
	"shoal/shard/lexicon"
	"shoal/shard/record"
)

// ColumnSource is what columns are made of: one immutable state of a shard.
type ColumnSource interface {
	Live() docset.Set
	Dictionary() *lexicon.Dictionary
	ExactDictionary() *lexicon.Dictionary
	Tokens() TokenReader
}

const (
	// columnShare is the part of a block's documents, as a divisor, that a word
	// needs to get a column.
	columnShare = 2048
	// columnLeast is the number of documents that a word needs at any rate.
	columnLeast = 4
	// columnPrefixWords is the number of words that a prefix needs.
	columnPrefixWords = 64
	// spreadBits is the number of bits of fields and places together.
	spreadBits = 32 + placeBits
)

// blockBuilder makes the columns of one block.
type blockBuilder struct {
	words map[string]int32
	names []string // words, then prefixes
	// lists holds for each name the documents so far, by bit; at tells where each
	// bit has its list, behind it: most names have few.
	lists    [][][]uint16
	at       [][spreadBits]uint8
	nWords   int
	prefixes map[string]int32
	// docs counts the documents of each name.
	docs []int32
	// touched are the names of the present document, with what they have in it.
	touched        []int32
	fields, places []uint32
	// last is the word before, held the names of its prefixes by length: words come
	// in order, so the next one shares most of them.
	last  [query.MaxCachedPrefix]byte
	held  [query.MaxCachedPrefix + 1]int32
	size  int
	order sequencer
}

// leastDocs is the number of documents of a block from which on a word of it has a
// column. In a shard of many blocks rarer words have one too: how many documents a
// search looks up one by one, because of a rare word, does not grow with the shard.
func leastDocs(docs, live int) int {
	least := max(ColumnMin, docs/columnShare)
	return max(least*docs/max(live, 1), min(least, columnLeast))
}

// BuildBlock makes the columns of the live documents of one block. Words are worth
// a column when the shard has enough documents with them, prefixes when the block
// has. It ends early with the error of ctx. The work is one pass over the records of the block.
func BuildBlock(ctx context.Context, ix ColumnSource, block uint16) (*BlockColumns, docset.Container, error) {
	live := ix.Live()
	docs := live.Block(block)
	b := newBlockBuilder(ix, docs.Len(), live.Len())
	r := ix.Tokens()
	defer func() { _ = r.Close() }() // reading is over
	var cursor record.Cursor
	var err error
	n := 0
	docs.Each(func(low uint16) bool {
		if n++; n&255 == 0 {
			if err = ctx.Err(); err != nil {
				return false
			}
		}
		var t record.Tokens
		var ok bool
		if t, ok, err = r.Read(uint32(block)<<16 | uint32(low)); err != nil || !ok {
			return err == nil
		}
		b.size = 0
		cursor.Reset(t)
		for cursor.Next() {
			b.take(cursor.Word(), cursor.Entry)
		}
		b.flush(low)
		return true
	})
	if err != nil {
		return nil, docset.Container{}, err
	}
	return b.seal(leastDocs(docs.Len(), live.Len())), docs, nil
}

// newBlockBuilder chooses the words that get columns, and the prefixes that may.
func newBlockBuilder(ix ColumnSource, docs, live int) *blockBuilder {
	b := &blockBuilder{words: make(map[string]int32), prefixes: make(map[string]int32)}
	least := leastDocs(docs, live)
	if docs < live { // most words are spread evenly
		least *= max(1, live/max(docs, 1)/4)
	}
	words := make(map[string]uint32)
	var counts [query.MaxCachedPrefix + 1]int
	var last string
	end := func(shared int) {
		for n := min(len(last), query.MaxCachedPrefix); n > shared; n-- {
			if counts[n] >= min(columnPrefixWords, query.MinCachedWords) {
				b.prefixes[last[:n]] = 0
			}
			counts[n] = 0
		}
	}
	for _, dict := range []*lexicon.Dictionary{ix.Dictionary(), ix.ExactDictionary()} {
		for word, n := range dict.All() {
			if int(n) >= least {
				words[word] = max(words[word], n)
			}
			shared := 0
			for shared < min(len(word), len(last), query.MaxCachedPrefix) && word[shared] == last[shared] {
				shared++
			}
			end(shared)
			for n := 1; n <= min(len(word), query.MaxCachedPrefix); n++ {
				counts[n]++
			}
			last = word
		}
		end(0)
		last = ""
	}
	b.names = frequent(words, uint32(least))
	b.nWords = len(b.names)
	for p := range b.prefixes {
		b.names = append(b.names, p)
	}
	slices.Sort(b.names[b.nWords:])
	for i, name := range b.names {
		if i < b.nWords {
			b.words[name] = int32(i)
		} else {
			b.prefixes[name] = int32(i)
		}
	}
	n := len(b.names)
	b.lists, b.at, b.docs = make([][][]uint16, n), make([][spreadBits]uint8, n), make([]int32, n)
	b.fields, b.places = make([]uint32, n), make([]uint32, n)
	return b
}

// take adds one word of a document.
func (b *blockBuilder) take(word []byte, e record.Entry) {
	var fields, places uint32
	i, ok := b.words[string(word)]
	code := int(2*i + 1)
	if !ok {
		code = codeOf(b.names[:b.nWords], word)
	}
	p := e.Places()
	for o, more := p.Next(); more; o, more = p.Next() {
		fields |= fieldBit(o.Field)
		places |= placeBit(o.Position)
		b.order.add(o.Field, o.Position, code)
	}
	if ok {
		b.touch(i, fields, places)
	}
	n := min(len(word), query.MaxCachedPrefix)
	shared := 0
	for shared < min(n, b.size) && b.last[shared] == word[shared] {
		shared++
	}
	for size := shared + 1; size <= n; size++ {
		b.held[size] = -1
		if size > 1 && b.held[size-1] < 0 {
			continue // longer prefixes have no more words
		}
		if i, ok := b.prefixes[string(word[:size])]; ok {
			b.held[size] = i
		}
	}
	b.size = copy(b.last[:], word[:n])
	for size := 1; size <= n && b.held[size] >= 0; size++ {
		b.touch(b.held[size], fields, places)
	}
}

func (b *blockBuilder) touch(i int32, fields, places uint32) {
	if b.fields[i] == 0 {
		b.touched = append(b.touched, i)
	}
	b.fields[i] |= fields
	b.places[i] |= places
}

// flush ends a document.
func (b *blockBuilder) flush(low uint16) {
	const near = 1<<nearPlaces - 1
	for _, i := range b.touched {
		b.docs[i]++
		for f := b.fields[i]; f != 0; f &= f - 1 {
			b.list(i, bits.TrailingZeros32(f), low)
		}
		p := b.places[i]
		if p&near != 0 {
			p &= near
		} else {
			p &= -p
		}
		for ; p != 0; p &= p - 1 {
			b.list(i, 32+bits.TrailingZeros32(p), low)
		}
		b.fields[i], b.places[i] = 0, 0
	}
	b.touched = b.touched[:0]
	b.order.flush(low)
}

// list adds a document to those of a name with one bit.
func (b *blockBuilder) list(i int32, bit int, low uint16) {
	at := b.at[i][bit]
	if at == 0 {
		b.lists[i] = append(b.lists[i], nil)
		at = uint8(len(b.lists[i]))
		b.at[i][bit] = at
	}
	l := &b.lists[i][at-1]
	*l = append(*l, low)
}

// seal makes the columns of all words, and of the prefixes with enough documents.
func (b *blockBuilder) seal(least int) *BlockColumns {
	out := &BlockColumns{}
	sets, short, long := 0, 0, 0
	for i := range b.names {
		if i >= b.nWords && int(b.docs[i]) < least {
			continue
		}
		sets += len(b.lists[i])
		for _, l := range b.lists[i] {
			if len(l) > maxList {
				long++
			} else {
				short += len(l)
			}
		}
	}
	out.sets, out.lists = make([]bitSet, 0, sets), make([]uint16, 0, short)
	out.bitsets = make([][docset.Words]uint64, 0, long)
	for i, name := range b.names {
		if i >= b.nWords && int(b.docs[i]) < least {
			continue
		}
		sp := blockSpread{from: uint32(len(out.sets))}
		out.add(b.lists[i], b.at[i][:32])
		sp.middle = uint32(len(out.sets))
		out.add(b.lists[i], b.at[i][32:])
		sp.to = uint32(len(out.sets))
		b.lists[i] = nil
		out.bytes += len(name) + 40
		if i < b.nWords {
			out.words, out.wordSpreads, out.heads = append(out.words, name), append(out.wordSpreads, sp), append(out.heads, head(name))
		} else {
			out.prefixes, out.prefixSpreads = append(out.prefixes, name), append(out.prefixSpreads, sp)
		}
	}
	out.order = b.order.seal()
	out.bytes += 8*len(out.sets) + 2*len(out.lists) + len(out.bitsets)<<13 + 4*len(out.order.starts) + 2*len(out.order.codes)
	return out
}

// add appends the sets of one name's fields, or places.
func (b *BlockColumns) add(lists [][]uint16, at []uint8) {
	for bit, k := range at {
		if k == 0 {
			continue
		}
		l := lists[k-1]
		if len(l) <= maxList {
			b.sets = append(b.sets, bitSet{uint32(len(b.lists)), uint16(len(l) - 1), uint8(bit)})
			b.lists = append(b.lists, l...)
			continue
		}
		b.sets = append(b.sets, bitSet{uint32(len(b.bitsets)), uint16(len(l) - 1), uint8(bit)})
		b.bitsets = append(b.bitsets, [docset.Words]uint64{})
		bits := &b.bitsets[len(b.bitsets)-1]
		for _, v := range l {
			bits[v>>6] |= 1 << (v & 63)
		}
	}
}
