package api

import (
	"encoding/json"
	"time"

	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
)

// SearchRuleFields is the table of the body of PATCH /dynamic-search-rules/{uid}.
var SearchRuleFields = decode.NewObject(
	decode.Patched("description", apierr.CodeInvalidDynamicSearchRuleDescription, decode.String, decode.WriteString, func(p *SearchRulePatch) *decode.Field[string] { return &p.Description }),
	decode.Patched("precedence", apierr.CodeInvalidDynamicSearchRulePriority, decode.Uint, decode.WriteUint, func(p *SearchRulePatch) *decode.Field[uint64] { return &p.Precedence }),
	decode.Patched("active", apierr.CodeInvalidDynamicSearchRuleActive, decode.Bool, decode.WriteBool, func(p *SearchRulePatch) *decode.Field[bool] { return &p.Active }),
	decode.Patched("conditions", apierr.CodeInvalidDynamicSearchRuleConditions, ruleConditions, func(dst []byte, c RuleConditions, _ bool) []byte { return c.appendJSON(dst) },
		func(p *SearchRulePatch) *decode.Field[RuleConditions] { return &p.Conditions }),
	decode.Patched("actions", apierr.CodeInvalidDynamicSearchRuleActions, ruleActions, func(dst []byte, a RuleActions, _ bool) []byte { return a.appendJSON(dst) },
		func(p *SearchRulePatch) *decode.Field[RuleActions] { return &p.Actions }),
)

// InlineRule is a rule for one search only. It replaces a stored rule of the same uid
// (1.55).
type InlineRule struct {
	SearchRule
	// Raw is the JSON that the client sent, to be passed on to other instances.
	Raw json.RawMessage
}

var inlineRuleFields = decode.NewObject(
	decode.Plain("uid", apierr.Code{}, ruleUID, func(r *SearchRule) *string { return &r.UID }).Required(apierr.Code{}),
	decode.Optional("precedence", apierr.Code{}, decode.Uint, func(r *SearchRule) **uint64 { return &r.Precedence }),
	decode.Nullable("active", apierr.Code{}, decode.Bool, func(r *SearchRule) *bool { return &r.Active }),
	decode.Nullable("conditions", apierr.Code{}, ruleConditions, func(r *SearchRule) *RuleConditions { return &r.Conditions }),
	decode.Nullable("actions", apierr.Code{}, ruleActions, func(r *SearchRule) *RuleActions { return &r.Actions }),
)

// DecodeInlineRule reads a rule for one search.
func DecodeInlineRule(at *decode.Loc, v *jsonvalue.Value) (InlineRule, *apierr.Error) {
	r := InlineRule{SearchRule: *NewSearchRule("")}
	if err := inlineRuleFields.Decode(at, v, &r.SearchRule); err != nil {
		return r, err
	}
	r.Raw = v.AppendJSON(nil)
	return r, nil
}

func ruleUID(at *decode.Loc, v *jsonvalue.Value) (string, *apierr.Error) {
	uid, err := decode.String(at, v)
	if err == nil && !apierr.ValidIndexUID(uid) {
		return "", at.Invalid(apierr.InvalidIndexUIDText(uid))
	}
	return uid, err
}

var ruleConditionFields = decode.NewObject(
	decode.Optional("time", apierr.Code{}, ruleTime, func(c *RuleConditions) **RuleTime { return &c.Time }),
	decode.Optional("query", apierr.Code{}, ruleQueryFields.Read, func(c *RuleConditions) **RuleQuery { return &c.Query }),
	decode.Optional("filter", apierr.Code{}, ruleFilterFields.Read, func(c *RuleConditions) **RuleFilter { return &c.Filter }),
)

var ruleQueryFields = decode.NewObject(
	decode.Optional("isEmpty", apierr.Code{}, decode.Bool, func(q *RuleQuery) **bool { return &q.IsEmpty }),
	decode.Optional("words", apierr.Code{}, decode.String, func(q *RuleQuery) **string { return &q.Words }),
)

var ruleFilterFields = decode.NewObject(
	decode.Plain("values", apierr.Code{}, decode.Map(decode.Any), func(f *RuleFilter) *[]decode.Entry[jsonvalue.Value] { return &f.Values }),
)

