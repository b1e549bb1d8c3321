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
// sort or the merge with words needs more neighbours than that. Its hits must be some of our list,
// in its order and with its scores.
func (e *evidence) levelPage(body, a, b *jsonvalue.Value) {
	if a.JSON() == b.JSON() {
		return
	}
	whole, before, size := fromStart(body, uncut)
	p, _, ok := e.again(whole)
	x, y, scored := e.withScores(body, a, b)
	if !ok || !scored || len(p.parts) != 1 || p.parts[0].Get("hits") == nil || x.Get("hits") == nil || y.Get("hits") == nil {
		return
	}
	list, ours, theirs := p.parts[0].Get("hits").Members(), x.Get("hits").Members(), y.Get("hits").Members()
	begin := min(before, len(list))
	full := min(size, len(list)-begin)
	short := before > 0 && len(ours) == len(theirs) // of a hybrid search, for both
	if len(list) == uncut || len(ours) > full || len(ours) < full && !short || !beginsWith(list[begin:], ours, isSorted(body)) || !e.isSomeOf(body, theirs, list) {
		if e.agreesWithoutDistinct(body, ours, theirs) { // other documents stand for the values
			levelMembers(a, b, "hits", "semanticHitCount", "estimatedTotalHits", "totalHits", "totalPages", "facetDistribution", "facetStats", "facetsByIndex")
		}
		return
	}
	names := []string{"hits", "semanticHitCount"}
	switch total := totalOf(&p.parts[0]); {
	case totalOf(b) < totalOf(a): // neighbours are missed
		names = append(names, "estimatedTotalHits", "totalHits", "totalPages", "facetDistribution", "facetStats", "facetsByIndex")
	case e.isUnion(body, totalOf(a)) && e.isUnion(body, totalOf(b)):
		names = append(names, "estimatedTotalHits", "totalHits", "totalPages", "facetDistribution", "facetStats")
	case totalOf(a) == total:
		names = append(names, "estimatedTotalHits", "totalHits", "totalPages")
	case totalOf(a) > total && totalOf(b) > total:
		names = append(names, "estimatedTotalHits") // of a page; distinct lowers it with every hit
	}
	levelMembers(a, b, names...)
}

// agreesWithoutDistinct tells whether both servers find the same, document by document with its
// score, without the distinct attributes that a search names. For that many hits the reference
// asks for all vectors of every document. For fewer it may miss the nearest one of a document that
// has several, and another document stands for the value. The hits of our page must be some of
// those, and those of the reference's must score no higher.
func (e *evidence) agreesWithoutDistinct(body *jsonvalue.Value, ours, theirs []jsonvalue.Member) bool {
	if !namesDistinct(body) {
		return false
	}
	all, err := jsonvalue.Parse(withoutDistinct(body))
	if err != nil {
		panic(err) // made of JSON
	}
	whole, _, _ := fromStart(&all, uncut)
	p, q, ok := e.again(whole)
	if !ok || len(p.parts) != 1 || p.parts[0].Get("hits") == nil || p.parts[0].Get("hits").Len() >= uncut || p.text() != q.text() {
		return false
	}
	list := p.parts[0].Get("hits").Members()
	return !slices.ContainsFunc(ours, func(hit jsonvalue.Member) bool { return indexOfHit(list, &hit) < 0 }) &&
		!slices.ContainsFunc(theirs, func(hit jsonvalue.Member) bool { return !isKnown(list, &hit) })
}

// isKnown tells whether a hit is in a list, with its score or a higher one.
func isKnown(list []jsonvalue.Member, hit *jsonvalue.Member) bool {
	score := scoreOf(&hit.Value)
	return slices.ContainsFunc(list, func(m jsonvalue.Member) bool {
		s := scoreOf(&m.Value)
		return s != nil && score != nil && s.Float() >= score.Float() && bare(&m.Value) == bare(&hit.Value)
	})
}

// bare is a hit without all that tells of its rank.
func bare(hit *jsonvalue.Value) string {
	var members map[string]json.RawMessage
	if err := json.Unmarshal([]byte(hit.JSON()), &members); err != nil {
		panic(err) // an object
	}
	for _, name := range []string{"_rankingScore", "_rankingScoreDetails", "_federation"} {
		delete(members, name)
	}
	return string(rawBody(members))
}

// isUnion tells whether a total can be that of a distinct search for words and by vector: which
// document of a value either half keeps depends on the neighbours that it met, and the total counts
// those of both.
func (e *evidence) isUnion(body *jsonvalue.Value, total uint64) bool {
	if body.Get("queries") != nil || !namesDistinct(body) && !e.isDistinct() {
		return false
	}
	words, ok := e.totalOfHalf(body, 0)
	vector, fine := e.totalOfHalf(body, 1)
	return ok && fine && max(words, vector) <= total && total <= words+vector
}

