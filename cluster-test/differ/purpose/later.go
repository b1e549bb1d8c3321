package purpose

import (
	"encoding/json"

	"shoal/api/jsonvalue"
)

// levelLater levels pages that do not begin with the first hit. A neighbour that the
// reference misses may lie before the page, so both servers are asked for all hits up to its
// end, with scores. The pages must be the ends of these lists.
func (e *Evidence) levelLater(body, a, b *jsonvalue.Value) {
	whole, before, _ := fromStart(body, 0)
	if before == 0 || a.JSON() == b.JSON() {
		return
	}
	p, q, ok := e.again(whole)
	if !ok || len(p.parts) != 1 || len(q.parts) != 1 {
		return
	}
	if endsWith(&p.parts[0], a, before) && endsWith(&q.parts[0], b, before) {
		e.levelNearer(body, a, b, &p.parts[0], &q.parts[0])
	}
}

// fromStart is a search, or a federated one, for the same hits, those before them, and as many
// behind them as make a number of hits. before and size are those of the page.
func fromStart(body *jsonvalue.Value, hits int) (whole json.RawMessage, before, size int) {
	var search map[string]json.RawMessage
	if json.Unmarshal([]byte(body.JSON()), &search) != nil {
		return nil, 0, 0
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
	if page := number("page", 0); page > 0 {
		size = number("hitsPerPage", 20)
		before = (page - 1) * size
		pages["page"], pages["hitsPerPage"] = rawBody(1), rawBody(max(hits, page*size))
	} else {
		before, size = number("offset", 0), number("limit", 20)
		pages["offset"], pages["limit"] = rawBody(0), rawBody(max(hits, before+size))
	}
	if search["federation"] != nil {
		search["federation"] = rawBody(federation)
	}
	return rawBody(search), before, size
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
