package purpose

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"shoal/api/jsonvalue"
	"shoal/cluster-test/life"
)

// exactness and proximity are what the details of a hit say about a rule, and scores that it
// changes.
var exactness, proximity, wordPosition = detailsOf("exactness"), detailsOf("proximity"), detailsOf("wordPosition")

func detailsOf(rule string) *regexp.Regexp {
	return regexp.MustCompile(`"` + rule + `":\{[^}]*\}|"(_rankingScore|weightedRankingScore)":[0-9.e-]+`)
}

// levelWordCounts levels hits that only differ in documents whose words the reference counts as
// before a change of settings, no more than there were changes.
func levelWordCounts(e *Evidence, ours, theirs *Parsed) {
	if changes := e.recounts(); changes > 0 {
		e.levelRule(ours, theirs, exactness, changes)
	}
}

// levelTypoPairs levels hits of an index with attributes without typos that only differ in
// documents whose pairs of words the reference counts while another document of the bucket has
// one of them elsewhere.
func levelTypoPairs(e *Evidence, ours, theirs *Parsed) {
	body, ok := bodyOf(e.Request)
	if !ok || !strings.HasSuffix(e.Request.Path, "search") {
		return
	}
	if e.searchesSome(&body, e.hasAttributesWithoutTypos) || isRestricted(&body) {
		e.levelRule(ours, theirs, proximity, uncut)
	}
}

// levelEarlierPairs levels hits of an index whose pairs of words count by attribute that only differ
// in documents for which the reference counts fewer pairs.
func levelEarlierPairs(e *Evidence, ours, theirs *Parsed) {
	body, ok := bodyOf(e.Request)
	if ok && strings.HasSuffix(e.Request.Path, "search") && e.searchesSome(&body, e.pairsByAttribute) {
		e.levelRule(ours, theirs, proximity, uncut)
	}
}

func (e *Evidence) pairsByAttribute(index string) bool {
	ours, _, ok := e.Ask(&life.Request{Method: "GET", Path: "/indexes/" + index + "/settings/proximity-precision"})
	return ok && strings.Contains(ours.text(), "byAttribute")
}

// isRestricted tells whether a search, or one that it joins, searches some attributes only.
func isRestricted(body *jsonvalue.Value) bool {
	names := func(v *jsonvalue.Value) bool {
		on := v.Get("attributesToSearchOn")
		return on != nil && !on.IsNull()
	}
	queries := body.Get("queries")
	return names(body) || queries != nil && slices.ContainsFunc(queries.Members(), func(m jsonvalue.Member) bool { return names(&m.Value) })
}

func (e *Evidence) hasAttributesWithoutTypos(index string) bool {
	ours, _, ok := e.Ask(&life.Request{Method: "GET", Path: "/indexes/" + index + "/settings/typo-tolerance"})
	if !ok {
		return false
	}
	list := ours.parts[0].Get("disableOnAttributes")
	return list != nil && list.Len() > 0
}

// levelRule levels hits that only differ in what one ranking rule says of some documents. Both
// servers are asked for all hits with details: at most so many documents may differ in this rule
// only, the others in nothing, but that one of them may lose hits that it counts. A threshold and a
// distinct attribute, by which the rule chooses among hits, are left out of that question.
func (e *Evidence) levelRule(ours, theirs *Parsed, rule *regexp.Regexp, most int) {
	body, ok := bodyOf(e.Request)
	if !ok || ours.status != 200 || theirs.status != 200 || ours.text() == theirs.text() || ours.parts[0].Get("hits") == nil {
		return
	}
	whole, before, size := fromStart(&body, uncut)
	whole, chosen := e.detailed(whole)
	p, q, ok := e.again(whole)
	if !ok {
		return
	}
	x, y := p.parts[0].Get("hits"), q.parts[0].Get("hits")
	if x == nil || y == nil || x.Len() != y.Len() && !losesSome(p, q) || !chosen && !(isPage(x, ours.parts[0].Get("hits"), before, size) && isPage(y, theirs.parts[0].Get("hits"), before, size)) {
		return
	}
	a, b := texts(x), texts(y)
	onlyOurs := slices.DeleteFunc(slices.Clone(a), func(hit string) bool { return slices.Contains(b, hit) })
	onlyTheirs := slices.DeleteFunc(slices.Clone(b), func(hit string) bool { return slices.Contains(a, hit) })
	if e.isBound(x.Len(), "pagination", "maxTotalHits") {
		a, b, onlyOurs, onlyTheirs = withoutCut(x, y, a, b, onlyOurs, onlyTheirs)
	}
	if len(onlyOurs) == 0 || len(onlyTheirs) == 0 || len(onlyOurs) > most || !sameBut(withoutRule(rule, onlyOurs), withoutRule(rule, onlyTheirs)) {
		return
	}
	a = slices.DeleteFunc(a, func(hit string) bool { return slices.Contains(onlyOurs, hit) })
	b = slices.DeleteFunc(b, func(hit string) bool { return slices.Contains(onlyTheirs, hit) })
	if !slices.Equal(a, b) {
		return
	}
	levelled := []string{"hits"}
	if chosen {
		levelled = append(levelled, "estimatedTotalHits", "totalHits", "totalPages", "facetDistribution", "facetStats", "facetsByIndex")
	}
	levelMembers(&ours.parts[0], &theirs.parts[0], levelled...)
}

