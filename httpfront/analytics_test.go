package httpfront

import (
	"strings"
	"testing"

	"shoal/api"
)

func TestEachAnsweredSearchIsCountedOnce(t *testing.T) {
	f := &fake{}
	s := f.front(Config{})
	const described = "Meili-Include-Metadata: true"
	call(t, s, "POST", "/indexes/movies/search", `{"q":"Heat"}`)
	call(t, s, "GET", "/indexes/movies/search?q=heat", "", described)
	call(t, s, "POST", "/indexes/missing/search", `{"q":"nothing"}`)
	call(t, s, "POST", "/multi-search", `{"queries":[{"indexUid":"a","q":"one"},{"indexUid":"b"}]}`, described)
	call(t, s, "POST", "/multi-search", `{"federation":{},"queries":[{"indexUid":"a","q":"two"},{"indexUid":"b","q":"two"}]}`)
	var seen []string
	for _, c := range f.counted {
		uid := "without uid"
		if c.QueryUID != "" {
			uid = "with uid"
		}
		seen = append(seen, c.IndexUID+"/"+c.Query+"/"+uid)
	}
	want := "movies/Heat/without uid movies/heat/with uid a/one/with uid b//with uid a/two/without uid b/two/without uid"
	if got := strings.Join(seen, " "); got != want {
		t.Errorf("counted %s, want %s", got, want)
	}
}

func TestEventsAreCheckedAndKeepNothingOfAPerson(t *testing.T) {
	f := &fake{keys: []*api.Key{testKey(1, "search", "movies"), testKey(2, "documents.get", "*")}}
	s := f.front(Config{MasterKey: master})
	client, other := "Authorization: Bearer "+s.admin.Auth.Value(testUID(1)), "Authorization: Bearer "+s.admin.Auth.Value(testUID(2))
	const uid = "01999999-1234-7abc-8def-0123456789ab"
	expect(t, call(t, s, "POST", "/events", `{"eventType":"click","eventName":"Seen","indexUid":"movies","queryUid":"`+uid+`","userId":"u","objectId":"1","objectName":"Heat","position":3}`, client), 201, `{}`)
	expect(t, call(t, s, "POST", "/events", `{"eventType":"conversion","indexUid":"movies"}`, client), 201, `{}`)
	if len(f.events) != 2 || f.events[0].Conversion || f.events[0].QueryUID != uid || *f.events[0].Position != 3 || !f.events[1].Conversion || f.events[1].Position != nil {
		t.Errorf("%+v", f.events)
	}
	for body, says := range map[string]string{
		`{"indexUid":"movies"}`:                                    "Missing field `eventType`",
		`{"eventType":"click"}`:                                    "Missing field `indexUid`",
		`{"eventType":"look","indexUid":"movies"}`:                 "Unknown value `look` at `.eventType`: expected one of `click`, `conversion`",
		`{"eventType":"click","indexUid":"no spaces"}`:             "`no spaces` is not a valid index uid",
		`{"eventType":"click","indexUid":"movies","queryUid":"7"}`: "Invalid value at `.queryUid`: `7` is not the `queryUid` of an answer, which is a UUID",
		`{"eventType":"click","indexUid":"movies","position":-1}`:  "Invalid value type at `.position`: expected a positive integer, but found a negative integer",
		`{"eventType":"click","indexUid":"movies","hit":1}`:        "Unknown field `hit`",
	} {
		if w := call(t, s, "POST", "/events", body, client); w.Code != 400 || !strings.Contains(w.Body.String(), says) {
			t.Errorf("%s: %d %s, want %s", body, w.Code, w.Body, says)
		}
	}
	for _, refused := range []struct {
		key, index string
		status     int
	}{{other, "movies", 403}, {client, "secret", 403}, {"Authorization: Bearer " + master, "unknown", 404}} {
		if w := call(t, s, "POST", "/events", `{"eventType":"click","indexUid":"`+refused.index+`"}`, refused.key); w.Code != refused.status {
			t.Errorf("%+v: %d %s", refused, w.Code, w.Body)
		}
	}
	if len(f.events) != 2 {
		t.Errorf("refused events were counted: %+v", f.events)
	}
}

func TestReportsAreForKeysWithAllActionsAndNameTheirFaults(t *testing.T) {
	f := &fake{keys: []*api.Key{testKey(1, "search", "*")}, analytics: api.DefaultAnalytics()}
	s := f.front(Config{MasterKey: master})
	boss := "Authorization: Bearer " + master
	if w := call(t, s, "GET", "/cluster/analytics", "", "Authorization: Bearer "+s.admin.Auth.Value(testUID(1))); w.Code != 403 {
		t.Errorf("a search key reads a report: %d", w.Code)
	}
	w := call(t, s, "GET", "/cluster/analytics?indexUid=movies&from=2026-11-01&to=2026-11-30&interval=hour&limit=5", "", boss)
	expect(t, w, 200, `{"IndexUID":"movies","From":"2026-11-01T00:00:00Z","To":"2026-11-30T00:00:00Z","Interval":"hour","Limit":5}`)
	for query, says := range map[string]string{
		"from=yesterday":                "`yesterday` is not a date of the form 2026-11-30",
		"from=2026-11-02&to=2026-11-01": "it is later than `to`",
		"interval=week":                 "expected one of `hour`, `day`",
		"limit=1001":                    "it is a number from 0 to 1000",
		"indexUid=no%20spaces":          "is not a valid index uid",
		"index=movies":                  "Unknown parameter `index`",
	} {
		if w := call(t, s, "GET", "/cluster/analytics?"+query, "", boss); w.Code != 400 || !strings.Contains(w.Body.String(), says) {
			t.Errorf("%s: %d %s, want %s", query, w.Code, w.Body, says)
		}
	}
	expect(t, call(t, s, "PATCH", "/cluster/analytics", `{"queries":true}`, boss), 200, `{"enabled":true,"queries":true}`)
	expect(t, call(t, s, "PATCH", "/cluster/analytics", `{"queries":null,"enabled":false}`, boss), 200, `{"enabled":false,"queries":false}`)
	if w := call(t, s, "PATCH", "/cluster/analytics", `{"querys":true}`, boss); w.Code != 400 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
