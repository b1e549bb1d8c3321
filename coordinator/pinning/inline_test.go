package pinning

import (
	"strings"
	"testing"
	"time"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
	"shoal/query/filter"
)

func inlineOf(t *testing.T, rule string) *api.SearchRule {
	t.Helper()
	v, err := jsonvalue.Parse([]byte(rule))
	if err != nil {
		t.Fatal(err)
	}
	r, refused := api.DecodeInlineRule(decode.BodyRoot(apierr.CodeInvalidSearchInlineRule), &v)
	if refused != nil {
		t.Fatal(refused)
	}
	return &r.SearchRule
}

func TestASearchRuleReportsWhichConditionsHold(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)
	for _, c := range []struct{ rule, filter, want string }{
		{`{"uid":"i"}`, "", `{"satisfiesActiveCondition":true}`},
		{`{"uid":"i","active":false,"conditions":{"time":{"start":"2026-01-02T03:00:01Z"}}}`, "", `{"satisfiesActiveCondition":false,"satisfiesTimeCondition":"tooEarly"}`},
		{`{"uid":"i","conditions":{"time":{"end":"2026-01-02T02:59:59Z"},"query":{"isEmpty":true}}}`, "", `{"satisfiesActiveCondition":true,"satisfiesTimeCondition":"tooLate","satisfiesQueryEmptyCondition":"queryNotEmpty"}`},
		{`{"uid":"i","conditions":{"query":{"isEmpty":false,"words":"lamp RED"}}}`, "", `{"satisfiesActiveCondition":true,"satisfiesQueryEmptyCondition":"satisfied","satisfiesQueryWordsCondition":"satisfied"}`},
		{`{"uid":"i","conditions":{"query":{"words":"red \"sky"}}}`, "", `{"satisfiesActiveCondition":true,"satisfiesQueryWordsCondition":{"missingWord":{"word":"sky"}}}`},
		{`{"uid":"i","conditions":{"filter":{"values":{"g":"a"}}}}`, "g = a", `{"satisfiesActiveCondition":true,"satisfiesFilterCondition":"satisfied"}`},
		{`{"uid":"i","conditions":{"filter":{"values":{"g":"a"}}}}`, "g = b", `{"satisfiesActiveCondition":true,"satisfiesFilterCondition":"notSatisfied"}`},
	} {
		q := &Query{Words: []string{"lamp", "red"}, Now: now}
		if c.filter != "" {
			var fault *filter.FilterError
			if q.Filter, fault = filter.ParseFilterText(c.filter); fault != nil {
				t.Fatal(fault)
			}
		}
		if _, got := new(Store).Inline(inlineOf(t, c.rule), q); string(got) != c.want {
			t.Errorf("%s:\n%s\n%s", c.rule, got, c.want)
		}
	}
}

func TestASearchRuleIsBounded(t *testing.T) {
	pins := strings.Repeat(`{"id":"1","position":0},`, maxInline) + `{"id":"1","position":0}`
	err := CheckInline(inlineOf(t, `{"uid":"i","actions":{"pin":[`+pins+`]}}`), filter.Gates{})
	if err == nil || err.Code != apierr.CodeInvalidSearchInlineRule || err.Message != "`inlineRule` has 101 actions, but it may have 100." {
		t.Error(err)
	}
	pins = strings.TrimSuffix(pins, `,{"id":"1","position":0}`)
	if err := CheckInline(inlineOf(t, `{"uid":"i","actions":{"pin":[`+pins+`]}}`), filter.Gates{}); err != nil {
		t.Error(err)
	}
}
