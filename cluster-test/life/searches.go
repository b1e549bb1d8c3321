package life

import (
	"fmt"
	"strings"
)

// search makes one search of any kind.
func (w *World) search(uid string) Request {
	switch w.r.IntN(20) {
	case 4:
		return w.similar(uid)
	case 0, 1:
		return w.send("POST", "/multi-search", w.federated(), false)
	case 2:
		queries := make([]any, 1+w.r.IntN(3))
		for i := range queries {
			q := w.query()
			q["indexUid"] = w.index()
			queries[i] = q
		}
		return w.send("POST", "/multi-search", map[string]any{"queries": queries}, false)
	case 3:
		body := map[string]any{"facetName": pick(w, []string{"genre", "genre", "tags", "tags", "nested.deep", "mixed", "missing"})}
		if w.chance(80) {
			text := pick(w, []string{"dra", "har", "sci", "lant", "me", "é", "com", "s", "comedy", "lanterns"})
			if w.chance(30) {
				text = w.typo(text)
			}
			body["facetQuery"] = text
		}
		if w.chance(25) {
			body["q"] = w.text()
		}
		if w.chance(25) {
			body["filter"] = w.filter(1)
		}
		if w.chance(30) {
			body["exhaustiveFacetCount"] = true
		}
		return w.send("POST", "/indexes/"+uid+"/facet-search", body, false)
	}
	return w.send("POST", "/indexes/"+uid+"/search", w.query(), false)
}

// text makes what people type: misspelt, unfinished, quoted, negated.
func (w *World) text() string {
	if w.chance(8) {
		return ""
	}
	parts := make([]string, pick(w, []int{1, 1, 1, 2, 2, 2, 3, 4}))
	for i := range parts {
		s := w.word()
		switch w.r.IntN(12) {
		case 0, 1:
			s = w.typo(s)
		case 3:
			s = `"` + s + " " + w.word() + `"`
		case 4:
			s = "-" + s
		case 5:
			s = s + w.word() // two words in one
		}
		if w.Additions && w.chance(10) {
			s = w.inside(s)
		}
		parts[i] = s
	}
	text := strings.Join(parts, " ")
	if w.chance(40) { // not finished yet
		if r := []rune(text); len(r) > 2 {
			text = string(r[:len(r)-1-w.r.IntN(2)])
		}
	}
	return text
}

// inside is a part of a word, without its beginning.
func (w *World) inside(s string) string {
	r := []rune(s)
	if len(r) < 5 {
		return s
	}
	r = r[1+w.r.IntN(2):]
	return string(r[:3+w.r.IntN(len(r)-2)])
}

// typo changes one or two letters.
func (w *World) typo(s string) string {
	r := []rune(s)
	for range pick(w, []int{1, 1, 1, 2}) {
		if len(r) < 2 {
			break
		}
		i := w.r.IntN(len(r))
		switch w.r.IntN(4) {
		case 0:
			r[i] = rune('a' + w.r.IntN(26))
		case 1:
			r = append(r[:i], r[i+1:]...)
		case 2:
			r = append(r[:i], append([]rune{rune('a' + w.r.IntN(26))}, r[i:]...)...)
		default:
			if i > 0 {
				r[i-1], r[i] = r[i], r[i-1]
			}
		}
	}
	return string(r)
}

// query makes the parameters of a search.
func (w *World) query() map[string]any {
	q := w.bare()
	if w.chance(60) {
		q["limit"] = w.r.IntN(50)
		if w.chance(30) {
			q["offset"] = w.r.IntN(30)
		}
	} else if w.chance(50) {
		q["page"] = pick(w, []int{0, 1, 1, 1, 1, 2, 3})
		q["hitsPerPage"] = w.r.IntN(30)
	}
	if _, distinct := q["distinct"]; w.Additions && distinct && w.chance(40) {
		q["hitsPerGroup"] = 2 + w.r.IntN(3)
	}
	if w.chance(35) {
		q["facets"] = pick(w, [][]string{{"*"}, {"genre"}, {"tags", "year"}, {"mixed", "nested.deep"}, {"price", "id"}, {"missing"}})
	}
	return q
}

