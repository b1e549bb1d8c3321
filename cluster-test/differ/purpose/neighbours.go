package purpose

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"shoal/api/jsonvalue"
)

// levelNeighbours levels answers of searches by vector where ours are at least as near as
// theirs, place by place, and as many, and the totals, which are lower where the reference
// misses some. An answer without scores is asked for once more with them.
func levelNeighbours(e *Evidence, ours, theirs *Parsed) {
	if ours.status != 200 || theirs.status != 200 || len(ours.parts) != 1 || len(theirs.parts) != 1 {
		return
	}
	body, ok := bodyOf(e.Request)
	if !ok || e.Request.Method != "POST" {
		return
	}
	path, _, _ := strings.Cut(e.Request.Path, "?")
	a, b := &ours.parts[0], &theirs.parts[0]
	switch {
	case strings.HasSuffix(path, "/similar"), strings.HasSuffix(path, "/search") && byVector(&body):
		if scored(a) && scored(b) {
			e.levelNearer(&body, a, b, a, b)
		} else if p, q, ok := e.scored(&body, a, b); ok {
			e.levelNearer(&body, a, b, p, q)
		}
		e.levelLater(&body, a, b)
		if !strings.HasSuffix(path, "/similar") {
			e.levelPage(&body, a, b)
			e.levelHalf(&body, a, b)
		}
	case path == "/multi-search" && body.Get("queries") != nil:
		e.levelSeveral(&body, a, b)
	}
}

// levelSeveral levels the answers of a multi-search: the merged list, whose hits always have
// scores, or the result of each query by vector.
func (e *Evidence) levelSeveral(body, a, b *jsonvalue.Value) {
	queries := body.Get("queries").Members()
	if f := body.Get("federation"); f != nil && !f.IsNull() {
		if slices.ContainsFunc(queries, func(m jsonvalue.Member) bool { return byVector(&m.Value) }) {
			e.levelNearer(body, a, b, a, b)
			e.levelLater(body, a, b)
			e.levelPage(body, a, b)
		}
		return
	}
	x, y := a.Get("results"), b.Get("results")
	if x == nil || y == nil || x.Len() != len(queries) || y.Len() != len(queries) {
		return
	}
	scoredA, scoredB, ok := e.scored(body, a, b)
	if !ok {
		return
	}
	for i := range queries {
		query := &queries[i].Value
		if byVector(query) {
			p, q := &x.Members()[i].Value, &y.Members()[i].Value
			e.levelNearer(query, p, q, &scoredA.Get("results").Members()[i].Value, &scoredB.Get("results").Members()[i].Value)
			alone := e.alone(query)
			alone.levelLater(query, p, q)
			alone.levelPage(query, p, q)
			alone.levelHalf(query, p, q)
		}
	}
}

// without is an object without one of its members.
func without(v *jsonvalue.Value, name string) json.RawMessage {
	members := membersOf(v)
	delete(members, name)
	return rawBody(members)
}

// levelHalf levels the counts of a hybrid search that has the same hits. They must differ because of
// its semantic half, in which ours has nearer hits; its keyword half must be the same.
func (e *Evidence) levelHalf(body, a, b *jsonvalue.Value) {
	x, y := a.Get("hits"), b.Get("hits")
	if a.JSON() == b.JSON() || x == nil || y == nil || x.JSON() != y.JSON() {
		return
	}
	keyword, semantic := half(body, 0), half(body, 1)
	if p, q, ok := e.again(rawBody(keyword)); !ok || p.text() != q.text() {
		return
	}
	p, q, ok := e.again(rawBody(semantic))
	if !ok || p.text() == q.text() {
		return
	}
	if e.levelNearer(&semantic, &p.parts[0], &q.parts[0], &p.parts[0], &q.parts[0]); p.text() == q.text() {
		levelMembers(a, b, "estimatedTotalHits", "totalHits", "totalPages", "facetDistribution", "facetStats")
	}
}

// half is a hybrid search for all hits up to the end of the page, with another semantic ratio.
func half(body *jsonvalue.Value, ratio float64) jsonvalue.Value {
	whole, _, _ := fromStart(body, 0)
	var search, hybrid map[string]json.RawMessage
	if json.Unmarshal(whole, &search) != nil || json.Unmarshal(search["hybrid"], &hybrid) != nil {
		panic("a hybrid search that is none")
	}
	hybrid["semanticRatio"] = rawBody(ratio)
	search["hybrid"] = rawBody(hybrid)
	changed, err := jsonvalue.Parse(rawBody(search))
	if err != nil {
		panic(err) // made of JSON
	}
	return changed
}

// levelNearer levels two answers after what the same answers with scores tell. The total of a
// distinct search falls with every hit that repeats a value, so the better list may have the lower
// one. A list of the reference's that is not in the order of its scores is worse than ours that is.
func (e *Evidence) levelNearer(body, a, b, scoredA, scoredB *jsonvalue.Value) {
	x, y := scoredA.Get("hits"), scoredB.Get("hits")
	if x == nil || y == nil || x.Len() < y.Len() || a.JSON() == b.JSON() {
		return
	}
	better := totalOf(scoredA) > totalOf(scoredB)
	if totalOf(scoredA) < totalOf(scoredB) && !hasMember(body, "distinct") && !e.isDistinct() {
		return
	}
	near, others := scoresOf(x), scoresOf(y)
	if len(near) < x.Len() || len(others) < y.Len() {
		return // a hit without a score
	}
	if isFalling(near) && !isFalling(others) {
		better = true
		slices.SortFunc(others, func(p, q float64) int { return cmp.Compare(q, p) })
	}
	for i := range others {
		if near[i] < others[i] {
			return
		}
		better = better || near[i] > others[i]
	}
	if !better && x.Len() == y.Len() {
		return // nothing nearer was missed
	}
	levelMembers(a, b, "hits", "estimatedTotalHits", "totalHits", "totalPages", "semanticHitCount", "facetDistribution", "facetStats", "facetsByIndex")
}

