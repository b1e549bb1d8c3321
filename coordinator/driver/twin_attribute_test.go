package driver_test

import (
	"fmt"
	"slices"

	"shoal/query"
	"shoal/query/rule"
)

// twinPairs are the pairs of words that a search with byAttribute asked for, with the documents
// that they had at that time.
type twinPairs map[string]map[uint32]bool

// pair returns the documents of a pair: those found when it was first asked for.
func (w *twin) pair(key, l string, rs []string, among []*twinDoc) map[uint32]bool {
	key += "\x00" + l
	if docs, ok := w.pairs[key]; ok {
		return docs
	}
	docs := map[uint32]bool{}
	for _, d := range among {
		if slices.ContainsFunc(rs, func(r string) bool { return w.stored(d, l, r) > 0 }) {
			docs[d.ord] = true
		}
	}
	w.pairs[key] = docs
	return docs
}

func (w *twin) plainPair(l, r string, among []*twinDoc) map[uint32]bool {
	return w.pair("plain "+r, l, []string{r}, among)
}

// startPairs asks for the pairs of phrases, among all documents.
func (w *twin) startPairs() {
	w.pairs = twinPairs{}
	_, phrases := w.c.lexis.Parse(w.q(), nil).Excluded()
	for i := range w.terms {
		phrases = append(phrases, w.phrases(twinNode{i, query.Zero})...)
	}
	for _, p := range phrases {
		for i := range p {
			for g := 1; g <= 2 && i+g < len(p); g++ {
				if p[i] != "" && p[i+g] != "" {
					w.plainPair(p[i], p[i+g], w.docs)
				}
			}
		}
	}
}

// ask looks up the typos of a node's term, and all its splits.
func (w *twin) ask(n twinNode) {
	t := &w.terms[n.term]
	if n.sub&(query.One|query.Two) == 0 || slices.Contains(w.touched, n.term) {
		return
	}
	w.touched = append(w.touched, n.term)
	for at := range t.Text {
		if at > 0 && w.pairs != nil {
			w.plainPair(t.Text[:at], t.Text[at:], w.docs)
		}
	}
}

func (w *twin) within(docs []*twinDoc, phrases ...[]string) (out []*twinDoc) {
	for _, d := range docs {
		if !slices.ContainsFunc(phrases, func(p []string) bool { return p != nil && !w.phrase(d, p) }) {
			out = append(out, d)
		}
	}
	return out
}

type twinEnd struct {
	word    string
	phrase  []string
	derived bool
}

// meet returns the documents in which two nodes are near each other at index j.
func (w *twin) meet(left, right twinNode, j int, ranked []*twinDoc) map[uint32]bool {
	out := map[uint32]bool{}
	add := func(docs map[uint32]bool) {
		for ord := range docs {
			out[ord] = true
		}
	}
	var ls, rs []twinEnd
	words, _, derived := w.singles(left)
	for _, word := range words {
		ls = append(ls, twinEnd{word, nil, derived[word]})
	}
	for _, p := range w.phrases(left) {
		if last := p[len(p)-1]; last != "" {
			ls = append(ls, twinEnd{last, p, false})
		}
	}
	words, prefixed, _ := w.singles(right)
	for _, word := range words {
		rs = append(rs, twinEnd{word, nil, false})
	}
	for _, p := range w.phrases(right) {
		if p[0] != "" {
			rs = append(rs, twinEnd{p[0], p, false})
		}
	}
	text := w.terms[right.term].Text
	for _, l := range ls {
		among := w.within(ranked, l.phrase)
		if len(prefixed) == 0 || len(among) == 0 && l.phrase != nil {
			continue
		}
		add(w.pair("prefix "+text, l.word, prefixed, among))
		if l.phrase == nil {
			add(w.plainPair(text, l.word, among))
		}
	}
	for _, l := range ls {
		if len(rs) > 1 && l.phrase == nil && !slices.ContainsFunc(ranked, func(d *twinDoc) bool { return w.has(d, l.word, l.derived) }) {
			continue
		}
		for _, r := range rs {
			among := w.within(ranked, l.phrase, r.phrase)
			if len(among) == 0 {
				continue
			}
			add(w.plainPair(l.word, r.word, among))
			if j >= 1 && l.phrase == nil && r.phrase == nil {
				add(w.plainPair(r.word, l.word, among))
			}
		}
	}
	return out
}

// matching removes the documents whose words of a node do not count.
func (w *twin) matching(n twinNode, docs map[uint32]bool) map[uint32]bool {
	for _, d := range w.docs {
		if !w.counts(d, n) {
			delete(docs, d.ord)
		}
	}
	return docs
}

