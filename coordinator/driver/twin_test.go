package driver_test

import (
	"slices"
	"strings"

	"shoal/query"
	"shoal/query/filter"
	"shoal/shard/record"
)

// twin answers searches in the simplest way: one list of documents, every path enumerated,
// every condition tested document by document, straight from spec ranking 3 to 6. It shares
// only the parser and the schema of fields with the engine.
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
	// touched are the terms whose typos were looked up, in that order.
	touched []int
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
		for row, tokens := range f.Records() {
			d := &twinDoc{ord: f.Order().Ordinal(row), words: map[string][]record.Occurrence{}, counts: map[uint16]int{}, nums: map[string][]float64{}, strs: map[string][]string{}}
			tokens.Each(func(word []byte, e record.Entry) bool {
				d.words[string(word)] = e.AppendTo(nil)
				tolerant[string(word)] = tolerant[string(word)] || e.Tolerant()
				exact[string(word)] = exact[string(word)] || e.Exact()
				return true
			})
			tokens.Fields(func(n record.FieldTokens) bool { d.counts[n.Field] = int(n.Tokens); return true })
			if v, ok, _ := f.Values(row); ok {
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
		if filter.Below(w.c.fields[fid], a) {
			return true
		}
	}
	return false
}

func (w *twin) searched(fid uint16) bool {
	_, ok := query.NewWeights(w.c.settings).Of(w.c.fields[fid])
	return ok && (w.on == nil || w.on[fid])
}

// has tells whether a document matches a word; derived words match tolerant
// occurrences only.
func (w *twin) has(d *twinDoc, word string, derived bool) bool {
	for _, o := range d.words[word] {
		if w.searched(o.Field) && !(derived && !query.IsInfixForm(word) && w.exactField(o.Field)) {
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

// distance is that of spec ranking 3.3; for prefixes it includes the rule about where the
// automaton stops.
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
		if query.IsInfixForm(word) {
			continue
		}
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
				if at > 0 && w.stored(d, t.Text[:at], t.Text[at:]) == 1 {
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
		w.infix(t)
	}
}

// infix looks for a term inside the words of infix attributes, if it stands for nothing else.
func (w *twin) infix(t *query.Term) {
	byAttribute := w.c.settings.ProximityPrecision == "byAttribute" && len(t.Split) > 0 && len(t.Split[0]) == 1
	if !w.c.settings.ByInfix() || len(t.Split) > 0 && !byAttribute || !t.WantsInfix() {
		return
	}
	var forms []string
	for _, word := range w.dict {
		if query.IsInfixForm(word) && strings.Contains(query.OfInfixForm(word), t.Text) && len(forms) < query.MaxInfix {
			forms = append(forms, word)
		}
	}
	if len(forms) > 0 {
		t.SetInfix(forms)
	}
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
