package columns

import (
	"encoding/binary"
	"runtime/debug"
	"sort"

	"shoal/shard/docset"
)

// BlockColumns are the columns of some documents in a block of 2^16 rows. They are
// stored in a file and read through a cache shared by all columns; only the index of
// pages stays in memory. Immutable except for the fault, and safe for concurrent use.
type BlockColumns struct {
	pieces
	size  int64
	block uint16
	docs  docset.Container
	// words and prefixes are sorted.
	words, prefixes pageIndex
	// firsts are the first documents of the pieces with word order.
	firsts []uint16
	orders []uint32
	// paired are the words with listed pairs, and pairs are the pages of the lists.
	// Documents in loose are not listed.
	paired []uint16
	pairs  pairPages
	loose  docset.Container
	// mixed are the documents in which a code stands for several words. It is unknown
	// unless sorted is set.
	mixed  docset.Container
	sorted bool
	// kept caches looked-up names.
	kept summaries
}

// Block is the number of the block. Docs are the documents that the columns were built
// from.
func (b *BlockColumns) Block() uint16          { return b.block }
func (b *BlockColumns) Docs() docset.Container { return b.docs }

// Size is the length of the file.
func (b *BlockColumns) Size() int64 { return b.size }

// Fault is the first error of reading, or nil. Results since then are not valid.
func (b *BlockColumns) Fault() error {
	if err := b.fault.Load(); err != nil {
		return *err
	}
	return nil
}

// Forget evicts the pieces from the cache. The columns must not be used any more.
func (b *BlockColumns) Forget() {
	b.cache.closed(b.kept.clear())
	b.cache.forget(b.slots)
	b.closeMapping()
}

// MemBytes estimates the memory of the columns outside of the cache.
func (b *BlockColumns) MemBytes() int {
	n := 24*len(b.refs) + 6*len(b.orders) + min(2*b.docs.Len(), 8*docset.Words) + min(2*b.loose.Len(), 8*docset.Words)
	n += min(2*b.mixed.Len(), 8*docset.Words)
	n += 2*len(b.paired) + 8*len(b.pairs.first)
	for _, p := range []*pageIndex{&b.words, &b.prefixes} {
		n += 32 * len(p.first)
	}
	return n
}

// pageIndex locates the pages of sorted names.
type pageIndex struct {
	first  []string // name of each page
	number []uint32 // of the names before it
	piece  []uint32
	total  int
}

// page is a piece of names.
type page struct {
	raw []byte
	n   int
}

func (b *BlockColumns) page(p *pageIndex, i int) page {
	return b.pageOf(b.get(p.piece[i], pieceNames).raw)
}

// pageOf decodes a page.
func (b *BlockColumns) pageOf(raw []byte) page {
	if len(raw) < 2 {
		return page{}
	}
	g := page{raw, int(binary.LittleEndian.Uint16(raw))}
	if len(raw) < 2+2*g.n {
		b.fail(ErrDamaged)
		return page{}
	}
	return g
}

// name returns the i-th name of a page and its sets.
func (g page) name(i int) (name []byte, sp blockSpread) {
	e := g.raw[binary.LittleEndian.Uint16(g.raw[2+2*i:]):]
	n, fields, places := int(binary.LittleEndian.Uint16(e)), int(e[2]), int(e[3])
	sets := e[4+n:]
	return e[4 : 4+n], blockSpread{sets[:fields*setRefBytes], sets[fields*setRefBytes : (fields+places)*setRefBytes]}
}

// holding returns the page of the i-th name, or -1.
func (p *pageIndex) holding(i int) int {
	return sort.Search(len(p.number), func(k int) bool { return int(p.number[k]) > i }) - 1
}

