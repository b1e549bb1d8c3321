package byattribute

import (
	"context"

	"shoal/query"
	"shoal/query/rule"
	"shoal/shard/docset"
	"shoal/shard/rank/scope"
	"shoal/shard/record"
	"shoal/wire"
)

// Rule is one level of the rule proximity with proximityPrecision byAttribute. The
// driver explores the paths, because the choice and order of conditions depend on the
// documents of all shards.
type Rule struct {
	s     *scope.Scope
	f     *Pairs
	level *scope.Level // nil without documents
	// left are the documents of the level without those of its buckets, bucket those of
	// the bucket under construction, path those of each prefix of the path.
	left   docset.Set
	bucket docset.Set
	path   []docset.Set
	known  map[wire.SharedFieldCondition]*condition
	pairs  map[[2]query.Ref]sharings
}

// condition is the ranked documents of one condition. beyond means that there are
// others.
type condition struct {
	docs   docset.Set
	beyond bool
}

// sharings are the pairs of two nodes in documents. list has an element for each
// document of the set with a pair.
type sharings struct {
	of   docset.Set
	list []sharing
}

type sharing struct {
	ord   uint32
	pairs []shared
}

// Next is for rules that shards run on their own.
func (*Rule) Next(context.Context, int) (scope.Bucket, bool, error) {
	return scope.Bucket{}, false, scope.ErrOrder
}

// Step executes one step of the rule.
func (a *Rule) Step(ctx context.Context, step *wire.SharedFieldStep) (*wire.SharedFieldReply, error) {
	r := &wire.SharedFieldReply{}
	if step.Bucket {
		a.begin()
	}
	if v := step.Visit; v != nil {
		if err := a.visit(ctx, v, r); err != nil {
			return nil, err
		}
	}
	if step.Take {
		if err := a.take(); err != nil {
			return nil, err
		}
	}
	if step.Close {
		a.close(step.Want, r)
	}
	r.Left = uint64(a.left.Len())
	return r, nil
}

// New starts the rule over the documents of a level, or without documents if l is nil.
// f are the pairs of the whole search.
func New(s *scope.Scope, f *Pairs, l *scope.Level) *Rule {
	return &Rule{s: s, f: f, level: l, known: make(map[wire.SharedFieldCondition]*condition), pairs: make(map[[2]query.Ref]sharings)}
}

// begin starts a bucket.
func (a *Rule) begin() {
	a.bucket, a.path = docset.Set{}, a.path[:0]
	if a.level != nil {
		a.left = a.level.Base.AndNot(a.level.Given(0, len(a.level.Items)))
	}
}

// take moves the documents of the path to the bucket.
func (a *Rule) take() error {
	n := len(a.path) - 1
	if n < 0 {
		if a.level == nil {
			return nil
		}
		return scope.ErrOrder
	}
	docs := a.path[n]
	a.path = a.path[:n]
	a.bucket, a.left = a.bucket.Or(docs), a.left.AndNot(docs)
	for i := range a.path {
		a.path[i] = a.path[i].AndNot(docs)
	}
	return nil
}

// close makes the bucket an item of the level.
func (a *Rule) close(want int, r *wire.SharedFieldReply) {
	if a.level == nil {
		return
	}
	a.level.Items = append(a.level.Items, a.bucket)
	r.Count = uint32(a.bucket.Len())
	if want > 0 {
		r.Ordinals = a.s.Index.Order().FirstOrdinals(a.bucket, want)
	}
}

// visit intersects the path with the next condition.
func (a *Rule) visit(ctx context.Context, v *wire.SharedFieldVisit, r *wire.SharedFieldReply) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if !a.validCondition(&v.Condition) || v.Depth < 0 || a.level != nil && v.Depth > len(a.path) {
		return scope.ErrOrder
	}
	if v.Probe {
		present, err := a.present(&v.Condition)
		r.Present = present
		return err
	}
	c, err := a.condition(v)
	if err != nil || a.level == nil {
		r.Some = c != nil && c.beyond
		return err
	}
	if v.Narrowed {
		c.docs, c.beyond = c.docs.And(a.left), false
	}
	docs := c.docs
	a.path = a.path[:v.Depth]
	if v.Depth > 0 {
		docs = docs.And(a.path[v.Depth-1])
	}
	for i := range max(0, v.Depth-1) {
		if !c.docs.Intersects(a.path[i]) {
			r.Apart |= 1 << i
		}
	}
	a.path = append(a.path, docs)
	r.Some, r.Path = c.beyond || !c.docs.Empty(), !docs.Empty()
	return nil
}

