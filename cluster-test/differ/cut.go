package main

import (
	"slices"

	"shoal/api/jsonvalue"
)

// uncut is how many hits a search wants so that no page ends among equally near documents.
const uncut = 1000

// levelCut levels the hits of a page that ends among equally near documents: which of them the
// reference lists depends on its graph. The scores must be the same, place by place. Both
// servers must answer alike when they are asked for many more hits, and the pages must differ
// in documents of one score only.
func (e *evidence) levelCut(body, a, b *jsonvalue.Value) {
	p, q := a, b
	if a.JSON() == b.JSON() {
		return
	}
	if !scored(a) || !scored(b) {
		var ok bool
		if p, q, ok = e.scored(body, a, b); !ok {
			return
		}
	}
	x, y := p.Get("hits"), q.Get("hits")
	whole, _, size := fromStart(body, uncut)
	if x == nil || y == nil || x.Len() != size || !cutApart(x.Members(), y.Members()) {
		return // a page that is not full is not cut off
	}
	ours, theirs, ok := e.again(whole)
	if ok && ours.text() == theirs.text() {
		*b.Get("hits") = *a.Get("hits")
	}
}

// cutApart tells whether two lists of hits have the same scores, place by place, and differ in
// hits of one score only. The others are in the same order.
func cutApart(x, y []jsonvalue.Member) bool {
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		p, q := scoreOf(&x[i].Value), scoreOf(&y[i].Value)
		if p == nil || q == nil || p.JSON() != q.JSON() {
			return false
		}
	}
	onlyX, both := apart(x, y)
	onlyY, again := apart(y, x)
	if len(onlyX) == 0 || !slices.Equal(both, again) {
		return false
	}
	one := onlyX[0]
	return !slices.ContainsFunc(append(onlyX, onlyY...), func(score string) bool { return score != one })
}

// apart are the scores of hits that the other list lacks, and the hits that it has.
func apart(list, other []jsonvalue.Member) (scores, both []string) {
	for i := range list {
		hit := unscored(&list[i].Value)
		if slices.ContainsFunc(other, func(m jsonvalue.Member) bool { return unscored(&m.Value) == hit }) {
			both = append(both, hit)
		} else {
			scores = append(scores, scoreOf(&list[i].Value).JSON())
		}
	}
	return scores, both
}
