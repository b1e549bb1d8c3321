package oddity

import (
	"encoding/json"
	"fmt"
	"strings"

	"shoal/cluster-test/life"
)

// indexes are those of the life.
var indexes = []string{"alpha", "beta", "gamma", "delta"}

func (o *Oddities) index() string { return oneOf(o, indexes) }

// Chance tells whether something happens that happens in so many of 100 cases.
func (o *Oddities) Chance(percent int) bool { return o.r.IntN(100) < percent }

func oneOf[T any](o *Oddities, list []T) T { return list[o.r.IntN(len(list))] }

func few[T any](o *Oddities, list []T, most int) []T {
	out := []T{}
	for range o.r.IntN(most + 1) {
		out = append(out, oneOf(o, list))
	}
	return out
}

func request(method, path string, body any) life.Request {
	r := life.Request{Method: method, Path: path, Write: method != "GET"}
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			panic(err) // our own values
		}
		r.Body = json.RawMessage(raw)
	}
	return r
}

func query(path string, body any) life.Request {
	r := request("POST", path, body)
	r.Write = false
	return r
}

// phrase is a piece of a sentence, as somebody would search it.
func (o *Oddities) phrase() string {
	words := strings.Fields(oneOf(o, sentences))
	from := o.r.IntN(len(words))
	to := min(len(words), from+1+o.r.IntN(3))
	text := strings.Join(words[from:to], " ")
	switch o.r.IntN(6) {
	case 0:
		return `"` + text + `"`
	case 1:
		return "-" + text
	case 2:
		letters := []rune(text)
		return string(letters[:max(1, len(letters)-1)])
	}
	return text
}

// texts adds documents with real sentences.
func (o *Oddities) texts() []life.Request {
	docs := make([]map[string]any, 1+o.r.IntN(5))
	for i := range docs {
		docs[i] = map[string]any{"id": 40 + o.r.IntN(60), "title": oneOf(o, sentences), "tags": few(o, sentences, 3), "nested": map[string]any{"a": o.phrase()}}
	}
	return []life.Request{request("POST", "/indexes/"+o.index()+"/documents", docs)}
}

// wording searches them in all the ways that show words.
func (o *Oddities) wording() []life.Request {
	body := map[string]any{
		"q": o.phrase(), "limit": 1 + o.r.IntN(20), "attributesToHighlight": []string{oneOf(o, []string{"*", "title", "nested.a"})},
		"attributesToCrop": []string{oneOf(o, []string{"*", "title", "tags:3", "title:1"})}, "cropLength": o.r.IntN(8), "showRankingScore": true,
		"matchingStrategy": oneOf(o, []string{"last", "all", "frequency"}),
	}
	if o.Chance(40) {
		body["showMatchesPosition"], body["showRankingScoreDetails"] = true, true
	}
	if o.Chance(20) {
		body["locales"] = few(o, []string{"eng", "fra", "rus", "ara", "tha", "swe"}, 2)
	}
	return []life.Request{query("/indexes/"+o.index()+"/search", body)}
}

// wordSettings change how texts are cut.
func (o *Oddities) wordSettings() []life.Request {
	body := map[string]any{}
	switch o.r.IntN(6) {
	case 0:
		body["separatorTokens"] = few(o, []string{"_", "-", "|", "&", "e", "::", ""}, 3)
	case 1:
		body["nonSeparatorTokens"] = few(o, []string{"#", "@", "+", ".", "'", "-"}, 3)
	case 2:
		body["dictionary"] = few(o, []string{"C++", "v2.0.1-beta", "e-mail", "J. R.", "don't", "snake_case"}, 3)
	case 3:
		body["stopWords"] = few(o, []string{"the", "el", "да", "και", "l'", "Über", "in"}, 4)
	case 4:
		body["synonyms"] = map[string]any{o.phrase(): few(o, sentences, 2), "cafe": []string{"coffee house", o.phrase()}}
	default:
		body["localizedAttributes"] = []any{map[string]any{"attributePatterns": few(o, []string{"*", "title", "*.a", "tags"}, 2), "locales": few(o, []string{"eng", "fra", "rus", "tha"}, 2)}}
	}
	return []life.Request{request("PATCH", "/indexes/"+o.index()+"/settings", body)}
}