// bare is query without what a federated search keeps for itself.
func (w *World) bare() map[string]any {
	q := map[string]any{}
	if w.chance(90) {
		q["q"] = w.text()
	}
	if w.chance(25) {
		q["filter"] = w.filter(2 + w.r.IntN(2))
		if w.chance(20) {
			q["filter"] = []any{w.filter(1), []any{w.filter(0), w.filter(0)}}
		}
	}
	if w.chance(30) {
		q["sort"] = w.sort()
	}
	if w.Additions && w.chance(10) {
		q["rankingRules"] = some(w, []string{"words", "typo", "proximity", "attribute", "sort", "exactness", "year:desc", "price:asc"}, 1+w.r.IntN(8))
	}
	if w.chance(40) {
		q["showRankingScore"] = true
	}
	if w.chance(40) {
		q["showRankingScoreDetails"] = true
	}
	if w.chance(15) {
		q["rankingScoreThreshold"] = float64(w.r.IntN(9)) / 10
	}
	if w.chance(40) {
		q["matchingStrategy"] = pick(w, []string{"all", "last", "frequency"})
	}
	if w.chance(15) {
		q["distinct"] = pick(w, []string{"genre", "year", "tags", "nested.deep", "code"})
	}
	if w.chance(20) {
		q["attributesToSearchOn"] = some(w, []string{"title", "overview", "tags", "nested.deep", "nested.*", "missing"}, 1+w.r.IntN(2))
	}
	if w.chance(10) {
		q["locales"] = some(w, []string{"eng", "fra", "deu", "jpn", "cmn", "rus"}, 1+w.r.IntN(2))
	}
	if w.chance(12) {
		w.semantic(q)
	}
	w.format(q)
	return q
}

// format asks for highlights, crops and places of matches.
func (w *World) format(q map[string]any) {
	if w.chance(30) {
		q["attributesToHighlight"] = pick(w, [][]string{{"*"}, {"title"}, {"overview", "tags"}, {"nested"}})
	}
	if w.chance(20) {
		q["attributesToCrop"] = pick(w, [][]string{{"overview"}, {"*"}, {"overview:4", "title:2"}})
		q["cropLength"] = 1 + w.r.IntN(12)
	}
	if w.chance(20) {
		q["showMatchesPosition"] = true
	}
	if w.chance(25) {
		q["attributesToRetrieve"] = some(w, attributes, w.r.IntN(4))
	}
}

// federated makes a multi-search whose hits are merged.
func (w *World) federated() map[string]any {
	queries := make([]any, 1+w.r.IntN(4))
	indexes := map[string]any{}
	for i := range queries {
		q := w.bare()
		uid := w.index()
		q["indexUid"] = uid
		if w.chance(40) {
			q["federationOptions"] = map[string]any{"weight": float64(w.r.IntN(30)) / 10}
		}
		queries[i] = q
		indexes[uid] = some(w, []string{"genre", "year", "tags", "mixed"}, 1+w.r.IntN(2))
	}
	f := map[string]any{"limit": w.r.IntN(40), "offset": pick(w, []int{0, 0, 0, 1, 7})}
	if w.chance(25) {
		delete(f, "limit")
		delete(f, "offset")
		f["page"], f["hitsPerPage"] = pick(w, []int{0, 1, 1, 1, 2, 3}), w.r.IntN(20)
	}
	if w.chance(40) {
		f["facetsByIndex"] = indexes
		if w.chance(50) {
			f["mergeFacets"] = map[string]any{"maxValuesPerFacet": 1 + w.r.IntN(20)}
		}
	}
	if w.chance(15) {
		f["distinct"] = pick(w, []string{"genre", "year"})
	}
	return map[string]any{"federation": f, "queries": queries}
}

// settings changes one or a few settings, or takes them back.
func (w *World) settings(uid string) Request {
	at := "/indexes/" + uid + "/settings"
	w.at(uid)
	if w.chance(3) {
		return w.send("DELETE", at, nil, true)
	}
	if w.chance(10) {
		r := pick(w, []string{"filterable-attributes", "sortable-attributes", "searchable-attributes", "displayed-attributes", "ranking-rules",
			"stop-words", "synonyms", "distinct-attribute", "typo-tolerance", "faceting", "pagination", "dictionary", "separator-tokens",
			"non-separator-tokens", "proximity-precision", "facet-search", "prefix-search", "localized-attributes", "embedders", "search-cutoff-ms"})
		return w.send("DELETE", at+"/"+r, nil, true)
	}
	body := map[string]any{}
	for range 1 + w.r.IntN(3) {
		name, value := w.setting()
		body[name] = value
	}
	return w.send("PATCH", at, body, true)
}

