package oddity

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"shoal/cluster-test/life"
)

// Reader is somebody who uses an index with real documents.
type Reader struct {
	*Oddities
	*Collection
}

// NewReader makes one, who rolls the dice of odd. c may be nil if nothing is asked of the reader.
func NewReader(odd *Oddities, c *Collection) *Reader { return &Reader{Oddities: odd, Collection: c} }

// realIndex holds them.
const realIndex = "/indexes/real"

// Found makes the index with some documents that follow each other in the file.
func (c *Reader) Found(n int) []life.Request {
	from := c.r.IntN(max(1, len(c.documents)-n))
	return []life.Request{
		request("POST", "/indexes", map[string]any{"uid": "real", "primaryKey": "id"}),
		request("PATCH", realIndex+"/settings", map[string]any{"filterableAttributes": c.values, "sortableAttributes": c.values, "searchCutoffMs": 60_000}),
		c.upload("POST", c.documents[from:min(len(c.documents), from+n)]),
	}
}

func (c *Reader) upload(method string, docs []map[string]any) life.Request {
	var b []byte
	for _, d := range docs {
		raw, err := json.Marshal(d)
		if err != nil {
			panic(err) // read from JSON
		}
		b = append(append(b, raw...), '\n')
	}
	return life.Request{Method: method, Path: realIndex + "/documents", Body: b, Write: true}
}

// Next makes the next request.
func (c *Reader) Next() life.Request {
	switch n := c.r.IntN(100); {
	case n < 72:
		return query(realIndex+"/search", c.search())
	case n < 78:
		return c.facetSearch()
	case n < 84:
		return c.several()
	case n < 88:
		return query(realIndex+"/documents/fetch", map[string]any{"filter": c.filter(), "sort": []string{c.criterion()}, "limit": c.r.IntN(30), "fields": few(c.Oddities, c.values, 3)})
	case n < 92:
		return c.change()
	case n < 98:
		return request("PATCH", realIndex+"/settings", c.settings())
	}
	return request("POST", realIndex+"/documents/delete", map[string]any{"filter": c.filter() + " AND " + c.filter()})
}

// change adds documents, changes some, or deletes a few.
func (c *Reader) change() life.Request {
	docs := make([]map[string]any, 1+c.r.IntN(20))
	method := oneOf(c.Oddities, []string{"POST", "PUT"})
	for i := range docs {
		docs[i] = maps.Clone(oneOf(c.Oddities, c.documents))
		if name := oneOf(c.Oddities, c.prose); c.Chance(40) {
			docs[i][name] = oneOf(c.Oddities, c.documents)[name]
		}
		if name := oneOf(c.Oddities, c.prose); c.Chance(20) {
			delete(docs[i], name)
		}
	}
	return c.upload(method, docs)
}

// text is some value of an attribute of a document, and an element of it if it is a list.
func (c *Reader) text(attribute string) string {
	for range 30 {
		switch v := oneOf(c.Oddities, c.documents)[attribute].(type) {
		case string:
			return v
		case json.Number:
			return v.String()
		case []any:
			if len(v) > 0 {
				return fmt.Sprint(oneOf(c.Oddities, v))
			}
		}
	}
	return "none"
}

// words are what somebody types who looks for a document.
func (c *Reader) words() string {
	if c.Chance(4) {
		return ""
	}
	list := strings.FieldsFunc(c.text(oneOf(c.Oddities, c.prose)), func(r rune) bool { return r == ' ' || r == ',' || r == '\n' })
	if len(list) == 0 {
		return ""
	}
	from := c.r.IntN(len(list))
	list = slices.Clone(list[from:min(len(list), from+oneOf(c.Oddities, []int{1, 1, 2, 2, 3, 4, 7, 12}))])
	for i := range list {
		list[i] = c.mistyped(list[i])
	}
	if c.Chance(10) {
		list = append(list, oneOf(c.Oddities, []string{"xylo", "and", "the", "a", "of", "-" + list[0]}))
	}
	if c.Chance(10) {
		c.r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	}
	text := strings.Join(list, oneOf(c.Oddities, []string{" ", " ", " ", " ", "-", "", ", "}))
	switch c.r.IntN(12) {
	case 0:
		return `"` + text + `"`
	case 1:
		return strings.ToUpper(text)
	case 2:
		return text + " "
	case 3, 4, 5:
		return start(text, max(1, len([]rune(text))-1-c.r.IntN(4)))
	}
	return text
}

// start is up to n letters of a text.
func start(text string, n int) string {
	letters := []rune(text)
	return string(letters[:min(len(letters), n)])
}