var oddNames = []string{"title", "nested", "nested.a", "nested.*", "*.a", "a.b.c", "a.b", "a", "", " ", "é", "mixed", "$x", "_geo", "_geojson", "_geo.lat", "_vectors", "*", "**", "t*", "*e", "id", "price", "genre"}

// nameSettings name odd attributes wherever settings name some.
func (o *Oddities) nameSettings() []life.Request {
	body := map[string]any{}
	for range 1 + o.r.IntN(2) {
		switch o.r.IntN(9) {
		case 0, 1:
			rules := []any{}
			for range o.r.IntN(5) {
				if o.Chance(50) {
					rules = append(rules, oneOf(o, oddNames))
					continue
				}
				rules = append(rules, map[string]any{"attributePatterns": few(o, oddNames, 3), "features": map[string]any{
					"facetSearch": o.Chance(50), "filter": map[string]any{"equality": o.Chance(70), "comparison": o.Chance(50)}}})
			}
			body["filterableAttributes"] = rules
		case 2:
			body["searchableAttributes"] = few(o, oddNames, 4)
		case 3:
			body["displayedAttributes"] = few(o, oddNames, 5)
		case 4:
			body["sortableAttributes"] = few(o, oddNames, 4)
		case 5:
			body["distinctAttribute"] = oneOf(o, []any{nil, "nested.a", "a.b.c", "mixed", "genre", "é", " ", "_geo"})
		case 6:
			body["faceting"] = map[string]any{"maxValuesPerFacet": o.r.IntN(8), "sortFacetValuesBy": map[string]any{oneOf(o, oddNames): oneOf(o, []string{"alpha", "count"})}}
		case 7:
			body["typoTolerance"] = map[string]any{"disableOnAttributes": few(o, oddNames, 3), "disableOnNumbers": o.Chance(50), "disableOnWords": few(o, []string{"Été", "the", "C++", "тест"}, 2)}
		default:
			body["rankingRules"] = append(few(o, []string{"nested.a:asc", "mixed:desc", "a.b.c:asc", "é:desc", "price:asc", "attributeRank", "wordPosition"}, 3), "words", "sort", "typo")
		}
	}
	return []life.Request{request("PATCH", "/indexes/"+o.index()+"/settings", body)}
}

// nameQueries name odd attributes wherever a search names some, with pages beyond the end.
func (o *Oddities) nameQueries() []life.Request {
	body := map[string]any{"facets": few(o, oddNames, 3), "attributesToRetrieve": append(few(o, oddNames, 3), "id")}
	if o.Chance(30) {
		body["distinct"] = oneOf(o, []string{"genre", "nested.a", "mixed", "a.b.c", "id"})
	}
	if o.Chance(30) {
		body["sort"] = []string{oneOf(o, oddNames) + oneOf(o, []string{":asc", ":desc"})}
	}
	if o.Chance(30) {
		body["filter"] = fmt.Sprintf("%q %s", oneOf(o, oddNames), oneOf(o, []string{"EXISTS", "IS NULL", "IS EMPTY", "NOT EXISTS", "= a", "> 0", "IN [a, 1, true]", "STARTS WITH a"}))
	}
	if o.Chance(30) {
		body["attributesToHighlight"], body["q"] = few(o, oddNames, 2), o.phrase()
	}
	if o.Chance(20) {
		body["attributesToSearchOn"] = few(o, oddNames, 2)
	}
	switch o.r.IntN(4) {
	case 0:
		body["offset"], body["limit"] = o.r.IntN(3000), o.r.IntN(2000)
	case 1:
		body["page"], body["hitsPerPage"] = o.r.IntN(100), o.r.IntN(50)
	}
	return []life.Request{query("/indexes/"+o.index()+"/search", body)}
}

