package merge

import "container/heap"

// Ranked is one hit of a list with the values for comparison.
type Ranked struct {
	Values []Value
	// Global is the global score times the weight of the query.
	Global float64
	// Query is the position reported to the client. On a tie the lower one is first.
	Query uint64
	// Ref is the caller's. Merge ignores it.
	Ref int
}

// Merge merges lists, each best first, into one. A list keeps its own order even where Compare
// disagrees with it. keep, when not nil, is called in merged order; a hit that it rejects is
// left out. At most limit hits are kept.
func Merge(lists [][]Ranked, limit uint64, keep func(*Ranked) bool) []Ranked {
	h := make(heads, 0, len(lists))
	for i, list := range lists {
		if len(list) > 0 {
			h = append(h, head{list: list, order: i})
		}
	}
	heap.Init(&h)
	var out []Ranked
	for len(h) > 0 && uint64(len(out)) < limit {
		best := &h[0]
		hit := &best.list[0]
		if keep == nil || keep(hit) {
			out = append(out, *hit)
		}
		if best.list = best.list[1:]; len(best.list) == 0 {
			heap.Pop(&h)
		} else {
			heap.Fix(&h, 0)
		}
	}
	return out
}

// head is the rest of one list; order breaks all remaining ties.
type head struct {
	list  []Ranked
	order int
}

type heads []head

func (h heads) Len() int { return len(h) }

func (h heads) Less(i, j int) bool {
	a, b := &h[i].list[0], &h[j].list[0]
	if c := Compare(a.Values, b.Values, a.Global, b.Global); c != 0 {
		return c > 0
	}
	if a.Query != b.Query {
		return a.Query < b.Query
	}
	return h[i].order < h[j].order
}

func (h heads) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

// Push is for package heap; lists are never added.
func (h *heads) Push(x any) { *h = append(*h, x.(head)) }

// Pop is for package heap.
func (h *heads) Pop() any {
	old := *h
	last := old[len(old)-1]
	*h = old[:len(old)-1]
	return last
}
