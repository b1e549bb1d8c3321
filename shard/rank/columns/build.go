package columns

import (
	"context"
	"io"
	"slices"
	"strings"

	"shoal/query"
	"shoal/shard/docset"
	"shoal/shard/lexicon"
	"shoal/shard/record"
	"shoal/shard/rows"
	"shoal/shard/symbol"
)

// Source is one immutable state of a shard, from which columns are built.
type Source interface {
	Live() docset.Set
	// Dictionaries returns the words with a tolerant occurrence and those with an exact one.
	Dictionaries() (words, exact *lexicon.Dictionary, err error)
	Tokens() record.TokenReader
	// Order returns the order of the documents.
	Order() *rows.Order
}

const (
	// A word gets a column if at least 1/wordShare of a block's documents have it.
	wordShare = 2048
	// wordLeast is the least number of documents of any word with a column.
	wordLeast = 4
	// prefixWords is the least number of words of a prefix with a column.
	prefixWords = 64
	// wholeBit stands for any place: prefixes have a set of all their documents.
	wholeBit = 31
	// spreadBits is the number of bits of fields and places together.
	spreadBits = 32 + wholeBit + 1
)

// blockBuilder builds the columns of one block.
type blockBuilder struct {
	names []string // words, then prefixes
	// words maps a word to its index among the names.
	words    symbol.Table
	nWords   int
	prefixes map[string]int32
	// marks are those of each word. For a prefix they are those of words without a
	// column whose longest prefix it is.
	marks [][]mark
	// last is the start of the previous word without a column. held are the names of
	// its prefixes by length. size is its length. Words come in order, so the next one
	// shares most prefixes.
	last  [query.MaxCachedPrefix]byte
	held  [query.MaxCachedPrefix + 1]int32
	size  int
	order sequencer
	pairs *pairLists
	union prefixUnion
	sets  bitLists
	out   fileWriter
}

// leastDocs is the least number of documents in a block for a word's column. span is
// the range of rows of the block's documents. index is the number of documents of the
// index. With many blocks, in one shard or in several, rarer words get columns, too, so
// that the number of documents a search reads one by one, because of a rare word, does
// not grow with the index or with its shards.
func leastDocs(docs, span, index int) int {
	least := max(MinDocs, span/wordShare)
	return max(int(int64(least)*int64(docs)/int64(max(index, 1))), min(least, wordLeast))
}

// indexSize estimates the number of documents of the index that the shard is one of. docs
// and span are those of one block. Ordinals have few gaps.
func indexSize(ix Source, docs, span int) int {
	if most, ok := ix.Order().Most(); ok {
		return int(most) + 1
	}
	return int(int64(ix.Live().Len()) * int64(span) / int64(max(docs, 1)))
}

// BuildBlock writes the columns of some live documents of one block to w, as a file for
// OpenBlock. Words get a column if enough documents of the shard have them, prefixes if
// enough of the block do. It reads the records of the documents once. It ends early
// with the error of ctx or of pause, which is called regularly and may block to slow
// the build down.
func BuildBlock(ctx context.Context, ix Source, block uint16, docs docset.Container, w io.Writer, pause func(context.Context) error) error {
	least := leastDocs(docs.Len(), docs.Span(), indexSize(ix, docs.Len(), docs.Span()))
	b, err := newBlockBuilder(ctx, ix, docs.Len(), least, pause)
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
			b.take(low, cursor.Word(), cursor.Entry)
		}
		b.flush(low)
		return b.out.err == nil
	})
	if err != nil {
		return err
	}
	return b.seal(ctx, least, block, docs, pause)
}

// pauseEvery and pauseNames are the numbers of documents and of words between calls of
// pause.
const pauseEvery, pauseNames = 32, 1024

