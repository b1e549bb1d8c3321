package rank

import (
	"context"
	"math/bits"
	"slices"

	"shoal/query"
	"shoal/shard/docset"
	"shoal/shard/record"
	"shoal/wire"
)

// top finds the best documents of a set by several rules at once. The graph is a
// chain, so each rule's cost is a function of the document: a document has a key,
// the costs in rule order, and the best are those of the least key, then ordinal.
//
// Costs that columns or posting sets tell are filled in for all documents first;
// what is missing counts as 0, which gives each document the least key it can
// have. Documents are then read in the order of these keys, until the worst of
// the best is not above the next one's least key (cell search, engine notes 2.3).
type top struct {
	s     *Session
	g     *query.Graph
	rules []query.Rule
	chain []uint16
	refs  []query.Ref
	terms []*query.Term

	ords []uint32
	keys []uint64
	gone []bool // documents that no path admits; nil while there are none
	// shift places the cost of a rule in the key, width is its size in bits.
	shift, width []uint

	// lazy are the rules whose costs records tell.
	lazy []int
	// sorted are the columns of the Sort rules, by rule.
	sorted []*sortColumn
	// words and positions are those of the exact attribute; maybe marks documents
	// it may favour.
	words     []exactWord
	positions int
	maybe     []bool
	doc       document
	extract   extractor
}

func (s *Session) top(ctx context.Context, step *wire.TopStep) (*wire.TopReply, error) {
	set, err := s.selection(step.Level, step.Lo, step.Hi)
	if err != nil {
		return nil, err
	}
	if step.Graph == nil || !s.validGraph(step.Graph) {
		return nil, ErrOrder
	}
	chain, ok := step.Graph.Chain()
	if !ok {
		return nil, ErrOrder
	}
	t := &top{s: s, g: step.Graph, rules: step.Rules, chain: chain}
	for _, n := range chain {
		ref := query.Ref{Term: t.g.Nodes[n].Term, Sub: t.g.Nodes[n].Sub}
		t.refs, t.terms = append(t.refs, ref), append(t.terms, &s.terms[ref.Term])
	}
	if !t.layout() {
		return nil, ErrOrder
	}
	if ok, err := t.members(set); err != nil || !ok {
		return &wire.TopReply{Declined: true}, err
	}
	if ok, err := t.sorts(set.Len()); err != nil || !ok {
		return &wire.TopReply{Declined: true}, err
	}
	t.ords = set.AppendTo(make([]uint32, 0, set.Len()))
	t.keys = make([]uint64, len(t.ords))
	if err := t.known(set); err != nil {
		return nil, err
	}
	best, err := t.search(ctx, step.Want)
	if err != nil {
		return nil, err
	}
	return t.reply(best)
}

// members tells whether all documents of a set are documents of every node. That
// goes without saying, except where rules before looked at words that do not count
// otherwise: in fields that are not searched, or exact ones. Rules one by one then
// lose documents that satisfy no path.
func (t *top) members(set docset.Set) (bool, error) {
	if !t.s.restricted && !t.s.schema.anyExact {
		return true, nil
	}
	for _, ref := range t.refs {
		leaf, err := t.s.leaf(ref)
		if err != nil || leaf.AndLen(set) < set.Len() {
			return false, err
		}
	}
	return true, nil
}

// layout gives each rule its bits of the key.
func (t *top) layout() bool {
	n := len(t.rules)
	t.shift, t.width = make([]uint, n), make([]uint, n)
	sum := uint(0)
	for i := n - 1; i >= 0; i-- {
		kind := t.rules[i].Kind
		width := query.SortKeyBits
		switch {
		case kind == query.Sort:
		case !kind.Ranked() || kind == query.Words || kind == query.Typo:
			return false
		default:
			width = bits.Len32(t.s.costs.MaxRank(kind, t.g))
		}
		t.shift[i], t.width[i] = sum, uint(width)
		sum += t.width[i]
	}
	return sum <= 64
}

