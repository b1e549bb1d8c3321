package purpose

import (
	"encoding/json"
	"slices"
	"strings"

	"shoal/api/jsonvalue"
	"shoal/cluster-test/life"
)

// uncut is how many hits a search wants so that it gets all that there are.
const uncut = 1000

// levelPage levels a page of a list that both servers have alike when they are asked for all of it.
// The reference asks each store of vectors for as many neighbours as the page wants. So its page may
// end with another one of equally near documents, while ours begins as the list does. Where distinct
// needs more neighbours than that, a document may come by the farther one of its vectors, or not at
// all, with another total; ours looks for as many, though in one store, and either page must be made
// of documents of the list, whose order may be another one.
func (e *Evidence) levelPage(body, a, b *jsonvalue.Value) {
	if a.JSON() == b.JSON() {
		return
	}
	whole, before, size := fromStart(body, uncut)
	p, q, ok := e.again(whole)
	x, y, scored := e.withScores(body, a, b)
	distinct := hasMember(body, "distinct") || e.isDistinct()
	if !ok || !scored || x.Get("hits") == nil || y.Get("hits") == nil || !haveSameHits(p, q) && !(distinct && haveSameDocuments(p, q)) {
		return
	}
	list, hits, others := p.parts[0].Get("hits").Members(), x.Get("hits").Members(), y.Get("hits").Members()
	if len(list) == uncut || !e.isKnown(body, others, list) || distinct && !e.isKnown(body, hits, list) || !distinct && !e.isOurPage(body, hits, list, before, size, len(others)) {
		return
	}
	names := []string{"hits", "semanticHitCount"}
	// Hits that repeat a distinct value, and those below a score, count until a page meets them.
	if total := totalOf(&p.parts[0]); distinct || totalOf(a) == total || totalOf(a) > total && hasMember(body, "rankingScoreThreshold") {
		names = append(names, "estimatedTotalHits", "totalHits", "totalPages", "facetDistribution", "facetStats", "facetsByIndex")
	}
	levelMembers(a, b, names...)
}

// isOurPage tells whether hits are a page of a list. Behind other pages both servers show too few of a
// hybrid search.
func (e *Evidence) isOurPage(body *jsonvalue.Value, hits, list []jsonvalue.Member, before, size, others int) bool {
	rest := list[min(before, len(list)):]
	full := min(size, len(rest))
	return len(hits) <= full && (len(hits) == full || before > 0 && len(hits) == others) && beginsWith(rest, hits, e.isSorted(body))
}

// haveSameHits tells whether two answers have the same hits, and count them alike. Where a setting
// bounds how many there are, those with the last score may be others.
func haveSameHits(p, q *Parsed) bool {
	x, y := p.parts[0].Get("hits"), q.parts[0].Get("hits")
	if x == nil || y == nil || x.Len() != y.Len() || totalOf(&p.parts[0]) != totalOf(&q.parts[0]) {
		return false
	}
	a, b := x.Members(), y.Members()
	cut := totalOf(&p.parts[0]) > uint64(len(a))
	for i := range a {
		if a[i].Value.JSON() != b[i].Value.JSON() && !(cut && hasScoreOf(a, i, len(a)-1) && hasScoreOf(b, i, len(b)-1) && scoreOf(&a[i].Value).JSON() == scoreOf(&b[i].Value).JSON()) {
			return false
		}
	}
	return true
}

// haveSameDocuments tells whether two answers have the same documents, whatever their ranks, and count
// them alike.
func haveSameDocuments(p, q *Parsed) bool {
	x, y := p.parts[0].Get("hits"), q.parts[0].Get("hits")
	if x == nil || y == nil || totalOf(&p.parts[0]) != totalOf(&q.parts[0]) {
		return false
	}
	documents := func(v *jsonvalue.Value) []string {
		list := make([]string, v.Len())
		for i := range list {
			list[i] = unranked(&v.Members()[i].Value)
		}
		slices.Sort(list)
		return list
	}
	return slices.Equal(documents(x), documents(y))
}

// isKnown tells whether all hits are in a whole list, or in that without the distinct attributes that
// a search names, where another of its vectors may have ranked a document. Without a distinct
// attribute of the settings none can be asked for.
func (e *Evidence) isKnown(body *jsonvalue.Value, hits, list []jsonvalue.Member) bool {
	switch {
	case e.isDistinct():
		return true
	case hasMember(body, "distinct"):
		all, err := jsonvalue.Parse(withoutDistinct(body))
		if err != nil {
			panic(err) // made of JSON
		}
		whole, _, _ := fromStart(&all, uncut)
		p, q, ok := e.again(whole)
		if same := ok && haveSameHits(p, q); !same || body.Get("queries") != nil { // each query shows a document in its way
			return same
		}
		known := map[string]bool{}
		for i := range p.parts[0].Get("hits").Members() {
			known[unranked(&p.parts[0].Get("hits").Members()[i].Value)] = true
		}
		return !slices.ContainsFunc(hits, func(hit jsonvalue.Member) bool { return !known[unranked(&hit.Value)] && !isLast(&hit, list) })
	}
	return !slices.ContainsFunc(hits, func(hit jsonvalue.Member) bool { return indexOfHit(list, &hit) < 0 && !isLast(&hit, list) })
}