// newBlockBuilder chooses the words that get columns, and the candidate prefixes. least is
// the least number of documents in the block for a word's column.
func newBlockBuilder(ctx context.Context, ix Source, docs, least int, pause func(context.Context) error) (*blockBuilder, error) {
	b := &blockBuilder{prefixes: make(map[string]int32)}
	live := ix.Live().Len()
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
	tolerant, exact, err := ix.Dictionaries()
	if err != nil {
		return nil, err
	}
	for _, dict := range []*lexicon.Dictionary{tolerant, exact} {
		seen := 0
		for word, n := range dict.All() {
			if seen++; seen%pauseNames == 0 {
				if err := pause(ctx); err != nil {
					return nil, err
				}
			}
			if query.IsInfixForm(word) { // the last ones; few searches ask for them
				break
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
	b.words.Grow(b.nWords)
	for i, name := range b.names {
		if i < b.nWords {
			b.words.Number([]byte(name))
		} else {
			b.prefixes[name] = int32(i)
		}
	}
	b.marks = make([][]mark, len(b.names))
	return b, nil
}

// take adds one word of a document.
func (b *blockBuilder) take(low uint16, word []byte, e record.Entry) {
	if isForm(word) {
		return
	}
	var fields, places uint32
	i, ok := b.words.Find(word)
	code := int(2*i + 1)
	if !ok {
		code = codeOf(b.names[:b.nWords], word)
		b.out.mixed.take(low, code)
	}
	p := e.Places()
	for o, more := p.Next(); more; o, more = p.Next() {
		fields |= FieldBit(o.Field)
		places |= placeBit(o.Position)
		b.order.add(o.Field, o.Position, code)
	}
	at := int32(i)
	if !ok {
		if at = b.prefixOf(word); at < 0 {
			return
		}
	}
	b.marks[at] = appendMarks(b.marks[at], low, fields, listedPlaces(places))
}

// isForm tells infix forms, which have no columns: they stand where their word does.
func isForm(word []byte) bool { return len(word) > 0 && word[0] == query.InfixLimit[0] }

// prefixOf returns the longest prefix of a word among the names, or -1.
func (b *blockBuilder) prefixOf(word []byte) int32 {
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
	longest := int32(-1)
	for size := 1; size <= n && b.held[size] >= 0; size++ {
		longest = b.held[size]
	}
	return longest
}

// flush ends a document.
func (b *blockBuilder) flush(low uint16) {
	codes := b.order.flush()
	b.pairs.take(low, codes)
	if len(codes) > 0 {
		b.out.addOrder(low, codes)
	}
}

// seal writes the columns of all words, and of the prefixes with enough documents.
func (b *blockBuilder) seal(ctx context.Context, least int, block uint16, docs docset.Container, pause func(context.Context) error) error {
	var fields, places []byte
	for i, name := range b.names {
		if i%pauseEvery == 0 || i >= b.nWords {
			if err := pause(ctx); err != nil {
				return err
			}
		}
		pages := &b.out.names
		if i < b.nWords {
			b.sets.take(b.marks[i])
		} else {
			pages = &b.out.prefixes
			if b.gather(i); b.union.docs() < least {
				b.union.reset()
				continue
			}
			b.union.flush(&b.sets)
		}
		fields = b.write(fields[:0], 0, 32)
		places = b.write(places[:0], 32, spreadBits)
		b.sets.reset()
		b.out.add(pages, name, fields, places)
	}
	return b.out.close(block, docs, b.pairs)
}

// gather unites the words of a prefix, with and without columns.
func (b *blockBuilder) gather(i int) {
	prefix := b.names[i]
	lo, _ := slices.BinarySearch(b.names[:b.nWords], prefix)
	for ; lo < b.nWords && strings.HasPrefix(b.names[lo], prefix); lo++ {
		b.union.take(b.marks[lo])
	}
	for ; i < len(b.names) && strings.HasPrefix(b.names[i], prefix); i++ {
		b.union.take(b.marks[i])
	}
}

// write writes the sets of fields, or of places, and appends references.
func (b *blockBuilder) write(refs []byte, from, to int) []byte {
	for bit := from; bit < to; bit++ {
		if list := b.sets.lists[bit]; len(list) > 0 {
			refs = b.out.set(refs, bit-from, list)
		}
	}
	return refs
}
