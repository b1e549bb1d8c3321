package topk

import (
	"container/heap"
	"slices"

	"shoal/shard/facet"
	"shoal/wire"
)

// firsts keeps the best document of each list of distinct values, and documents without
// values: the best max of them, and all others with values that cost as much as the last of
// these. The driver needs those, too: documents in the bucket of the last hit exclude others,
// even if they are not hits.
type firsts struct {
	max   int
	lists *facet.Lists
	// of has for each list its place in found, plus one.
	of    []int32
	found []first
	// best are the places of the best max, as a heap with the worst on top.
	best []int32
	// less: some documents are left out. gaps: some of these, without values, may be better
	// than others that are not.
	less, gaps bool
}

// first is a document that was found. at is its place in the heap, -1 if it is not among the
// best.
type first struct {
	ranked
	at int
}

// MoreLists is how many more lists than wanted are kept at least if lists may share a value,
// because some documents then exclude others. It changes no answer; tests lower it.
var MoreLists = 16

// newFirsts returns one for a set of n documents, of which want with different values are
// wanted.
func newFirsts(lists *facet.Lists, want, n int) *firsts {
	if lists.Several() {
		want += max(want, MoreLists)
	}
	return &firsts{max: min(want, n), lists: lists, of: make([]int32, lists.Len())}
}

func (f *firsts) full() bool { return len(f.best) == f.max }

// worst is the last of the best.
func (f *firsts) worst() ranked { return f.found[f.best[0]].ranked }

// welcome reports whether a document with this key could be in the answer. Those that cost as
// much as the worst of the best can, wherever they are.
func (f *firsts) welcome(r ranked) bool {
	if !f.full() || r.key <= f.worst().key {
		return true
	}
	f.less = true
	return false
}

// outdone reports whether a document with the same values is better. A document without values
// excludes nothing, so it matters only among the best.
func (f *firsts) outdone(r ranked) bool {
	if list := f.lists.Of(r.row); list >= 0 {
		i := f.of[list]
		return i > 0 && !r.before(f.found[i-1].ranked)
	}
	if !f.full() || r.before(f.worst()) {
		return false
	}
	f.less, f.gaps = true, true
	return true
}

func (f *firsts) offer(r ranked) {
	if f.outdone(r) {
		return
	}
	i := f.place(f.lists.Of(r.row))
	d := &f.found[i]
	d.ranked = r
	switch {
	case d.at >= 0:
		heap.Fix(f, d.at)
	case !f.full():
		heap.Push(f, i)
	case r.before(f.worst()):
		f.found[f.best[0]].at = -1
		f.best[0], d.at = i, 0
		heap.Fix(f, 0)
	}
}

// place returns the place in found of a list, a new one for documents without values.
func (f *firsts) place(list int) int32 {
	if list >= 0 && f.of[list] > 0 {
		return f.of[list] - 1
	}
	f.found = append(f.found, first{at: -1})
	if list >= 0 {
		f.of[list] = int32(len(f.found))
	}
	return int32(len(f.found) - 1)
}

// sorted returns the best, in order, then those that cost as much as the last of them.
func (f *firsts) sorted() []ranked {
	var out []ranked
	for _, d := range f.found {
		if d.at >= 0 || f.welcome(d.ranked) {
			out = append(out, d.ranked)
		}
	}
	slices.SortFunc(out, ranked.compare)
	return out
}

// tell adds the distinct values of its documents to an answer whose ordinals are rows.
func (f *firsts) tell(r *wire.TopReply) {
	r.Distinct = make([]wire.DistinctValues, len(r.Ordinals))
	for i, row := range r.Ordinals {
		r.Distinct[i] = f.lists.Values(row)
	}
	switch {
	case r.Cut || !f.less:
	case f.gaps:
		r.Sure = f.max
	default:
		r.Sure = len(r.Ordinals)
	}
}

// Len implements heap.Interface.
func (f *firsts) Len() int { return len(f.best) }

// Less implements heap.Interface.
func (f *firsts) Less(i, j int) bool { return f.found[f.best[j]].before(f.found[f.best[i]].ranked) }

// Swap implements heap.Interface.
func (f *firsts) Swap(i, j int) {
	f.best[i], f.best[j] = f.best[j], f.best[i]
	f.found[f.best[i]].at, f.found[f.best[j]].at = i, j
}

// Push implements heap.Interface.
func (f *firsts) Push(i any) {
	f.found[i.(int32)].at = len(f.best)
	f.best = append(f.best, i.(int32))
}

// Pop implements heap.Interface. Nothing pops.
func (f *firsts) Pop() any { panic("topk: the best documents never leave without a better one") }