// mistyped is a word with a mistake now and then.
func (c *Reader) mistyped(word string) string {
	letters := []rune(word)
	if len(letters) < 3 || !c.Chance(20) {
		return word
	}
	i := 1 + c.r.IntN(len(letters)-1)
	switch c.r.IntN(5) {
	case 0:
		letters[i] = rune('a' + c.r.IntN(26))
	case 1:
		return string(letters[:i]) + string(letters[i+1:])
	case 2:
		return string(letters[:i]) + string(rune('a'+c.r.IntN(26))) + string(letters[i:])
	case 3:
		return string(letters[:i]) + " " + string(letters[i:])
	default:
		letters[i-1], letters[i] = letters[i], letters[i-1]
	}
	return string(letters)
}

// criterion sorts by an attribute or a place.
func (c *Reader) criterion() string {
	name := oneOf(c.Oddities, c.values)
	if name == "_geo" {
		name = fmt.Sprintf("_geoPoint(%d, %d.5)", c.r.IntN(120)-60, c.r.IntN(300)-150)
	}
	return name + oneOf(c.Oddities, []string{":asc", ":desc"})
}

// filter is a condition, or two of them.
func (c *Reader) filter() string {
	name := oneOf(c.Oddities, c.values)
	quote := func(s string) string { return fmt.Sprintf("%q", strings.ToValidUTF8(s, "")) }
	field := quote(name)
	if name == "_geo" {
		return fmt.Sprintf("_geoRadius(%d, %d, %d)", c.r.IntN(120)-60, c.r.IntN(300)-150, 1000*c.r.IntN(9000))
	}
	value := quote(c.text(name))
	condition := oneOf(c.Oddities, []string{
		field + " = " + value, field + " != " + value, field + " EXISTS", field + " IS EMPTY", field + " IS NULL", field + " > " + value, field + " <= " + value,
		field + " IN [" + value + ", " + quote(c.text(name)) + "]", field + " STARTS WITH " + quote(start(c.text(name), 1)), "NOT " + field + " = " + value,
	})
	if c.Chance(25) {
		return condition + oneOf(c.Oddities, []string{" AND ", " OR "}) + c.filter()
	}
	return condition
}

// search makes the parameters of a search.
func (c *Reader) search() map[string]any {
	body := map[string]any{"q": c.words(), "showRankingScore": true, "attributesToRetrieve": []string{"id", oneOf(c.Oddities, c.prose)}}
	set := func(percent int, name string, value func() any) {
		if c.Chance(percent) {
			body[name] = value()
		}
	}
	set(40, "showRankingScoreDetails", func() any { return true })
	set(40, "matchingStrategy", func() any { return oneOf(c.Oddities, []string{"last", "all", "frequency"}) })
	set(25, "filter", func() any { return c.filter() })
	set(20, "sort", func() any { return []string{c.criterion(), c.criterion()}[:1+c.r.IntN(2)] })
	set(15, "facets", func() any {
		return oneOf(c.Oddities, [][]string{{"*"}, {oneOf(c.Oddities, c.values)}, c.values[:1+c.r.IntN(len(c.values))]})
	})
	set(10, "distinct", func() any { return oneOf(c.Oddities, c.values) })
	set(12, "attributesToSearchOn", func() any { return few(c.Oddities, c.prose, 2) })
	set(12, "rankingScoreThreshold", func() any { return float64(c.r.IntN(10)) / 10 })
	set(20, "attributesToHighlight", func() any { return []string{"*"} })
	set(15, "attributesToCrop", func() any {
		return []string{oneOf(c.Oddities, c.prose) + oneOf(c.Oddities, []string{"", ":5", ":12", ":1"})}
	})
	set(15, "showMatchesPosition", func() any { return true })
	set(8, "locales", func() any { return few(c.Oddities, []string{"eng", "fra", "rus", "cmn", "ara", "spa"}, 2) })
	switch c.r.IntN(5) {
	case 0:
		body["limit"], body["offset"] = c.r.IntN(60), c.r.IntN(30)
	case 1:
		body["page"], body["hitsPerPage"] = c.r.IntN(4), c.r.IntN(20)
	}
	return body
}

// facetSearch looks for values of an attribute.
func (c *Reader) facetSearch() life.Request {
	name := oneOf(c.Oddities, c.values)
	body := map[string]any{"facetName": name, "facetQuery": start(c.mistyped(c.text(name)), c.r.IntN(7))}
	if c.Chance(30) {
		body["filter"] = c.filter()
	}
	if c.Chance(30) {
		body["q"] = c.words()
	}
	return query(realIndex+"/facet-search", body)
}

