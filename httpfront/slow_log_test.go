package httpfront

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"shoal/api"
	"shoal/httpfront/routing"
	"shoal/wire/span"
)

// dawdler is a slow search that answers in pieces.
type dawdler struct{ *fake }

func (d dawdler) Search(ctx context.Context, uid string, r *api.SearchRequest) (*api.SearchResponse, error) {
	ctx, s := span.Start(ctx, "rank")
	span.Charge(ctx, "rule", "typo")()
	s.End()
	return d.fake.Search(ctx, uid, r)
}

// A change applies from the next request on. The log holds the query only if that was asked
// for, and never a secret.
func TestTheSlowLogChangesWhileTheNodeRuns(t *testing.T) {
	f := &fake{keys: []*api.Key{testKey(1, "search", "*")}}
	var log bytes.Buffer
	s := f.front(Config{MasterKey: master, Routing: routing.Config{Log: slog.New(slog.NewJSONHandler(&log, nil))}}, func(p *Ports) { p.Search = dawdler{f} })
	boss, client := "Authorization: Bearer "+master, "Authorization: Bearer "+s.admin.Auth.Value(testUID(1))
	lines := func(body string) []map[string]any {
		t.Helper()
		log.Reset()
		if w := call(t, s, "POST", "/indexes/movies/search", body, client); w.Code != 200 {
			t.Fatal(w.Code, w.Body)
		}
		var out []map[string]any
		for line := range strings.Lines(log.String()) {
			var m map[string]any
			if err := json.Unmarshal([]byte(line), &m); err != nil {
				t.Fatal(err)
			}
			if m["msg"] == "slow request" {
				out = append(out, m)
			}
		}
		return out
	}
	const body = `{"q":"sea change","filter":"year = 1"}`
	expect(t, call(t, s, "GET", "/cluster/slow-log", "", boss), 200, `{"thresholdMs":null,"showQuery":false}`)
	if got := lines(body); len(got) != 0 {
		t.Errorf("logged while it is off: %v", got)
	}
	expect(t, call(t, s, "PATCH", "/cluster/slow-log", `{"thresholdMs":3600000}`, boss), 200, `{"thresholdMs":3600000,"showQuery":false}`)
	if got := lines(body); len(got) != 0 {
		t.Errorf("a fast request is logged: %v", got)
	}
	f.slow.Threshold = 1
	f.dawdle = true
	slow := func() map[string]any {
		t.Helper()
		got := lines(body)
		if len(got) != 1 {
			t.Fatalf("%d lines, want one", len(got))
		}
		return got[0]
	}
	line := slow()
	steps, _ := line["steps"].(map[string]any)
	if line["route"] != "POST /indexes/{index_uid}/search" || line["index"] != "movies" || line["key"] != testUID(1) || line["status"] != 200.0 ||
		line["took"] == nil || steps["rank"] == nil || steps["rule typo"] == nil || line["query"] != nil {
		t.Errorf("%v", line)
	}
	expect(t, call(t, s, "PATCH", "/cluster/slow-log", `{"showQuery":true}`, boss), 200, `{"thresholdMs":1,"showQuery":true}`)
	line = slow()
	if query, _ := line["query"].(map[string]any); query["q"] != "sea change" || query["filter"] != `"year = 1"` {
		t.Errorf("%v", line)
	}
	if kept := s.Metrics.SlowRequests(); len(kept) != 2 || len(kept[1].Queries) != 0 || len(kept[0].Queries) != 1 || kept[0].Queries[0].Q != "sea change" || kept[0].Index != "movies" ||
		kept[0].Key != testUID(1) || kept[0].Took <= 0 || kept[0].Steps[len(kept[0].Steps)-1].Name != "rank" {
		t.Errorf("remembered are %+v, want both slow searches, the newest first", kept)
	}
	for _, secret := range []string{master, s.admin.Auth.Value(testUID(1))} {
		if strings.Contains(log.String(), secret) {
			t.Errorf("the log holds a secret: %s", log.String())
		}
	}
	expect(t, call(t, s, "PATCH", "/cluster/slow-log", `{"thresholdMs":null}`, boss), 200, `{"thresholdMs":null,"showQuery":true}`)
	if got := lines(body); len(got) != 0 {
		t.Errorf("logged after it was switched off: %v", got)
	}
	if w := call(t, s, "PATCH", "/cluster/slow-log", `{"thresholdMs":0}`, boss); w.Code != 400 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