// shapes adds documents with places and shapes, some of them wrong.
func (o *Oddities) shapes() []life.Request {
	x, y := o.r.IntN(120)-60, o.r.IntN(60)-30
	square := fmt.Sprintf("[[[%d,%d],[%d,%d],[%d,%d],[%d,%d],[%d,%d]]]", x, y, x+9, y, x+9, y+9, x, y+9, x, y)
	shape := oneOf(o, []string{
		fmt.Sprintf(`{"type":"Point","coordinates":[%d,%d]}`, x, y), `{"type":"Polygon","coordinates":` + square + `}`,
		fmt.Sprintf(`{"type":"LineString","coordinates":[[%d,%d],[%d,%d]]}`, x, y, x+5, y-3), `null`,
		fmt.Sprintf(`{"type":"Feature","properties":{},"geometry":{"type":"MultiPoint","coordinates":[[%d,%d],[%d,%d]]}}`, x, y, y, x),
		`{"type":"Polygon"}`, `[]`, `{}`, `"POINT(1 1)"`, `{"type":"Point","coordinates":[1]}`, `{"type":"Circle","coordinates":[1,2]}`,
	})
	place := oneOf(o, []string{fmt.Sprintf(`{"lat":%d,"lng":%d}`, y, x), fmt.Sprintf(`{"lat":"%d.5","lng":"%d"}`, y, x), "null", "[]", `{"lat":1}`, `{"lat":"x","lng":2}`, `{"lat":1,"lng":2,"alt":3}`, `"1,2"`, `{"lat":95,"lng":181}`})
	doc := fmt.Sprintf(`[{"id":%d,"title":"a shape"`, 100+o.r.IntN(30))
	if o.Chance(70) {
		doc += `,"_geojson":` + shape
	}
	if o.Chance(50) {
		doc += `,"_geo":` + place
	}
	return []life.Request{{Method: oneOf(o, []string{"POST", "PUT"}), Path: "/indexes/" + o.index() + "/documents", Body: json.RawMessage(doc + "}]"), Write: true}}
}

// around filters and sorts by places and shapes.
func (o *Oddities) around() []life.Request {
	x, y := o.r.IntN(120)-60, o.r.IntN(60)-30
	body := map[string]any{"limit": 30, "filter": oneOf(o, []string{
		fmt.Sprintf("_geoPolygon([%d,%d],[%d,%d],[%d,%d])", y, x, y+20, x, y, x+20), fmt.Sprintf("_geoBoundingBox([%d,%d],[%d,%d])", y+20, x+20, y, x),
		fmt.Sprintf("_geoRadius(%d,%d,%d)", y, x, 3_000_000), fmt.Sprintf("NOT _geoRadius(%d,%d,%d,40)", y, x, 900_000), "_geo EXISTS", "_geojson IS NOT NULL", "_geo.lat > 3",
	})}
	if o.Chance(50) {
		body["sort"] = []string{fmt.Sprintf("_geoPoint(%d,%d):%s", y, x, oneOf(o, []string{"asc", "desc"}))}
	}
	if o.Chance(30) {
		body["facets"] = []string{"*"}
	}
	return []life.Request{query("/indexes/"+o.index()+"/search", body)}
}

