package topk

import (
	"context"
	"errors"
	"slices"
	"time"

	"shoal/query"
	"shoal/query/rule"
	"shoal/shard/docset"
	"shoal/shard/facet"
	"shoal/shard/rank/columns"
	"shoal/shard/rank/scope"
	"shoal/shard/rows"
	"shoal/wire"
)

// top finds the best documents of a set by several rules at once. The graph is a chain,
// so each rule's cost is a function of the document. The key of a document consists of
// its costs in rule order. The best documents have the least key, then ordinal.
//
// Where columns suffice, the set is divided rule by rule into cells of equal cost, and
// only documents that can be among the best are examined (cells.go), unless these would
// be most of the set (sample.go). Other documents get their key from their word order
// or their records (score.go).
type top struct {
	ctx   context.Context
	s     *scope.Scope
	g     *query.Graph
	rules []rule.Rule
	kinds []*kind // of the rules
	// order is nil if the order of rows is that of ordinals.
	order *rows.Order
	refs  []query.Ref
	terms []*query.Term
	keys  []nodeKeys // of the nodes
	// nearest is the least cost of the rule proximity.
	nearest uint32
	// shift is the position of a rule's cost in the key, width its size in bits.
	shift, width []uint

	best bestOf
	// firsts replaces best if documents with equal values count as one; otherwise nil.
	firsts *firsts
	err    error
	// leastKey is the key of a document with the least cost by every rule.
	leastKey uint64
	// limit is the greatest key of a document that is wanted.
	limit uint64
	// until is when the time of the step is up, zero without limit.
	until time.Time
	// lazy: some rule's cost is known only after examining a document. spreads are the
	// columns of the nodes, costs the costs of each rule derived from them.
	lazy    bool
	spreads []*columns.Spread
	costs   [][][]costSet
	// columns are fixed for the whole step, because newer ones may appear meanwhile.
	// placed means that some rule needs the positions of words.
	columns *columns.Columns
	placed  bool
	// others means that some searched field shares the bit OtherFields.
	others bool
	// sorted are the columns of the Sort rules, by rule.
	sorted []*scope.SortColumn
	exact  exactCells
	ahead  *columns.Ahead
	scorer
}

// nodeKeys are the single words of a node. plain means that the first is its word or
// prefix range. Those from alone on are phrases of one word, the others are typos.
type nodeKeys struct {
	list    []columns.Key
	plain   bool
	alone   int
	phrases []phrase
}

// Best finds the best documents of a set. It declines if ranking rule by rule is faster
// or more exact. lists are the values of the distinct field, nil for a step without one.
func Best(ctx context.Context, s *scope.Scope, step *wire.TopStep, set docset.Set, lists *facet.Lists) (reply *wire.TopReply, err error) {
	err = s.Reading(func(columns *columns.Columns) (err error) {
		reply, err = bestBy(ctx, s, step, set, lists, columns)
		return err
	})
	return reply, err
}

// bestBy is Best with the given columns.
func bestBy(ctx context.Context, s *scope.Scope, step *wire.TopStep, set docset.Set, lists *facet.Lists, columns *columns.Columns) (*wire.TopReply, error) {
	t, err := newTop(ctx, s, step, columns)
	if err != nil {
		return nil, err
	}
	if ok, err := t.members(set); err != nil || !ok {
		return &wire.TopReply{Declined: true}, err
	}
	for i, k := range t.kinds {
		if k.open == nil {
			continue
		}
		if ok, err := k.open(t, i, set.Len()); err != nil || !ok {
			return &wire.TopReply{Declined: true}, err
		}
	}
	t.best.max = min(step.Want, set.Len())
	if t.best.max <= 0 {
		return t.reply(nil)
	}
	if lists != nil {
		t.firsts = newFirsts(lists, step.Want, set.Len())
		t.best.max = t.firsts.max
	}
	err = t.search(set)
	if err != nil && !errors.Is(err, errCut) {
		return nil, err
	}
	reply, replyErr := t.reply(t.found())
	if err != nil && replyErr == nil {
		reply.Cut = true
	}
	if replyErr == nil && lists != nil {
		t.firsts.tell(reply)
	}
	return reply, replyErr
}

// errCut ends a step whose time is up.
var errCut = errors.New("topk: the time of the step is up")

// interrupted returns the reason to end the step early, or nil.
func (t *top) interrupted() error {
	if err := t.ctx.Err(); err != nil {
		return err
	}
	if !t.until.IsZero() && !time.Now().Before(t.until) {
		return errCut
	}
	return nil
}

