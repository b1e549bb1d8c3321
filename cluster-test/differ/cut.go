package main

import (
	"encoding/json"
	"slices"

	"shoal/api/jsonvalue"
	"shoal/cluster-test/life"
)

// uncut is how many hits a search wants so that it gets all that there are.
const uncut = 1000

// levelPage levels a page of ours that is a part of our whole list. The reference asks its graph of
// each store of vectors for as many neighbours as the page wants, and may miss some. So its page
// may end with another one of equally near documents, and it may have farther ones where distinct,
// sort or the merge with words needs more neighbours than that. Either both servers agree on the
// whole list and all of its hits are there, but those that distinct leaves out, or its hits are
// some of our list, in its order and with its scores.
func (e *evidence) levelPage(body, a, b *jsonvalue.Value) {
	if a.JSON() == b.JSON() {
		return
	}
	whole, before, size := fromStart(body, uncut)
	p, q, ok := e.again(whole)
	if !ok || len(p.parts) != 1 {
		return
	}
	list, ours, theirs := hitsOf(&p.parts[0]), hitsOf(a), hitsOf(b)
	begin := min(before, len(list))
	full := min(size, len(list)-begin)
	short := before > 0 && len(ours) == len(theirs) // of a hybrid search, for both
	if len(list) == uncut || len(ours) > full || len(ours) < full && !short || !slices.Equal(ours, list[begin:begin+len(ours)]) {
		return
	}
	names := []string{"hits", "semanticHitCount"}
	total := totalOf(&p.parts[0])
	switch {
	case p.text() != q.text():
		if !e.isSomeOf(body, a, b) {
			return
		}
		if totalOf(b) < totalOf(a) {
			names = append(names, "estimatedTotalHits", "totalHits", "totalPages", "facetDistribution", "facetStats", "facetsByIndex")
		}
	case !e.isDistinct(body) && slices.ContainsFunc(theirs, func(hit string) bool { return !slices.Contains(list, hit) }):
		return
	case totalOf(a) == total:
		names = append(names, "estimatedTotalHits", "totalHits", "totalPages")
	case totalOf(a) > total && totalOf(b) > total:
		names = append(names, "estimatedTotalHits") // of a page; distinct lowers it with every hit
	}
	levelMembers(a, b, names...)
}

// isSomeOf tells whether the hits of the reference are some of all hits of ours, in the same order
// and with the same scores. A farther document may stand for its distinct value, so all hits are
// those without distinct, if the search names it.
func (e *evidence) isSomeOf(body, a, b *jsonvalue.Value) bool {
	page := b
	if !scored(b) {
		_, q, ok := e.scored(body, a, b)
		if !ok {
			return false
		}
		page = q
	}
	asked, err := jsonvalue.Parse(withoutDistinct(body))
	if err != nil {
		panic(err) // made of JSON
	}
	whole, _, _ := fromStart(&asked, uncut)
	p, _, ok := e.again(whole)
	if !ok || len(p.parts) != 1 || p.parts[0].Get("hits") == nil || page.Get("hits") == nil {
		return false
	}
	list := texts(p.parts[0].Get("hits"))
	for _, hit := range texts(page.Get("hits")) {
		at := slices.Index(list, hit)
		if at < 0 {
			return false
		}
		list = list[at+1:]
	}
	return true
}

// withoutDistinct is a search, or a federated one, of all documents of each value.
func withoutDistinct(body *jsonvalue.Value) []byte {
	var asked map[string]json.RawMessage
	if err := json.Unmarshal(without(body, "distinct"), &asked); err != nil {
		panic(err) // an object
	}
	if f := body.Get("federation"); f != nil && f.Kind() == jsonvalue.KindObject {
		asked["federation"] = without(f, "distinct")
	}
	if list := body.Get("queries"); list != nil {
		queries := make([]json.RawMessage, list.Len())
		for i := range queries {
			queries[i] = without(&list.Members()[i].Value, "distinct")
		}
		asked["queries"] = rawBody(queries)
	}
	return rawBody(asked)
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
