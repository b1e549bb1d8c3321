package main

import (
	"slices"
	"strings"

	"shoal/api/jsonvalue"
	"shoal/cluster-test/life"
)

// levelLost levels pages of a search in which the reference loses documents: it counts them
// among the hits and shows them on no page.
func levelLost(e *evidence, ours, theirs *parsed) {
	e.eachSearch(ours, theirs, (*evidence).levelLostPage)
}

// eachSearch calls level for the search that the request is, or for each one of a multi-search
// that does not join them, with its answers.
func (e *evidence) eachSearch(ours, theirs *parsed, level func(e *evidence, body, a, b *jsonvalue.Value)) {
	body, ok := bodyOf(e.request)
	if !ok || ours.status != 200 || theirs.status != 200 || !strings.Contains(e.request.Path, "search") {
		return
	}
	a, b := &ours.parts[0], &theirs.parts[0]
	queries := body.Get("queries")
	if f := body.Get("federation"); queries == nil || f != nil && !f.IsNull() {
		level(e, &body, a, b)
		return
	}
	x, y := a.Get("results"), b.Get("results")
	if x == nil || y == nil || x.Len() != queries.Len() || y.Len() != queries.Len() {
		return
	}
	for i := range queries.Members() {
		query := &queries.Members()[i].Value
		alone := *e
		alone.request = &life.Request{Method: "POST", Path: "/indexes/" + stringAt(query, "indexUid") + "/search", Body: without(query, "indexUid"), Key: e.request.Key}
		level(&alone, query, &x.Members()[i].Value, &y.Members()[i].Value)
	}
}

// levelLostPage levels one list of hits. Both servers are asked for all of them: they must
// count as many, ours must show all, and theirs must be ours without some.
func (e *evidence) levelLostPage(body, a, b *jsonvalue.Value) {
	if a.Get("hits") == nil || b.Get("hits") == nil || a.JSON() == b.JSON() || !e.takesTyposInSomeOnly(body) {
		return
	}
	whole, before, size := fromStart(body, uncut)
	p, q, ok := e.again(whole)
	if !ok {
		return
	}
	x, y := p.parts[0].Get("hits"), q.parts[0].Get("hits")
	if x == nil || y == nil || !isPage(x, a.Get("hits"), before, size) || !isPage(y, b.Get("hits"), before, size) {
		return
	}
	found := counted(&p.parts[0])
	if found != x.Len() || found != counted(&q.parts[0]) || y.Len() >= found {
		return
	}
	shown, rest := texts(y), texts(x)
	rest = slices.DeleteFunc(rest, func(hit string) bool { return !slices.Contains(shown, hit) })
	if slices.Equal(rest, shown) {
		levelMembers(a, b, "hits")
	}
}

// takesTyposInSomeOnly tells whether a search, or one that it joins, is of an index with
// attributes without typos.
func (e *evidence) takesTyposInSomeOnly(body *jsonvalue.Value) bool {
	if index := indexOf(e.request.Path); index != "" {
		return e.hasAttributesWithoutTypos(index)
	}
	queries := body.Get("queries")
	return queries != nil && slices.ContainsFunc(queries.Members(), func(m jsonvalue.Member) bool {
		return e.hasAttributesWithoutTypos(stringAt(&m.Value, "indexUid"))
	})
}

// counted is how many hits an answer says there are; -1 if it does not say.
func counted(answer *jsonvalue.Value) int {
	for _, name := range []string{"estimatedTotalHits", "totalHits"} {
		if n := answer.Get(name); n != nil {
			return int(n.Uint())
		}
	}
	return -1
}
