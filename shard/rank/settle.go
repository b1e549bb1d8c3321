package rank

import (
	"slices"

	"shoal/query"
	"shoal/query/rule"
	"shoal/shard/docset"
	"shoal/shard/record"
)

// settler finds the key of a document by its words in order or its record.
type settler struct {
	ready   bool
	extract extractor
	// exactSets are the documents with the exact form of each node, for the rule
	// exact words.
	exactSets []docset.Set
	// exactNodes are the nodes of the words of the rule exact attribute, -1 for those
	// of phrases.
	exactNodes []int
	// matches are the words of the nodes in each block's columns, matched those in the
	// last one.
	matches map[*BlockColumns]*blockMatch
	matched *blockMatch
	// read tells that the record of the document being settled was read.
	read bool
	// near counts the settled documents that the first rule costs the least, if that is
	// proximity: least is what words cost that stand as near as can be.
	near  int
	least uint32
}

// settleAll offers the documents of a set one by one. ordered tells that the order
// of their words may be followed.
func (t *top) settleAll(set docset.Set, ordered bool) error {
	n := 0
	set.Each(func(ord uint32) bool {
		if n++; n&255 == 0 && t.ctx.Err() != nil {
			t.err = t.ctx.Err()
			return false
		}
		t.settle(ord, ordered)
		return t.err == nil
	})
	return t.err
}

// prepare readies the settler.
func (t *top) prepare() error {
	t.ready, t.least = true, t.leastNear()
	x := &t.extract
	x.t = &table{s: t.s}
	x.doc.scope = t.s
	x.nodes = make([]nodePlaces, len(t.refs))
	t.exactSets, t.matches = make([]docset.Set, len(t.refs)), make(map[*BlockColumns]*blockMatch)
	for _, w := range t.exact.words {
		t.exactNodes = append(t.exactNodes, slices.IndexFunc(t.refs, func(ref query.Ref) bool {
			term := &t.s.terms[ref.Term]
			return !term.IsPhrase() && term.Text == w.word && bucketed(term.First) == w.position && term.HasExact(ref.Sub)
		}))
	}
	for k, ref := range t.refs {
		if err := x.prepare(&x.nodes[k], ref); err != nil {
			return err
		}
		for _, r := range t.rules {
			if r.Kind == rule.ExactWords {
				exact, err := t.s.exact(ref)
				if err != nil {
					return err
				}
				t.exactSets[k] = exact
			}
		}
	}
	return nil
}

// settle offers a document with its key. ordered tells that the order of its words
// may be followed (divisible): it then tells what the record would.
func (t *top) settle(ord uint32, ordered bool) {
	if !t.ready {
		if t.err = t.prepare(); t.err != nil {
			return
		}
	}
	t.read = false
	if !ordered || !t.placed || !t.follow(ord) {
		if t.err != nil || !t.open(ord) {
			return
		}
		if x := &t.extract; t.placed {
			for k := range x.nodes {
				x.collect(&x.nodes[k], ord)
			}
		}
	}
	key := uint64(0)
	for i, rule := range t.rules {
		cost, ok := t.costOf(i, rule, ord)
		if !ok {
			return
		}
		if i == 0 && cost == t.least {
			t.near++
		}
		key += uint64(cost) << t.shift[i]
		if r := (ranked{key, 0}); t.best.full() && !r.before(t.best.list[0]) {
			return // the rules that follow do not make it better
		}
	}
	t.best.offer(ranked{key, ord})
}

// open reads the record of a document; false when there is none.
func (t *top) open(ord uint32) bool {
	if t.read {
		return true
	}
	t.extract.doc.tokens, t.read, t.err = t.s.tokens().Read(ord)
	return t.read && t.err == nil
}

// misplaced tells that some word of the rule exact attribute does not stand at its
// place, as the places of its node tell.
func (t *top) misplaced() bool {
	if !t.placed {
		return false // they were not looked up
	}
	for i, k := range t.exactNodes {
		if k < 0 {
			continue
		}
		at := t.exact.words[i].position
		if !slices.ContainsFunc(t.extract.nodes[k].words, func(o record.Occurrence) bool { return bucketed(o.Position) == at }) {
			return true
		}
	}
	return false
}

// costOf is what one rule costs a document; ok is false when no path admits it.
func (t *top) costOf(i int, r rule.Rule, ord uint32) (cost uint32, ok bool) {
	x := &t.extract
	switch r.Kind {
	case rule.Proximity:
		cost = t.least
		for k := 1; k < len(x.nodes); k++ {
			if rule.Adjacent(t.terms[k-1], t.terms[k]) {
				cost += uint32(x.near(&x.nodes[k-1], &x.nodes[k]))
			}
		}
	case rule.AttributeRank:
		if !t.weighs() && !t.s.restricted {
			return 0, true
		}
		for k := range x.nodes {
			weight, _ := x.best(&x.nodes[k])
			if weight == absent {
				return 0, false
			}
			cost += weight
		}
	case rule.WordPosition:
		for k := range x.nodes {
			_, distance := x.best(&x.nodes[k])
			if distance == absent {
				return 0, false
			}
			cost += positionCost(distance, uint32(t.terms[k].Size()))
		}
	case rule.Sort:
		if c := t.sorted[i]; c != nil {
			cost = c.ranks[ord]
		}
	case rule.ExactAttribute:
		cost = 2
		if len(t.exact.words) > 0 && !t.misplaced() {
			if !t.open(ord) {
				return 0, false
			}
			cost = uint32(x.doc.exactness(t.exact.words, t.exact.positions))
		}
	case rule.ExactWords:
		for k := range t.refs {
			if !t.exactSets[k].Contains(ord) {
				cost += uint32(t.terms[k].Size())
			}
		}
	}
	return cost, true
}
