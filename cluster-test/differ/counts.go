package main

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"shoal/api/jsonvalue"
)

// exactness is what the details of a hit say about the rule, and scores that it changes.
var exactness = regexp.MustCompile(`"exactness":\{[^}]*\}|"(_rankingScore|weightedRankingScore)":[0-9.e-]+`)

// levelWordCounts levels hits that only differ in documents whose words the reference counts as
// before a change of settings. Both servers are asked for all hits with details: these
// documents must differ in exactness only, the others in nothing, and there must be no more
// such documents than changes. A threshold and a distinct attribute, by which exactness chooses
// among hits, are left out of that question.
func levelWordCounts(e *evidence, ours, theirs *parsed) {
	body, ok := bodyOf(e.request)
	changes := e.recounts()
	if !ok || changes == 0 || ours.status != 200 || theirs.status != 200 || ours.text() == theirs.text() || ours.parts[0].Get("hits") == nil {
		return
	}
	whole, before, size := fromStart(&body, uncut)
	whole, chosen := detailed(whole)
	p, q, ok := e.again(whole)
	if !ok {
		return
	}
	x, y := p.parts[0].Get("hits"), q.parts[0].Get("hits")
	if x == nil || y == nil || x.Len() != y.Len() || !chosen && !(isPage(x, ours.parts[0].Get("hits"), before, size) && isPage(y, theirs.parts[0].Get("hits"), before, size)) {
		return
	}
	a, b := texts(x), texts(y)
	onlyOurs := slices.DeleteFunc(slices.Clone(a), func(hit string) bool { return slices.Contains(b, hit) })
	onlyTheirs := slices.DeleteFunc(slices.Clone(b), func(hit string) bool { return slices.Contains(a, hit) })
	if len(onlyOurs) == 0 || len(onlyOurs) > changes || !slices.Equal(inexact(onlyOurs), inexact(onlyTheirs)) {
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
	for _, name := range levelled {
		if m, n := ours.parts[0].Get(name), theirs.parts[0].Get(name); m != nil && n != nil {
			*n = *m
		}
	}
}

// recounts is the number of changes of settings by which documents get other words.
func (e *evidence) recounts() (n int) {
	for i := range e.sent {
		r := &e.sent[i]
		if r.Write && strings.Contains(r.Path, "/settings") && recounting.MatchString(r.String()) {
			n++
		}
	}
	return n
}

// recounting are the settings by which texts are cut.
var recounting = regexp.MustCompile(`eparatorTokens|dictionary|earchableAttributes|stopWords|localizedAttributes|DELETE /indexes/[a-z]+/settings|-tokens|searchable-attributes`)

// detailed is a search, or each query of one, with the details of scores and all documents.
// chosen tells that the search itself leaves some out.
func detailed(raw json.RawMessage) (all json.RawMessage, chosen bool) {
	var search map[string]json.RawMessage
	var queries []map[string]json.RawMessage
	if json.Unmarshal(raw, &search) != nil {
		return raw, false
	}
	if json.Unmarshal(search["queries"], &queries) != nil {
		queries = []map[string]json.RawMessage{search}
	}
	for _, q := range queries {
		q["showRankingScoreDetails"] = json.RawMessage("true")
		for _, name := range []string{"rankingScoreThreshold", "distinct"} {
			chosen = chosen || q[name] != nil
			delete(q, name)
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

// inexact are hits without what the rule exactness says, in order.
func inexact(hits []string) []string {
	out := make([]string, len(hits))
	for i, hit := range hits {
		out[i] = exactness.ReplaceAllString(hit, "")
	}
	slices.Sort(out)
	return out
}