// newTop prepares a step.
func newTop(ctx context.Context, s *scope.Scope, step *wire.TopStep, cols *columns.Columns) (*top, error) {
	if len(step.Rules) == 0 || step.Graph == nil || !s.ValidGraph(step.Graph) {
		return nil, scope.ErrOrder
	}
	chain, ok := step.Graph.Chain()
	if !ok {
		return nil, scope.ErrOrder
	}
	t := &top{ctx: ctx, s: s, g: step.Graph, rules: step.Rules, columns: cols, ahead: cols.Ahead()}
	if order := s.Index.Order(); !order.Ascending() {
		t.order = order
	}
	if step.Micros > 0 {
		t.until = time.Now().Add(time.Duration(step.Micros) * time.Microsecond)
	}
	for _, n := range chain {
		ref := query.Ref{Term: t.g.Nodes[n].Term, Sub: t.g.Nodes[n].Sub}
		t.refs, t.terms = append(t.refs, ref), append(t.terms, &s.Terms[ref.Term])
		t.keys = append(t.keys, keysOf(s, ref))
	}
	t.spreads, t.nearest = make([]*columns.Spread, len(t.refs)), nearestOf(t.terms)
	t.others = s.SearchedMask()&columns.FieldBit(columns.OtherFields) != 0
	t.sorted = make([]*scope.SortColumn, len(t.rules))
	if !t.layout() || !t.bound(step.Limit) {
		return nil, scope.ErrOrder
	}
	for _, r := range t.rules {
		k := &kinds[r.Kind] // layout checked the kind
		if !k.known() {
			return nil, scope.ErrOrder
		}
		t.kinds = append(t.kinds, k)
		t.placed, t.lazy = t.placed || k.isPlaced(t), t.lazy || k.isLooked(t)
	}
	return t, nil
}

// search finds the best documents group by group. If rows ascend with ordinals, a
// document must be strictly better than those found before. Columns rule out most
// documents of later groups at first sight. A group is skipped if the documents found
// cannot be beaten.
func (t *top) search(set docset.Set) error {
	t.exact.words, t.exact.positions = t.s.ExactWords(t.g)
	t.costs = make([][][]costSet, len(t.rules))
	for i := range t.rules {
		if err := t.nodeCosts(i); err != nil {
			return err
		}
	}
	t.leastKey = t.keyOfLeast()
	groups := slices.Collect(set.Groups(GroupDocs))
	ahead := 1
	for i, group := range groups {
		if !t.promising(cell{docs: group}, t.leastKey) {
			if t.order == nil {
				return nil
			}
			continue
		}
		if i >= ahead {
			ahead = t.readAhead(groups, i)
		}
		if err := t.searchGroup(group); err != nil {
			return err
		}
	}
	return nil
}

// GroupDocs is roughly the number of documents that are searched at once; blocks are
// not split. It changes no answer; tests lower it.
var GroupDocs = 3 << 14

// searchGroup offers the best documents of a group.
func (t *top) searchGroup(set docset.Set) error {
	known, told, err := t.divisible(set)
	if err != nil {
		return err
	}
	if err := t.searchKnown(known); err != nil {
		return err
	}
	// Documents that are examined one by one come last. By then, those found may be too
	// good to beat.
	rest := set.AndNot(known)
	if err := t.scoreAll(rest.And(told), true); err != nil {
		return err
	}
	return t.scoreAll(rest.AndNot(told), false)
}

// searchKnown offers the best of some divisible documents.
func (t *top) searchKnown(known docset.Set) error {
	if t.lazy {
		rest, scattered, err := t.sample(known)
		switch {
		case err != nil:
			return err
		case scattered:
			return t.scoreAll(rest, true)
		}
		known = rest
	}
	t.exact.begin(known)
	t.rank(0, cell{docs: known})
	return t.err
}

// divisible returns the documents of a set that columns can divide by every rule
// (known), and those whose word order may give the positions of all nodes' words
// (told). The latter may have words without columns. If no rule needs positions, all
// are known and none told; otherwise the known ones are told as well.
func (t *top) divisible(set docset.Set) (known, told docset.Set, err error) {
	clear(t.spreads)
	if !t.placed {
		return set, told, nil
	}
	if t.s.Schema.MaxWeight > columns.MaxWeight || set.Len() < columns.MinDocs {
		return known, told, nil
	}
	told = set.And(t.columns.Covered())
	known = told
	for k := range t.refs {
		if slices.ContainsFunc(t.keys[k].list, func(key columns.Key) bool { return query.IsInfixForm(key.Text) }) {
			return docset.Set{}, docset.Set{}, nil // columns do not have these forms
		}
	}
	for k := range t.refs {
		if told.Empty() {
			return known, told, nil
		}
		if t.terms[k].First >= columns.MaxFirst {
			known = docset.Set{}
		}
		sp, unknown, err := t.columns.Spread(t.s, t.keys[k].list, told, t.ahead)
		if err != nil {
			return known, told, err
		}
		phrases, err := t.phrased(&t.keys[k], told)
		if err != nil {
			return known, told, err
		}
		t.spreads[k] = sp
		known = known.AndNot(unknown).AndNot(phrases)
		if t.weighs() && t.others {
			known = known.AndNot(sp.InField(int(columns.OtherFields)))
		}
	}
	return known, told, nil
}

// members reports whether all documents of a set match every node. They always do,
// unless earlier rules considered words that do not count otherwise: in fields that are
// not searched, or exact ones. Ranking rule by rule then drops documents that satisfy
// no path.
func (t *top) members(set docset.Set) (bool, error) {
	if !t.s.Restricted && !t.s.Schema.AnyExact {
		return true, nil
	}
	for _, ref := range t.refs {
		leaf, err := t.s.Leaf(ref)
		if err != nil || leaf.AndLen(set) < set.Len() {
			return false, err
		}
	}
	return true, nil
}
