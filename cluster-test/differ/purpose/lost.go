package purpose

import (
	"encoding/json"
	"slices"
	"strings"

	"shoal/api/jsonvalue"
	"shoal/cluster-test/life"
)

// levelLost levels pages of a search in which the reference loses documents: it counts them
// among the hits and shows them on no page.
func levelLost(e *Evidence, ours, theirs *Parsed) {
	e.eachSearch(ours, theirs, (*Evidence).levelLostPage)
}

// eachSearch calls level for the search that the request is, or for each one of a multi-search
// that does not join them, with its answers.
func (e *Evidence) eachSearch(ours, theirs *Parsed, level func(e *Evidence, body, a, b *jsonvalue.Value)) {
	body, ok := bodyOf(e.Request)
	if !ok || ours.status != 200 || theirs.status != 200 || !strings.Contains(e.Request.Path, "search") {
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
		level(e.alone(query), query, &x.Members()[i].Value, &y.Members()[i].Value)
	}
}

// alone is the evidence of one query of a multi-search, as a search of its own.
func (e *Evidence) alone(query *jsonvalue.Value) *Evidence {
	alone := *e
	alone.Request = &life.Request{Method: "POST", Path: "/indexes/" + stringAt(query, "indexUid") + "/search", Body: without(query, "indexUid"), Key: e.Request.Key}
	return &alone
}

// searchesSome tells whether a search, or one that it joins, is of an index that passes a test.
func (e *Evidence) searchesSome(body *jsonvalue.Value, test func(index string) bool) bool {
	if index := IndexOf(e.Request.Path); index != "" {
		return test(index)
	}
	queries := body.Get("queries")
	return queries != nil && slices.ContainsFunc(queries.Members(), func(m jsonvalue.Member) bool { return test(stringAt(&m.Value, "indexUid")) })
}

// levelLostPage levels one list of hits. Both servers are asked for all of them: they must
// count as many, ours must show all, and theirs must be ours without some.
func (e *Evidence) levelLostPage(body, a, b *jsonvalue.Value) {
	if a.Get("hits") == nil || b.Get("hits") == nil || a.JSON() == b.JSON() || !e.searchesSome(body, e.hasAttributesWithoutTypos) {
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
	found := totalOf(&p.parts[0])
	if found != uint64(x.Len()) || found != totalOf(&q.parts[0]) || y.Len() >= x.Len() {
		return
	}
	shown, rest := texts(y), texts(x)
	rest = slices.DeleteFunc(rest, func(hit string) bool { return !slices.Contains(shown, hit) })
	if slices.Equal(rest, shown) || e.placesWordsElsewhere(whole) {
		levelMembers(a, b, "hits")
	}
}

// placesWordsElsewhere tells whether the reference shows documents of ours only, which differ, if at
// all, in where the words stand: words that do not count can count there.
func (e *Evidence) placesWordsElsewhere(whole json.RawMessage) bool {
	all, _ := e.detailed(whole)
	p, q, ok := e.again(all)
	if !ok || p.parts[0].Get("hits") == nil || q.parts[0].Get("hits") == nil {
		return false
	}
	ours := withoutRule(wordPosition, withoutRule(proximity, texts(p.parts[0].Get("hits"))))
	theirs := withoutRule(wordPosition, withoutRule(proximity, texts(q.parts[0].Get("hits"))))
	return !slices.ContainsFunc(theirs, func(hit string) bool { return !slices.Contains(ours, hit) })
}
