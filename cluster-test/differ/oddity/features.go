package oddity

import (
	"net/url"
	"strings"

	"shoal/cluster-test/life"
)

// toggles switches features that are off at first.
func (o *Oddities) toggles() []life.Request {
	name := oneOf(o, []string{"dynamicSearchRules", "containsFilter", "foreignKeys", "multimodal", "nothing"})
	return []life.Request{request("PATCH", "/experimental-features", map[string]any{name: oneOf(o, []any{true, true, true, false, "yes"})})}
}

// ruleWords are the words of documents that rules and searches have in common.
var ruleWords = []string{"harbour", "lantern", "the", "niño", "café", "булок", "star"}

// rules changes and lists dynamic search rules, or searches for what they are about.
func (o *Oddities) rules() []life.Request {
	uid := oneOf(o, []string{"first", "second", "third", "not a uid!"})
	switch n := o.r.IntN(20); {
	case n < 8:
		return []life.Request{query("/indexes/"+o.index()+"/search", map[string]any{
			"q": oneOf(o, ruleWords) + oneOf(o, []string{"", "", " meadow"}), "filter": oneOf(o, []any{nil, nil, "genre = Drama", "genre = Drama AND year > 1990", "genre = Noir OR genre = Drama"}), "showRankingScoreDetails": o.Chance(50), "offset": oneOf(o, []int{0, 0, 1, 3}), "limit": o.r.IntN(9),
		})}
	case n < 9:
		return []life.Request{request("DELETE", oneOf(o, []string{"/dynamic-search-rules/" + uid, "/dynamic-search-rules"}), nil)}
	case n < 11:
		return []life.Request{{Method: "GET", Path: "/dynamic-search-rules/" + url.PathEscape(uid)}}
	case n < 13:
		return []life.Request{query("/dynamic-search-rules", map[string]any{"filter": oneOf(o, []any{nil, map[string]any{"active": o.Chance(50)}, map[string]any{"other": 1}}), "limit": o.r.IntN(4), "offset": o.r.IntN(3)})}
	}
	body := map[string]any{}
	if o.Chance(40) {
		body["precedence"] = oneOf(o, []any{0, 1, 2, nil, -1, "a"})
	}
	if o.Chance(30) {
		body["active"] = oneOf(o, []any{true, true, false, nil, 1})
	}
	if o.Chance(20) {
		body["description"] = oneOf(o, []any{"what it does", nil, 3})
	}
	if o.Chance(60) {
		conditions := map[string]any{}
		if o.Chance(60) {
			conditions["query"] = oneOf(o, []any{map[string]any{"words": oneOf(o, ruleWords)}, map[string]any{"words": oneOf(o, ruleWords)}, map[string]any{"isEmpty": o.Chance(50)}, map[string]any{"isEmpty": true, "words": "a"}, nil, map[string]any{"words": ""}})
		}
		if o.Chance(30) {
			conditions["time"] = oneOf(o, []any{map[string]any{"start": "2001-01-01T00:00:00Z"}, map[string]any{"end": "2001-01-01T00:00:00Z"}, map[string]any{"start": "2040-01-01", "end": "2001-01-01"}, map[string]any{"start": "2001-01-01T05:06:07.5+02:00", "end": "2099-12-31T00:00:00Z"}, map[string]any{"start": "soon"}})
		}
		if o.Chance(30) {
			conditions["filter"] = oneOf(o, []any{map[string]any{"values": map[string]any{"genre": oneOf(o, []any{"Drama", "drama", []string{"Drama", "Noir"}, 3, nil})}}, map[string]any{"values": map[string]any{}}, map[string]any{}})
		}
		body["conditions"] = conditions
	}
	actions := []any{}
	for range 1 + o.r.IntN(3) {
		selector := map[string]any{"id": oneOf(o, []any{"1", "2", "3", "41", "nothing", "10", "20"})}
		if o.Chance(40) {
			selector["indexUid"] = oneOf(o, []any{o.index(), "*", nil, "a b"})
		}
		actions = append(actions, map[string]any{"selector": selector, "action": map[string]any{"type": "pin", "position": oneOf(o, []any{0, 0, 1, 2, 5, 40, -1, "x"})}})
	}
	body["actions"] = actions
	return []life.Request{request("PATCH", "/dynamic-search-rules/"+url.PathEscape(uid), body)}
}

