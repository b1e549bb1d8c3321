package driver_test

import (
	"fmt"
	"slices"
	"sort"

	"shoal/coordinator/score"

	"shoal/query"
	"shoal/query/rule"
	"shoal/shard/record"
	"shoal/wire"
)

// twinEdge is one edge of a rule's multigraph.
type twinEdge struct {
	cost int
	free bool
	// skips are the nodes that must not be visited later (Words).
	skips map[int]bool
	node  twinNode // what the next graph gets
	ok    func(d *twinDoc) bool
}

// twinPosition is the bucketed position of spec ranking 2.
func twinPosition(p int) int {
	if p < 16 {
		return p
	}
	if p < 24 {
		return 24
	}
	b := 1
	for b < p {
		b *= 2
	}
	return min(b, 65535)
}

// edges lists the edges from node a (-1: Start) to node b in generation order.
func (w *twin) edges(kind rule.Kind, g *twinGraph, groups [][]int, a, b int) []twinEdge {
	n := g.nodes[b]
	t := &w.terms[n.term]
	k := t.Size()
	switch kind {
	case rule.Words:
		return w.wordEdges(groups, b, n, k)
	case rule.Typo:
		return w.typoEdges(n, t, k)
	case rule.ExactWords:
		return w.exactEdges(n, t, k)
	case rule.Proximity:
		return w.nearEdges(g, a, n, t, k)
	case rule.AttributeRank:
		return w.fieldEdges(n, k)
	}
	return w.positionEdges(n, t, k)
}

func (w *twin) wordEdges(groups [][]int, b int, n twinNode, k int) (out []twinEdge) {
	earlier := map[int]bool{}
	for _, group := range groups {
		if slices.Contains(group, b) {
			out = append(out, twinEdge{cost: k, free: true, skips: earlier})
			break
		}
		for _, m := range group {
			earlier[m] = true
		}
	}
	return append(out, twinEdge{node: n, ok: func(d *twinDoc) bool { return w.matches(d, n) }})
}

func (w *twin) typoEdges(n twinNode, t *query.Term, k int) (out []twinEdge) {
	base := 0
	if k > 1 {
		base = k
	}
	groups := []query.Subset{query.Zero | query.ExactForm, query.One, query.Two}
	limit := 0
	switch {
	case t.Phrase != nil:
	case t.Budget == 0:
		limit = 1
	default:
		for limit = int(t.Budget); limit > 0 && n.sub&groups[limit] == 0; limit-- {
		}
	}
	for typos := 0; typos <= limit; typos++ {
		m := twinNode{n.term, n.sub & (groups[typos] | query.Mandatory)}
		out = append(out, twinEdge{cost: base + typos, node: m, ok: func(d *twinDoc) bool { return w.matches(d, m) }})
	}
	return out
}

func (w *twin) exactEdges(n twinNode, t *query.Term, k int) []twinEdge {
	exact := !t.IsNgram() && n.sub&(query.Zero|query.ExactForm) != 0 && (t.Phrase != nil || t.Known)
	m := twinNode{n.term, query.ExactForm | query.Mandatory}
	return []twinEdge{
		{node: m, ok: func(d *twinDoc) bool {
			if !exact {
				return false
			}
			if t.Phrase != nil {
				return w.phrase(d, t.Phrase)
			}
			return w.has(d, t.Text, false)
		}},
		{cost: k, node: n, ok: func(d *twinDoc) bool { return w.matches(d, n) }},
	}
}

func (w *twin) nearEdges(g *twinGraph, a int, n twinNode, t *query.Term, k int) []twinEdge {
	whole := func(d *twinDoc) bool { return w.matches(d, n) }
	if a < 2 || w.terms[g.nodes[a].term].Last+1 != t.First {
		return []twinEdge{{cost: k - 1, node: n, ok: whole}}
	}
	var out []twinEdge
	for j := range 3 {
		out = append(out, twinEdge{cost: k - 1 + j, node: n, ok: func(d *twinDoc) bool { return w.counts(d, n) && w.near(d, g.nodes[a], n, j) }})
	}
	return append(out, twinEdge{cost: k + 2, node: n, ok: whole})
}

// counts tells whether a document can take a step to a node by some word of it. A restricted
// search does not ask whether the word counts for the document.
func (w *twin) counts(d *twinDoc, n twinNode) bool { return w.on != nil || w.matches(d, n) }

