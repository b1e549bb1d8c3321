package rank_test

import (
	"fmt"
	"slices"

	"shoal/query"
)

// twinPairs are the pairs of words that a search with byAttribute asked for, with
// the documents they had then.
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
	var phrases [][]string
	phrases = append(phrases, w.c.lexis.Parse(w.q(), nil).NegativePhrases...)
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

// touch asks for all splits of a term.
func (w *twin) touch(term int) {
	t := &w.terms[term]
	if w.touched[term] || t.Phrase != nil || w.pairs == nil {
		return
	}
	w.touched[term] = true
	for at := range t.Text {
		if at > 0 {
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

// meet is the condition that two nodes are near each other at index j.
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

// attributeRule is graphRule for proximity with byAttribute.
func (w *twin) attributeRule(g *twinGraph) func(left []*twinDoc) *twinBucket {
	type edge struct {
		cost, to, j int
		key         string
		left        twinNode
	}
	type path struct {
		edges []edge
		cost  int
	}
	var paths []path
	var walk func(at int, edges []edge, cost int)
	walk = func(at int, edges []edge, cost int) {
		for _, next := range g.succ[at] {
			if next == 1 {
				paths = append(paths, path{slices.Clone(edges), cost})
				continue
			}
			n := g.nodes[next]
			t := &w.terms[n.term]
			base := t.Size() - 1
			if at >= 2 && w.terms[g.nodes[at].term].Last+1 == t.First {
				for j := range 3 {
					e := edge{base + j, next, j, fmt.Sprint("near", j, g.nodes[at], n), g.nodes[at]}
					walk(next, append(slices.Clone(edges), e), cost+e.cost)
				}
				base += 3
			}
			e := edge{base, next, -1, fmt.Sprint("whole", n), twinNode{}}
			walk(next, append(slices.Clone(edges), e), cost+e.cost)
		}
	}
	walk(0, nil, 0)
	limit, cost := w.limit(query.Proximity, g, nil), 0
	sets, sizes, gone := map[string]map[uint32]bool{}, map[string]int{}, map[string]bool{}
	dead := map[string]bool{} // beginning and condition
	return func(left []*twinDoc) *twinBucket {
		for ; cost < limit; cost++ {
			b := &twinBucket{detail: detailOf(query.Proximity, cost, limit)}
			rest := slices.Clone(left)
			var good [][]twinNode
			var trail []string
			var stack [][]*twinDoc
		paths:
			for _, p := range paths {
				if p.cost != cost || len(rest) == 0 {
					continue
				}
				begin := ""
				var begins []string
				for _, e := range p.edges {
					begins = append(begins, begin)
					for _, s := range begins {
						if gone[e.key] || dead[s+"|"+e.key] {
							continue paths
						}
					}
					begin += "," + e.key
				}
				same := 0
				for same < len(trail) && same < len(p.edges) && trail[same] == p.edges[same].key {
					same++
				}
				trail, stack = trail[:same], stack[:same]
				for i := same; i < len(p.edges); i++ {
					e := p.edges[i]
					docs, ok := sets[e.key]
					switch {
					case !ok && e.j >= 0:
						docs = w.meet(e.left, g.nodes[e.to], e.j, rest)
					case !ok:
						docs = map[uint32]bool{}
						for _, d := range rest {
							if w.matches(d, g.nodes[e.to]) {
								docs[d.ord] = true
							}
						}
					case sizes[e.key] != len(rest):
						kept := map[uint32]bool{}
						for _, d := range rest {
							if docs[d.ord] {
								kept[d.ord] = true
							}
						}
						docs = kept
					}
					sets[e.key], sizes[e.key] = docs, len(rest)
					if len(docs) == 0 {
						gone[e.key] = true
						continue paths
					}
					from := rest
					if i > 0 {
						from = stack[i-1]
					}
					var in []*twinDoc
					for _, d := range from {
						if docs[d.ord] {
							in = append(in, d)
						}
					}
					if len(in) == 0 {
						dead[begins[i]+"|"+e.key] = true
						for k := 0; k+1 < i; k++ {
							if !slices.ContainsFunc(stack[k], func(d *twinDoc) bool { return docs[d.ord] }) {
								dead[begins[k+1]+"|"+e.key] = true
							}
						}
						continue paths
					}
					trail, stack = append(trail, e.key), append(stack, in)
				}
				in := stack[len(stack)-1]
				trail, stack = trail[:len(trail)-1], stack[:len(stack)-1]
				for k := range stack {
					stack[k] = minus(stack[k], in)
				}
				rest = minus(rest, in)
				b.docs = append(b.docs, in...)
				var nodes []twinNode
				for _, e := range p.edges {
					nodes = append(nodes, g.nodes[e.to])
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
