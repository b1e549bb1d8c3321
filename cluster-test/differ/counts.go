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
// such documents than changes.
func levelWordCounts(e *evidence, ours, theirs *parsed) {
	body, ok := bodyOf(e.request)
	changes := e.recounts()
	if !ok || changes == 0 || ours.status != 200 || theirs.status != 200 || ours.text() == theirs.text() || ours.parts[0].Get("hits") == nil {
		return
	}
	whole, before, size := fromStart(&body, uncut)
	p, q, ok := e.again(detailed(whole))
	if !ok {
		return
	}
	x, y := p.parts[0].Get("hits"), q.parts[0].Get("hits")
	if x == nil || y == nil || x.Len() != y.Len() || !isPage(x, ours.parts[0].Get("hits"), before, size) || !isPage(y, theirs.parts[0].Get("hits"), before, size) {
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
	if slices.Equal(a, b) {
		*theirs.parts[0].Get("hits") = *ours.parts[0].Get("hits")
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

// detailed is a search, or each query of one, with the details of scores.
func detailed(raw json.RawMessage) json.RawMessage {
	var search map[string]json.RawMessage
	var queries []map[string]json.RawMessage
	if json.Unmarshal(raw, &search) != nil {
		return raw
	}
	if json.Unmarshal(search["queries"], &queries) == nil {
		for i := range queries {
			queries[i]["showRankingScoreDetails"] = json.RawMessage("true")
		}
		search["queries"] = rawBody(queries)
	} else {
		search["showRankingScoreDetails"] = json.RawMessage("true")
	}
	return rawBody(search)
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
