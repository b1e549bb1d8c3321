package topk

import (
	"shoal/shard/docset"
)

// SmallCell is the number of documents up to which a set is read rather than
// divided further. It changes no answer; tests set it to 2.
var SmallCell = 64

// cell is a set of documents that are equal by all rules before one, with the part
// of the key that this gives.
type cell struct {
	docs docset.Set
	key  uint64
}

// rank offers the documents of a cell, rule by rule: the set is divided into
// classes of equal cost, cheapest first, and each class by the next rule. A cost that
// only a look at the document tells counts as its least, so cells come in the order of
// their least keys, and the walk ends with the first that cannot beat the worst of the
// best (cell search, engine notes 2.3). It returns false when nothing that is left can be among the best.
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

// promising tells whether some document of a cell could be among the best if it cost
// key.
func (t *top) promising(c cell, key uint64) bool {
	if !t.best.full() {
		return true
	}
	first, _ := c.docs.Min()
	return ranked{key, first}.before(t.best.list[0])
}

// offer offers the documents of a cell in their order. Those of a last cell are
// equal but for what a look at them tells; of others it tells all.
func (t *top) offer(rule int, c cell) bool {
	goOn := true
	n := 0
	t.each(c.docs, t.lazy, func(ord uint32) bool {
		r := ranked{c.key, ord}
		if t.best.full() && !r.before(t.best.list[0]) {
			// Later documents of the cell have no less; other cells may.
			goOn = rule < len(t.rules)
			return false
		}
		if n++; n&1023 == 0 {
			if t.err = t.interrupted(); t.err != nil {
				return false
			}
		}
		if t.lazy {
			t.score(ord, true)
			return t.err == nil
		}
		t.best.offer(r)
		return true
	})
	return goOn && t.err == nil
}

// divideNodes divides a cell by a rule whose cost is the sum of what its nodes cost.
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
			return false // without a look at the sets of that cost
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

// division collects the documents of one cost after the other. The documents are
// divided by what the first node costs them, each of these classes by the second
// node, and so on, as far as asked for.
type division struct {
	costs [][]costSet
	// after is the least that the nodes from one on cost together.
	after []uint32
	found []docset.Set
}

// classes are the documents of a set by what one node costs them, found as far as
// asked for. rest are those without class; when late is set, the last class has
// still to be taken out of it.
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

// find finds the next class of node k that has documents, if it costs no more than
// limit.
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

// collect finds the documents of c for which the nodes from k on cost that much.
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

// costSet tells which of some documents one node costs at most so much: all of
// them when of is nil. Lists of them ascend by cost.
type costSet struct {
	cost uint32
	of   func(docset.Set) docset.Set
}

// nodeCosts lists for a rule what each node may cost, as the spreads of the present
// group tell.
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
