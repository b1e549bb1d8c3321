package httpfront

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"shoal/api"
	"shoal/api/settings"
	"shoal/httpfront/routing"
)

func TestTheAuditLogIsToldOfChangesAndNothingElse(t *testing.T) {
	var told []string
	audit := func(c Change) {
		if c.Address == "" {
			t.Errorf("a change from nowhere: %+v", c)
		}
		task := "no task"
		if c.Task != nil {
			task = fmt.Sprint("task ", *c.Task)
		}
		told = append(told, strings.Join([]string{c.Key, c.Route, c.Index, fmt.Sprint(c.Status), task, c.Forwarded}, "|"))
	}
	f := &fake{keys: []*api.Key{testKey(1, "*", "*")}, features: settings.Features{DynamicSearchRules: true}}
	s := f.front(Config{MasterKey: master, Routing: routing.Config{Audit: audit}}, func(p *Ports) {
		p.DocumentPorts, p.Rules, p.Cluster = (&fakeStore{}).ports(), &fakeRules{rule: api.NewSearchRule("r")}, fakeCluster{}
	})
	key := s.admin.Auth.Value(testUID(1))
	call(t, s, "POST", "/indexes/movies/search", `{}`, "Authorization: Bearer "+key)
	call(t, s, "GET", "/tasks", "", "Authorization: Bearer "+key)
	for path, body := range map[string]string{"/dynamic-search-rules": `{}`, "/cluster/explain": `{"indexUid":"movies"}`} {
		if w := call(t, s, "POST", path, body, "Authorization: Bearer "+master); w.Code != 200 {
			t.Fatalf("%s: %d %s", path, w.Code, w.Body)
		}
	}
	call(t, s, "POST", "/indexes", `{"uid":7}`, "Authorization: Bearer "+key)
	call(t, s, "DELETE", "/indexes/movies", "", "Authorization: Bearer wrong")
	if len(told) > 0 {
		t.Fatalf("told of requests that change nothing: %q", told)
	}
	if w := call(t, s, "DELETE", "/indexes/films", "", "Authorization: Bearer "+key, "X-Forwarded-For: "+strings.Repeat("9", 300)); w.Code != 202 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	call(t, s, "DELETE", "/indexes/movies", "", "Authorization: Bearer "+master)
	call(t, s, "DELETE", "/keys/"+key, "", "Authorization: Bearer "+master)
	if len(told) != 3 || !strings.HasPrefix(told[0], testUID(1)+"|DELETE /indexes/{index_uid}|films|202|task ") || !strings.HasSuffix(told[0], "|"+strings.Repeat("9", 256)) ||
		!strings.HasPrefix(told[1], "master|DELETE /indexes/{index_uid}|movies|202|task ") {
		t.Errorf("told %q", told)
	}
	if slices.ContainsFunc(told, func(line string) bool { return strings.Contains(line, key) || strings.Contains(line, master) }) {
		t.Errorf("a key is in %q", told)
	}
}