// totalOfHalf is the total of ours for the words of a search alone, or its vector.
func (e *evidence) totalOfHalf(body *jsonvalue.Value, ratio int) (uint64, bool) {
	half, ok := halfOf(body, ratio)
	if !ok {
		return 0, false
	}
	ours, _, ok := e.again(half)
	if !ok || len(ours.parts) != 1 {
		return 0, false
	}
	return totalOf(&ours.parts[0]), true
}

// halfOf is a search of one index with another semantic ratio.
func halfOf(body *jsonvalue.Value, ratio int) (json.RawMessage, bool) {
	var asked, hybrid map[string]json.RawMessage
	if json.Unmarshal([]byte(body.JSON()), &asked) != nil || json.Unmarshal(asked["hybrid"], &hybrid) != nil || hybrid == nil {
		return nil, false
	}
	hybrid["semanticRatio"] = rawBody(ratio)
	asked["hybrid"] = rawBody(hybrid)
	return rawBody(asked), true
}

// withScores are two answers, asked for once more if they show no scores.
func (e *evidence) withScores(body, a, b *jsonvalue.Value) (ours, theirs *jsonvalue.Value, ok bool) {
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
	return areSome(hits[n:], list[n:], nil, false)
}

func hasScoreOf(hits []jsonvalue.Member, i, k int) bool {
	a, b := scoreOf(&hits[i].Value), scoreOf(&hits[k].Value)
	return a != nil && b != nil && a.JSON() == b.JSON()
}

func indexOfHit(list []jsonvalue.Member, hit *jsonvalue.Member) int {
	text := hit.Value.JSON()
	return slices.IndexFunc(list, func(m jsonvalue.Member) bool { return m.Value.JSON() == text })
}

// isSomeOf tells whether hits are some of a list, in its order. A farther document may stand for
// its distinct value, so the list may be that without distinct, if the search names it; those of a
// distinct attribute of the settings may be missing. A document whose vector is missed may be there
// for its words.
func (e *evidence) isSomeOf(body *jsonvalue.Value, hits, list []jsonvalue.Member) bool {
	if areSome(hits, list, nil, false) {
		return true
	}
	if !namesDistinct(body) {
		return e.isDistinct() && areSome(hits, list, nil, true)
	}
	all := withoutDistinct(body)
	list = e.wholeList(all)
	if len(list) == 0 || areSome(hits, list, nil, false) {
		return len(list) > 0
	}
	search, err := jsonvalue.Parse(all)
	if err != nil {
		panic(err) // made of JSON
	}
	words, ok := halfOf(&search, 0)
	return ok && areSome(hits, list, e.wholeList(words), false)
}

// wholeList are all hits of ours for a search, with scores.
func (e *evidence) wholeList(search json.RawMessage) []jsonvalue.Member {
	asked, err := jsonvalue.Parse(search)
	if err != nil {
		panic(err) // made of JSON
	}
	whole, _, _ := fromStart(&asked, uncut)
	p, _, ok := e.again(whole)
	if !ok || len(p.parts) != 1 || p.parts[0].Get("hits") == nil {
		return nil
	}
	return p.parts[0].Get("hits").Members()
}

// areSome tells whether hits are some of a list, in its order. Those that are not may be in
// another list; with absent they may be in none.
func areSome(hits, list, other []jsonvalue.Member, absent bool) bool {
	for i := range hits {
		at := indexOfHit(list, &hits[i])
		switch {
		case at >= 0:
			list = list[at+1:]
		case !absent && indexOfHit(other, &hits[i]) < 0:
			return false
		}
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

// isSorted tells whether a search, or one of several, sorts what it finds.
func isSorted(body *jsonvalue.Value) bool {
	sorts := func(v *jsonvalue.Value) bool {
		by := v.Get("sort")
		return by != nil && by.Len() > 0
	}
	list := body.Get("queries")
	return sorts(body) || list != nil && slices.ContainsFunc(list.Members(), func(m jsonvalue.Member) bool { return sorts(&m.Value) })
}

// namesDistinct tells whether a search, one of several or their merge names a distinct attribute.
func namesDistinct(body *jsonvalue.Value) bool {
	names := func(v *jsonvalue.Value) bool {
		d := v.Get("distinct")
		return d != nil && !d.IsNull()
	}
	if f := body.Get("federation"); names(body) || f != nil && f.Kind() == jsonvalue.KindObject && names(f) {
		return true
	}
	list := body.Get("queries")
	return list != nil && slices.ContainsFunc(list.Members(), func(m jsonvalue.Member) bool { return names(&m.Value) })
}

// isDistinct tells whether an index that is searched shows one document of each value.
func (e *evidence) isDistinct() bool {
	body, ok := bodyOf(e.request)
	return ok && e.searchesSome(&body, e.hasDistinct)
}

func (e *evidence) hasDistinct(index string) bool {
	a, b, ok := e.ask(&life.Request{Method: "GET", Path: "/indexes/" + index + "/settings/distinct-attribute"})
	return ok && a.text() == b.text() && !a.parts[0].IsNull()
}