// search returns the number of names less than w and, if found, the sets of w.
func (b *BlockColumns) search(p *pageIndex, w string) (i int, sp blockSpread, found bool) {
	name := summaryName{p == &b.prefixes, w}
	s, ok := b.kept.find(name)
	if ok {
		return s.at, s.sets, s.found
	}
	k := p.pageOf(w)
	if k < 0 {
		return 0, sp, false
	}
	if i, sp, found, ok = b.searchMapped(p, k, w); ok {
		return i, sp, found // as fast as the cache
	}
	if s.at, s.sets, s.found = b.page(p, k).search(w); b.fault.Load() == nil {
		s.at += int(p.number[k])
		b.cache.summarized(b.kept.keep(name, s, b.cache.summaryRoom()))
	}
	return s.at, s.sets, s.found
}

// searchMapped is search in the mapping. ok is false if the page is not available
// there.
func (b *BlockColumns) searchMapped(p *pageIndex, k int, w string) (i int, sp blockSpread, found, ok bool) {
	raw := b.mapped(p.piece[k], pieceNames)
	if raw == nil {
		return 0, sp, false, false
	}
	defer b.guard(debug.SetPanicOnFault(true))
	ok = true
	if i, sp, found = b.pageOf(raw).search(w); found {
		sp = sp.clone()
	}
	return int(p.number[k]) + i, sp, found, ok
}

// search returns the number of names of the page less than w and, if found, the sets of
// w.
func (g page) search(w string) (i int, sp blockSpread, found bool) {
	lo, hi := 0, g.n
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		name, of := g.name(mid)
		switch {
		case string(name) == w:
			return mid, of, true
		case string(name) < w:
			lo = mid + 1
		default:
			hi = mid
		}
	}
	return lo, sp, false
}

// seek returns the number of words less than w.
func (b *BlockColumns) seek(w string) int {
	i, _, _ := b.search(&b.words, w)
	return i
}

// Find returns the number of a word.
func (b *BlockColumns) Find(w string) (i int, ok bool) {
	i, _, ok = b.search(&b.words, w)
	return i, ok
}

// spreadOf and prefix return the spread of a word, or of all words with a prefix.
func (b *BlockColumns) spreadOf(w string) (blockSpread, bool) {
	_, sp, ok := b.search(&b.words, w)
	return sp, ok
}

func (b *BlockColumns) prefix(p string) (blockSpread, bool) {
	_, sp, ok := b.search(&b.prefixes, p)
	return sp, ok
}

// WordAt returns the i-th word.
func (b *BlockColumns) WordAt(i int) (word string) {
	b.eachName(&b.words, i, 1, func(name []byte, _ blockSpread) { word = string(name) })
	return word
}

// RangeAt returns the number of the first word with a prefix, and how many have it, up
// to and including last ("" is no limit).
func (b *BlockColumns) RangeAt(prefix, last string) (lo, n int) {
	lo = b.seek(prefix)
	hi := b.words.total
	if end := behind(prefix); end != "" {
		hi = b.seek(end)
	}
	if last != "" {
		to, ok := b.Find(last)
		if ok {
			to++
		}
		hi = min(hi, to)
	}
	return lo, max(hi-lo, 0)
}

// behind returns the least string greater than all strings with a prefix, "" if there
// is none.
func behind(prefix string) string {
	b := []byte(prefix)
	for i := len(b) - 1; i >= 0; i-- {
		if b[i]++; b[i] != 0 {
			return string(b[:i+1])
		}
	}
	return ""
}

// rangeOf appends the columns of the words of RangeAt to words. lacks has a bit for
// each word of listed, in order, that is not among them.
func (b *BlockColumns) rangeOf(words []blockSpread, prefix, last string, listed []string) (out []blockSpread, lacks []uint64) {
	lacks, k := make([]uint64, (len(listed)+63)/64), 0
	lack := func() { lacks[k>>6], k = lacks[k>>6]|1<<(k&63), k+1 }
	lo, n := b.RangeAt(prefix, last)
	b.eachName(&b.words, lo, n, func(name []byte, sp blockSpread) {
		words = append(words, sp)
		for k < len(listed) && listed[k] < string(name) {
			lack()
		}
		if k < len(listed) && listed[k] == string(name) {
			k++
		}
	})
	for k < len(listed) {
		lack()
	}
	return words, lacks
}

