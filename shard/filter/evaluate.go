package filter

import (
	"context"
	"errors"
	"slices"

	"shoal/api/apierr"
	"shoal/api/settings"
	"shoal/query/filter"
	"shoal/shard/docset"
)

// Evaluator binds Evaluate to a state of a shard and to the error code of a
// route: the form in which searches and listings use it. No JSON, or null, is
// all documents.
func Evaluator(ix Index, code apierr.Code) func(ctx context.Context, json []byte) (docset.Set, error) {
	return func(ctx context.Context, json []byte) (docset.Set, error) {
		f, fault := filter.ParseFilter(json)
		if fault != nil {
			return docset.Set{}, fault.API(code)
		}
		return Evaluate(ctx, ix, f, code)
	}
}

// Evaluate returns the live documents that pass a filter; nil lets all pass.
// Errors of the client's making are *apierr.Error with the given code unless they
// have one of their own. Their place is that of the condition: which ones are
// reached depends on the documents, and the least place over all shards is what
// one shard with all documents finds. When ctx ends, its error is returned after at most
// pollEvery more documents or facet values.
func Evaluate(ctx context.Context, ix Index, f *filter.Filter, code apierr.Code) (docset.Set, error) {
	live := ix.Live()
	if f == nil || f.Root == nil {
		return live, nil
	}
	if fault := f.CheckFilterable(ix.Settings()); fault != nil {
		return docset.Set{}, fault.API(code)
	}
	e := evaluation{ctx: ctx, ix: ix, settings: ix.Settings(), filterable: filter.NewFilterable(ix.Settings()), live: live, code: code}
	set, err := e.node(f.Root, everything)
	if err != nil {
		return docset.Set{}, e.placed(err, f)
	}
	return set.And(live), nil
}

// placed says at which condition of a filter evaluation ended.
func (e *evaluation) placed(err error, f *filter.Filter) error {
	var client *apierr.Error
	if !errors.As(err, &client) {
		return err
	}
	return client.At(f.Number(e.at))
}

// evaluation is one filter on its way.
type evaluation struct {
	ctx        context.Context
	steps      int // of poll
	ix         Index
	settings   *settings.Settings
	filterable *filter.Filterable
	live       docset.Set
	code       apierr.Code
	at         *filter.Node // the condition that is evaluated
}

// scope is what is left when a condition is reached. A condition may return
// documents outside of it; whoever narrowed it intersects.
type scope struct {
	docs docset.Set
	all  bool
}

var everything = scope{all: true}

// few tells that reading one value record for each document left is cheaper than
// walking a table.
func (s scope) few() bool { return !s.all && s.docs.Len() <= recordLimit }

// recordLimit is the number of documents up to which conditions on ranges of
// values read value records. A variable so that tests can reach both ways.
var recordLimit = 1024

// pollEvery is how many documents or facet values are looked at between two looks at the
// context: a look takes as long as one or two of them.
const pollEvery = 256

// poll returns the error of the context once it has ended.
func (e *evaluation) poll() error {
	if e.steps++; e.steps%pollEvery != 0 {
		return nil
	}
	return e.ctx.Err()
}

func (e *evaluation) refuse(fault *filter.FilterError) error { return fault.API(e.code) }

func (e *evaluation) node(n *filter.Node, left scope) (docset.Set, error) {
	if err := e.ctx.Err(); err != nil {
		return docset.Set{}, err
	}
	if !left.all && left.docs.Empty() {
		return docset.Set{}, nil
	}
	switch n.Op {
	case filter.FilterAnd:
		return e.and(n.Kids, left)
	case filter.FilterOr:
		return e.or(n.Kids, left)
	case filter.FilterNot:
		set, err := e.node(n.Kids[0], left)
		if err != nil {
			return docset.Set{}, err
		}
		if left.all {
			return e.live.AndNot(set), nil
		}
		return left.docs.AndNot(set), nil
	}
	e.at = n
	switch n.Op {
	case filter.FilterForeign:
		return docset.Set{}, e.refuse((&filter.Filter{Root: n}).RefuseForeign())
	case filter.FilterVectors:
		return e.vectors(n)
	case filter.FilterGeoRadius, filter.FilterGeoBox, filter.FilterGeoPolygon:
		return e.geo(n, left)
	case filter.FilterObject:
		return e.object(n, left)
	}
	return e.condition(n, left)
}

// and narrows from condition to condition. Conditions that cannot fail are taken
// cheapest first; otherwise the order of writing decides which errors surface.
func (e *evaluation) and(kids []*filter.Node, left scope) (docset.Set, error) {
	if !slices.ContainsFunc(kids, e.mayFail) {
		kids = byCost(kids)
	}
	var set docset.Set
	for i, kid := range kids {
		got, err := e.node(kid, left)
		if err != nil {
			return docset.Set{}, err
		}
		if i > 0 || !left.all {
			got = got.And(left.docs)
		}
		set, left = got, scope{docs: got}
		if set.Empty() {
			break
		}
	}
	return set, nil
}

func (e *evaluation) or(kids []*filter.Node, left scope) (docset.Set, error) {
	sets := make([]docset.Set, 0, len(kids))
	for _, kid := range kids {
		set, err := e.node(kid, left)
		if err != nil {
			return docset.Set{}, err
		}
		sets = append(sets, set)
	}
	return docset.Union(sets...), nil
}

// mayFail tells whether evaluating a node may raise an error of the client's
// making.
func (e *evaluation) mayFail(n *filter.Node) bool {
	if n.Connects() {
		return slices.ContainsFunc(n.Kids, e.mayFail)
	}
	switch n.Op {
	case filter.FilterForeign, filter.FilterVectors, filter.FilterGeoRadius, filter.FilterGeoBox, filter.FilterGeoPolygon:
		return true
	case filter.FilterObject:
		return e.checkObject(n) != nil
	}
	return n.OnShard() || n.CheckOperator(e.filterable) != nil
}

// byCost returns the nodes in a new slice, the cheapest first. Equal ones keep their order.
func byCost(nodes []*filter.Node) []*filter.Node {
	nodes = slices.Clone(nodes)
	slices.SortStableFunc(nodes, func(a, b *filter.Node) int { return cost(a) - cost(b) })
	return nodes
}

// cost orders conditions by what they read.
func cost(n *filter.Node) int {
	switch n.Op {
	case filter.FilterEqual, filter.FilterIn, filter.FilterExists, filter.FilterNull, filter.FilterEmpty:
		return 0
	case filter.FilterNot:
		return cost(n.Kids[0])
	case filter.FilterNotEqual:
		return 1
	case filter.FilterLess, filter.FilterLessEqual, filter.FilterGreater, filter.FilterGreaterEqual, filter.FilterBetween, filter.FilterStartsWith:
		return 2
	case filter.FilterContains:
		return 3
	case filter.FilterObject:
		return 4
	}
	most := 0
	for _, kid := range n.Kids {
		most = max(most, cost(kid))
	}
	return most
}
