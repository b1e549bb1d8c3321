package driver

import (
	"slices"

	"shoal/query"
	"shoal/query/rule"
	"shoal/wire"
)

// sharedFieldPaths explores the paths of the rule proximity with byAttribute: by cost, then
// depth first by ascending successors and edges. The order decides on which documents a pair of
// words is first asked. Conditions without documents leave the graph. Conditions without
// documents after some prefix are not tried after it again (spec ranking 5.3 and 5.5).
type sharedFieldPaths struct {
	g     *query.Graph
	terms []query.Term

	edges [][]nearEdge // by node, in exploration order
	// costs are the costs at which End can be reached from each node.
	costs      []query.Bits
	conditions []wire.SharedFieldCondition
	dead       deadEnds
	// changed: edges were removed since costs were computed.
	changed bool

	path      []int // conditions
	steps     rule.Path
	forbidden query.Bits
}

// nearEdge leads to a node; condition is -1 for the edge to End.
type nearEdge struct {
	to        uint16
	cost      int
	condition int
	gone      bool
}

func newNearPaths(g *query.Graph, terms []query.Term) *sharedFieldPaths {
	p := &sharedFieldPaths{g: g, terms: terms, edges: make([][]nearEdge, len(g.Nodes))}
	ids := make(map[wire.SharedFieldCondition]int)
	for n := range g.Nodes {
		for _, to := range g.Nodes[n].Succ {
			p.link(uint16(n), to, ids)
		}
	}
	p.reach()
	return p
}

// link adds the edges between two nodes: one for each proximity if the terms are neighbours,
// and one for any proximity.
func (p *sharedFieldPaths) link(n, to uint16, ids map[wire.SharedFieldCondition]int) {
	if to == query.End {
		p.edges[n] = append(p.edges[n], nearEdge{to: to, condition: -1})
		return
	}
	right := query.Ref{Term: p.g.Nodes[to].Term, Sub: p.g.Nodes[to].Sub}
	add := func(cost int, c wire.SharedFieldCondition) {
		id, ok := ids[c]
		if !ok {
			id = len(p.conditions)
			ids[c] = id
			p.conditions = append(p.conditions, c)
		}
		p.edges[n] = append(p.edges[n], nearEdge{to: to, cost: cost, condition: id})
	}
	cost := p.terms[right.Term].Size() - 1
	if n != query.Start && rule.Adjacent(&p.terms[p.g.Nodes[n].Term], &p.terms[right.Term]) {
		left := query.Ref{Term: p.g.Nodes[n].Term, Sub: p.g.Nodes[n].Sub}
		for i := range int8(rule.FarProximity) {
			add(cost, wire.SharedFieldCondition{Left: left, Right: right, Index: i})
			cost++
		}
	}
	add(cost, wire.SharedFieldCondition{Right: right, Index: wire.NearWhole})
}

// maxNearCost bounds the cost of a path: every term id may cost FarProximity, and its share of
// an n-gram.
const maxNearCost = query.MaxTerms*(rule.FarProximity+1) + 1

// reach computes the costs to End along the remaining edges.
func (p *sharedFieldPaths) reach() {
	p.changed = false
	p.costs = make([]query.Bits, len(p.g.Nodes))
	for i := range p.costs {
		p.costs[i] = query.NewBits(maxNearCost)
	}
	p.costs[query.End].Add(0)
	for _, n := range p.g.Backward() {
		for _, e := range p.edges[n] {
			for c := range uint16(maxNearCost) {
				if !e.gone && p.costs[e.to].Has(c) {
					p.costs[n].Add(c + uint16(e.cost))
				}
			}
		}
	}
}

// cost returns the least cost of a path that is at least least.
func (p *sharedFieldPaths) cost(least int) (cost int, ok bool) {
	for c := least; c < maxNearCost; c++ {
		if p.costs[query.Start].Has(uint16(c)) {
			return c, true
		}
	}
	return 0, false
}

// visit is called with each path that may have documents, as conditions and as steps. It
// returns false to end the exploration.
type visit func(path []int, steps rule.Path) (goOn bool, err error)

// explore visits the paths of one cost.
func (p *sharedFieldPaths) explore(cost int, f visit) error {
	p.path, p.steps, p.forbidden = p.path[:0], p.steps[:0], query.NewBits(len(p.conditions))
	_, _, err := p.from(query.Start, cost, f)
	return err
}

// from explores the paths from a node. reached tells whether some path got to End.
func (p *sharedFieldPaths) from(n uint16, cost int, f visit) (goOn, reached bool, err error) {
	for i := range p.edges[n] {
		e := p.edges[n][i]
		if e.gone || e.cost > cost {
			continue
		}
		goOn, got, err := p.along(e, i, cost-e.cost, f)
		if err != nil || !goOn {
			return false, reached, err
		}
		if !got {
			continue
		}
		// The exploration may have forbidden a part of the path so far.
		reached = true
		p.forbidden = p.dead.along(p.path, len(p.conditions))
		if slices.ContainsFunc(p.path, func(c int) bool { return p.forbidden.Has(uint16(c)) }) {
			return true, true, nil
		}
	}
	return true, reached, nil
}

// along takes an edge; rest is the cost that remains after it.
func (p *sharedFieldPaths) along(e nearEdge, order, rest int, f visit) (goOn, reached bool, err error) {
	if !p.costs[e.to].Has(uint16(rest)) {
		return true, false, nil
	}
	if e.to == query.End {
		goOn, err = f(p.path, p.steps)
		return goOn, true, err
	}
	if p.forbidden.Has(uint16(e.condition)) {
		return true, false, nil
	}
	before := slices.Clone(p.forbidden)
	p.path, p.steps = append(p.path, e.condition), append(p.steps, rule.Step(e.to, uint32(order)))
	if more := p.dead.behind(p.path); more != nil {
		p.forbidden.Union(more)
	}
	goOn, reached, err = p.from(e.to, rest, f)
	p.forbidden = before
	p.path, p.steps = p.path[:len(p.path)-1], p.steps[:len(p.steps)-1]
	return goOn, reached, err
}

// remove takes a condition without documents out of the graph.
func (p *sharedFieldPaths) remove(c int) {
	p.dead.forbid(nil, c, len(p.conditions))
	for n := range p.edges {
		for i := range p.edges[n] {
			if p.edges[n][i].condition == c {
				p.edges[n][i].gone, p.changed = true, true
			}
		}
	}
}

// deadEnds is a tree of path prefixes with the conditions that have no documents after them.
type deadEnds struct {
	forbidden query.Bits
	next      map[int]*deadEnds
}

// forbid records that a condition has no documents after a prefix.
func (d *deadEnds) forbid(begin []int, c, conditions int) {
	for _, b := range begin {
		if d.next == nil {
			d.next = make(map[int]*deadEnds)
		}
		if d.next[b] == nil {
			d.next[b] = &deadEnds{}
		}
		d = d.next[b]
	}
	if d.forbidden == nil {
		d.forbidden = query.NewBits(conditions)
	}
	d.forbidden.Add(uint16(c))
}

// behind returns the conditions forbidden after exactly this prefix.
func (d *deadEnds) behind(path []int) query.Bits {
	for _, c := range path {
		if d = d.next[c]; d == nil {
			return nil
		}
	}
	return d.forbidden
}

// along returns the conditions forbidden after any prefix of a path.
func (d *deadEnds) along(path []int, conditions int) query.Bits {
	all := query.NewBits(conditions)
	all.Union(d.forbidden)
	for _, c := range path {
		if d = d.next[c]; d == nil {
			break
		}
		all.Union(d.forbidden)
	}
	return all
}
