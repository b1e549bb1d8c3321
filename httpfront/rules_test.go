package httpfront

import (
	"context"
	"strings"
	"testing"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/settings"
)

// fakeRules holds one rule and tells the last change.
type fakeRules struct {
	rule *api.SearchRule
	last string
}

func (f *fakeRules) Rules(*api.SearchRuleQuery) ([]*api.SearchRule, uint64) {
	return []*api.SearchRule{f.rule}, 7
}

func (f *fakeRules) Rule(uid string) (*api.SearchRule, error) {
	if uid != f.rule.UID {
		return nil, api.SearchRuleNotFound(uid)
	}
	return f.rule, nil
}

func (f *fakeRules) RuleTarget(_ context.Context, uid string) (*api.SearchRuleTarget, error) {
	if uid != f.rule.UID {
		return nil, api.SearchRuleNotFound(uid)
	}
	return &api.SearchRuleTarget{Target: f.rule, TaskUIDs: []uint32{3, 5}}, nil
}

func (f *fakeRules) TargetRules(context.Context, *api.SearchRuleQuery) (*api.SearchRuleTargets, error) {
	return &api.SearchRuleTargets{Page: []*api.SearchRule{f.rule}, Changing: []bool{true}, Total: 7, Rules: 6, TargetRules: 7, TaskUIDs: []uint32{3}}, nil
}

func (f *fakeRules) done(last string) (*api.TaskSummary, error) {
	f.last = last
	uid := ".meili_dsr"
	return &api.TaskSummary{Type: "dsrUpdate", IndexUID: &uid, EnqueuedAt: 1e9}, nil
}

func (f *fakeRules) UpdateRule(_ context.Context, uid string, p *api.SearchRulePatch, _ *string) (*api.TaskSummary, error) {
	return f.done(uid + " " + string(p.AppendJSON(nil)))
}

func (f *fakeRules) DeleteRule(_ context.Context, uid string, _ *string) (*api.TaskSummary, error) {
	return f.done("delete " + uid)
}

func (f *fakeRules) ClearRules(context.Context, *string) (*api.TaskSummary, error) {
	return f.done("clear")
}

// TestRules: the routes of the dynamic search rules.
func TestRules(t *testing.T) {
	rules := &fakeRules{rule: api.NewSearchRule("r")}
	s := (&fake{features: settings.Features{DynamicSearchRules: true}}).front(Config{}, func(p *Ports) { p.Rules = rules })
	const rule = `{"uid":"r","lastUpdatedAt":null,"active":true,"conditions":{},"actions":[]}`
	for _, c := range []struct {
		method, url, body string
		status            int
		want, last        string
	}{
		{"POST", "/dynamic-search-rules", `{"limit":1}`, 200, `{"results":[` + rule + `],"offset":0,"limit":1,"total":7}`, ""},
		{"POST", "/dynamic-search-rules", `{"limit":1,"showTarget":true}`, 200, `{"results":[` + strings.TrimSuffix(rule, "}") + `,"needsProcessing":true}],"offset":0,"limit":1,"total":7,"needsProcessing":true,"taskUids":[3],"totalRuleCount":6,"targetTotalRuleCount":7}`, ""},
		{"GET", "/dynamic-search-rules/r", "", 200, rule, ""},
		{"GET", "/dynamic-search-rules/r/target", "", 200, `{"current":null,"target":` + rule + `,"needsProcessing":true,"taskUids":[3,5]}`, ""},
		{"GET", "/dynamic-search-rules/a%20b/target", "", 404, apierr.InvalidIndexUIDText("a b"), ""},
		{"GET", "/dynamic-search-rules/a%20b", "", 404, apierr.InvalidIndexUIDText("a b"), ""},
		{"PATCH", "/dynamic-search-rules/a%20b", "[", 404, apierr.InvalidIndexUIDText("a b"), ""},
		{"PATCH", "/dynamic-search-rules/new?customMetadata=m", `{"precedence":3}`, 202, "", `new {"precedence":3}`},
		{"DELETE", "/dynamic-search-rules/r", "", 202, "", "delete r"},
		{"DELETE", "/dynamic-search-rules", "", 202, "", "clear"},
	} {
		rules.last = ""
		w := call(t, s, c.method, c.url, c.body)
		if w.Code != c.status || c.want != "" && w.Body.String() != c.want || rules.last != c.last {
			t.Errorf("%s %s: %d %s, %q", c.method, c.url, w.Code, w.Body, rules.last)
		}
	}
	expectError(t, call(t, s, "GET", "/dynamic-search-rules/none", ""), 404, apierr.CodeDynamicSearchRuleNotFound, "Dynamic search rule `none` not found.")
	expectError(t, call(t, s, "POST", "/dynamic-search-rules", `{"filter":{"active":1}}`), 400, apierr.CodeInvalidDynamicSearchRuleFilterActive,
		"Invalid value type at `.filter.active`: expected a boolean, but found a positive integer: `1`")
	expectError(t, call(t, s, "POST", "/dynamic-search-rules", `{"showTarget":1}`), 400, apierr.CodeInvalidDynamicSearchRuleShowTarget,
		"Invalid value type at `.showTarget`: expected a boolean, but found a positive integer: `1`")
	expectError(t, call(t, s, "GET", "/dynamic-search-rules/none/target", ""), 404, apierr.CodeDynamicSearchRuleNotFound, "Dynamic search rule `none` not found.")
	closed := (&fake{}).front(Config{})
	expectError(t, call(t, closed, "DELETE", "/dynamic-search-rules/r", ""), 400, apierr.CodeFeatureNotEnabled,
		"Using the `/dynamic-search-rules` routes requires enabling the `dynamic search rules` experimental feature. See https://github.com/orgs/meilisearch/discussions/884")
}