// several asks for a few searches at once, merged or not.
func (c *Reader) several() life.Request {
	queries := make([]any, 1+c.r.IntN(3))
	merged := c.Chance(60)
	for i := range queries {
		q := c.search()
		q["indexUid"] = "real"
		if merged {
			for _, name := range []string{"limit", "offset", "page", "hitsPerPage", "facets"} {
				delete(q, name)
			}
		}
		queries[i] = q
	}
	body := map[string]any{"queries": queries}
	if merged {
		body["federation"] = map[string]any{"limit": c.r.IntN(30), "offset": c.r.IntN(4), "facetsByIndex": map[string]any{"real": few(c.Oddities, c.values, 2)}}
	}
	return query("/multi-search", body)
}

// settings changes one setting, or takes it back.
func (c *Reader) settings() map[string]any {
	some := func() []string {
		list := slices.Clone(c.prose)
		c.r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		return list[:1+c.r.IntN(len(list))]
	}
	name := oneOf(c.Oddities, []string{"searchableAttributes", "rankingRules", "stopWords", "synonyms", "typoTolerance", "proximityPrecision", "prefixSearch", "separatorTokens", "nonSeparatorTokens", "dictionary", "faceting",
		"pagination", "distinctAttribute", "localizedAttributes", "displayedAttributes", "filterableAttributes", "facetSearch"})
	if c.Chance(25) && name != "filterableAttributes" {
		return map[string]any{name: nil}
	}
	values := map[string]func() any{
		"searchableAttributes": func() any { return some() },
		"displayedAttributes":  func() any { return append(some(), "id") },
		"rankingRules": func() any {
			rules := []string{"words", "typo", "proximity", oneOf(c.Oddities, []string{"attribute", "attributeRank"}), "sort", "exactness", oneOf(c.Oddities, c.values) + oneOf(c.Oddities, []string{":asc", ":desc"})}
			if rules[3] == "attributeRank" {
				rules = append(rules, "wordPosition")
			}
			c.r.Shuffle(len(rules), func(i, j int) { rules[i], rules[j] = rules[j], rules[i] })
			return rules[:1+c.r.IntN(len(rules))]
		},
		"stopWords": func() any {
			return few(c.Oddities, []string{"the", "a", "of", "and", "in", "is", "to", "for", "this", "The", "de"}, 9)
		},
		"synonyms": func() any {
			return map[string]any{c.words(): []string{c.words()}, c.words(): []string{c.words(), c.words()}, "film": []string{"movie", "motion picture"}}
		},
		"typoTolerance": func() any {
			one := 1 + c.r.IntN(6)
			return map[string]any{"minWordSizeForTypos": map[string]any{"oneTypo": one, "twoTypos": one + c.r.IntN(5)}, "disableOnNumbers": c.Chance(50), "disableOnAttributes": few(c.Oddities, c.prose, 1), "disableOnWords": []string{c.words()}, "enabled": c.Chance(85)}
		},
		"proximityPrecision": func() any { return oneOf(c.Oddities, []string{"byWord", "byAttribute"}) },
		"prefixSearch":       func() any { return oneOf(c.Oddities, []string{"indexingTime", "disabled"}) },
		"separatorTokens":    func() any { return few(c.Oddities, []string{"&sep", "|", "e", "_", "::", "'"}, 3) },
		"nonSeparatorTokens": func() any { return few(c.Oddities, []string{"-", "+", ".", "#", "'", "/"}, 3) },
		"dictionary":         func() any { return []string{c.words(), "J. R. R.", "c++"} },
		"faceting": func() any {
			return map[string]any{"maxValuesPerFacet": 1 + c.r.IntN(30), "sortFacetValuesBy": map[string]any{"*": "alpha", oneOf(c.Oddities, c.values): "count"}}
		},
		"pagination":        func() any { return map[string]any{"maxTotalHits": 1 + c.r.IntN(100)} },
		"distinctAttribute": func() any { return oneOf(c.Oddities, c.values) },
		"localizedAttributes": func() any {
			return []any{map[string]any{"attributePatterns": few(c.Oddities, append([]string{"*"}, c.prose...), 2), "locales": few(c.Oddities, []string{"eng", "fra", "rus", "cmn", "ara", "spa"}, 2)}}
		},
		"filterableAttributes": func() any { return c.values },
		"facetSearch":          func() any { return c.Chance(60) },
	}
	return map[string]any{name: values[name]()}
}
