package rank_test

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"shoal/coordinator/driver"
	"shoal/query"
	"shoal/shard/record"
	"shoal/wire"
)

// twin answers searches in the plainest way: one list of documents, every path
// enumerated, every condition tested document by document, straight from spec
// ranking 3 to 6. It shares the parser and the schema of fields with the engine,
// nothing else.
type twin struct {
	c     *corpus
	docs  []*twinDoc // ascending
	dict  []string   // tolerant words
	exact []string
	terms []query.Term
	o     options
	on    map[uint16]bool // nil: all searchable fields
	found map[uint32]bool // candidates
	// pairs belong to byAttribute (twin_attribute_test.go).
	pairs twinPairs
	// touched are the terms whose typos were looked up.
	touched uint64
}

type twinDoc struct {
	ord    uint32
	words  map[string][]record.Occurrence
	counts map[uint16]int
	nums   map[string][]float64
	strs   map[string][]string
}

func newTwin(c *corpus, o options) *twin {
	w := &twin{c: c, o: o}
	tolerant, exact := map[string]bool{}, map[string]bool{}
	for _, f := range c.shards {
		for ord, tokens := range f.tokens {
			d := &twinDoc{ord: ord, words: map[string][]record.Occurrence{}, counts: map[uint16]int{}, nums: map[string][]float64{}, strs: map[string][]string{}}
			tokens.Each(func(word []byte, e record.Entry) bool {
				d.words[string(word)] = e.AppendTo(nil)
				tolerant[string(word)] = tolerant[string(word)] || e.Tolerant()
				exact[string(word)] = exact[string(word)] || e.Exact()
				return true
			})
			tokens.Fields(func(n record.FieldTokens) bool { d.counts[n.Field] = int(n.Tokens); return true })
			if v, ok, _ := f.Values(ord); ok {
				for fv := range v.Fields() {
					name := c.fields[fv.Field]
					for n := range fv.Numbers() {
						d.nums[name] = append(d.nums[name], n)
					}
					for form := range fv.Strings() {
						d.strs[name] = append(d.strs[name], string(form))
					}
				}
			}
			w.docs = append(w.docs, d)
		}
	}
	slices.SortFunc(w.docs, func(a, b *twinDoc) int { return int(a.ord) - int(b.ord) })
	for word, yes := range tolerant {
		if yes {
			w.dict = append(w.dict, word)
		}
	}
	for word, yes := range exact {
		if yes {
			w.exact = append(w.exact, word)
		}
	}
	slices.Sort(w.dict)
	slices.Sort(w.exact)
	if o.restricted {
		w.on = map[uint16]bool{}
		for _, name := range o.on {
			w.on[c.field(name)] = true
		}
	}
	return w
}

// --- words in documents

func (w *twin) exactField(fid uint16) bool {
	for _, a := range w.c.settings.TypoTolerance.DisableOnAttributes {
		if query.Below(w.c.fields[fid], a) {
			return true
		}
	}
	return false
}

func (w *twin) searched(fid uint16) bool {
	_, ok := query.FieldWeight(w.c.settings, w.c.fields[fid])
	return ok && (w.on == nil || w.on[fid])
}

// has tells whether a document matches a word; derived words match tolerant
// occurrences only.
func (w *twin) has(d *twinDoc, word string, derived bool) bool {
	for _, o := range d.words[word] {
		if w.searched(o.Field) && !(derived && w.exactField(o.Field)) {
			return true
		}
	}
	return false
}

// stored is the distance of two words in the pair index, 0 for none.
func (w *twin) stored(d *twinDoc, l, r string) int {
	best := 0
	for _, a := range d.words[l] {
		for _, b := range d.words[r] {
			if a.Field != b.Field {
				continue
			}
			if w.c.settings.ProximityPrecision == "byAttribute" {
				if w.searched(a.Field) {
					return 1
				}
				continue
			}
			if n := int(b.Position) - int(a.Position); n >= 1 && n <= 3 && (best == 0 || n < best) {
				best = n
			}
		}
	}
	return best
}

