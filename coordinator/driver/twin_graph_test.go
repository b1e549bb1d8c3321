package driver_test

import (
	"fmt"
	"slices"
	"sort"

	"shoal/coordinator/score"

	"shoal/query"
	"shoal/query/rule"
	"shoal/wire"
)

// twinGraph is a graph as a numbered list of nodes; its paths are enumerated.
type twinGraph struct {
	nodes []twinNode // from 2 on
	succ  [][]int
}

func (w *twin) graph() *twinGraph {
	g := &twinGraph{nodes: make([]twinNode, 2)}
	n := 0
	for i := range w.terms {
		if w.terms[i].Size() == 1 {
			n++
		}
	}
	for last := range n {
		for size := 1; size <= 3; size++ {
			for i := range w.terms {
				if t := &w.terms[i]; int(t.LastID) == last && t.Size() == size {
					g.nodes = append(g.nodes, twinNode{i, query.Full})
				}
			}
		}
	}
	after := func(id int) (list []int) {
		for i := 2; i < len(g.nodes); i++ {
			if int(w.terms[g.nodes[i].term].FirstID) == id+1 {
				list = append(list, i)
			}
		}
		if len(list) == 0 {
			return []int{1}
		}
		return list
	}
	g.succ = make([][]int, len(g.nodes))
	g.succ[0] = after(-1)
	for i := 2; i < len(g.nodes); i++ {
		g.succ[i] = after(int(w.terms[g.nodes[i].term].LastID))
	}
	return g
}

// fromPaths numbers equal (node, rest) pairs by first appearance.
func fromPaths(paths [][]twinNode) *twinGraph {
	g := &twinGraph{nodes: make([]twinNode, 2), succ: make([][]int, 2)}
	known := map[string]int{}
	for _, p := range paths {
		at := 0
		for i := range p {
			key := fmt.Sprint(p[i:])
			n, ok := known[key]
			if !ok {
				n = len(g.nodes)
				known[key] = n
				g.nodes, g.succ = append(g.nodes, p[i]), append(g.succ, nil)
			}
			if !slices.Contains(g.succ[at], n) {
				g.succ[at] = append(g.succ[at], n)
			}
			at = n
		}
		if !slices.Contains(g.succ[at], 1) {
			g.succ[at] = append(g.succ[at], 1)
		}
	}
	for _, s := range g.succ {
		sort.Ints(s)
	}
	return g
}

// groups is the removal order (spec ranking 4).
func (w *twin) groups(g *twinGraph) [][]int {
	costs := map[int]int{}
	first, last := 255, 0
	for _, n := range g.nodes[2:] {
		t := &w.terms[n.term]
		first, last = min(first, int(t.FirstID)), max(last, int(t.LastID))
	}
	switch w.o.strategy {
	case rule.All:
		return nil
	case rule.Last:
		if first >= last {
			return nil
		}
		for id := 0; id <= last; id++ {
			costs[id] = 1 + last - id
		}
	case rule.Frequency:
		type freq struct {
			id int
			n  uint64
		}
		for _, n := range g.nodes[2:] {
			w.ask(n)
		}
		var list []freq
		for id := 0; id <= last; id++ {
			n, covered := uint64(0), false
			for _, d := range w.docs {
				for _, node := range g.nodes[2:] {
					if t := &w.terms[node.term]; int(t.FirstID) <= id && id <= int(t.LastID) {
						covered = true
						if w.matches(d, node) {
							n++
							break
						}
					}
				}
			}
			if n == 0 {
				n = ^uint64(0)
			}
			if covered {
				list = append(list, freq{id, n})
			}
		}
		slices.SortStableFunc(list, func(a, b freq) int {
			if a.n > b.n {
				return -1
			} else if a.n < b.n {
				return 1
			}
			return 0
		})
		rank := 1
		for i, f := range list {
			if i > 0 && list[i-1].n != f.n {
				rank++
			}
			costs[f.id] = rank
		}
	}
	by := map[int][]int{}
	mandatory := false
	for i := 2; i < len(g.nodes); i++ {
		n := g.nodes[i]
		t := &w.terms[n.term]
		if t.Phrase != nil && n.sub&(query.Zero|query.ExactForm) != 0 || n.sub&query.Mandatory != 0 {
			mandatory = true
			continue
		}
		c := 0
		for id := t.FirstID; id <= t.LastID; id++ {
			c = max(c, costs[int(id)])
		}
		by[c] = append(by[c], i)
	}
	var order []int
	for c := range by {
		order = append(order, c)
	}
	sort.Ints(order)
	if !mandatory && len(order) > 0 {
		order = order[:len(order)-1]
	}
	var out [][]int
	for _, c := range order {
		out = append(out, by[c])
	}
	return out
}