// known fills in the costs that need no record.
func (t *top) known(set docset.Set) error {
	nodes, err := t.places(set)
	if err != nil {
		return err
	}
	var features *table
	if nodes == nil && t.placed() {
		if features, err = t.s.features(set, t.g); err != nil {
			return err
		}
	}
	for i, rule := range t.rules {
		switch rule.Kind {
		case query.Proximity:
			switch {
			case features != nil && t.neighbours():
				t.fromFeatures(i, features, set)
			default:
				t.addToAll(i, t.leastNear())
				if t.neighbours() {
					t.lazy = append(t.lazy, i)
				}
			}
		case query.AttributeRank, query.WordPosition:
			switch {
			case features != nil:
				t.fromFeatures(i, features, set)
			case rule.Kind == query.WordPosition || t.s.schema.maxWeight > 0:
				for k := range nodes {
					t.fromPlaces(i, k, &nodes[k])
				}
			}
		case query.Sort:
			t.fromSort(i)
		case query.ExactAttribute:
			err = t.exactAttribute(i, set)
		case query.ExactWords:
			err = t.exactWords(i, set)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// placed tells whether some rule needs the places of words.
func (t *top) placed() bool {
	for _, r := range t.rules {
		switch r.Kind {
		case query.WordPosition:
			return true
		case query.AttributeRank:
			if t.s.schema.maxWeight > 0 || t.s.restricted {
				return true
			}
		case query.Proximity:
			if t.neighbours() {
				return true
			}
		}
	}
	return false
}

// neighbours tells whether some proximity counts.
func (t *top) neighbours() bool {
	for k := 1; k < len(t.terms); k++ {
		if query.Adjacent(t.terms[k-1], t.terms[k]) {
			return true
		}
	}
	return false
}

// leastNear is the cost of the rule proximity when every pair is as near as can
// be.
func (t *top) leastNear() uint32 {
	sum := uint32(0)
	for _, term := range t.terms {
		sum += uint32(term.Size() - 1)
	}
	return sum
}

func (t *top) add(rule, doc int, cost uint32) { t.keys[doc] += uint64(cost) << t.shift[rule] }

func (t *top) addToAll(rule int, cost uint32) {
	if cost == 0 {
		return
	}
	for i := range t.keys {
		t.add(rule, i, cost)
	}
}

func (t *top) drop(doc int) {
	if t.gone == nil {
		t.gone = make([]bool, len(t.ords))
	}
	t.gone[doc] = true
}

// fromFeatures adds the costs of a rule from the features of the documents.
func (t *top) fromFeatures(rule int, features *table, set docset.Set) {
	rows := features.rows(set)
	it := rowIterator{t: features, kind: t.rules[rule].Kind, g: t.g}
	it.link()
	for i, row := range rows {
		if c := it.chainCost(row); c == absent {
			t.drop(i)
		} else {
			t.add(rule, i, c)
		}
	}
}

// eachOf calls f for the documents of a set with their index.
func (t *top) eachOf(set docset.Set, f func(i int)) {
	at := 0
	set.Each(func(ord uint32) bool {
		for at < len(t.ords) && t.ords[at] < ord {
			at++
		}
		if at < len(t.ords) && t.ords[at] == ord {
			f(at)
		}
		return at < len(t.ords)
	})
}

// exactWords adds the sizes of the terms that a document does not have in their
// exact form.
func (t *top) exactWords(rule int, set docset.Set) error {
	all := uint32(0)
	for _, term := range t.terms {
		all += uint32(term.Size())
	}
	t.addToAll(rule, all)
	for k, ref := range t.refs {
		exact, err := t.s.exact(ref)
		if err != nil {
			return err
		}
		saved := uint64(t.terms[k].Size()) << t.shift[rule]
		t.eachOf(exact.And(set), func(i int) { t.keys[i] -= saved })
	}
	return nil
}

// settle reads what is missing of a document's key.
func (t *top) settle(i int) (key uint64, ok bool, err error) {
	key = t.keys[i]
	if len(t.lazy) == 0 {
		return key, t.gone == nil || !t.gone[i], nil
	}
	needed := false
	for _, rule := range t.lazy {
		needed = needed || t.rules[rule].Kind == query.Proximity || t.maybe[i]
	}
	if !needed {
		return key, true, nil
	}
	tokens, ok, err := t.s.tokens().Read(t.ords[i])
	if err != nil || !ok {
		return 0, false, err
	}
	for _, rule := range t.lazy {
		if t.rules[rule].Kind == query.Proximity {
			cost, err := t.nearCost(t.ords[i], tokens)
			if err != nil {
				return 0, false, err
			}
			key += uint64(cost) << t.shift[rule]
		} else if t.maybe[i] {
			t.doc.session, t.doc.tokens = t.s, tokens
			mask := uint64(1)<<t.width[rule] - 1
			key = key&^(mask<<t.shift[rule]) | uint64(t.doc.exactness(t.words, t.positions))<<t.shift[rule]
		}
	}
	return key, true, nil
}

// nearCost is the cost of proximity beyond leastNear.
func (t *top) nearCost(ord uint32, tokens record.Tokens) (uint32, error) {
	x := &t.extract
	if x.nodes == nil {
		x.t = &table{s: t.s}
		x.doc.session = t.s
		x.nodes = make([]nodePlaces, len(t.refs))
		for k, ref := range t.refs {
			if err := x.prepare(&x.nodes[k], ref); err != nil {
				return 0, err
			}
		}
	}
	x.doc.tokens = tokens
	sum := uint32(0)
	for k := range x.nodes {
		if k > 0 && query.Adjacent(t.terms[k-1], t.terms[k]) || k+1 < len(x.nodes) && query.Adjacent(t.terms[k], t.terms[k+1]) {
			x.collect(&x.nodes[k], ord)
		}
	}
	for k := 1; k < len(x.nodes); k++ {
		if !query.Adjacent(t.terms[k-1], t.terms[k]) {
			continue
		}
		if t.s.schema.byAttribute {
			sum += uint32(x.attributeNear(&x.nodes[k-1], &x.nodes[k]))
		} else {
			sum += uint32(near(&x.nodes[k-1], &x.nodes[k]))
		}
	}
	return sum, nil
}

// ranked is a document with its key.
type ranked struct {
	key uint64
	doc int32
}

func (a ranked) before(b ranked) bool { return a.key < b.key || a.key == b.key && a.doc < b.doc }

// search returns the best documents, best first.
func (t *top) search(ctx context.Context, want int) ([]ranked, error) {
	want = min(want, len(t.ords))
	if want <= 0 {
		return nil, nil
	}
	best := bestOf{max: want}
	if len(t.lazy) == 0 {
		for i, key := range t.keys {
			if t.gone == nil || !t.gone[i] {
				best.offer(ranked{key, int32(i)})
			}
		}
		return best.sorted(), nil
	}
	queue := t.queue()
	for n := 0; len(queue) > 0; n++ {
		next := queue[0]
		if best.full() && !next.before(best.list[0]) {
			break
		}
		if n&1023 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		queue = popLeast(queue)
		key, ok, err := t.settle(int(next.doc))
		if err != nil {
			return nil, err
		}
		if ok {
			best.offer(ranked{key, next.doc})
		}
	}
	return best.sorted(), nil
}

// queue is a heap of the documents by their least key.
func (t *top) queue() []ranked {
	q := make([]ranked, 0, len(t.ords))
	for i, key := range t.keys {
		if t.gone == nil || !t.gone[i] {
			q = append(q, ranked{key, int32(i)})
		}
	}
	for i := len(q)/2 - 1; i >= 0; i-- {
		siftLeast(q, i)
	}
	return q
}

func popLeast(q []ranked) []ranked {
	n := len(q) - 1
	q[0] = q[n]
	q = q[:n]
	siftLeast(q, 0)
	return q
}

func siftLeast(q []ranked, i int) {
	for {
		c := 2*i + 1
		if c >= len(q) {
			return
		}
		if c+1 < len(q) && q[c+1].before(q[c]) {
			c++
		}
		if !q[c].before(q[i]) {
			return
		}
		q[i], q[c] = q[c], q[i]
		i = c
	}
}

// bestOf keeps the best max documents; list is a heap with the worst on top.
type bestOf struct {
	max  int
	list []ranked
}

func (b *bestOf) full() bool { return len(b.list) == b.max }

func (b *bestOf) offer(r ranked) {
	if !b.full() {
		b.list = append(b.list, r)
		for i := len(b.list) - 1; i > 0; {
			up := (i - 1) / 2
			if !b.list[up].before(b.list[i]) {
				break
			}
			b.list[up], b.list[i] = b.list[i], b.list[up]
			i = up
		}
		return
	}
	if !r.before(b.list[0]) {
		return
	}
	b.list[0] = r
	for i := 0; ; {
		c := 2*i + 1
		if c >= len(b.list) {
			return
		}
		if c+1 < len(b.list) && b.list[c].before(b.list[c+1]) {
			c++
		}
		if !b.list[i].before(b.list[c]) {
			return
		}
		b.list[i], b.list[c] = b.list[c], b.list[i]
		i = c
	}
}

func (b *bestOf) sorted() []ranked {
	slices.SortFunc(b.list, func(x, y ranked) int {
		if x.before(y) {
			return -1
		}
		return 1
	})
	return b.list
}

// reply takes the costs out of the keys.
func (t *top) reply(best []ranked) (*wire.TopReply, error) {
	r := &wire.TopReply{Ordinals: make([]uint32, 0, len(best)), Costs: make([]uint32, 0, len(best)*len(t.rules))}
	for _, b := range best {
		ord := t.ords[b.doc]
		r.Ordinals = append(r.Ordinals, ord)
		for i, rule := range t.rules {
			if rule.Kind != query.Sort {
				r.Costs = append(r.Costs, uint32(b.key>>t.shift[i]&(1<<t.width[i]-1)))
				continue
			}
			v, err := t.s.sortValue(ord, rule)
			if err != nil {
				return nil, err
			}
			r.Costs, r.Values = append(r.Costs, 0), append(r.Values, v)
		}
	}
	return r, nil
}
