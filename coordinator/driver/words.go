package driver

import (
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"shoal/query"
	"shoal/wire"
)

// Words keeps what one state of an index knows of words, all sources together: a search
// whose words are all kept asks nobody about them, and all sources begin at once. Only for
// plans of that state. Safe for concurrent use.
type Words struct {
	mu    sync.Mutex
	kept  map[wire.VocabularyWord]derived // nil once dropped
	bytes int64
	total *atomic.Int64
}

// NewWords returns Words that keep nothing yet. What they take is added to total.
func NewWords(total *atomic.Int64) *Words {
	return &Words{kept: make(map[wire.VocabularyWord]derived), total: total}
}

// derived is what follows from a word: the members of query.Term. split is the best one,
// be it the words that an n-gram joins.
type derived struct {
	known, cached               bool
	extensions, one, two, split []string
}

// size is about what is kept in memory of a word.
func (v *derived) size(w *wire.VocabularyWord) int64 {
	n := int(unsafe.Sizeof(*v)+unsafe.Sizeof(*w)) + len(w.Text)
	for _, list := range [][]string{v.extensions, v.one, v.two, v.split} {
		for _, s := range list {
			n += int(unsafe.Sizeof(s)) + len(s)
		}
	}
	return int64(n)
}

// Immediate tells whether sources of other nodes can begin at once and go on by themselves:
// there are no words, or what the index knows of them is known already.
func (p *Plan) Immediate() bool {
	return p.foreseeable() && (p.Pinned != nil || !p.keyword() || !slices.ContainsFunc(p.Keywords.Terms, asksAbout))
}

func asksAbout(t query.Term) bool { return asksWord(&t) }

// Drop forgets everything, and takes it off the total. Nothing is kept from then on.
func (w *Words) Drop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.total.Add(-w.bytes)
	w.bytes = 0
	w.kept = nil
}

// Recall pins the terms of the plan if all of its words are kept.
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
		t.Known, t.Cached, t.Extensions, t.One, t.Two = v.known, v.cached, v.extensions, v.one, v.two
		t.Split = notNgram(v.split, t)
	}
	p.Pinned = terms
}

// keepWords keeps the words of terms that were asked about and pinned. Which splits there
// are with byAttribute depends on the search.
func (p *Plan) keepWords(terms []query.Term, asked []int, splits []*splitChoice) {
	if p.Words == nil || p.ByAttribute {
		return
	}
	p.Words.mu.Lock()
	defer p.Words.mu.Unlock()
	if p.Words.kept == nil {
		return
	}
	for _, i := range asked {
		t := &terms[i]
		v := derived{known: t.Known, cached: t.Cached, extensions: t.Extensions, one: t.One, two: t.Two}
		for _, c := range splits {
			if c.term == t {
				v.split = c.split()
			}
		}
		w := wordOf(t)
		if _, ok := p.Words.kept[w]; ok {
			continue
		}
		size := v.size(&w)
		p.Words.kept[w] = v
		p.Words.bytes += size
		p.Words.total.Add(size)
	}
}
