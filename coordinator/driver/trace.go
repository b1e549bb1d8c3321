package driver

import (
	"shoal/coordinator/score"
	"shoal/query"
)

// Tracer is told the decisions of a search while it runs, for explanations. It changes no
// answer, but rules are then evaluated one after the other. It is called from the goroutine of
// Run. Its arguments are shared and must not be modified.
type Tracer interface {
	// Query is called once, when the terms are pinned and the universe is known. documents is
	// the size of the universe over all shards. Without terms graph is nil.
	Query(terms []query.Term, graph *query.Graph, documents uint64)
	// Bucket is called for every bucket of documents that a rule declared equal, in order.
	// level is the number of rules above it, detail the judgement of the rule. graph is what
	// the bucket leaves of the graph for the rules below, nil without terms.
	Bucket(level int, detail *score.Detail, documents uint64, graph *query.Graph)
}

// traceQuery tells the tracer, if any, how the query was understood.
func (d *drive) traceQuery() {
	if t := d.plan.Trace; t != nil {
		t.Query(d.terms, d.graph, total(d.universe))
	}
}

// traceBucket tells the tracer, if any, about a bucket of the innermost level.
func (d *drive) traceBucket(l *level, g *group) {
	t := d.plan.Trace
	if t == nil {
		return
	}
	graph := l.graph
	if graph != nil {
		graph = d.nextGraph(l, g)
	}
	t.Bucket(len(d.levels)-1, &g.detail, g.count, graph)
}