// eachName visits n names from the lo-th on, in order. name is valid during the visit.
func (b *BlockColumns) eachName(p *pageIndex, lo, n int, visit func(name []byte, sp blockSpread)) {
	for n > 0 {
		k := p.holding(lo)
		if k < 0 {
			return
		}
		seen, ok := b.eachMapped(p, k, lo, n, visit)
		if !ok {
			seen = b.page(p, k).each(lo-int(p.number[k]), n, visit)
		}
		if seen == 0 {
			return // there is a fault
		}
		lo, n = lo+seen, n-seen
	}
}

// eachMapped is eachName for one page in the mapping. ok is false if the page is not
// available there.
func (b *BlockColumns) eachMapped(p *pageIndex, k, lo, n int, visit func([]byte, blockSpread)) (seen int, ok bool) {
	raw := b.mapped(p.piece[k], pieceNames)
	if raw == nil {
		return 0, false
	}
	defer b.guard(debug.SetPanicOnFault(true))
	return b.pageOf(raw).each(lo-int(p.number[k]), n, func(name []byte, sp blockSpread) { visit(name, sp.clone()) }), true
}

// each visits up to n names of the page from the i-th on and returns their number.
func (g page) each(i, n int, visit func(name []byte, sp blockSpread)) (seen int) {
	for ; i+seen < g.n && seen < n; seen++ {
		visit(g.name(i + seen))
	}
	return seen
}

// blockSpread lists, for one word or prefix, the documents by field and by place, as
// references to sets. Fields and places without a reference have no documents in the
// block.
//
// All places below 16 are listed. Of farther places only the nearest is, and only for
// documents without a place below 16: for query positions below MaxFirst, far places
// are never nearer than near ones.
type blockSpread struct{ fields, places []byte }

// clone returns a copy of the references.
func (sp blockSpread) clone() blockSpread {
	n := len(sp.fields)
	all := append(append(make([]byte, 0, n+len(sp.places)), sp.fields...), sp.places...)
	return blockSpread{all[:n:n], all[n:]}
}

// OrderOf returns the codes of a document, or none if its record must be read. They may
// be in buf, and are valid until it is reused.
func (b *BlockColumns) OrderOf(low uint16, buf *[]uint16) []uint16 {
	k := b.orderPage(low)
	if k < 0 {
		return nil
	}
	if m := b.mapped(b.orders[k], pieceOrder); m != nil {
		return b.orderMapped(m, low, buf)
	}
	return b.order(b.get(b.orders[k], pieceOrder).values, low)
}

// orderMapped is order for a piece in the mapping.
func (b *BlockColumns) orderMapped(m []byte, low uint16, buf *[]uint16) []uint16 {
	defer b.guard(debug.SetPanicOnFault(true))
	*buf = append((*buf)[:0], b.order(numbers(m), low)...)
	return *buf
}

// order returns the codes of a document in a piece.
func (b *BlockColumns) order(v []uint16, low uint16) []uint16 {
	if len(v) == 0 {
		return nil
	}
	n := int(v[0])
	if len(v) < 1+n+2*(n+1) {
		b.fail(ErrDamaged)
		return nil
	}
	lows, starts, codes := v[1:1+n], v[1+n:1+n+2*(n+1)], v[1+n+2*(n+1):]
	i := 0
	for hi := n; i < hi; {
		if mid := int(uint(i+hi) >> 1); lows[mid] < low {
			i = mid + 1
		} else {
			hi = mid
		}
	}
	if i == n || lows[i] != low {
		return nil
	}
	from, to := int(starts[2*i])|int(starts[2*i+1])<<16, int(starts[2*i+2])|int(starts[2*i+3])<<16
	if from > to || to > len(codes) {
		b.fail(ErrDamaged)
		return nil
	}
	return codes[from:to]
}
