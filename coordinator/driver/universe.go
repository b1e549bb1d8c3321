package driver

import (
	"errors"
	"slices"

	"shoal/query"
	"shoal/query/rule"
	"shoal/wire"
	"shoal/wire/span"
)

// begin sends the plan to every shard and determines the universe.
func (d *drive) begin(keyword bool) error {
	defer span.Charge(d.ctx, "universe", "")()
	replies, err := d.all(&wire.SearchStep{Begin: d.beginStep(keyword)})
	if err != nil {
		return err
	}
	if keyword && d.plan.Strategy == rule.Frequency {
		counts, err := d.frequency(d.graph)
		if err != nil {
			return err
		}
		replies, err = d.all(&wire.SearchStep{Universe: &wire.UniverseStep{Graph: *d.reduced(counts)}})
		if err != nil {
			return err
		}
	}
	d.universe = make([]uint64, len(replies))
	for i, r := range replies {
		d.universe[i] = r.Universe.Count
	}
	d.pinned(replies)
	return d.weights(replies)
}

// errUnscaled: a node that runs an older program cannot scale scores.
var errUnscaled = errors.New("driver: a node runs an older program that cannot scale scores; upgrade it")

// weights gathers the weights of the documents of all sources.
func (d *drive) weights(replies []*wire.SearchReply) error {
	if d.plan.Scaling == nil {
		return nil
	}
	for _, r := range replies {
		if r.Universe.Count > 0 && len(r.Universe.Weights) == 0 {
			return errUnscaled
		}
		d.out.Weights = union(d.out.Weights, r.Universe.Weights)
		d.out.Matched = union(d.out.Matched, r.Universe.Matched)
	}
	return nil
}

// union returns the union of two lists of weights, ascending.
func union(a, b []float64) []float64 {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// beginStep returns the plan as every shard gets it. It also builds the graph of the query.
func (d *drive) beginStep(keyword bool) *wire.BeginStep {
	step := d.bareBegin()
	d.costs = rule.CostContext{Terms: d.terms, MaxWeight: d.plan.MaxWeight}
	if keyword {
		d.graph = query.NewGraph(d.terms)
		if d.plan.Strategy != rule.Frequency {
			step.Reduced = d.reduced(nil)
		}
	}
	return step
}

// bareBegin returns the step Begin without what depends on the terms' derivations.
func (d *drive) bareBegin() *wire.BeginStep {
	step := &wire.BeginStep{
		Terms: d.terms, Filter: d.plan.Filter, Restricted: d.plan.Restricted, Fields: d.plan.Fields,
		Vector: d.plan.Vector, Embedder: d.plan.Embedder,
	}
	step.NegativeWords, step.NegativePhrases = d.plan.Keywords.Excluded()
	step.Pinned, step.Scaling = pinnedOrdinals(d.plan.Pins), d.plan.Scaling
	return step
}

// reduced returns the graph without the nodes that may be missing.
func (d *drive) reduced(frequency []uint64) *query.Graph {
	g := d.graph
	if all := rule.NewRemoval(g, d.terms, d.plan.Strategy, frequency).All(); all != nil {
		g = g.Without(all)
	}
	d.touchAll(g, g.Forward())
	return g
}

// touchAll records that the typos of some nodes of a graph are looked up, in order.
func (d *drive) touchAll(g *query.Graph, nodes []uint16) {
	for _, n := range nodes {
		if node := &g.Nodes[n]; node.Sub&(query.One|query.Two) != 0 {
			d.out.touch(node.Term)
		}
	}
}

// touch records that the typos of a term are looked up.
func (r *Ranked) touch(term uint16) {
	if !slices.Contains(r.Touched, term) {
		r.Touched = append(r.Touched, term)
	}
}

// touchedSet returns the touched terms as a bit set.
func (r *Ranked) touchedSet() uint64 {
	var set uint64
	for _, i := range r.Touched {
		set |= 1 << i
	}
	return set
}

// frequency counts the documents of every term id of a graph.
func (d *drive) frequency(g *query.Graph) ([]uint64, error) {
	nodes := g.Forward()
	slices.Sort(nodes)
	d.touchAll(g, nodes)
	replies, err := d.all(&wire.SearchStep{Frequency: &wire.FrequencyStep{Graph: *g}})
	if err != nil {
		return nil, err
	}
	var sums []uint64
	for _, r := range replies {
		for id, n := range r.Frequency.Counts {
			for len(sums) <= id {
				sums = append(sums, 0)
			}
			sums[id] += n
		}
	}
	return sums, nil
}
