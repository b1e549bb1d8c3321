package rule

import (
	"math/bits"
	"slices"

	"shoal/query"
)

// FarProximity is the cost of two neighbouring terms that are further apart than
// the proximity window, or in different fields.
const FarProximity = 3

// MaxPosition is the cost of a word far from its place in the query.
const MaxPosition = 10

// CostContext is what the costs of a rule depend on besides the graph.
type CostContext struct {
	Terms []query.Term
	// MaxWeight is the greatest weight of a searchable field.
	MaxWeight uint32
	// Removal is the removal order of the graph; Words only.
	Removal *Removal
}

// Adjacent tells whether the proximity of two terms counts, because nothing stood between
// them in the query.
func Adjacent(left, right *query.Term) bool { return left.Last+1 == right.First }

// maxEdge is the greatest cost of an edge from node n to node s.
func (c *CostContext) maxEdge(kind Kind, g *query.Graph, n, s uint16) uint32 {
	if edge := kind.row().edge; edge != nil && s != query.End {
		return edge(c, g, n, s)
	}
	return 0
}

// TypoBase is the cost of an n-gram without any typo.
func TypoBase(t *query.Term) uint32 {
	if size := t.Size(); size > 1 {
		return uint32(size)
	}
	return 0
}

// MaxRank is the maximum rank of a rule over a graph: one more than the greatest
// cost of a path, with a correction for the words of phrases in Words (spec
// ranking 5.3 and 5.4).
func (c *CostContext) MaxRank(kind Kind, g *query.Graph) uint32 {
	if rank := kind.row().rank; rank > 0 {
		return rank
	}
	best := make([]uint32, len(g.Nodes))
	for _, n := range g.Backward() {
		for _, s := range g.Nodes[n].Succ {
			best[n] = max(best[n], c.maxEdge(kind, g, n, s)+best[s])
		}
	}
	rank := 1 + best[query.Start]
	if more := kind.row().more; more != nil {
		rank += more(c, g)
	}
	return rank
}

// KeyBits is the width of a rule's part in a key that ranks documents by several rules at
// once. ok is false for rules that rank alone.
func (c *CostContext) KeyBits(kind Kind, g *query.Graph) (width int, ok bool) {
	switch kind.row().combines {
	case byCost:
		return bits.Len32(c.MaxRank(kind, g)), true
	case byValue:
		return SortKeyBits, true
	}
	return 0, false
}

// Combine tells whether documents can be ranked by all of the rules at once: their costs
// fit into one key, and no rule needs the graph as narrowed by another.
func (c *CostContext) Combine(rules []Rule, g *query.Graph) bool {
	size, narrowed := 0, false
	for _, r := range rules {
		width, ok := c.KeyBits(r.Kind, g)
		if !ok || narrowed && r.Kind.Ranked() && !r.Kind.narrowing() {
			return false
		}
		narrowed = narrowed || r.Kind.narrowing()
		size += width
	}
	return size <= KeyBits
}

// Path is one good path of a bucket: its steps from Start, without End. Comparing paths
// gives their exploration order.
type Path []uint64

// Step is one edge of a Path: the node it leads to and its rank among the edges between the
// same two nodes. For Words the rank is Skip or Visit, for Typo the number of typos, for
// ExactWords 0 for a match of the exact form.
func Step(node uint16, order uint32) uint64 { return uint64(node)<<32 | uint64(order) }

// Orders of the edges of the Words rule.
const (
	Skip  = 0
	Visit = 1
)

// MergePaths returns the union of sorted lists of good paths, sorted.
func MergePaths(lists ...[]Path) []Path {
	var all []Path
	filled := 0
	for _, l := range lists {
		if len(l) > 0 {
			filled++
			all = append(all, l...)
		}
	}
	if filled > 1 {
		slices.SortFunc(all, slices.Compare[Path])
		all = slices.CompactFunc(all, slices.Equal[Path])
	}
	return all
}

// NextGraph returns the graph for the next rule: the union of the good paths of a bucket,
// each reduced to its narrowed nodes.
func NextGraph(kind Kind, g *query.Graph, terms []query.Term, paths []Path) *query.Graph {
	if len(paths) == 1 && !kind.narrows(g) {
		return g
	}
	refs := make([][]query.Ref, len(paths))
	for i, p := range paths {
		path := make([]query.Ref, 0, len(p))
		for _, step := range p {
			node, order := &g.Nodes[uint16(step>>32)], uint32(step)
			if kind.row().skips && order == Skip {
				continue
			}
			path = append(path, query.Ref{Term: node.Term, Sub: kind.narrow(&terms[node.Term], node.Sub, order)})
		}
		refs[i] = path
	}
	return query.FromPaths(refs)
}

// narrows tells whether the next graph can differ from g although a bucket has a single
// path.
func (k Kind) narrows(g *query.Graph) bool {
	if k.narrowing() {
		return true
	}
	_, chain := g.Chain()
	return !chain
}

// narrowing tells whether the rule narrows even a graph with a single path.
func (k Kind) narrowing() bool { return k.row().skips || k.row().narrow != nil }

// narrow is the part of a node's derivations that remains after an edge of that order.
func (k Kind) narrow(t *query.Term, s query.Subset, order uint32) query.Subset {
	if f := k.row().narrow; f != nil {
		return f(t, s, order)
	}
	return s
}

// SortKeyBits is the width of a Sort rule in keys that rank documents by several rules at
// once. KeyBits is the width of a key.
const SortKeyBits, KeyBits = 24, 64
