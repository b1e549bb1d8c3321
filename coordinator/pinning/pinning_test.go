package pinning

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"shoal/api"
	"shoal/api/settings"
	"shoal/query"
	"shoal/query/filter"
)

// storeOf makes rules r0, r1, ... from patches, each a second after the last.
func storeOf(t *testing.T, patches ...string) *Store {
	t.Helper()
	s := new(Store)
	for i, p := range patches {
		var err error
		if s, err = s.Apply(&Change{UID: fmt.Sprintf("r%d", i), Update: []byte(p)}, int64(i+1)*1e9); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

const pinX = `"actions":[{"selector":{"id":"x"},"action":{"type":"pin","position":0}}]`

// TestConditions checks when a rule applies.
func TestConditions(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		conditions, q, filter string
		want                  bool
	}{
		{`{}`, "", "", true},
		{`{"query":{"isEmpty":true}}`, "", "", true},
		{`{"query":{"isEmpty":true}}`, "batman", "", false},
		{`{"query":{"isEmpty":false}}`, "batman", "", true},
		{`{"query":{"isEmpty":false}}`, "", "", false},
		{`{"query":{"words":"Bätman RETURNS"}}`, "the batman returns", "", true},
		{`{"query":{"words":"batman returns"}}`, "returns", "", false},
		{`{"query":{"words":"batman"}}`, `"batman returns"`, "", false},
		{`{"query":{"words":"batman"}}`, `"batman" returns`, "", true},
		{`{"query":{"words":"batman"}}`, "batma", "", false},
		{`{"time":{"start":"2026-01-02T04:00:00+01:00"}}`, "", "", true},
		{`{"time":{"start":"2026-01-02T03:00:01Z"}}`, "", "", false},
		{`{"time":{"end":"2026-01-02T02:59:59Z"}}`, "", "", false},
		{`{"filter":{"values":{}}}`, "", "", true},
		{`{"filter":{"values":{"g":"Action"}}}`, "", "", false},
		{`{"filter":{"values":{"g":"Action"}}}`, "", "g = action", true},
		{`{"filter":{"values":{"g":"Action"}}}`, "", "g = drama", false},
		{`{"filter":{"values":{"g":"action"}}}`, "", "s = b AND g = action", true},
		{`{"filter":{"values":{"g":"action"}}}`, "", "s = b OR g = action", true},
		{`{"filter":{"values":{"g":"action","s":"b"}}}`, "", "g = action OR s = b", false},
		{`{"filter":{"values":{"g":"action","s":"b"}}}`, "", "(g = action OR g = x) AND (s = c OR s = b)", true},
		{`{"filter":{"values":{"g":["action","drama"]}}}`, "", "g = drama", false},
		{`{"filter":{"values":{"g":["drama"]}}}`, "", "g = drama", true},
		{`{"filter":{"values":{"g":[null,"drama"],"h":[]}}}`, "", "g = drama", true},
		{`{"filter":{"values":{"g":"action"}}}`, "", "g IN [x, action]", true},
		{`{"filter":{"values":{"g":"action"}}}`, "", "g NOT IN [x, action]", false},
		{`{"filter":{"values":{"g":"action"}}}`, "", "NOT (g = x OR g = y)", true},
		{`{"filter":{"values":{"g":"action"}}}`, "", "g != action", false},
		{`{"filter":{"values":{"n":5}}}`, "", "n > 4 AND n <= 5", true},
		{`{"filter":{"values":{"n":5}}}`, "", "n 6 TO 9", false},
		{`{"filter":{"values":{"n":5}}}`, "", "n = 5.0", true},
		{`{"filter":{"values":{"n":true}}}`, "", "n = true", true},
		{`{"filter":{"values":{"a":{"b":1}}}}`, "", "a.b = 1", true},
		{`{"filter":{"values":{"g":"action"}}}`, "", "g EXISTS", true},
		{`{"filter":{"values":{"g":"action"}}}`, "", "g IS NULL", false},
		{`{"filter":{"values":{"g":"action"}}}`, "", "g CONTAINS action", false},
		{`{"filter":{"values":{"g":"action"}}}`, "", "_geoRadius(1, 2, 3)", false},
	} {
		s := storeOf(t, `{"conditions":`+c.conditions+`,`+pinX+`}`)
		keywords := query.NewLexis(settings.Default(), 0).Parse(c.q, nil)
		q := Query{IndexUID: "i", Now: now}
		q.Words, q.Empty = WordsOf(keywords)
		var fault *filter.FilterError
		if q.Filter, fault = filter.ParseFilterText(c.filter); fault != nil {
			t.Fatal(fault)
		}
		if got := len(s.Effect(&q).Pins) == 1; got != c.want {
			t.Errorf("%s for %q where %q: %v", c.conditions, c.q, c.filter, got)
		}
	}
}

// TestPins checks the order of rules, the choice of the index, and that a document has one pin.
func TestPins(t *testing.T) {
	action := func(index, id string, position int) string {
		if index != "" {
			index = `"indexUid":"` + index + `",`
		}
		return fmt.Sprintf(`{"selector":{%s"id":"%s"},"action":{"type":"pin","position":%d}}`, index, id, position)
	}
	s := storeOf(t,
		`{"actions":[`+action("", "late", 1)+`]}`,
		`{"precedence":5,"actions":[`+action("i", "b", 2)+`,`+action("other", "c", 0)+`,`+action("", "a", 9)+`]}`,
		`{"precedence":1,"actions":[`+action("", "a", 3)+`]}`,
		`{"precedence":0,"active":false,"actions":[`+action("", "off", 0)+`]}`,
	)
	if got := fmt.Sprint(s.Effect(&Query{IndexUID: "i"}).Pins); got != "[{a 3} {b 2} {late 1}]" {
		t.Error(got)
	}
}

// TestScales checks that an index gets the scales of its active rules, the most important
// first.
func TestScales(t *testing.T) {
	s := storeOf(t,
		`{"actions":{"scale":[{"ids":["1"],"weight":2},{"filter":"g = a","weight":0,"indexUid":"other"}]}}`,
		`{"precedence":1,"actions":{"pin":[{"id":"x","position":1}],"scale":[{"filter":"g = a","weight":0.5,"indexUid":"i"}]}}`,
	)
	e := s.Effect(&Query{IndexUID: "i"})
	if len(e.Pins) != 1 || len(e.Scales) != 2 || e.Scales[0].Rule != "r1" || e.Scales[0].Filter.String() != `"g" = "a"` || e.Scales[1].IDs[0] != "1" || e.Scales[1].Weight != 2 {
		t.Errorf("%+v", e)
	}
}

// TestStore checks that a store survives encoding, and tests patches, deletions and lists.
func TestStore(t *testing.T) {
	s := storeOf(t,
		`{"description":"promo active","precedence":7,"conditions":{"time":{"start":"2026-01-01T00:00:00+02:00"},"query":{"words":"w"},"filter":{"values":{"a":[1,2.5]}}},`+pinX+`}`,
		`{"description":"promo paused","active":false}`,
		`{"description":"standard active"}`,
	)
	data, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	again := new(Store)
	if err := json.Unmarshal(data, again); err != nil {
		t.Fatal(err)
	}
	for _, uid := range []string{"r0", "r1", "r2"} {
		if a, b := s.Get(uid).AppendJSON(nil, false), again.Get(uid).AppendJSON(nil, false); string(a) != string(b) {
			t.Errorf("%s became %s", a, b)
		}
	}
	list := func(q *api.SearchRuleQuery) string {
		page, total := again.List(q)
		var uids []string
		for _, r := range page {
			uids = append(uids, r.UID)
		}
		return fmt.Sprint(strings.Join(uids, " "), " of ", total)
	}
	yes, promo := true, "Promo"
	for q, want := range map[*api.SearchRuleQuery]string{
		{Limit: 20}:                              "r2 r1 r0 of 3",
		{Limit: 1, Offset: 1}:                    "r1 of 3",
		{Limit: 20, Offset: 9}:                   " of 3",
		{Limit: 20, Active: &yes}:                "r2 r0 of 2",
		{Limit: 20, Active: &yes, Query: &promo}: "r0 of 1",
	} {
		if got := list(q); got != want {
			t.Errorf("%+v: %s", q, got)
		}
	}
	if again, err = again.Apply(&Change{UID: "r1"}, 0); err != nil || again.Len() != 2 || again.Get("r1") != nil {
		t.Errorf("deletion: %v %v", again, err)
	}
	if _, err = again.Apply(&Change{UID: "r1", Update: []byte(`[]`)}, 0); err == nil {
		t.Error("a change that is none was applied")
	}
}

// As in the reference, rules without precedence count in the order of their places, and a new one
// takes the first that a deleted one left.
func TestANewRuleTakesTheFirstFreePlace(t *testing.T) {
	s := storeOf(t, `{}`, `{}`, `{}`, `{}`)
	for i, step := range []struct{ change, want string }{
		{`{"uid":"r2"}`, "r0 r1 r3"},
		{`{"uid":"r0"}`, "r1 r3"},
		{`{"uid":"a","update":{}}`, "a r1 r3"},
		{`{"uid":"r1","update":{"active":false}}`, "a r1 r3"},
		{`{"uid":"b","update":{}}`, "a r1 b r3"},
		{`{"uid":"r3"}`, "a r1 b"},
		{`{"uid":"r0","update":{}}`, "a r1 b r0"},
	} {
		var c Change
		if err := json.Unmarshal([]byte(step.change), &c); err != nil {
			t.Fatal(err)
		}
		next, err := s.Apply(&c, int64(i))
		if err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(next)
		if err != nil {
			t.Fatal(err)
		}
		s = new(Store)
		if err := json.Unmarshal(data, s); err != nil {
			t.Fatal(err)
		}
		var uids []string
		for _, r := range s.rules {
			uids = append(uids, r.UID)
		}
		if got := strings.Join(uids, " "); got != step.want {
			t.Errorf("after %s: %s, want %s", step.change, got, step.want)
		}
	}
	var older Store
	if err := json.Unmarshal([]byte(`{"rules":[{"uid":"x","updatedAt":1,"rule":{}},{"uid":"y","updatedAt":1,"rule":{}}]}`), &older); err != nil {
		t.Fatal(err)
	}
	if older.rules[1].place != 1 {
		t.Errorf("a rule without a place is at %d", older.rules[1].place)
	}
}
