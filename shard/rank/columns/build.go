package columns

import (
	"context"
	"io"
	"math/bits"
	"slices"

	"shoal/query"
	"shoal/shard/docset"
	"shoal/shard/lexicon"
	"shoal/shard/record"
)

// Source is what columns are made of: one immutable state of a shard.
type Source interface {
	Live() docset.Set
	Dictionary() *lexicon.Dictionary
	ExactDictionary() *lexicon.Dictionary
	Tokens() record.TokenReader
}

const (
	// wordShare is the part of a block's documents, as a divisor, that a word
	// needs to get a column.
	wordShare = 2048
	// wordLeast is the number of documents that a word needs at any rate.
	wordLeast = 4
	// prefixWords is the number of words that a prefix needs.
	prefixWords = 64
	// wholeBit stands for any place: prefixes have a set of all their documents.
	wholeBit = 31
	// spreadBits is the number of bits of fields and places together.
	spreadBits = 32 + wholeBit + 1
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
	pairs *pairLists
	out   fileWriter
}

// leastDocs is the number of documents of a block from which on a word of it has a
// column; span is how many ordinals they are spread over. In a shard of many blocks rarer
// words have one too: how many documents a search looks up one by one, because of a rare
// word, does not grow with the shard. The same goes for one shard of several, which has
// a part of the ordinals only: a search of all of them looks up as many as in one shard.
func leastDocs(docs, span, live int) int {
	least := max(MinDocs, span/wordShare)
	return max(least*docs/max(span, 1)*docs/max(live, 1), min(least, wordLeast))
}

// BuildBlock writes the columns of some live documents of one block to w, as a file
// that OpenBlock opens. Words are worth a column when the shard has enough documents
// with them, prefixes when the block has. It ends early with the error of ctx or of
// pause, which is called again and again: the one place where building may be held up.
// The work is one pass over the records of the documents.
func BuildBlock(ctx context.Context, ix Source, block uint16, docs docset.Container, w io.Writer, pause func(context.Context) error) error {
	live := ix.Live().Len()
	b, err := newBlockBuilder(ctx, ix, docs.Len(), docs.Span(), live, pause)
	if err != nil {
		return err
	}
	b.out.w = w
	r := ix.Tokens()
	defer func() { _ = r.Close() }() // reading is over
	var cursor record.Cursor
	n := 0
	docs.Each(func(low uint16) bool {
		if n++; n%pauseEvery == 0 {
			if err = pause(ctx); err != nil {
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
		return b.out.err == nil
	})
	if err != nil {
		return err
	}
	return b.seal(ctx, leastDocs(docs.Len(), docs.Span(), live), block, docs, pause)
}

// pauseEvery and pauseNames are the numbers of documents, and of words, after which
// building may be held up.
const pauseEvery, pauseNames = 32, 1024

// newBlockBuilder chooses the words that get columns, and the prefixes that may.
func newBlockBuilder(ctx context.Context, ix Source, docs, span, live int, pause func(context.Context) error) (*blockBuilder, error) {
	b := &blockBuilder{words: make(map[string]int32), prefixes: make(map[string]int32)}
	least := leastDocs(docs, span, live)
	if docs < live { // most words are spread evenly
		least *= max(1, live/max(docs, 1)/4)
	}
	words := make(map[string]uint32)
	var counts [query.MaxCachedPrefix + 1]int
	var last string
	end := func(shared int) {
		for n := min(len(last), query.MaxCachedPrefix); n > shared; n-- {
			if counts[n] >= min(prefixWords, query.MinCachedWords) {
				b.prefixes[last[:n]] = 0
			}
			counts[n] = 0
		}
	}
	for _, dict := range []*lexicon.Dictionary{ix.Dictionary(), ix.ExactDictionary()} {
		seen := 0
		for word, n := range dict.All() {
			if seen++; seen%pauseNames == 0 {
				if err := pause(ctx); err != nil {
					return nil, err
				}
			}
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
	b.names = frequent(words, uint32(least), min(MaxWords, maxCoded))
	b.pairs = newPairLists(b.names, words, uint32(max(MinDocs, live/pairShare)))
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
	return b, nil
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
		fields |= FieldBit(o.Field)
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
	const near = 1<<NearPlaces - 1
	for _, i := range b.touched {
		b.docs[i]++
		if int(i) >= b.nWords {
			b.list(i, 32+wholeBit, low)
		}
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
	codes := b.order.flush()
	b.pairs.take(low, codes)
	if len(codes) > 0 {
		b.out.addOrder(low, codes)
	}
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

// seal writes the columns of all words, and of the prefixes with enough documents.
func (b *blockBuilder) seal(ctx context.Context, least int, block uint16, docs docset.Container, pause func(context.Context) error) error {
	var fields, places []byte
	for i, name := range b.names {
		if i%pauseEvery == 0 {
			if err := pause(ctx); err != nil {
				return err
			}
		}
		pages := &b.out.names
		if i >= b.nWords {
			if pages = &b.out.prefixes; int(b.docs[i]) < least {
				continue
			}
		}
		fields = b.sets(fields[:0], i, 0, 32)
		places = b.sets(places[:0], i, 32, spreadBits)
		b.out.add(pages, name, fields, places)
		b.lists[i] = nil
	}
	return b.out.close(block, docs, b.pairs)
}

// sets writes the sets of one name's fields, or places, and appends references.
func (b *blockBuilder) sets(refs []byte, i, from, to int) []byte {
	for bit := from; bit < to; bit++ {
		if k := b.at[i][bit]; k != 0 {
			refs = b.out.set(refs, bit-from, b.lists[i][k-1])
		}
	}
	return refs
}
