package topk

import (
	"shoal/shard/docset"
)

// SmallCell is the largest number of documents that are examined one by one instead of
// divided further. It changes no answer; tests set it to 2.
var SmallCell = 64

// cell is a set of documents that are equal by all rules so far, and the part of the
// key that these rules determine.
type cell struct {
	docs docset.Set
	key  uint64
}

// rank offers the documents of a cell, rule by rule. The set is divided into classes of
// equal cost, cheapest first, and each class by the next rule. A cost that only
// examining the document reveals counts as its least value. So cells come in the order
// of their least keys, and the walk ends with the first cell that cannot beat the worst
// of the best (cell search, engine notes 2.3). It returns false if nothing that is left
// can be among the best.
func (t *top) rank(r int, c cell) bool {
	if t.err != nil || c.docs.Empty() {
		return t.err == nil
	}
	if t.err = t.interrupted(); t.err != nil {
		return false
	}
	if !t.promising(c, c.key) {
		return false
	}
	if r == len(t.rules) || t.lazy && c.docs.Len() <= SmallCell {
		return t.offer(r, c)
	}
	next := func(docs docset.Set, cost uint32) bool {
		return t.rank(r+1, cell{docs, c.key + uint64(cost)<<t.shift[r]})
	}
	if k := t.kinds[r]; k.divide != nil {
		return k.divide(t, r, c, next)
	}
	return next(c.docs, t.kinds[r].leastCost(t))
}

// promising reports whether some document of a cell with this key could be among the
// best.
func (t *top) promising(c cell, key uint64) bool {
	switch {
	case key > t.limit:
		return false
	case t.firsts != nil:
		return t.firsts.welcome(ranked{key: key})
	case !t.best.full():
		return true
	case t.order != nil:
		return ranked{key: key, at: t.order.Least(c.docs)}.before(t.best.list[0])
	}
	first, _ := c.docs.Min()
	return ranked{key: key, at: first}.before(t.best.list[0])
}

// offer offers the documents of a cell in ascending order. If no rule is lazy, the key
// of the cell is theirs; otherwise each is examined.
func (t *top) offer(rule int, c cell) bool {
	if !t.lazy && t.order != nil && t.firsts == nil {
		return t.offerFirst(c)
	}
	goOn := true
	n := 0
	t.each(c.docs, t.lazy, func(ord uint32) bool {
		r := t.ranked(c.key, ord)
		if !t.welcome(r) {
			// Later documents of the cell are not better, if rows ascend; other cells
			// may be.
			goOn = rule < len(t.rules)
			return t.order != nil
		}
		if n++; n&1023 == 0 {
			if t.err = t.interrupted(); t.err != nil {
				return false
			}
		}
		switch {
		case t.outdone(c.key, ord):
		case t.lazy:
			t.score(ord, true)
		default:
			t.keep(r)
		}
		return t.err == nil
	})
	return goOn && t.err == nil
}

// offerFirst is offer for documents with the key of their cell, whose rows do not ascend
// with ordinals.
func (t *top) offerFirst(c cell) bool {
	for _, row := range t.order.First(c.docs, t.best.max) {
		r := t.ranked(c.key, row)
		if t.best.full() && !r.before(t.best.list[0]) {
			return false
		}
		t.best.offer(r)
	}
	return true
}

// divideNodes divides a cell by a rule whose cost is the sum of its nodes' costs.
func (t *top) divideNodes(i int, c cell, visit visit) bool {
	d := division{costs: t.costs[i], after: make([]uint32, len(t.refs)+1)}
	most := uint32(0)
	for k := len(d.costs) - 1; k >= 0; k-- {
		all := d.costs[k]
		if len(all) == 0 {
			return true // no document has a cost
		}
		d.after[k] = d.after[k+1] + all[0].cost
		most += all[len(all)-1].cost
	}
	root := &classes{rest: c.docs}
	left := c.docs.Len()
	for cost := d.after[0]; cost <= most && left > 0; cost++ {
		if !t.promising(c, c.key+uint64(cost)<<t.shift[i]) {
			return false // no need to look at the sets of this cost
		}
		d.found = d.found[:0]
		d.collect(root, 0, cost)
		if set := docset.Union(d.found...); !set.Empty() {
			left -= set.Len()
			if !visit(set, cost) {
				return false
			}
		}
	}
	return t.err == nil
}

// division collects the documents of one cost after the other. It divides the documents
// by the cost of the first node, each class by the second node, and so on, lazily.
type division struct {
	costs [][]costSet
	// after is the least total cost of the nodes from one on.
	after []uint32
	found []docset.Set
}

// classes are the documents of a set by the cost of one node, computed lazily. rest are
// those without class. If late is set, the last class must still be removed from rest.
type classes struct {
	rest docset.Set
	late bool
	at   int
	list []class
}

type class struct {
	cost uint32
	docs docset.Set
	next *classes // by the next node
}

// find finds the next non-empty class of node k with a cost of at most limit.
func (d *division) find(c *classes, k int, limit uint32) bool {
	all := d.costs[k]
	for c.at < len(all) && all[c.at].cost <= limit {
		if c.late {
			c.rest, c.late = c.rest.AndNot(c.list[len(c.list)-1].docs), false
		}
		if c.rest.Empty() {
			return false
		}
		n := &all[c.at]
		c.at++
		docs := c.rest
		if n.of != nil {
			docs = n.of(docs)
		}
		if docs.Empty() {
			continue
		}
		c.list = append(c.list, class{cost: n.cost, docs: docs})
		if docs.Len() == c.rest.Len() {
			c.rest = docset.Set{}
		} else {
			c.late = true
		}
		return true
	}
	return false
}

// collect finds the documents of c for which the nodes from k on have the given total
// cost.
func (d *division) collect(c *classes, k int, cost uint32) {
	limit := cost - d.after[k+1]
	for i := 0; i < len(c.list) || d.find(c, k, limit); i++ {
		n := &c.list[i]
		switch {
		case n.cost > limit:
			return
		case k+1 < len(d.costs):
			if n.next == nil {
				n.next = &classes{rest: n.docs}
			}
			d.collect(n.next, k+1, cost-n.cost)
		case n.cost == cost:
			d.found = append(d.found, n.docs)
			return
		}
	}
}

// costSet selects the documents for which one node costs at most cost. A nil of selects
// all. Lists ascend by cost.
type costSet struct {
	cost uint32
	of   func(docset.Set) docset.Set
}

// nodeCosts lists the possible costs of each node under a rule, from the spreads of the
// present group.
func (t *top) nodeCosts(i int) (err error) {
	if t.kinds[i].nodes == nil {
		return nil
	}
	t.costs[i] = make([][]costSet, len(t.refs))
	for k := range t.refs {
		if t.costs[i][k], err = t.kinds[i].nodes(t, k); err != nil {
			return err
		}
	}
	return nil
}