// scoresOf are the scores that rank hits, without the hits that have none.
func scoresOf(hits *jsonvalue.Value) []float64 {
	var list []float64
	for i := range hits.Members() {
		if score := scoreOf(&hits.Members()[i].Value); score != nil {
			list = append(list, score.Float())
		}
	}
	return list
}

// isFalling tells whether no score is higher than the one before it.
func isFalling(list []float64) bool {
	return slices.IsSortedFunc(list, func(p, q float64) int { return cmp.Compare(q, p) })
}

// totalOf is how many hits an answer says there are.
func totalOf(v *jsonvalue.Value) uint64 {
	for _, name := range []string{"estimatedTotalHits", "totalHits"} {
		if n := v.Get(name); n != nil {
			return n.Uint()
		}
	}
	return 0
}

// scoreOf is the score that ranks a hit.
func scoreOf(hit *jsonvalue.Value) *jsonvalue.Value {
	if f := hit.Get("_federation"); f != nil {
		return f.Get("weightedRankingScore")
	}
	return hit.Get("_rankingScore")
}

// byVector tells whether a query ranks by vectors.
func byVector(query *jsonvalue.Value) bool {
	h := query.Get("hybrid")
	return h != nil && !h.IsNull()
}

// scored tells whether the hits of an answer show their scores.
func scored(v *jsonvalue.Value) bool {
	hits := v.Get("hits")
	return hits != nil && hits.Len() > 0 && scoreOf(&hits.Members()[0].Value) != nil
}

// scored are the same answers with scores. They count only where they are the same without
// them.
func (e *Evidence) scored(body, a, b *jsonvalue.Value) (ours, theirs *jsonvalue.Value, ok bool) {
	var asked map[string]json.RawMessage
	if json.Unmarshal([]byte(body.JSON()), &asked) != nil {
		return nil, nil, false
	}
	if raw := asked["queries"]; raw != nil {
		var queries []map[string]json.RawMessage
		if json.Unmarshal(raw, &queries) != nil {
			return nil, nil, false
		}
		for i := range queries {
			queries[i]["showRankingScore"] = json.RawMessage("true")
		}
		raw, err := json.Marshal(queries)
		if err != nil {
			return nil, nil, false
		}
		asked["queries"] = raw
	} else {
		asked["showRankingScore"] = json.RawMessage("true")
	}
	raw, err := json.Marshal(asked)
	if err != nil {
		return nil, nil, false
	}
	p, q, ok := e.again(json.RawMessage(raw))
	if !ok || len(p.parts) != 1 || len(q.parts) != 1 {
		return nil, nil, false
	}
	return &p.parts[0], &q.parts[0], unscored(&p.parts[0]) == unscored(a) && unscored(&q.parts[0]) == unscored(b)
}

// unscored is an answer, one of several or a hit without scores, facets, which other rows level, and
// the index that one of several answers names.
func unscored(v *jsonvalue.Value) string {
	if list := v.Get("results"); list != nil {
		texts := make([]string, list.Len())
		for i := range list.Members() {
			texts[i] = unscored(&list.Members()[i].Value)
		}
		return strings.Join(texts, "\n")
	}
	members := membersOf(v)
	for _, name := range []string{"facetDistribution", "facetStats", "facetsByIndex", "indexUid"} {
		delete(members, name)
	}
	return scores.ReplaceAllString(string(rawBody(members)), "")
}

// levelEquallySimilar levels hits of the similar route with equal scores. The scores must
// be the same, place by place, and so must the hits of every score but those that the page
// may cut off: the last score, and the first one behind an offset.
func levelEquallySimilar(e *Evidence, ours, theirs *Parsed) {
	path, query, _ := strings.Cut(e.Request.Path, "?")
	if !strings.HasSuffix(path, "/similar") || ours.status != 200 || theirs.status != 200 || len(ours.parts) != 1 || len(theirs.parts) != 1 {
		return
	}
	a, b := &ours.parts[0], &theirs.parts[0]
	if body, ok := bodyOf(e.Request); ok && !scored(a) {
		if p, q, ok := e.scored(&body, a, b); ok {
			a, b = p, q
		}
	}
	x, y := a.Get("hits"), b.Get("hits")
	if x == nil || y == nil || x.Len() != y.Len() {
		return
	}
	offset := strings.Contains(query, "offset=")
	if o := ours.parts[0].Get("offset"); o != nil {
		offset = offset || o.Uint() > 0
	}
	for from := 0; from < x.Len(); {
		to := from
		for ; to < x.Len(); to++ {
			p, q := x.Members()[to].Value.Get("_rankingScore"), y.Members()[to].Value.Get("_rankingScore")
			if p == nil || q == nil || p.JSON() != q.JSON() {
				return
			}
			if p.JSON() != x.Members()[from].Value.Get("_rankingScore").JSON() {
				break
			}
		}
		if cut := to == x.Len() || from == 0 && offset; !cut && !slices.Equal(sortedTexts(x.Members()[from:to]), sortedTexts(y.Members()[from:to])) {
			return
		}
		from = to
	}
	*theirs.parts[0].Get("hits") = *ours.parts[0].Get("hits")
}

// sortedTexts are values as texts, in order.
func sortedTexts(list []jsonvalue.Member) []string {
	texts := make([]string, len(list))
	for i := range list {
		texts[i] = list[i].Value.JSON()
	}
	slices.Sort(texts)
	return texts
}