// foreign lets documents of one index name those of another, and shows and filters them.
func (o *Oddities) foreign() []life.Request {
	field := oneOf(o, []string{"id", "id", "id", "mixed", "code", "tags", "nested.a"})
	if o.Chance(30) {
		keys := []any{}
		for range o.r.IntN(3) {
			keys = append(keys, map[string]any{"foreignIndexUid": oneOf(o, append([]string{"nothing"}, indexes...)), "fieldName": oneOf(o, []string{"id", field})})
		}
		return []life.Request{request("PATCH", "/indexes/"+o.index()+"/settings", map[string]any{"foreignKeys": oneOf(o, []any{keys, keys, keys, keys, nil, "id", []any{map[string]any{"fieldName": "id"}}})})}
	}
	condition := oneOf(o, []string{"genre = Drama", "year > 1990", "id < 20", "id IN [1, 2, 3, 41]", "nothing = 1", "genre = Drama OR year < 1990", "title CONTAINS a", "_foreign(id, id = 1)", "id >"})
	body := map[string]any{"filter": oneOf(o, []string{"_foreign(" + field + ", " + condition + ")", "NOT _foreign(" + field + ", " + condition + ")", "_foreign(" + field + ", " + condition + ") AND id < 30", "title CONTAINS lan", "genre CONTAINS \"r\" AND NOT genre CONTAINS ram", "id > 0"}), "limit": o.r.IntN(20)}
	if o.Chance(40) {
		body["q"] = oneOf(o, ruleWords)
	}
	if o.Chance(40) {
		body["attributesToRetrieve"] = oneOf(o, [][]string{{"id", "title"}, {"title"}, {"*"}, {"id.title"}, {"id", "genre"}})
	}
	if o.Chance(20) {
		body["attributesToHighlight"] = []string{"*"}
	}
	if o.Chance(25) {
		body["indexUid"] = o.index()
		whole := map[string]any{"queries": []any{body}}
		if o.Chance(60) {
			delete(body, "limit")
			whole["federation"] = map[string]any{"limit": o.r.IntN(20)}
		}
		return []life.Request{query("/multi-search", whole)}
	}
	return []life.Request{query("/indexes/"+o.index()+"/search", body)}
}

// addresses sends searches and lists by GET, with parameters in the address.
func (o *Oddities) addresses() []life.Request {
	v := url.Values{}
	add := func(percent int, name string, values ...string) {
		if o.Chance(percent) {
			v.Add(name, oneOf(o, values))
		}
	}
	at := "/indexes/" + o.index()
	add(70, "limit", "3", "10", "0", "1000", "", "-1", "x", "1.5")
	add(25, "offset", "0", "2", "", "-1", "99999999999999999999")
	switch o.r.IntN(5) {
	case 0:
		add(50, "fields", "id", "id,title", "*", "", "nested.a,id", " id")
		add(50, "filter", "id < 20", "genre = Drama", `["id = 1",["id = 2"]]`, `[["id = 1","id = 2"]]`, "", "id", "[", "_geo EXISTS")
		add(40, "sort", "id:desc", "year:asc,id:asc", "", "id", "_geoPoint(1, 2):asc", "_geoPoint(1,2):asc,id:desc")
		add(20, "retrieveVectors", "true", "false", "", "yes")
		add(20, "ids", "1,2,3", "1", "", "a b")
		return []life.Request{{Method: "GET", Path: at + "/documents?" + v.Encode()}}
	case 1:
		path := oneOf(o, []string{"/indexes?", "/keys?", "/stats?", at + "/stats?", at + "/settings?", "/health?", "/version?"})
		add(30, "showInternalDatabaseSizes", "false", "x")
		return []life.Request{{Method: "GET", Path: path + v.Encode()}}
	}
	add(90, "q", o.phrase(), oneOf(o, ruleWords), "", "  ", oneOf(o, ruleWords)+" "+oneOf(o, ruleWords))
	add(30, "attributesToRetrieve", "id", "id,title", "*", "", "nested.a", "id, title")
	add(20, "attributesToHighlight", "*", "title", "title,overview", "")
	add(20, "attributesToCrop", "*", "title:2,overview", "overview:3", "overview:", "overview:x", "")
	add(15, "cropLength", "2", "0", "", "x")
	add(10, "highlightPreTag", "<b>", "", "é")
	add(30, "filter", "id < 20", `["id = 1",["id = 2"]]`, `[["id = 1","id = 2"]]`, "genre = Drama AND year > 1990", "", "id", "[", "{}", `"id = 1"`)
	add(30, "sort", "id:desc", "year:asc,id:asc", "", "id", "_geoPoint(1, 2):asc", "_geoPoint(1,2):asc,id:desc", "nothing:asc")
	add(25, "facets", "*", "genre", "genre,year", "", "nothing")
	add(15, "matchingStrategy", "last", "all", "frequency", "", "ALL")
	add(15, "showRankingScore", "true", "false", "", "1")
	add(15, "showMatchesPosition", "true", "", "TRUE")
	add(15, "page", "1", "2", "0", "", "x")
	add(15, "hitsPerPage", "3", "0", "", "x")
	add(10, "attributesToSearchOn", "title", "title,overview", "", "*", "nothing")
	add(10, "rankingScoreThreshold", "0.5", "0", "1", "2", "", "x")
	add(10, "distinct", "genre", "", "nothing")
	add(10, "locales", "eng", "eng,fra", "", "xyz")
	add(4, "nothing", "1")
	path := at + "/search?" + v.Encode()
	if o.Chance(10) {
		path = strings.ReplaceAll(path, "+", "%20")
	}
	return []life.Request{{Method: "GET", Path: path}}
}
