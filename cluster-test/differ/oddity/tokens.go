package oddity

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"

	"shoal/cluster-test/life"
)

// signature is what a key of another signs a text with.
func signature(key, text string) []byte {
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte(text)) // never fails
	return mac.Sum(nil)
}

// keyOf is the value of the API key with a uid.
func keyOf(master, uid string) string { return hex.EncodeToString(signature(master, uid)) }

// token makes a tenant token of a key, now and then a wrong one.
func (o *Oddities) token(uid string) string {
	part := func(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }
	rules := oneOf(o, []string{
		`["*"]`, `["alpha","beta"]`, `["a*"]`, `[]`, `{}`, `{"*":{}}`, `{"*":null}`, `{"alpha":{"filter":"id > 20"}}`, `{"a*":{"filter":["id > 5","year < 2000"]},"*":{"filter":"id < 90"}}`,
		`{"*":{"filter":[["genre = Drama","genre = Noir"],"year > 1990"]}}`, `{"alpha":{"filter":"nothing = 1"}}`, `{"alpha":{"filter":"id >"}}`, `{"*":{"filter":""}}`, `{"*":{"filter":3}}`, `{"*":{"other":1}}`, `"*"`, `3`, `null`,
	})
	claims := `"apiKeyUid":"` + uid + `","searchRules":` + rules
	claims += oneOf(o, []string{"", "", "", `,"exp":4102444800`, `,"exp":1`, `,"exp":null`, `,"exp":"soon"`, `,"exp":1.5`, `,"other":[]`})
	text := part(oneOf(o, []string{`{"alg":"HS256","typ":"JWT"}`, `{"typ":"JWT","alg":"HS256"}`, `{"alg":"HS256"}`})) + "." + part("{"+claims+"}")
	if o.Chance(4) {
		return part(`{"alg":"none"}`) + "." + part("{"+claims+"}") + "."
	}
	secret := keyOf(o.master, uid)
	if o.Chance(5) {
		secret = o.master
	}
	return text + "." + base64.RawURLEncoding.EncodeToString(signature(secret, text))
}

// guarded makes a key, or sends a request with a key or a tenant token that may not be enough
// for it.
func (o *Oddities) guarded() []life.Request {
	uid := oneOf(o, KeyUIDs)
	if o.Chance(20) {
		key := map[string]any{
			"uid": uid, "name": "guarded", "expiresAt": oneOf(o, []any{nil, nil, nil, "2040-01-01", "2040-01-01T00:00:00+02:00", "2001-01-01"}),
			"indexes": oneOf(o, [][]string{{"*"}, {"*"}, {"alpha"}, {"alpha", "beta"}, {"a*"}, {"nothing"}, {}}),
			"actions": oneOf(o, [][]string{{"*"}, {"search"}, {"search"}, {"search", "documents.get"}, {"documents.*"}, {"indexes.get", "tasks.get"}, {"*.get"}, {"stats.get", "settings.get"}, {"search", "settings.*", "tasks.*"}, {}}),
		}
		return []life.Request{request("DELETE", "/keys/"+uid, nil), request("POST", "/keys", key)}
	}
	at := "/indexes/" + o.index()
	r := oneOf(o, []life.Request{
		query(at+"/search", map[string]any{"q": o.phrase(), "limit": 5}), query(at+"/search", map[string]any{"filter": oneOf(o, []any{"id < 50", []any{"year > 1985"}, []any{[]any{"id = 1", "id = 30"}}, ""}), "limit": 9, "facets": []string{"genre"}}),
		query("/multi-search", map[string]any{"queries": []any{map[string]any{"indexUid": o.index(), "limit": 3}, map[string]any{"indexUid": o.index(), "q": o.phrase(), "limit": 3, "filter": "id > 3"}}}),
		query("/multi-search", map[string]any{"federation": map[string]any{"limit": 5}, "queries": []any{map[string]any{"indexUid": o.index()}, map[string]any{"indexUid": o.index(), "filter": "id < 40"}}}),
		query(at+"/facet-search", map[string]any{"facetName": "genre"}), query(at+"/similar", map[string]any{"id": o.r.IntN(40), "embedder": "flat", "limit": 3}),
		query(at+"/documents/fetch", map[string]any{"limit": 2}), request("GET", at+"/documents/1", nil), request("GET", at+"/settings", nil), request("GET", at+"/stats", nil), request("GET", at+"/settings/synonyms", nil),
		request("GET", "/indexes", nil), request("GET", "/stats", nil), request("GET", "/version", nil), request("GET", "/keys", nil), request("GET", "/keys/"+uid, nil), request("GET", "/experimental-features", nil),
		{Method: "GET", Path: "/tasks?limit=4&" + oneOf(o, []string{"", "indexUids=alpha", "indexUids=alpha,beta", "indexUids=*", "statuses=failed"}), Together: true},
		{Method: "GET", Path: fmt.Sprintf("/tasks/%d", 1+o.r.IntN(300))}, {Method: "GET", Path: "/batches?limit=0&indexUids=" + o.index()}, {Method: "GET", Path: "/nothing"},
		request("POST", "/swap-indexes", []any{map[string]any{"indexes": []string{o.index(), o.index()}}}), request("PATCH", at+"/settings", map[string]any{"stopWords": []string{"the"}}), request("DELETE", at+"/documents/7", nil),
		request("POST", "/tasks/cancel?uids=0", nil), request("POST", "/tasks/cancel?indexUids="+o.index(), nil),
	})
	switch o.r.IntN(8) {
	case 0, 1, 2:
		r.Key = keyOf(o.master, uid)
	case 3:
		r.Key = oneOf(o, []string{"wrong", "a.b.c", "..", "a b", o.master + "x"})
	default:
		r.Key = o.token(uid)
	}
	return []life.Request{r}
}
