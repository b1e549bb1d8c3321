package main

import (
	"slices"

	"shoal/api/jsonvalue"
	"shoal/cluster-test/life"
)

// uncut is how many hits a search wants so that it gets all that there are.
const uncut = 1000

// levelPage levels a page of ours that is a part of the whole list on which both servers agree.
// The reference asks its graph of each store of vectors for as many neighbours as the page
// wants. So its page may end with another one of equally near documents, and it may have farther
// ones where distinct or the merge with words needs more neighbours than that. All of its hits
// must be in the whole list, but those that distinct leaves out there.
func (e *evidence) levelPage(body, a, b *jsonvalue.Value) {
	if a.JSON() == b.JSON() {
		return
	}
	whole, before, size := fromStart(body, uncut)
	p, q, ok := e.again(whole)
	if !ok || len(p.parts) != 1 || p.text() != q.text() {
		return
	}
	list, ours, theirs := hitsOf(&p.parts[0]), hitsOf(a), hitsOf(b)
	begin := min(before, len(list))
	full := min(size, len(list)-begin)
	short := before > 0 && len(ours) == len(theirs) // of a hybrid search, for both
	if len(list) == uncut || len(ours) > full || len(ours) < full && !short || !slices.Equal(ours, list[begin:begin+len(ours)]) {
		return
	}
	if !e.isDistinct(body) && slices.ContainsFunc(theirs, func(hit string) bool { return !slices.Contains(list, hit) }) {
		return
	}
	names := []string{"hits", "semanticHitCount"}
	total := totalOf(&p.parts[0])
	if totalOf(a) == total {
		names = append(names, "estimatedTotalHits", "totalHits", "totalPages")
	} else if totalOf(a) > total && totalOf(b) > total {
		names = append(names, "estimatedTotalHits") // of a page; distinct lowers it with every hit
	}
	for _, name := range names {
		if x, y := a.Get(name), b.Get(name); x != nil && y != nil {
			*y = *x
		}
	}
}

// isDistinct tells whether a search of one index shows one document of each value.
func (e *evidence) isDistinct(body *jsonvalue.Value) bool {
	if d := body.Get("distinct"); d != nil && !d.IsNull() {
		return true
	}
	index := indexOf(e.request.Path)
	if index == "" {
		return false
	}
	a, b, ok := e.ask(&life.Request{Method: "GET", Path: "/indexes/" + index + "/settings/distinct-attribute"})
	return ok && a.text() == b.text() && !a.parts[0].IsNull()
}

// hitsOf are the hits of an answer without their scores.
func hitsOf(v *jsonvalue.Value) (hits []string) {
	if list := v.Get("hits"); list != nil {
		for i := range list.Members() {
			hits = append(hits, unscored(&list.Members()[i].Value))
		}
	}
	return hits
}