func (w *World) setting() (string, any) {
	switch w.r.IntN(19) {
	case 18:
		return "embedders", w.embedding()
	case 0, 1, 2:
		return "filterableAttributes", w.filterable()
	case 3, 4:
		return "sortableAttributes", some(w, []string{"id", "year", "price", "title", "mixed", "_geo", "genre"}, 5+w.r.IntN(3))
	case 5:
		if w.chance(30) {
			return "searchableAttributes", []string{"*"}
		}
		return "searchableAttributes", some(w, []string{"title", "overview", "tags", "nested", "nested.deep", "code", "genre"}, 2+w.r.IntN(4))
	case 6:
		return "displayedAttributes", some(w, attributes, 4+w.r.IntN(8))
	case 7, 8:
		rules := []string{"words", "typo", "proximity", "attribute", "sort", "exactness"}
		if w.chance(25) {
			rules = some(w, []string{"words", "typo", "proximity", "attributeRank", "wordPosition", "sort", "exactness", "year:desc", "price:asc"}, 4+w.r.IntN(5))
		}
		return "rankingRules", rules
	case 9:
		return "stopWords", some(w, []string{"the", "a", "of", "in", "and", "to"}, w.r.IntN(6))
	case 10:
		return "synonyms", map[string]any{"harbour": []string{"port", "lantern light"}, w.word(): []string{w.word(), w.word() + " " + w.word()}, "ice cream": []string{"icecream"}}
	case 11:
		return "distinctAttribute", pick(w, []any{nil, "genre", "year", "code"})
	case 12:
		tolerance := map[string]any{
			"enabled": w.chance(80), "disableOnNumbers": w.chance(30),
			"minWordSizeForTypos": map[string]any{"oneTypo": 2 + w.r.IntN(4), "twoTypos": 6 + w.r.IntN(4)},
			"disableOnWords":      some(w, words, w.r.IntN(3)), "disableOnAttributes": some(w, []string{"title", "overview", "tags"}, w.r.IntN(2)),
		}
		if w.Additions {
			tolerance["infixOnAttributes"] = some(w, []string{"title", "overview", "tags"}, w.r.IntN(4))
		}
		return "typoTolerance", tolerance
	case 13:
		return "faceting", map[string]any{"maxValuesPerFacet": 1 + w.r.IntN(120), "sortFacetValuesBy": map[string]any{"*": pick(w, []string{"alpha", "count"}), "genre": "count"}}
	case 14:
		return "pagination", map[string]any{"maxTotalHits": 1 + w.r.IntN(1500)}
	case 15:
		return pick(w, []string{"separatorTokens", "nonSeparatorTokens"}), some(w, []string{"-", "'", "&", "x", "_"}, w.r.IntN(3))
	case 16:
		if w.chance(50) {
			return "dictionary", []string{"well-known", "r2d2"}
		}
		return "proximityPrecision", pick(w, []string{"byWord", "byAttribute"})
	default:
		switch w.r.IntN(3) {
		case 0:
			return "prefixSearch", pick(w, []string{"indexingTime", "disabled"})
		case 1:
			return "facetSearch", w.chance(70)
		}
		return "localizedAttributes", []any{map[string]any{"attributePatterns": []string{pick(w, []string{"title", "over*", "*"})}, "locales": []string{pick(w, []string{"fra", "deu", "eng", "cmn"})}}}
	}
}

// objects is a rule that has objects of arrays indexed.
var objects = map[string]any{"attributePatterns": []string{"nested", "nested.*"}, "features": map[string]any{
	"facetSearch": true, "filter": map[string]any{"equality": true, "comparison": true}, "sameObject": true,
}}

// filterable lists attributes, some of them by pattern and with features.
func (w *World) filterable() []any {
	var out []any
	all := []string{"id", "genre", "tags", "year", "price", "mixed", "nested", "nested.deep", "_geo", "code"}
	n := len(all)
	if w.chance(30) {
		n = 4 + w.r.IntN(n-3)
	}
	for _, a := range some(w, all, n) {
		out = append(out, a)
	}
	if w.Additions && w.chance(70) {
		out = append([]any{objects}, out...)
	}
	if w.chance(20) {
		out = append(out, map[string]any{
			"attributePatterns": []string{fmt.Sprint(pick(w, []string{"nested.*", "t*", "*"}))},
			"features":          map[string]any{"facetSearch": w.chance(50), "filter": map[string]any{"equality": true, "comparison": w.chance(50)}},
		})
	}
	return out
}