// attributeRule is graphRule for proximity with byAttribute.
func (w *twin) attributeRule(g *twinGraph) func(left []*twinDoc) *twinBucket {
	var paths []twinPath
	var walk func(at int, steps []twinStep, cost int)
	walk = func(at int, steps []twinStep, cost int) {
		for _, next := range g.succ[at] {
			if next == 1 {
				paths = append(paths, twinPath{slices.Clone(steps), cost})
				continue
			}
			n := g.nodes[next]
			t := &w.terms[n.term]
			base := t.Size() - 1
			if at >= 2 && w.terms[g.nodes[at].term].Last+1 == t.First {
				for j := range 3 {
					s := twinStep{fmt.Sprint("near", j, g.nodes[at], n), n, func(ranked []*twinDoc) map[uint32]bool {
						return w.matching(n, w.meet(g.nodes[at], n, j, ranked))
					}}
					walk(next, append(slices.Clone(steps), s), cost+base+j)
				}
				base += 3
			}
			whole := twinStep{fmt.Sprint("whole", n), n, func(ranked []*twinDoc) map[uint32]bool {
				return having(ranked, func(d *twinDoc) bool { return w.matches(d, n) })
			}}
			walk(next, append(slices.Clone(steps), whole), cost+base)
		}
	}
	walk(0, nil, 0)
	return w.explore(rule.Proximity, paths, w.limit(rule.Proximity, g, nil))
}

func having(docs []*twinDoc, ok func(*twinDoc) bool) map[uint32]bool {
	out := map[uint32]bool{}
	for _, d := range docs {
		if ok(d) {
			out[d.ord] = true
		}
	}
	return out
}

// twinStep is one condition of a path; node is its node in the next rule's graph.
type twinStep struct {
	key  string
	node twinNode
	find func(ranked []*twinDoc) map[uint32]bool
}

type twinPath struct {
	steps []twinStep
	cost  int
}

// explore yields the buckets of a rule whose paths are in exploration order. It intersects sets
// of documents condition by condition. A set is fixed when it is first asked, and what was
// found decides which are asked (spec ranking 5.3).
func (w *twin) explore(kind rule.Kind, paths []twinPath, limit int) func(left []*twinDoc) *twinBucket {
	x := &twinExplorer{w: w, sets: map[string]map[uint32]bool{}, sizes: map[string]int{}, dead: map[string]bool{}}
	cost := 0
	return func(left []*twinDoc) *twinBucket {
		for ; cost < limit; cost++ {
			b := &twinBucket{detail: detailOf(kind, cost, limit)}
			x.rest, x.trail, x.stack = slices.Clone(left), nil, nil
			var good [][]twinNode
			for _, p := range paths {
				if p.cost != cost || len(x.rest) == 0 || !x.visit(p.steps) {
					continue
				}
				in := x.stack[len(x.stack)-1]
				x.trail, x.stack = x.trail[:len(x.trail)-1], x.stack[:len(x.stack)-1]
				for k := range x.stack {
					x.stack[k] = minus(x.stack[k], in)
				}
				x.rest, b.docs = minus(x.rest, in), append(b.docs, in...)
				var nodes []twinNode
				for _, s := range p.steps {
					nodes = append(nodes, s.node)
				}
				good = append(good, nodes)
			}
			if len(b.docs) > 0 {
				slices.SortFunc(b.docs, func(a, c *twinDoc) int { return int(a.ord) - int(c.ord) })
				b.graph = fromPaths(good)
				cost++
				return b
			}
		}
		return nil
	}
}

type twinExplorer struct {
	w     *twin
	sets  map[string]map[uint32]bool
	sizes map[string]int
	dead  map[string]bool // "beginning|condition"; the beginning may be empty
	rest  []*twinDoc
	trail []string
	stack [][]*twinDoc
}

// visit intersects the conditions of a path; ok is false when it has no documents.
func (x *twinExplorer) visit(steps []twinStep) (ok bool) {
	begins := []string{""}
	for _, s := range steps {
		for _, b := range begins {
			if x.dead[b+"|"+s.key] {
				return false
			}
		}
		begins = append(begins, begins[len(begins)-1]+","+s.key)
	}
	same := 0
	for same < len(x.trail) && same < len(steps) && x.trail[same] == steps[same].key {
		same++
	}
	x.trail, x.stack = x.trail[:same], x.stack[:same]
	for i := same; i < len(steps); i++ {
		s := steps[i]
		docs := x.condition(s)
		if len(docs) == 0 {
			x.dead["|"+s.key] = true
			return false
		}
		from := x.rest
		if i > 0 {
			from = x.stack[i-1]
		}
		var in []*twinDoc
		for _, d := range from {
			if docs[d.ord] {
				in = append(in, d)
			}
		}
		if len(in) == 0 {
			x.dead[begins[i]+"|"+s.key] = true
			for k := 0; k+1 < i; k++ {
				if !slices.ContainsFunc(x.stack[k], func(d *twinDoc) bool { return docs[d.ord] }) {
					x.dead[begins[k+1]+"|"+s.key] = true
				}
			}
			return false
		}
		x.trail, x.stack = append(x.trail, s.key), append(x.stack, in)
	}
	return true
}

// condition returns the documents that a condition had when it was first asked, without those
// taken since.
func (x *twinExplorer) condition(s twinStep) map[uint32]bool {
	docs, ok := x.sets[s.key]
	if !ok {
		x.w.ask(s.node)
		docs = s.find(x.rest)
	} else if x.sizes[s.key] != len(x.rest) {
		docs = having(x.rest, func(d *twinDoc) bool { return docs[d.ord] })
	}
	x.sets[s.key], x.sizes[s.key] = docs, len(x.rest)
	return docs
}
