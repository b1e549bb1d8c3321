package httpfront

import (
	"testing"

	"shoal/api"
	"shoal/api/apierr"
)

// TestLimitsOfAKey: the limits are set by a route of our own, the routes of the reference
// do not show them, and they apply to every route and every tenant token of the key.
func TestLimitsOfAKey(t *testing.T) {
	f := &fake{keys: []*api.Key{testKey(1, "search version", "*")}}
	s := f.front(Config{MasterKey: master})
	value := s.admin.Auth.Value(testUID(1))
	boss, client := "Authorization: Bearer "+master, "Authorization: Bearer "+value
	path := "/cluster/keys/" + testUID(1)
	before := call(t, s, "GET", "/keys/"+testUID(1), "", boss).Body.String()

	expect(t, call(t, s, "GET", path, "", boss), 200, `{"uid":"`+testUID(1)+`","requestsPerSecond":null,"searchesAtOnce":null}`)
	expect(t, call(t, s, "PATCH", path, `{"requestsPerSecond":3,"searchesAtOnce":1}`, boss), 200, `{"uid":"`+testUID(1)+`","requestsPerSecond":3,"searchesAtOnce":1}`)
	expect(t, call(t, s, "GET", "/cluster/keys/"+value, "", boss), 200, `{"uid":"`+testUID(1)+`","requestsPerSecond":3,"searchesAtOnce":1}`)
	if after := call(t, s, "GET", "/keys/"+testUID(1), "", boss).Body.String(); after != before {
		t.Errorf("the key shows its limits: %s", after)
	}
	for body, code := range map[string]string{`{"requestsPerSecond":0}`: "bad_request", `{"searchesAtOnce":"x"}`: "bad_request", `{"other":1}`: "bad_request"} {
		if w := call(t, s, "PATCH", path, body, boss); w.Code != 400 || codeOf(w) != code {
			t.Errorf("%s: %d %s", body, w.Code, w.Body)
		}
	}
	if w := call(t, s, "PATCH", "/cluster/keys/"+testUID(9), `{}`, boss); w.Code != 404 {
		t.Errorf("limits of no key: %d %s", w.Code, w.Body)
	}
	if w := call(t, s, "PATCH", path, `{"requestsPerSecond":null}`, client); w.Code != 403 {
		t.Errorf("a key lifts its own limit: %d %s", w.Code, w.Body)
	}

	token := "Authorization: Bearer " + sign("HS256", `{"apiKeyUid":"`+testUID(1)+`","searchRules":["*"]}`, value)
	var refused int
	for i, caller := range []string{client, token, client, token, client} {
		w := call(t, s, "POST", "/indexes/movies/search", "{}", caller)
		if w.Code == 200 {
			continue
		}
		refused++
		if w.Code != 429 || codeOf(w) != apierr.CodeTooManyRequests.Name || w.Header().Get("Retry-After") != "1" || i < 2 {
			t.Errorf("request %d: %d %s", i, w.Code, w.Body)
		}
	}
	// The refused PATCH did not count, because it was refused for its rights.
	if refused != 2 {
		t.Errorf("%d of 5 requests were refused, want 2", refused)
	}
	if w := call(t, s, "GET", "/version", "", boss); w.Code != 200 {
		t.Errorf("the master key: %d %s", w.Code, w.Body)
	}
}

func TestSearchesAtOnceOfAKey(t *testing.T) {
	f := &fake{keys: []*api.Key{testKey(1, "search", "*")}, hold: make(chan struct{})}
	f.keys[0].Limits.SearchesAtOnce = 1
	s := f.front(Config{MasterKey: master})
	client := "Authorization: Bearer " + s.admin.Auth.Value(testUID(1))
	first := make(chan int)
	go func() { first <- call(t, s, "POST", "/indexes/movies/search", "{}", client).Code }()
	f.hold <- struct{}{} // it has begun
	if w := call(t, s, "POST", "/indexes/missing/search", "{}", client); w.Code != 429 || codeOf(w) != apierr.CodeTooManyRequests.Name {
		t.Errorf("the second search beside the first: %d %s", w.Code, w.Body)
	}
	close(f.hold)
	if code := <-first; code != 200 {
		t.Errorf("the first search: %d", code)
	}
	if w := call(t, s, "POST", "/indexes/movies/search", "{}", client); w.Code != 200 {
		t.Errorf("after it: %d %s", w.Code, w.Body)
	}
}