// near is the proximity condition of index j (spec ranking 5.5).
func (w *twin) near(d *twinDoc, left, right twinNode, j int) bool {
	type end struct {
		word   string
		phrase bool
	}
	var ls, rs []end
	lwords, _, _ := w.singles(left)
	for _, word := range lwords {
		ls = append(ls, end{word, false})
	}
	for _, p := range w.phrases(left) {
		if last := p[len(p)-1]; last != "" && w.phrase(d, p) {
			ls = append(ls, end{last, true})
		}
	}
	rwords, prefixed, _ := w.singles(right)
	for _, word := range rwords {
		rs = append(rs, end{word, false})
	}
	for _, p := range w.phrases(right) {
		if p[0] != "" && w.phrase(d, p) {
			rs = append(rs, end{p[0], true})
		}
	}
	attribute := w.c.settings.ProximityPrecision == "byAttribute"
	forward := func(l, r string) bool {
		n := w.stored(d, l, r)
		return n == j+1 || attribute && n > 0
	}
	backward := func(l, r string) bool { return !attribute && j >= 1 && w.stored(d, r, l) == j }
	for _, l := range ls {
		for _, r := range rs {
			if forward(l.word, r.word) || !l.phrase && !r.phrase && backward(l.word, r.word) {
				return true
			}
		}
		for _, r := range prefixed {
			if forward(l.word, r) {
				return true
			}
		}
		if len(prefixed) > 0 && !l.phrase && backward(l.word, w.terms[right.term].Text) {
			return true
		}
	}
	return false
}

// places are the occurrences that attributeRank and wordPosition look at.
func (w *twin) places(d *twinDoc, n twinNode) (out []record.Occurrence) {
	words, prefixed, _ := w.singles(n)
	for _, word := range append(words, prefixed...) {
		out = append(out, d.words[word]...)
	}
	for _, p := range w.phrases(n) {
		if w.phrase(d, p) {
			for _, word := range p {
				if word != "" {
					out = append(out, d.words[word]...)
					break
				}
			}
		}
	}
	return out
}

func (w *twin) fieldEdges(n twinNode, k int) (out []twinEdge) {
	for fid := range w.c.fields {
		weight, ok := query.NewWeights(w.c.settings).Of(w.c.fields[fid])
		if !ok {
			continue
		}
		out = append(out, twinEdge{cost: int(weight) * k, node: n, ok: func(d *twinDoc) bool {
			return w.counts(d, n) && slices.ContainsFunc(w.places(d, n), func(o record.Occurrence) bool { return int(o.Field) == fid && w.searched(o.Field) })
		}})
	}
	out = append(out, twinEdge{cost: int(query.MaxWeight(w.c.settings)) * k, node: n, ok: func(*twinDoc) bool { return false }})
	sort.SliceStable(out, func(i, j int) bool { return out[i].cost < out[j].cost })
	return out
}

func (w *twin) positionEdges(n twinNode, t *query.Term, k int) (out []twinEdge) {
	table := []int{0, 1, 4, 7, 11, 16, 24, 64, 256, 1024}
	cost := func(p int) int {
		sum := 0
		for i := range k {
			d := p - int(t.First)
			if d < 0 {
				d = -d
			}
			c := sort.SearchInts(table, d+i)
			sum += c
		}
		return sum
	}
	for c := 0; c <= 10*k; c++ {
		out = append(out, twinEdge{cost: c, node: n, ok: func(d *twinDoc) bool {
			return w.counts(d, n) && slices.ContainsFunc(w.places(d, n), func(o record.Occurrence) bool { return cost(twinPosition(int(o.Position))) == c })
		}})
	}
	return out
}

// twinBucket is one bucket of a rule.
type twinBucket struct {
	docs   []*twinDoc
	graph  *twinGraph
	detail score.Detail
}

// graphRule yields all buckets of a graph rule over some documents, lazily: after each one the
// caller may have removed documents.
func (w *twin) graphRule(kind rule.Kind, g *twinGraph) func(left []*twinDoc) *twinBucket {
	var groups [][]int
	if kind == rule.Words {
		groups = w.groups(g)
	}
	var paths []twinPath
	var walk func(at int, steps []twinStep, cost int, forbidden []map[int]bool)
	walk = func(at int, steps []twinStep, cost int, forbidden []map[int]bool) {
		for _, next := range g.succ[at] {
			if next == 1 {
				paths = append(paths, twinPath{slices.Clone(steps), cost})
				continue
			}
			for i, e := range w.edges(kind, g, groups, at, next) {
				if e.free {
					walk(next, steps, cost+e.cost, append(slices.Clone(forbidden), e.skips))
					continue
				}
				if slices.ContainsFunc(forbidden, func(m map[int]bool) bool { return m[next] }) {
					continue
				}
				key := fmt.Sprint(i, g.nodes[next], e.node)
				if kind == rule.Words {
					key = fmt.Sprint(e.node)
				} else if kind == rule.Proximity {
					key = fmt.Sprint(i, at, e.node)
				}
				s := twinStep{key, e.node, func(ranked []*twinDoc) map[uint32]bool { return having(ranked, e.ok) }}
				walk(next, append(slices.Clone(steps), s), cost+e.cost, forbidden)
			}
		}
	}
	walk(0, nil, 0, nil)
	return w.explore(kind, paths, w.limit(kind, g, groups))
}