// ruleConditions reads conditions and refuses contradictory ones as a bad request, whatever
// the error code of the place.
func ruleConditions(at *decode.Loc, v *jsonvalue.Value) (RuleConditions, *apierr.Error) {
	var c RuleConditions
	if err := ruleConditionFields.Decode(at, v, &c); err != nil {
		return c, err
	}
	if q := c.Query; q != nil && q.IsEmpty != nil && *q.IsEmpty && q.Words != nil {
		loc := at.Member("query", apierr.CodeBadRequest)
		return c, loc.Invalid("either `isEmpty` or `words` can be used, not both at once")
	}
	if t := c.Time; t != nil && t.Start != nil && t.End != nil && t.Start.After(*t.End) {
		loc := at.Member("time", apierr.CodeBadRequest)
		return c, loc.Invalid("`end` (`" + shownTime(*t.End) + "`) should be later than `start` (`" + shownTime(*t.Start) + "`)")
	}
	if c.Filter != nil {
		c.Filter.Values = decode.SortEntries(c.Filter.Values)
	}
	return c, nil
}

// shownTime formats a date as messages show it.
func shownTime(t time.Time) string {
	return t.Format("2006-01-02 ") + trimHour(t) + t.Format(":04:05.") + fraction(t) + " " + t.Format("-07:00") + ":00"
}

// trimHour is the hour without a leading zero.
func trimHour(t time.Time) string {
	s := t.Format("15")
	if s[0] == '0' {
		return s[1:]
	}
	return s
}

// fraction is the part of a second with at least one digit.
func fraction(t time.Time) string {
	s := t.Format(".000000000")[1:]
	for len(s) > 1 && s[len(s)-1] == '0' {
		s = s[:len(s)-1]
	}
	return s
}

// ruleTime ignores members it does not know, as the reference does.
func ruleTime(at *decode.Loc, v *jsonvalue.Value) (RuleTime, *apierr.Error) {
	var t RuleTime
	if v.Kind() != jsonvalue.KindObject {
		return t, at.WrongType(v, jsonvalue.KindObject)
	}
	for i := range v.Members() {
		m := &v.Members()[i]
		slot := map[string]**time.Time{"start": &t.Start, "end": &t.End}[m.Name]
		if slot == nil {
			continue
		}
		*slot = nil
		if m.Value.IsNull() {
			continue
		}
		loc := at.Member(m.Name, apierr.Code{})
		date, err := ruleDate(&loc, &m.Value)
		if err != nil {
			return t, err
		}
		*slot = &date
	}
	return t, nil
}

func ruleDate(at *decode.Loc, v *jsonvalue.Value) (time.Time, *apierr.Error) {
	s, err := decode.String(at, v)
	if err != nil {
		return time.Time{}, err
	}
	date, ok := jsonvalue.ParseRFC3339(s)
	if !ok {
		return time.Time{}, at.Invalid("`" + s + "` is not a valid date. It should follow the RFC 3339 format to represents a date or datetime in the future or specified as a null value. e.g. 'YYYY-MM-DD' or 'YYYY-MM-DD HH:MM:SS'.\n")
	}
	return date, nil
}

// SearchRuleQuery is the body of POST /dynamic-search-rules.
type SearchRuleQuery struct {
	Offset, Limit uint64
	Query         *string
	Active        *bool
	// ShowTarget lists the rules as they will be after pending tasks (1.57).
	ShowTarget bool
}

var ruleListFilterFields = decode.NewObject(
	decode.Optional("query", apierr.CodeInvalidDynamicSearchRuleFilterQuery, decode.String, func(q *SearchRuleQuery) **string { return &q.Query }),
	decode.Optional("active", apierr.CodeInvalidDynamicSearchRuleFilterActive, decode.Bool, func(q *SearchRuleQuery) **bool { return &q.Active }),
)

// SearchRuleQueryFields is the table of the body of POST /dynamic-search-rules.
var SearchRuleQueryFields = decode.NewObject(
	decode.Plain("offset", apierr.CodeInvalidDynamicSearchRuleOffset, decode.Uint, func(q *SearchRuleQuery) *uint64 { return &q.Offset }),
	decode.Plain("limit", apierr.CodeInvalidDynamicSearchRuleLimit, decode.Uint, func(q *SearchRuleQuery) *uint64 { return &q.Limit }),
	decode.Custom("filter", apierr.CodeInvalidDynamicSearchRuleFilter, func(q *SearchRuleQuery, at *decode.Loc, v *jsonvalue.Value) *apierr.Error {
		if v.IsNull() {
			return nil
		}
		return ruleListFilterFields.Decode(at, v, q)
	}),
	decode.Plain("showTarget", apierr.CodeInvalidDynamicSearchRuleShowTarget, decode.Bool, func(q *SearchRuleQuery) *bool { return &q.ShowTarget }).Unlisted(),
)