// forward lists the remaining nodes, each after its predecessors; one that comes up too early
// moves to the end of the queue.
func (g *twinGraph) forward(removed map[int]bool) []int {
	var after func(n int) []int
	after = func(n int) []int { // what follows once some nodes are taken out
		var list []int
		for _, s := range g.succ[n] {
			if removed[s] {
				list = append(list, after(s)...)
			} else {
				list = append(list, s)
			}
		}
		slices.Sort(list)
		return slices.Compact(list)
	}
	reachable, before := map[int]bool{0: true}, map[int][]int{}
	for todo := []int{0}; len(todo) > 0; todo = todo[1:] {
		for _, s := range after(todo[0]) {
			before[s] = append(before[s], todo[0])
			if !reachable[s] {
				reachable[s] = true
				todo = append(todo, s)
			}
		}
	}
	var order []int
	for queue := []int{0}; len(queue) > 0; queue = queue[1:] {
		n := queue[0]
		if slices.ContainsFunc(before[n], func(b int) bool { return !slices.Contains(order, b) }) {
			queue = append(queue, n)
			continue
		}
		order = append(order, n)
		for _, s := range after(n) {
			if s != 1 && !slices.Contains(queue, s) && !slices.Contains(order, s) {
				queue = append(queue, s)
			}
		}
	}
	return order[1:]
}

// --- universe

func (w *twin) universe(g *twinGraph) []*twinDoc {
	removed := map[int]bool{}
	for _, group := range w.groups(g) {
		for _, n := range group {
			removed[n] = true
		}
	}
	for _, n := range g.forward(removed) {
		w.ask(g.nodes[n])
	}
	var reach func(d *twinDoc, n int) bool
	reach = func(d *twinDoc, n int) bool {
		if n == 1 {
			return true
		}
		if n > 1 && !removed[n] && !w.matches(d, g.nodes[n]) {
			return false
		}
		for _, s := range g.succ[n] {
			if reach(d, s) {
				return true
			}
		}
		return false
	}
	var out []*twinDoc
	for _, d := range w.base() {
		if reach(d, 0) {
			out = append(out, d)
		}
	}
	return out
}

// base are the filtered documents without those of negative words.
func (w *twin) base() (out []*twinDoc) {
	words, phrases := w.c.lexis.Parse(w.q(), nil).Excluded()
	for _, d := range w.docs {
		keep := !w.o.filtered || w.o.filter.Contains(d.ord)
		for _, word := range words {
			keep = keep && !w.has(d, word, false)
		}
		for _, p := range phrases {
			keep = keep && !w.phrase(d, p)
		}
		if keep {
			out = append(out, d)
		}
	}
	return out
}

// detailOf makes the detail of a ranked bucket.
func detailOf(kind rule.Kind, cost, limit int) score.Detail {
	return score.Detail{Rule: rule.Rule{Kind: kind}, Rank: score.Rank{Rank: uint32(limit - cost), Max: uint32(limit)}}
}

// sortValue is the value a document is sorted by.
func (d *twinDoc) sortValue(field string, desc bool) wire.SortValue {
	if nums := d.nums[field]; len(nums) > 0 {
		if desc {
			return wire.SortValue{Number: slices.Max(nums)}
		}
		return wire.SortValue{Number: slices.Min(nums)}
	}
	if strs := d.strs[field]; len(strs) > 0 {
		if desc {
			return wire.SortValue{Kind: wire.SortString, Text: slices.Max(strs)}
		}
		return wire.SortValue{Kind: wire.SortString, Text: slices.Min(strs)}
	}
	return wire.SortValue{Kind: wire.SortNone}
}