// limit is the maximum rank: one more than the cost of the most expensive path, ignoring what
// skips forbid.
func (w *twin) limit(kind rule.Kind, g *twinGraph, groups [][]int) int {
	var dearest func(at int) int
	dearest = func(at int) int {
		best := 0
		for _, next := range g.succ[at] {
			if next == 1 {
				continue
			}
			for _, e := range w.edges(kind, g, groups, at, next) {
				best = max(best, e.cost+dearest(next))
			}
		}
		return best
	}
	limit := 1 + dearest(0)
	if kind == rule.Words {
		words := 0
		for _, n := range g.nodes[2:] {
			if t := &w.terms[n.term]; t.Phrase != nil && n.sub&(query.Zero|query.ExactForm) != 0 {
				words += t.PhraseWords()
			}
		}
		limit += max(0, words-1)
	}
	return limit
}

// exactAttribute yields the three classes of spec ranking 5.7.
func (w *twin) exactAttribute(g *twinGraph) func(left []*twinDoc) *twinBucket {
	class := 0
	return func(left []*twinDoc) *twinBucket {
		for ; class < 3; class++ {
			b := &twinBucket{graph: g, detail: detailOf(rule.ExactAttribute, class, 3)}
			for _, d := range left {
				if w.class(d, g) == class {
					b.docs = append(b.docs, d)
				}
			}
			if len(b.docs) > 0 {
				class++
				return b
			}
		}
		return nil
	}
}

func (w *twin) class(d *twinDoc, g *twinGraph) int {
	var terms []*query.Term
	for id := 0; ; id++ {
		var found *query.Term
		any := false
		for _, n := range g.nodes[2:] {
			t := &w.terms[n.term]
			exact := !t.IsNgram() && n.sub&(query.Zero|query.ExactForm) != 0 && (t.Phrase != nil || t.Known)
			if exact && int(t.FirstID) == id && found == nil {
				found = t
			}
			any = any || exact && int(t.FirstID) > id
		}
		if found == nil && any {
			return 2
		}
		if found == nil {
			break
		}
		terms = append(terms, found)
	}
	if len(terms) == 0 {
		return 2
	}
	positions := 0
	fields := map[uint16]bool{}
	for fid := range w.c.fields {
		fields[uint16(fid)] = w.searched(uint16(fid))
	}
	for _, t := range terms {
		positions += int(t.Last-t.First) + 1
		words := t.Phrase
		if words == nil {
			words = []string{t.Text}
		}
		for slot, word := range words {
			if word == "" {
				continue
			}
			placed := false
			here := map[uint16]bool{}
			for _, o := range d.words[word] {
				placed = placed || twinPosition(int(o.Position)) == twinPosition(int(t.First)+slot)
				here[o.Field] = true
			}
			if !placed {
				return 2
			}
			for fid := range fields {
				fields[fid] = fields[fid] && here[fid]
			}
		}
	}
	best := 2
	for fid, ok := range fields {
		if ok {
			best = min(best, 1)
			if positions <= 30 && d.counts[fid] == positions {
				return 0
			}
		}
	}
	return best
}

// sortRule yields one bucket per value.
func (w *twin) sortRule(r rule.Rule, g *twinGraph) func(left []*twinDoc) *twinBucket {
	return func(left []*twinDoc) *twinBucket {
		if len(left) == 0 {
			return nil
		}
		best := left[0].sortValue(r.Field, r.Desc)
		for _, d := range left {
			if v := d.sortValue(r.Field, r.Desc); wire.CompareSort(v, best, r.Desc) < 0 {
				best = v
			}
		}
		b := &twinBucket{graph: g, detail: score.Detail{Rule: r, Value: best}}
		for _, d := range left {
			if d.sortValue(r.Field, r.Desc) == best {
				b.docs = append(b.docs, d)
			}
		}
		return b
	}
}
