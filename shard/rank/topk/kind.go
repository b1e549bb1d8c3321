package topk

import (
	"shoal/query/rule"
	"shoal/shard/docset"
	"shoal/wire"
)

// kind defines how a step treats the rules of one kind. To rank by another kind, define
// in query/rule how its costs combine and add its row here. Each comment says what a
// nil function means. i is the index of the rule in the step.
type kind struct {
	// open prepares a rule for a set of n documents. ok is false if the shard prefers
	// to rank rule by rule. nil: nothing to prepare.
	open func(t *top, i, n int) (ok bool, err error)
	// placed reports whether the rule needs the positions of words. nil: it does not.
	placed func(t *top) bool
	// looks reports whether only examining a document reveals its cost. Until then, the
	// least cost counts. nil: columns suffice.
	looks func(t *top) bool
	// least returns the least cost of a document. nil: 0.
	least func(t *top) uint32
	// nodes lists the possible costs of node k, for rules whose cost is the sum over
	// nodes.
	nodes func(t *top, k int) ([]costSet, error)
	// divide divides a cell into classes of equal cost, cheapest first, until visit
	// returns false. nil: all documents have the least cost.
	divide func(t *top, i int, c cell, visit visit) bool
	// prepare prepares cost. nil: nothing to prepare.
	prepare func(t *top) error
	// cost returns the cost of a document. ok is false if no path admits it.
	cost func(t *top, i int, ord uint32) (cost uint32, ok bool)
	// value returns what replaces the cost in answers. nil: nothing does.
	value func(t *top, ord uint32, r rule.Rule) (wire.SortValue, error)
}

// visit receives a class and its cost. It returns false if nothing that is left can be
// among the best.
type visit func(docs docset.Set, cost uint32) bool

var kinds = [rule.Kinds]kind{
	rule.Proximity:      {placed: (*top).neighbours, looks: (*top).neighbours, least: (*top).leastNear, cost: (*top).nearCost},
	rule.AttributeRank:  {placed: (*top).weighs, nodes: (*top).weightCosts, divide: (*top).divideWeights, cost: (*top).weightCost},
	rule.WordPosition:   {placed: always, nodes: (*top).distanceCosts, divide: (*top).divideNodes, cost: (*top).distanceCost},
	rule.ExactAttribute: {divide: (*top).divideExact, prepare: (*top).prepareExactAttribute, cost: (*top).exactAttributeCost},
	rule.ExactWords:     {nodes: (*top).exactWordCosts, divide: (*top).divideNodes, cost: (*top).exactWordsCost},
	rule.Sort:           {open: (*top).openSort, divide: (*top).divideSorted, cost: (*top).rankCost, value: (*top).sortValue},
}

func always(*top) bool { return true }

// known reports whether the kind has a row.
func (k *kind) known() bool { return k.cost != nil }

func (k *kind) isPlaced(t *top) bool { return k.placed != nil && k.placed(t) }

func (k *kind) isLooked(t *top) bool { return k.looks != nil && k.looks(t) }

func (k *kind) leastCost(t *top) uint32 {
	if k.least == nil {
		return 0
	}
	return k.least(t)
}
