package topk

import (
	"slices"

	"shoal/query"
	"shoal/query/rule"
	"shoal/shard/docset"
	"shoal/shard/rank/columns"
	"shoal/shard/rank/scope"
	"shoal/shard/record"
)

// scorer finds the key of a document by its words in order or its record.
type scorer struct {
	ready   bool
	extract scope.Extractor
	// exactSets are the documents with the exact form of each node, for the rule
	// exact words.
	exactSets []docset.Set
	// exactNodes are the nodes of the words of the rule exact attribute, -1 for those
	// of phrases.
	exactNodes []int
	// matches are the words of the nodes in each block's columns, matched those in the
	// last one.
	matches map[*columns.BlockColumns]*blockMatch
	matched *blockMatch
	// read tells that the record of the present document was read.
	read bool
	// near counts the documents looked at that the first rule costs the least, if that is
	// proximity: least is what words cost that stand as near as can be.
	near  int
	least uint32
}

// scoreAll offers the documents of a set one by one. ordered tells that the order
// of their words may be followed.
func (t *top) scoreAll(set docset.Set, ordered bool) error {
	n := 0
	set.Each(func(ord uint32) bool {
		if n++; n&255 == 0 && t.ctx.Err() != nil {
			t.err = t.ctx.Err()
			return false
		}
		t.score(ord, ordered)
		return t.err == nil
	})
	return t.err
}

// prepare readies the scorer.
func (t *top) prepare() error {
	t.ready, t.least = true, t.leastNear()
	x := &t.extract
	x.Features = &scope.Features{Scope: t.s}
	x.Doc.Scope = t.s
	x.Nodes = make([]scope.NodePlaces, len(t.refs))
	t.exactSets, t.matches = make([]docset.Set, len(t.refs)), make(map[*columns.BlockColumns]*blockMatch)
	for _, w := range t.exact.words {
		t.exactNodes = append(t.exactNodes, slices.IndexFunc(t.refs, func(ref query.Ref) bool {
			term := &t.s.Terms[ref.Term]
			return !term.IsPhrase() && term.Text == w.Word && columns.Bucketed(term.First) == w.Position && term.HasExact(ref.Sub)
		}))
	}
	for k, ref := range t.refs {
		if err := x.Prepare(&x.Nodes[k], ref); err != nil {
			return err
		}
		for _, r := range t.rules {
			if r.Kind == rule.ExactWords {
				exact, err := t.s.Exact(ref)
				if err != nil {
					return err
				}
				t.exactSets[k] = exact
			}
		}
	}
	return nil
}

// score offers a document with its key. ordered tells that the order of its words
// may be followed (divisible): it then tells what the record would.
func (t *top) score(ord uint32, ordered bool) {
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
			for k := range x.Nodes {
				x.Collect(&x.Nodes[k], ord)
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
	t.extract.Doc.Tokens, t.read, t.err = t.s.Tokens().Read(ord)
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
		at := t.exact.words[i].Position
		if !slices.ContainsFunc(t.extract.Nodes[k].Words, func(o record.Occurrence) bool { return columns.Bucketed(o.Position) == at }) {
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
		for k := 1; k < len(x.Nodes); k++ {
			if rule.Adjacent(t.terms[k-1], t.terms[k]) {
				cost += uint32(x.Near(&x.Nodes[k-1], &x.Nodes[k]))
			}
		}
	case rule.AttributeRank:
		if !t.weighs() && !t.s.Restricted {
			return 0, true
		}
		for k := range x.Nodes {
			weight, _ := x.Best(&x.Nodes[k])
			if weight == columns.Absent {
				return 0, false
			}
			cost += weight
		}
	case rule.WordPosition:
		for k := range x.Nodes {
			_, distance := x.Best(&x.Nodes[k])
			if distance == columns.Absent {
				return 0, false
			}
			cost += columns.PositionCost(distance, uint32(t.terms[k].Size()))
		}
	case rule.Sort:
		if c := t.sorted[i]; c != nil {
			cost = c.Ranks[ord]
		}
	case rule.ExactAttribute:
		cost = 2
		if len(t.exact.words) > 0 && !t.misplaced() {
			if !t.open(ord) {
				return 0, false
			}
			cost = uint32(x.Doc.Exactness(t.exact.words, t.exact.positions))
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