// validCondition reports whether a condition fits the pinned terms.
func (a *Rule) validCondition(c *wire.SharedFieldCondition) bool {
	terms := len(a.s.Terms)
	return int(c.Right.Term) < terms && (c.Index == wire.NearWhole || c.Index >= 0 && c.Index < rule.FarProximity && int(c.Left.Term) < terms)
}

// condition finds the documents of a condition and caches them for the level.
func (a *Rule) condition(v *wire.SharedFieldVisit) (*condition, error) {
	if c, ok := a.known[v.Condition]; ok {
		return c, nil
	}
	c := &condition{}
	if v.Condition.Index == wire.NearWhole {
		leaf, err := a.s.Leaf(v.Condition.Right)
		if err != nil {
			return nil, err
		}
		c.docs = leaf.And(a.left)
	} else if err := a.meet(v, c); err != nil {
		return nil, err
	}
	a.known[v.Condition] = c
	return c, nil
}

// meet finds the documents in which two nodes are near each other.
func (a *Rule) meet(v *wire.SharedFieldVisit, c *condition) error {
	f := a.f
	left, right, err := f.ends(&v.Condition)
	if err != nil {
		return err
	}
	present := v.Present
	switch {
	case present == nil:
		if present, err = a.present(&v.Condition); err != nil {
			return err
		}
	case 64*len(present) < derivations(left, right):
		return scope.ErrOrder
	}
	m := &pairCondition{f: f, left: left, right: right, index: int(v.Condition.Index), present: present, touched: v.Touched}
	if err := m.note(a.left); err != nil {
		return err
	}
	matched, read, err := a.quick(m)
	if err != nil {
		return err
	}
	list, err := a.sharing(&v.Condition, m, read)
	if err != nil {
		return err
	}
	var docs docset.Builder
	for i := range list {
		if read.Contains(list[i].ord) && m.any(list[i].ord, list[i].pairs) {
			docs.Add(list[i].ord)
		}
	}
	if c.docs, err = a.matching(v.Condition.Right, matched.Or(docs.Set())); err == nil && c.docs.Empty() {
		c.beyond, err = a.beyond(m, v.Condition.Right)
	}
	return err
}

// matching returns the documents of a set that match a node. Others may have a word of
// the node where it does not count: a typo in an attribute without typos. A restricted
// search takes all, as the reference does.
func (a *Rule) matching(ref query.Ref, docs docset.Set) (docset.Set, error) {
	if docs.Empty() || a.s.Restricted || !a.s.Schema.AnyExact {
		return docs, nil
	}
	return a.s.LeafWithin(ref, docs)
}

// ends returns the two nodes of a condition.
func (f *Pairs) ends(c *wire.SharedFieldCondition) (left, right *side, err error) {
	if left, err = f.side(c.Left); err == nil {
		right, err = f.side(c.Right)
	}
	return left, right, err
}

// sharing reads the pairs of two nodes in the given documents, once per level. The
// result may include other documents.
func (a *Rule) sharing(c *wire.SharedFieldCondition, m *pairCondition, docs docset.Set) ([]sharing, error) {
	key := [2]query.Ref{c.Left, c.Right}
	known, ok := a.pairs[key]
	if fresh := docs.AndNot(known.of); !ok || !fresh.Empty() {
		d := scope.Document{Scope: a.s}
		err := a.s.EachRecord(fresh, func(ord uint32, t record.Tokens) bool {
			d.Tokens = t
			if pairs := sharedPairs(&d, m.left, m.right, ord); pairs != nil {
				known.list = append(known.list, sharing{ord, pairs})
			}
			return true
		})
		if err != nil {
			return nil, err
		}
		known.of = known.of.Or(fresh)
		a.pairs[key] = known
	}
	return known.list, nil
}

// beyond reports whether a condition has documents that are not ranked: a pair that was
// queried before matches the documents ranked at that time.
func (a *Rule) beyond(m *pairCondition, right query.Ref) (found bool, err error) {
	var sets []docset.Set
	touched := m.touched
	for _, list := range [2][]firstSeen{m.f.plain, m.f.prefixed} {
		for i := range list {
			sets = append(sets, list[i].within)
			touched |= list[i].touched
		}
	}
	if m.f.anywhere(m.left, m.right, touched) {
		sets = append(sets, a.s.Index.Live())
	}
	d := scope.Document{Scope: a.s}
	docs, err := a.matching(right, docset.Union(sets...).AndNot(a.left).And(m.left.docs).And(m.right.docs))
	if err != nil {
		return false, err
	}
	err = a.s.EachRecord(docs, func(ord uint32, t record.Tokens) bool {
		d.Tokens = t
		found = m.any(ord, sharedPairs(&d, m.left, m.right, ord))
		return !found
	})
	return found, err
}