// withoutCut are two full lists, and the hits that only one of them has, without the documents that the
// other list has not: what ranks otherwise pushes as many over the end, and no more.
func withoutCut(x, y *jsonvalue.Value, a, b, onlyOurs, onlyTheirs []string) (_, _, _, _ []string) {
	gone, come := pushedOut(x, y), pushedOut(y, x)
	if len(gone) != len(come) || 2*len(gone) > len(onlyOurs) {
		return a, b, onlyOurs, onlyTheirs
	}
	without := func(list, hits []string) []string {
		return slices.DeleteFunc(slices.Clone(list), func(hit string) bool { return slices.Contains(hits, hit) })
	}
	return without(a, gone), without(b, come), without(onlyOurs, gone), without(onlyTheirs, come)
}

// pushedOut are the hits of a list whose documents another list does not have.
func pushedOut(list, other *jsonvalue.Value) (hits []string) {
	known := map[string]bool{}
	for i := range other.Members() {
		known[unranked(&other.Members()[i].Value)] = true
	}
	for i := range list.Members() {
		if hit := &list.Members()[i].Value; !known[unranked(hit)] {
			hits = append(hits, hit.JSON())
		}
	}
	return hits
}

// losesSome tells whether an answer shows fewer hits than both count.
func losesSome(p, q *Parsed) bool {
	total := totalOf(&p.parts[0])
	shown := min(p.parts[0].Get("hits").Len(), q.parts[0].Get("hits").Len())
	return total == totalOf(&q.parts[0]) && total > uint64(shown)
}

// sameBut tells whether one of two lists has all that the other one has.
func sameBut(a, b []string) bool {
	if len(a) < len(b) {
		a, b = b, a
	}
	return !slices.ContainsFunc(b, func(hit string) bool { return !slices.Contains(a, hit) })
}

// levelMembers levels members of two objects by their names, those that both have.
func levelMembers(ours, theirs *jsonvalue.Value, names ...string) {
	for _, name := range names {
		if a, b := ours.Get(name), theirs.Get(name); a != nil && b != nil {
			*b = *a
		}
	}
}

// recounts is the number of changes of settings by which documents get other words.
func (e *Evidence) recounts() (n int) {
	for i := range e.Sent {
		r := &e.Sent[i]
		if r.Write && strings.Contains(r.Path, "/settings") && recounting.MatchString(r.String()) {
			n++
		}
	}
	return n
}

// recounting are the settings by which texts are cut.
var recounting = regexp.MustCompile(`eparatorTokens|dictionary|earchableAttributes|stopWords|localizedAttributes|DELETE /indexes/[a-z]+/settings|-tokens|searchable-attributes`)

// detailed is a search, or each query of one, with the details of scores and all documents: where the
// settings of an index choose one of each value, those of each id. chosen tells that the search itself
// leaves some out.
func (e *Evidence) detailed(raw json.RawMessage) (all json.RawMessage, chosen bool) {
	var search map[string]json.RawMessage
	var queries []map[string]json.RawMessage
	if json.Unmarshal(raw, &search) != nil {
		return raw, false
	}
	if json.Unmarshal(search["queries"], &queries) != nil {
		queries = []map[string]json.RawMessage{search}
	}
	distinct := e.isDistinct()
	for _, q := range queries {
		q["showRankingScoreDetails"] = json.RawMessage("true")
		for _, name := range []string{"rankingScoreThreshold", "distinct"} {
			chosen = chosen || q[name] != nil
			delete(q, name)
		}
		if names := string(q["attributesToRetrieve"]); names != "" && names != "null" && !strings.Contains(names, `"id"`) && !strings.Contains(names, `"*"`) {
			chosen = true // of hits without ids it cannot be told which they are
			delete(q, "attributesToRetrieve")
		}
		if distinct {
			chosen, q["distinct"] = true, rawBody("id")
		}
	}
	if search["queries"] != nil {
		search["queries"] = rawBody(queries)
	}
	return rawBody(search), chosen
}

// isPage tells whether a page has the documents of a list from a place on.
func isPage(list, page *jsonvalue.Value, before, size int) bool {
	if page == nil || page.Len() != max(0, min(size, list.Len()-before)) {
		return false
	}
	for i := range page.Members() {
		p, q := page.Members()[i].Value.Get("id"), list.Members()[before+i].Value.Get("id")
		if p == nil || q == nil || p.JSON() != q.JSON() {
			return false
		}
	}
	return true
}

// withoutRule are hits without what a rule says, in order.
func withoutRule(rule *regexp.Regexp, hits []string) []string {
	out := make([]string, len(hits))
	for i, hit := range hits {
		out[i] = rule.ReplaceAllString(hit, "")
	}
	slices.Sort(out)
	return out
}