// crowd sends index changes while other tasks wait, then looks at what came out.
func (o *Oddities) crowd() []life.Request {
	a, b := o.index(), o.index()
	list := []life.Request{
		request("POST", "/indexes/"+a+"/documents", []any{map[string]any{"id": 200, "title": o.phrase()}}),
		request("PATCH", "/indexes/"+b+"/settings", map[string]any{"stopWords": few(o, []string{"the", "a"}, 2)}),
	}
	n := o.r.IntN(5)
	if n > 2 {
		// Whether settings fail that are followed by the deletion of all documents depends on
		// what is in one batch, and so on time.
		list[1] = request("PATCH", "/indexes/zeta/settings", map[string]any{"stopWords": few(o, []string{"the", "a"}, 2)})
	}
	switch n {
	case 0:
		list = append(list, request("POST", "/swap-indexes", []any{map[string]any{"indexes": []string{a, b}}}))
	case 1:
		list = append(list, request("POST", "/swap-indexes", []any{map[string]any{"indexes": []string{a, "epsilon"}, "rename": true}}), request("POST", "/swap-indexes", []any{map[string]any{"indexes": []string{"epsilon", a}, "rename": true}}))
	case 2:
		list = append(list, request("PATCH", "/indexes/"+a, map[string]any{"uid": "epsilon"}), request("PATCH", "/indexes/epsilon", map[string]any{"uid": a}))
	case 3:
		list = append(list, request("DELETE", "/indexes/"+b, nil), request("POST", "/indexes", map[string]any{"uid": b, "primaryKey": "id"}))
	default:
		list = append(list, request("POST", "/indexes", map[string]any{"uid": a, "primaryKey": "other"}), request("DELETE", "/indexes/"+b+"/documents", nil))
	}
	list = append(list, request("PUT", "/indexes/"+a+"/documents", []any{map[string]any{"id": 201, "title": o.phrase()}}))
	for i := range list {
		list[i].Together = true
	}
	o.after = life.Request{Method: "GET", Path: "/indexes/" + a + "/documents?limit=1000&fields=id"}
	return list
}

// chores lists and deletes tasks by filters, and reads what has no index.
func (o *Oddities) chores() []life.Request {
	filters := []string{}
	for range 1 + o.r.IntN(3) {
		filters = append(filters, oneOf(o, []string{
			"statuses=succeeded", "statuses=failed,canceled", "types=settingsUpdate,indexCreation", "types=documentAdditionOrUpdate", "indexUids=alpha", "indexUids=beta,nothing", "canceledBy=1",
			"afterEnqueuedAt=2020-01-01", "beforeStartedAt=2020-01-01T00:00:00Z", "afterFinishedAt=2031-12-31", "statuses=*", "types=*", "indexUids=*", "statuses=wrong", "types=", "uids=a", "afterEnqueuedAt=yesterday",
		}))
	}
	joined := strings.Join(filters, "&")
	switch o.r.IntN(8) {
	case 0:
		return []life.Request{request("DELETE", "/tasks?"+joined, nil)}
	case 1:
		return []life.Request{request("POST", "/tasks/cancel?"+joined, nil)}
	case 2:
		return []life.Request{{Method: "GET", Path: "/batches?limit=0&" + joined}}
	case 3:
		return []life.Request{{Method: "GET", Path: oneOf(o, []string{"/experimental-features", "/version/", "/nothing", "/indexes/alpha/settings/nothing", "/indexes?limit=2&offset=1", "/indexes/nothing", "/tasks/99999999", "/keys?limit=1&offset=1", "/stats/x", "/indexes?limit=-1", "/keys?limit=x"})}}
	}
	return []life.Request{{Method: "GET", Path: "/tasks?limit=20&" + joined, Together: true}}
}

// written fetches and deletes documents in odd ways.
func (o *Oddities) written() []life.Request {
	at := "/indexes/" + o.index() + "/documents"
	filter := oneOf(o, []any{"id > 190", []any{"id = 1", []any{"id = 2", "id=3"}}, "nested.a = 1", "", nil, []any{}, []any{[]any{}}, "id", 3, map[string]any{}, "_geo EXISTS"})
	switch o.r.IntN(7) {
	case 0:
		return []life.Request{request("POST", at+"/delete", map[string]any{"filter": filter})}
	case 1:
		return []life.Request{request("POST", at+"/delete-batch", oneOf(o, []any{[]any{1, "2", 3.0}, []any{}, []any{nil}, []any{[]any{1}}, []any{"a b"}, map[string]any{}, []any{true}}))}
	case 2:
		return []life.Request{request("DELETE", at+"/"+oneOf(o, []string{"1", "nothing", "a%20b", "%C3%A9"}), nil)}
	case 3:
		return []life.Request{{Method: "GET", Path: at + "/" + oneOf(o, []string{"1", "40?fields=title,nested.a", "41?retrieveVectors=true", "nothing", "a%20b", "41?fields=", "41?retrieveVectors=1"})}}
	}
	body := map[string]any{"limit": 20, "filter": filter}
	if o.Chance(40) {
		body["sort"] = []string{oneOf(o, oddNames) + ":asc"}
	}
	if o.Chance(30) {
		body["fields"] = few(o, oddNames, 3)
	}
	if o.Chance(20) {
		body["ids"] = few(o, []string{"1", "40", "41", "no", "a b"}, 3)
	}
	if o.Chance(20) {
		body["retrieveVectors"] = true
	}
	return []life.Request{query(at+"/fetch", body)}
}

