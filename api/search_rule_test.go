package api

import (
	"testing"

	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
)

// TestSearchRulePatch checks how patches are read and shown, and how they are refused.
func TestSearchRulePatch(t *testing.T) {
	for _, c := range []struct{ body, shown, code, message string }{
		{`{}`, `{}`, "", ""},
		{`{"description":null,"precedence":10,"active":false}`, `{"description":null,"precedence":10,"active":false}`, "", ""},
		{`{"actions":[{"selector":{"id":"42","indexUid":"m"},"action":{"type":"pin","position":1}}]}`,
			`{"actions":[{"selector":{"indexUid":"m","id":"42"},"action":{"type":"pin","position":1}}]}`, "", ""},
		{`{"conditions":{"filter":{"values":{"b":[1,"x"],"a":{"c":true}}},"query":{"words":"w","isEmpty":false},"time":{"start":"2025-11-28T00:00:00.50+02:00","x":1}}}`,
			`{"conditions":{"time":{"start":"2025-11-28T00:00:00.5+02:00"},"query":{"isEmpty":false,"words":"w"},"filter":{"values":{"a":{"c":true},"b":[1,"x"]}}}}`, "", ""},
		{`{"actions":{"scale":[{"filter":"g = a","ids":["1"],"weight":4,"indexUid":"m"}],"pin":[{"position":2,"id":"x"}]}}`,
			`{"actions":{"pin":[{"id":"x","position":2}],"scale":[{"weight":4.0,"ids":["1"],"filter":"g = a","indexUid":"m"}]}}`, "", ""},
		{`{"actions":{"scale":[{"weight":4}]}}`, "", "invalid_dynamic_search_rule_actions", "Invalid value at `.actions.scale[0]`: either `filter` or `ids` must be given"},
		{`{"actions":{"scale":[{"ids":["1"]}]}}`, "", "invalid_dynamic_search_rule_actions", "Missing field `weight` inside `.actions.scale[0]`"},
		{`{"actions":{"scale":[{"ids":["1"],"weight":-1}]}}`, "", "invalid_dynamic_search_rule_actions", "Invalid value at `.actions.scale[0].weight`: the value of `weight` must be between `0.0` and `1000000.0`"},
		{`{"conditions":null,"actions":null}`, `{"conditions":null,"actions":null}`, "", ""},
		{`{"x":1}`, "", "bad_request", "Unknown field `x`: expected one of `description`, `precedence`, `active`, `conditions`, `actions`"},
		{`{"precedence":-1}`, "", "invalid_dynamic_search_rule_priority", "Invalid value type at `.precedence`: expected a positive integer, but found a negative integer: `-1`"},
		{`{"conditions":{"query":{"isEmpty":true,"words":"w"}}}`, "", "bad_request", "Invalid value at `.conditions.query`: either `isEmpty` or `words` can be used, not both at once"},
		{`{"conditions":{"time":{"start":"2024-01-02T00:00:00Z","end":"2024-01-01T00:00:00Z"}}}`, "", "bad_request",
			"Invalid value at `.conditions.time`: `end` (`2024-01-01 0:00:00.0 +00:00:00`) should be later than `start` (`2024-01-02 0:00:00.0 +00:00:00`)"},
		{`{"conditions":{"time":{"start":"soon"}}}`, "", "invalid_dynamic_search_rule_conditions",
			"Invalid value at `.conditions.time.start`: `soon` is not a valid date. It should follow the RFC 3339 format to represents a date or datetime in the future or specified as a null value. e.g. 'YYYY-MM-DD' or 'YYYY-MM-DD HH:MM:SS'.\n"},
		{`{"actions":[{"selector":{"id":"1"},"action":{"type":"boost"}}]}`, "", "invalid_dynamic_search_rule_actions", "Invalid value at `.actions[0].action`: Incorrect tag value"},
		{`{"actions":[{"selector":{},"action":{"type":"pin","position":1}}]}`, "", "invalid_dynamic_search_rule_actions", "Missing field `id` inside `.actions[0].selector`"},
	} {
		v, err := jsonvalue.Parse([]byte(c.body))
		if err != nil {
			t.Fatal(err)
		}
		var p SearchRulePatch
		refused := SearchRuleFields.Decode(decode.BodyRoot(apierr.CodeBadRequest), &v, &p)
		switch {
		case c.message == "" && refused != nil:
			t.Errorf("%s: %v", c.body, refused.Message)
		case c.message == "":
			if got := string(p.AppendJSON(nil)); got != c.shown {
				t.Errorf("%s: shown as %s", c.body, got)
			}
		case refused == nil || refused.Message != c.message || refused.Code.Name != c.code:
			t.Errorf("%s: %+v", c.body, refused)
		}
	}
}

// TestSearchRuleApply: a member replaces the old value, null resets it, and absent members
// are left alone.
func TestSearchRuleApply(t *testing.T) {
	r := NewSearchRule("r")
	for _, body := range []string{
		`{"description":"d","precedence":3,"active":false,"conditions":{"query":{"words":"w"}},"actions":[{"selector":{"id":"1"},"action":{"type":"pin","position":0}}]}`,
		`{"precedence":null,"active":null}`,
	} {
		v, err := jsonvalue.Parse([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		var p SearchRulePatch
		if err := SearchRuleFields.Decode(decode.BodyRoot(apierr.CodeBadRequest), &v, &p); err != nil {
			t.Fatal(err)
		}
		r.Apply(&p)
	}
	const want = `{"uid":"r","description":"d","lastUpdatedAt":"1970-01-01T00:00:01Z","active":true,"conditions":{"query":{"words":"w"}},"actions":[{"selector":{"id":"1"},"action":{"type":"pin","position":0}}]}`
	r.UpdatedAt = 1e9
	if got := string(r.AppendJSON(nil, false)); got != want {
		t.Errorf("got %s", got)
	}
}