// isLast tells whether a hit has the last score of a list.
func isLast(hit *jsonvalue.Member, list []jsonvalue.Member) bool {
	return len(list) > 0 && hasScoreOf(append(slices.Clip(list), *hit), len(list)-1, len(list))
}

// unranked is a hit without all that tells of its rank.
func unranked(hit *jsonvalue.Value) string {
	members := membersOf(hit)
	for _, name := range []string{"_rankingScore", "_rankingScoreDetails", "_federation"} {
		delete(members, name)
	}
	return string(rawBody(members))
}

// withoutDistinct is a search, or a federated one, of all documents of each value.
func withoutDistinct(body *jsonvalue.Value) []byte {
	asked := membersOf(body)
	delete(asked, "distinct")
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

// withScores are two answers, asked for once more if they show no scores.
func (e *Evidence) withScores(body, a, b *jsonvalue.Value) (ours, theirs *jsonvalue.Value, ok bool) {
	if scored(a) && scored(b) {
		return a, b, true
	}
	return e.scored(body, a, b)
}

// beginsWith tells whether a list begins with hits. If they are sorted, those with the last score
// may be other ones with that score, in the order of the list.
func beginsWith(list, hits []jsonvalue.Member, sorted bool) bool {
	n := 0
	for n < len(hits) && hits[n].Value.JSON() == list[n].Value.JSON() {
		n++
	}
	for i := n; i < len(hits); i++ {
		if !sorted || !hasScoreOf(hits, i, len(hits)-1) {
			return false
		}
	}
	return areSome(hits[n:], list[n:])
}

func hasScoreOf(hits []jsonvalue.Member, i, k int) bool {
	a, b := scoreOf(&hits[i].Value), scoreOf(&hits[k].Value)
	return a != nil && b != nil && a.JSON() == b.JSON()
}

func indexOfHit(list []jsonvalue.Member, hit *jsonvalue.Member) int {
	text := hit.Value.JSON()
	return slices.IndexFunc(list, func(m jsonvalue.Member) bool { return m.Value.JSON() == text })
}

// areSome tells whether hits are some of a list, in its order.
func areSome(hits, list []jsonvalue.Member) bool {
	for i := range hits {
		at := indexOfHit(list, &hits[i])
		if at < 0 {
			return false
		}
		list = list[at+1:]
	}
	return true
}

// isSorted tells whether a search, or one of several, sorts what it finds, be it by a rule of its
// index.
func (e *Evidence) isSorted(body *jsonvalue.Value) bool {
	sorts := func(v *jsonvalue.Value) bool {
		by := v.Get("sort")
		return by != nil && by.Len() > 0
	}
	list := body.Get("queries")
	return sorts(body) || list != nil && slices.ContainsFunc(list.Members(), func(m jsonvalue.Member) bool { return sorts(&m.Value) }) ||
		e.searchesSome(body, func(index string) bool {
			a, _, ok := e.Ask(&life.Request{Method: "GET", Path: "/indexes/" + index + "/settings/ranking-rules"})
			return ok && (strings.Contains(a.text(), ":asc") || strings.Contains(a.text(), ":desc"))
		})
}

// hasMember tells whether a search, one of several or their merge has a member that is not null.
func hasMember(body *jsonvalue.Value, name string) bool {
	has := func(v *jsonvalue.Value) bool {
		m := v.Get(name)
		return m != nil && !m.IsNull()
	}
	if f := body.Get("federation"); has(body) || f != nil && f.Kind() == jsonvalue.KindObject && has(f) {
		return true
	}
	list := body.Get("queries")
	return list != nil && slices.ContainsFunc(list.Members(), func(m jsonvalue.Member) bool { return has(&m.Value) })
}

// isDistinct tells whether an index that is searched shows one document of each value.
func (e *Evidence) isDistinct() bool {
	body, ok := bodyOf(e.Request)
	return ok && e.searchesSome(&body, e.hasDistinct)
}

func (e *Evidence) hasDistinct(index string) bool {
	a, b, ok := e.Ask(&life.Request{Method: "GET", Path: "/indexes/" + index + "/settings/distinct-attribute"})
	return ok && a.text() == b.text() && !a.parts[0].IsNull()
}