func (w *twin) phrase(d *twinDoc, words []string) bool {
	some := false
	for _, word := range words {
		if word == "" {
			continue
		}
		some = true
		if !w.has(d, word, false) {
			return false
		}
	}
	for i := range words {
		for g := 1; g <= 2 && i+g < len(words); g++ {
			if words[i] == "" || words[i+g] == "" {
				continue
			}
			n := w.stored(d, words[i], words[i+g])
			if n == 0 || g == 1 && n != 1 || n > 2 {
				return false
			}
		}
	}
	return some
}

// --- vocabulary

func osa(a, b []rune) int {
	d := make([][]int, len(a)+1)
	for i := range d {
		d[i] = make([]int, len(b)+1)
		d[i][0] = i
	}
	for j := range d[0] {
		d[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			d[i][j] = min(d[i-1][j]+1, d[i][j-1]+1, d[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(a)][len(b)]
}

// distance is that of spec ranking 3.3, for prefixes with the rule about where the
// automaton settles.
func distance(q, word string, limit int, prefix bool) int {
	a, b := []rune(q), []rune(word)
	if prefix {
		for n := 0; n <= len(b); n++ {
			whole := osa(a, b[:n])
			settled := whole <= limit
			for k := 0; k < len(a) && settled; k++ {
				settled = osa(a[:k], b[:n]) >= whole
			}
			if settled {
				return whole
			}
		}
	}
	return osa(a, b)
}

func (w *twin) typos(t *query.Term) {
	first := string([]rune(t.Text)[:1])
	for _, word := range w.dict {
		same := strings.HasPrefix(word, first)
		limit := int(t.Budget)
		if t.Budget == 2 && !same {
			limit = 1
		}
		n := distance(t.Text, word, limit, t.Prefix)
		switch {
		case n == 0 || n > limit || t.Budget == 1 && !same:
		case t.Budget == 2 && !same:
			t.Two = append(t.Two, word)
		case n == 1:
			t.One = append(t.One, word)
		default:
			t.Two = append(t.Two, word)
		}
	}
}

func (w *twin) pin() {
	w.terms = slices.Clone(w.c.lexis.Parse(w.q(), nil).Terms)
	for i := range w.terms {
		t := &w.terms[i]
		if t.IsPhrase() || t.Inert {
			continue
		}
		t.Known = slices.Contains(w.dict, t.Text) || slices.Contains(w.exact, t.Text)
		if t.Prefix {
			w.extend(t)
		}
		if t.Budget > 0 {
			w.typos(t)
		}
		best, cut := 0, 0
		for at := range t.Text {
			n := 0
			for _, d := range w.docs {
				if at > 0 && w.neighbours(d, t.Text[:at], t.Text[at:]) {
					n++
				}
			}
			if n > best {
				best, cut = n, at
			}
		}
		if w.c.settings.ProximityPrecision == "byAttribute" && best == 0 && len(t.Text) > 1 {
			best, cut = 1, 1 // every pair is known there
		}
		if split := []string{t.Text[:cut], t.Text[cut:]}; best > 0 && !slices.Equal(split, t.Ngram) {
			t.Split = split
		}
	}
}

// neighbours is stored == 1 without restriction of fields.
func (w *twin) neighbours(d *twinDoc, l, r string) bool {
	on := w.on
	w.on = nil
	defer func() { w.on = on }()
	return w.stored(d, l, r) == 1
}

func (w *twin) extend(t *query.Term) {
	n := 0
	for _, word := range w.dict {
		if strings.HasPrefix(word, t.Text) {
			n++
		}
	}
	if len(t.Text) <= 4 && n >= query.MinCachedWords {
		t.Cached = true
		return
	}
	all := append(slices.Clone(w.dict), w.exact...)
	slices.Sort(all)
	for _, word := range slices.Compact(all) {
		if strings.HasPrefix(word, t.Text) && word != t.Text && len(t.Extensions) < query.MaxExtensions {
			t.Extensions = append(t.Extensions, word)
		}
	}
}

func (w *twin) q() string { return w.o.query }

// --- nodes

type twinNode struct {
	term int
	sub  query.Subset
}

// singles lists the single words of a node; prefixed are those of the cache.
func (w *twin) singles(n twinNode) (words, prefixed []string, derived map[string]bool) {
	t := &w.terms[n.term]
	derived = map[string]bool{}
	zero := n.sub&query.Zero != 0
	if t.Known && (zero || n.sub&query.ExactForm != 0) {
		words = append(words, t.Text)
	}
	if zero {
		words = append(words, t.Extensions...)
	}
	if t.IsNgram() {
		for _, word := range words {
			derived[word] = true
		}
	}
	add := func(list []string) {
		for _, word := range list {
			if !slices.Contains(words, word) {
				words, derived[word] = append(words, word), true
			}
		}
	}
	if n.sub&query.One != 0 {
		add(t.One)
	}
	if n.sub&query.Two != 0 {
		add(t.Two)
	}
	if t.Cached && (zero || n.sub&query.ExactForm != 0 && t.Known) {
		all := append(slices.Clone(w.dict), w.exact...)
		slices.Sort(all)
		for _, word := range slices.Compact(all) {
			if strings.HasPrefix(word, t.Text) {
				prefixed = append(prefixed, word)
			}
		}
	}
	return words, prefixed, derived
}

func (w *twin) phrases(n twinNode) (list [][]string) {
	t := &w.terms[n.term]
	if t.Phrase != nil {
		list = append(list, t.Phrase)
	}
	list = append(list, t.Synonyms...)
	if n.sub&query.One != 0 && len(t.Split) > 0 {
		list = append(list, t.Split)
	}
	return list
}

func (w *twin) matches(d *twinDoc, n twinNode) bool {
	words, prefixed, derived := w.singles(n)
	for _, word := range words {
		if w.has(d, word, derived[word]) {
			return true
		}
	}
	for _, word := range prefixed {
		if w.has(d, word, w.terms[n.term].IsNgram()) {
			return true
		}
	}
	for _, p := range w.phrases(n) {
		if w.phrase(d, p) {
			return true
		}
	}
	return false
}

// --- graphs: paths are enumerated, a graph is the list of its nodes with numbers

type twinGraph struct {
	nodes []twinNode // from 2 on
	succ  [][]int
}

func (w *twin) graph() *twinGraph {
	g := &twinGraph{nodes: make([]twinNode, 2)}
	n := 0
	for i := range w.terms {
		if w.terms[i].Size() == 1 {
			n++
		}
	}
	for last := range n {
		for size := 1; size <= 3; size++ {
			for i := range w.terms {
				if t := &w.terms[i]; int(t.LastID) == last && t.Size() == size {
					g.nodes = append(g.nodes, twinNode{i, query.Full})
				}
			}
		}
	}
	after := func(id int) (list []int) {
		for i := 2; i < len(g.nodes); i++ {
			if int(w.terms[g.nodes[i].term].FirstID) == id+1 {
				list = append(list, i)
			}
		}
		if len(list) == 0 {
			return []int{1}
		}
		return list
	}
	g.succ = make([][]int, len(g.nodes))
	g.succ[0] = after(-1)
	for i := 2; i < len(g.nodes); i++ {
		g.succ[i] = after(int(w.terms[g.nodes[i].term].LastID))
	}
	return g
}

// fromPaths numbers equal (node, rest) pairs by first appearance.
func fromPaths(paths [][]twinNode) *twinGraph {
	g := &twinGraph{nodes: make([]twinNode, 2), succ: make([][]int, 2)}
	known := map[string]int{}
	for _, p := range paths {
		at := 0
		for i := range p {
			key := fmt.Sprint(p[i:])
			n, ok := known[key]
			if !ok {
				n = len(g.nodes)
				known[key] = n
				g.nodes, g.succ = append(g.nodes, p[i]), append(g.succ, nil)
			}
			if !slices.Contains(g.succ[at], n) {
				g.succ[at] = append(g.succ[at], n)
			}
			at = n
		}
		if !slices.Contains(g.succ[at], 1) {
			g.succ[at] = append(g.succ[at], 1)
		}
	}
	for _, s := range g.succ {
		sort.Ints(s)
	}
	return g
}

// groups is the removal order (spec ranking 4).
func (w *twin) groups(g *twinGraph) [][]int {
	costs := map[int]int{}
	first, last := 255, 0
	for _, n := range g.nodes[2:] {
		t := &w.terms[n.term]
		first, last = min(first, int(t.FirstID)), max(last, int(t.LastID))
	}
	switch w.o.strategy {
	case query.All:
		return nil
	case query.Last:
		if first >= last {
			return nil
		}
		for id := 0; id <= last; id++ {
			costs[id] = 1 + last - id
		}
	case query.Frequency:
		type freq struct {
			id int
			n  uint64
		}
		for _, n := range g.nodes[2:] {
			w.ask(n)
		}
		var list []freq
		for id := 0; id <= last; id++ {
			n, covered := uint64(0), false
			for _, d := range w.docs {
				for _, node := range g.nodes[2:] {
					if t := &w.terms[node.term]; int(t.FirstID) <= id && id <= int(t.LastID) {
						covered = true
						if w.matches(d, node) {
							n++
							break
						}
					}
				}
			}
			if n == 0 {
				n = ^uint64(0)
			}
			if covered {
				list = append(list, freq{id, n})
			}
		}
		slices.SortStableFunc(list, func(a, b freq) int {
			if a.n > b.n {
				return -1
			} else if a.n < b.n {
				return 1
			}
			return 0
		})
		rank := 1
		for i, f := range list {
			if i > 0 && list[i-1].n != f.n {
				rank++
			}
			costs[f.id] = rank
		}
	}
	by := map[int][]int{}
	mandatory := false
	for i := 2; i < len(g.nodes); i++ {
		n := g.nodes[i]
		t := &w.terms[n.term]
		if t.Phrase != nil && n.sub&(query.Zero|query.ExactForm) != 0 || n.sub&query.Mandatory != 0 {
			mandatory = true
			continue
		}
		c := 0
		for id := t.FirstID; id <= t.LastID; id++ {
			c = max(c, costs[int(id)])
		}
		by[c] = append(by[c], i)
	}
	var order []int
	for c := range by {
		order = append(order, c)
	}
	sort.Ints(order)
	if !mandatory && len(order) > 0 {
		order = order[:len(order)-1]
	}
	var out [][]int
	for _, c := range order {
		out = append(out, by[c])
	}
	return out
}

// --- universe

func (w *twin) universe(g *twinGraph) []*twinDoc {
	removed := map[int]bool{}
	for _, group := range w.groups(g) {
		for _, n := range group {
			removed[n] = true
		}
	}
	seen := map[int]bool{}
	var look func(n int)
	look = func(n int) { // at all nodes that are left
		if n > 1 && !removed[n] {
			w.ask(g.nodes[n])
		}
		for _, s := range g.succ[n] {
			if !seen[s] {
				seen[s] = true
				look(s)
			}
		}
	}
	look(0)
	var reach func(d *twinDoc, n int) bool
	reach = func(d *twinDoc, n int) bool {
		if n == 1 {
			return true
		}
		if n > 1 && !removed[n] && !w.matches(d, g.nodes[n]) {
			return false
		}
		for _, s := range g.succ[n] {
			if reach(d, s) {
				return true
			}
		}
		return false
	}
	var out []*twinDoc
	for _, d := range w.base() {
		if reach(d, 0) {
			out = append(out, d)
		}
	}
	return out
}

// base are the filtered documents without those of negative words.
func (w *twin) base() (out []*twinDoc) {
	k := w.c.lexis.Parse(w.q(), nil)
	for _, d := range w.docs {
		keep := !w.o.filtered || w.o.filter.Contains(d.ord)
		for _, word := range k.NegativeWords {
			keep = keep && !w.has(d, word, false)
		}
		for _, p := range k.NegativePhrases {
			keep = keep && !w.phrase(d, p)
		}
		if keep {
			out = append(out, d)
		}
	}
	return out
}

// detailOf makes the detail of a ranked bucket.
func detailOf(kind query.RuleKind, cost, limit int) driver.Detail {
	return driver.Detail{Rule: query.Rule{Kind: kind}, Rank: driver.Rank{Rank: uint32(limit - cost), Max: uint32(limit)}}
}

// sortValue is the value a document is sorted by.
func (d *twinDoc) sortValue(field string, desc bool) wire.SortValue {
	if nums := d.nums[field]; len(nums) > 0 {
		if desc {
			return wire.SortValue{Number: slices.Max(nums)}
		}
		return wire.SortValue{Number: slices.Min(nums)}
	}
	if strs := d.strs[field]; len(strs) > 0 {
		if desc {
			return wire.SortValue{Kind: wire.SortString, Text: slices.Max(strs)}
		}
		return wire.SortValue{Kind: wire.SortString, Text: slices.Min(strs)}
	}
	return wire.SortValue{Kind: wire.SortNone}
}
