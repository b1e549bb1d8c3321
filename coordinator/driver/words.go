package driver

import (
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"shoal/query"
	"shoal/wire"
)

// Words caches what one state of an index knows about words, over all sources. A search whose
// words are all cached asks no source about them, and all sources begin at once. Use it only
// for plans of that state. Safe for concurrent use.
type Words struct {
	mu    sync.Mutex
	kept  map[wire.VocabularyWord]derived // nil once dropped
	bytes int64
	total *atomic.Int64
}

// NewWords returns an empty cache. Its size is added to total.
func NewWords(total *atomic.Int64) *Words {
	return &Words{kept: make(map[wire.VocabularyWord]derived), total: total}
}

// derived holds the derivations of a word: the members of query.Term. split is the best split,
// even if an n-gram of the query joins just these words.
type derived struct {
	known, cached               bool
	extensions, one, two, split []string
	// infix: two are infix forms.
	infix bool
}

// size estimates the memory that a cached word takes.
func (v *derived) size(w *wire.VocabularyWord) int64 {
	n := int(unsafe.Sizeof(*v)+unsafe.Sizeof(*w)) + len(w.Text)
	for _, list := range [][]string{v.extensions, v.one, v.two, v.split} {
		for _, s := range list {
			n += int(unsafe.Sizeof(s)) + len(s)
		}
	}
	return int64(n)
}

// Immediate tells whether sources on other nodes can begin at once and work ahead: there are no
// words, or their derivations are known.
func (p *Plan) Immediate() bool {
	return p.foreseeable() && (p.Pinned != nil || !p.keyword() || !slices.ContainsFunc(p.Keywords.Terms, asksAbout))
}

func asksAbout(t query.Term) bool { return asksWord(&t) }

// Drop empties the cache and subtracts it from the total. It caches nothing from then on.
func (w *Words) Drop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.total.Add(-w.bytes)
	w.bytes = 0
	w.kept = nil
}

// Recall sets the pinned terms of the plan if all of its words are cached.
func (p *Plan) Recall() {
	if p.Words == nil || p.ByAttribute || !p.keyword() {
		return
	}
	terms := make([]query.Term, len(p.Keywords.Terms))
	copy(terms, p.Keywords.Terms)
	p.Words.mu.Lock()
	defer p.Words.mu.Unlock()
	for i := range terms {
		t := &terms[i]
		if !asksWord(t) {
			continue
		}
		v, ok := p.Words.kept[wordOf(t)]
		if !ok {
			return
		}
		t.Known, t.Cached, t.Extensions, t.One = v.known, v.cached, v.extensions, v.one
		t.Split = notNgram(v.split, t)
		if v.infix {
			t.SetInfix(v.two)
		} else {
			t.Two = v.two
		}
	}
	p.Pinned = terms
}

// keepWords caches the words of terms that were asked, with these questions, and pinned. With
// byAttribute the splits depend on the search, so it caches nothing.
func (p *Plan) keepWords(words []wire.VocabularyWord, terms []query.Term, asked []int, splits []*splitChoice) {
	if p.Words == nil || p.ByAttribute {
		return
	}
	p.Words.mu.Lock()
	defer p.Words.mu.Unlock()
	if p.Words.kept == nil {
		return
	}
	for k, i := range asked {
		t := &terms[i]
		v := derived{infix: t.ByInfix(), known: t.Known, cached: t.Cached, extensions: t.Extensions, one: t.One, two: t.Two}
		for _, c := range splits {
			if c.term == t {
				v.split = c.split()
			}
		}
		w := words[k]
		if _, ok := p.Words.kept[w]; ok {
			continue
		}
		size := v.size(&w)
		p.Words.kept[w] = v
		p.Words.bytes += size
		p.Words.total.Add(size)
	}
}