// functions edits documents.
func (o *Oddities) functions() []life.Request {
	body := map[string]any{"function": oneOf(o, []string{
		`doc.title = doc.title.to_upper()`, `doc.n = doc.id * 2`, `doc.list = [1, "a", (), #{x: 1}]`, `doc.remove("title"); doc.nested = ()`, `let x = doc.tags; doc.count = if x == () { 0 } else { x.len }`,
		`doc.title = 1 / 0`, `doc = 1`, `doc.id = 7`, `throw "no"`, `doc.x = context.a.b`, `doc.f = 1.5 + doc.id; doc.g = 2.0`, `for i in 0..3 { doc["k" + i] = i }`, `fn f(x) { x + 1 } doc.n = f(doc.id)`, `syntax error here`, ``,
		`doc.title = doc.title.sub_string(0, 3)`, `doc.t = type_of(doc.id)`, `doc.big = 9223372036854775807; doc.big += 1`,
	}), "filter": oneOf(o, []any{"id = 40", "id > 90", "id IN [1, 2, 3, 41, 42]", nil})}
	if o.Chance(30) {
		body["context"] = oneOf(o, []any{map[string]any{"a": map[string]any{"b": "c"}}, nil, map[string]any{}, 3})
	}
	if body["filter"] == nil {
		body["filter"] = "id = 41"
	}
	return []life.Request{request("POST", "/indexes/"+o.index()+"/documents/edit", body)}
}

// several asks for several searches at once, in ways that may contradict each other.
func (o *Oddities) several() []life.Request {
	queries := []any{}
	for range 1 + o.r.IntN(3) {
		q := map[string]any{"indexUid": o.index(), "q": o.phrase()}
		if o.Chance(30) {
			q["federationOptions"] = map[string]any{"weight": oneOf(o, []any{0, 0.5, 1, 2, -1})}
		}
		if o.Chance(20) {
			q["facets"] = few(o, oddNames, 1)
		}
		if o.Chance(20) {
			q["sort"] = []string{oneOf(o, []string{"price:asc", "id:desc", "nothing:asc"})}
		}
		if o.Chance(15) {
			q["filter"] = oneOf(o, []string{"id > 3", "nothing = 1", "id >"})
		}
		if o.Chance(10) {
			q["limit"] = 3
		}
		if o.Chance(20) {
			q["distinct"] = oneOf(o, []string{"genre", "nested.a", "id"})
		}
		if o.Chance(20) {
			q["hybrid"], q["vector"] = map[string]any{"embedder": "flat", "semanticRatio": oneOf(o, []any{0, 0.5, 1})}, []float64{1, 0, 0.5, -1}
		}
		q["showRankingScore"] = true
		queries = append(queries, q)
	}
	body := map[string]any{"queries": queries}
	if o.Chance(80) {
		f := map[string]any{"limit": o.r.IntN(30), "offset": o.r.IntN(4)}
		if o.Chance(40) {
			f["distinct"] = oneOf(o, []string{"genre", "nested.a", "id", "title"})
		}
		if o.Chance(40) {
			f["facetsByIndex"] = map[string]any{o.index(): few(o, oddNames, 2)}
			if o.Chance(50) {
				f["mergeFacets"] = map[string]any{"maxValuesPerFacet": 1 + o.r.IntN(9)}
			}
		}
		if o.Chance(15) {
			delete(f, "limit")
			delete(f, "offset")
			f["page"], f["hitsPerPage"] = o.r.IntN(4), o.r.IntN(9)
		}
		body["federation"] = f
	}
	return []life.Request{query("/multi-search", body)}
}
