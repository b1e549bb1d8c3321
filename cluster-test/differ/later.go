package main

import (
	"encoding/json"

	"shoal/api/jsonvalue"
	"shoal/cluster-test/life"
)

// levelLater levels pages that do not begin with the first hit. A neighbour that the
// reference misses may lie before the page, so both servers are asked for all hits up to its
// end, with scores. The pages must be the ends of these lists.
func (e *evidence) levelLater(body, a, b *jsonvalue.Value) {
	whole, before := fromStart(body)
	if before == 0 || a.JSON() == b.JSON() {
		return
	}
	p, q, ok := e.ask(&life.Request{Method: e.request.Method, Path: e.request.Path, Body: whole})
	if !ok || len(p.parts) != 1 || len(q.parts) != 1 {
		return
	}
	if endsWith(&p.parts[0], a, before) && endsWith(&q.parts[0], b, before) {
		e.levelNearer(a, b, &p.parts[0], &q.parts[0])
	}
}

// fromStart is a search, or a federated one, for the same hits and those before them.
func fromStart(body *jsonvalue.Value) (whole json.RawMessage, before int) {
	var search map[string]json.RawMessage
	if json.Unmarshal([]byte(body.JSON()), &search) != nil {
		return nil, 0
	}
	pages, federation := search, map[string]json.RawMessage{}
	if raw := search["federation"]; raw == nil {
		search["showRankingScore"] = json.RawMessage("true")
	} else if json.Unmarshal(raw, &federation) == nil {
		pages = federation
	}
	number := func(name string, otherwise int) int {
		n := &otherwise
		if raw := pages[name]; raw == nil || json.Unmarshal(raw, &n) != nil || n == nil {
			return otherwise
		}
		return *n
	}
	if page, size := number("page", 0), number("hitsPerPage", 20); page > 0 {
		before = (page - 1) * size
		pages["page"], pages["hitsPerPage"] = rawBody(1), rawBody(page*size)
	} else {
		before = number("offset", 0)
		pages["offset"], pages["limit"] = rawBody(0), rawBody(before+number("limit", 20))
	}
	if search["federation"] != nil {
		search["federation"] = rawBody(federation)
	}
	return rawBody(search), before
}

// endsWith tells whether the hits of a page are those of a whole list behind the first ones.
func endsWith(whole, page *jsonvalue.Value, before int) bool {
	list, hits := whole.Get("hits"), page.Get("hits")
	if list == nil || hits == nil || max(0, list.Len()-before) != hits.Len() {
		return false
	}
	for i := range hits.Members() {
		if unscored(&list.Members()[before+i].Value) != unscored(&hits.Members()[i].Value) {
			return false
		}
	}
	return true
}
