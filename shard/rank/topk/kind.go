package topk

import (
	"shoal/query/rule"
	"shoal/shard/docset"
	"shoal/wire"
)

// kind is how a step treats the rules of one kind. To let one more be ranked with others
// at once, say in query/rule how its costs combine, and add its row here. Functions
// that are nil say what their comment says of them; i is the rule's number in the step.
type kind struct {
	// open readies a rule for a set of n documents; ok is false when the shard would
	// rather be asked rule by rule. nil: there is nothing to do.
	open func(t *top, i, n int) (ok bool, err error)
	// placed tells whether the rule needs the places of words. nil: it does not.
	placed func(t *top) bool
	// looks tells whether only a look at a document tells its cost: it counts as the least
	// before. nil: columns tell.
	looks func(t *top) bool
	// least is the least cost of a document. nil: 0.
	least func(t *top) uint32
	// nodes lists what node k may cost, where a cost is the sum of what the nodes cost.
	nodes func(t *top, k int) ([]costSet, error)
	// divide divides a cell into classes of equal cost, cheapest first, until visit
	// returns false. nil: all documents cost the least.
	divide func(t *top, i int, c cell, visit visit) bool
	// prepare readies cost. nil: there is nothing to do.
	prepare func(t *top) error
	// cost is what the rule costs a document; ok is false when no path admits it.
	cost func(t *top, i int, ord uint32) (cost uint32, ok bool)
	// value is what takes the place of the cost in answers. nil: nothing does.
	value func(t *top, ord uint32, r rule.Rule) (wire.SortValue, error)
}

// visit is told of a class with its cost. It returns false when nothing that is left can
// be among the best.
type visit func(docs docset.Set, cost uint32) bool

var kinds = [rule.Kinds]kind{
	rule.Proximity:      {placed: (*top).neighbours, looks: (*top).neighbours, least: (*top).leastNear, cost: (*top).nearCost},
	rule.AttributeRank:  {placed: (*top).weightsPlaced, nodes: (*top).weightCosts, divide: (*top).divideWeights, cost: (*top).weightCost},
	rule.WordPosition:   {placed: always, nodes: (*top).distanceCosts, divide: (*top).divideNodes, cost: (*top).distanceCost},
	rule.ExactAttribute: {divide: (*top).divideExact, prepare: (*top).prepareExactAttribute, cost: (*top).exactAttributeCost},
	rule.ExactWords:     {nodes: (*top).exactWordCosts, divide: (*top).divideNodes, cost: (*top).exactWordsCost},
	rule.Sort:           {open: (*top).openSort, divide: (*top).divideSorted, cost: (*top).rankCost, value: (*top).sortValue},
}

func always(*top) bool { return true }

// known tells whether the kind has a row.
func (k *kind) known() bool { return k.cost != nil }

func (k *kind) isPlaced(t *top) bool { return k.placed != nil && k.placed(t) }

func (k *kind) isLooked(t *top) bool { return k.looks != nil && k.looks(t) }

func (k *kind) leastCost(t *top) uint32 {
	if k.least == nil {
		return 0
	}
	return k.least(t)
}
