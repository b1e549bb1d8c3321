package api

import (
	"math"
	"slices"
	"time"
)

// SearchRuleFields is the table of the body of PATCH /dynamic-search-rules/{uid}.
var SearchRuleFields = NewObject(
	Tristate("description", CodeInvalidDynamicSearchRuleDescription, String, func(p *SearchRulePatch) *Field[string] { return &p.Description }),
	Tristate("precedence", CodeInvalidDynamicSearchRulePriority, Uint, func(p *SearchRulePatch) *Field[uint64] { return &p.Precedence }),
	Tristate("active", CodeInvalidDynamicSearchRuleActive, Bool, func(p *SearchRulePatch) *Field[bool] { return &p.Active }),
	Tristate("conditions", CodeInvalidDynamicSearchRuleConditions, ruleConditions, func(p *SearchRulePatch) *Field[RuleConditions] { return &p.Conditions }),
	Tristate("actions", CodeInvalidDynamicSearchRuleActions, List(ruleAction), func(p *SearchRulePatch) *Field[[]RuleAction] { return &p.Actions }),
)

var ruleConditionFields = NewObject(
	Optional("time", Code{}, ruleTime, func(c *RuleConditions) **RuleTime { return &c.Time }),
	Optional("query", Code{}, ruleQueryFields.As(func() RuleQuery { return RuleQuery{} }), func(c *RuleConditions) **RuleQuery { return &c.Query }),
	Optional("filter", Code{}, ruleFilterFields.As(func() RuleFilter { return RuleFilter{} }), func(c *RuleConditions) **RuleFilter { return &c.Filter }),
)

var ruleQueryFields = NewObject(
	Optional("isEmpty", Code{}, Bool, func(q *RuleQuery) **bool { return &q.IsEmpty }),
	Optional("words", Code{}, String, func(q *RuleQuery) **string { return &q.Words }),
)

var ruleFilterFields = NewObject(
	Plain("values", Code{}, Map(Any), func(f *RuleFilter) *[]Entry[Value] { return &f.Values }),
)

// ruleConditions reads conditions that do not contradict each other. What does
// is refused as a bad request, whatever the code of the place.
func ruleConditions(at *Loc, v *Value) (RuleConditions, *Error) {
	var c RuleConditions
	if err := ruleConditionFields.Decode(at, v, &c); err != nil {
		return c, err
	}
	if q := c.Query; q != nil && q.IsEmpty != nil && *q.IsEmpty && q.Words != nil {
		loc := at.Member("query", CodeBadRequest)
		return c, loc.Invalid("either `isEmpty` or `words` can be used, not both at once")
	}
	if t := c.Time; t != nil && t.Start != nil && t.End != nil && t.Start.After(*t.End) {
		loc := at.Member("time", CodeBadRequest)
		return c, loc.Invalid("`end` (`" + shownTime(*t.End) + "`) should be later than `start` (`" + shownTime(*t.Start) + "`)")
	}
	if c.Filter != nil {
		c.Filter.Values = sortEntries(c.Filter.Values)
	}
	return c, nil
}

// shownTime is a date as messages show it.
func shownTime(t time.Time) string {
	return t.Format("2006-01-02 ") + trimHour(t) + t.Format(":04:05.") + fraction(t) + " " + t.Format("-07:00") + ":00"
}

// trimHour is the hour without leading zero.
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
func ruleTime(at *Loc, v *Value) (RuleTime, *Error) {
	var t RuleTime
	if v.Kind() != KindObject {
		return t, at.WrongType(v, KindObject)
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
		loc := at.Member(m.Name, Code{})
		date, err := ruleDate(&loc, &m.Value)
		if err != nil {
			return t, err
		}
		*slot = &date
	}
	return t, nil
}

func ruleDate(at *Loc, v *Value) (time.Time, *Error) {
	s, err := String(at, v)
	if err != nil {
		return time.Time{}, err
	}
	date, parseErr := time.Parse(time.RFC3339Nano, s)
	if parseErr != nil {
		return time.Time{}, at.Invalid("`" + s + "` is not a valid date. It should follow the RFC 3339 format to represents a date or datetime in the future or specified as a null value. e.g. 'YYYY-MM-DD' or 'YYYY-MM-DD HH:MM:SS'.\n")
	}
	return date, nil
}

// actionBody is an action as it is written.
type actionBody struct {
	selector struct {
		indexUID *string
		id       string
	}
	position uint64
}

var selectorFields = NewObject(
	Optional("indexUid", Code{}, IndexUID, func(a *actionBody) **string { return &a.selector.indexUID }),
	Plain("id", Code{}, String, func(a *actionBody) *string { return &a.selector.id }).Required(Code{}),
)

var pinFields = NewObject(
	Plain("position", Code{}, UintUpTo(math.MaxUint32), func(a *actionBody) *uint64 { return &a.position }).Required(Code{}),
)

var actionFields = NewObject(
	Custom("selector", Code{}, func(a *actionBody, at *Loc, v *Value) *Error { return selectorFields.Decode(at, v, a) }).Required(Code{}),
	Custom("action", Code{}, taggedAction).Required(Code{}),
)

func ruleAction(at *Loc, v *Value) (RuleAction, *Error) {
	var a actionBody
	if err := actionFields.Decode(at, v, &a); err != nil {
		return RuleAction{}, err
	}
	return RuleAction{IndexUID: a.selector.indexUID, ID: a.selector.id, Position: uint32(a.position)}, nil
}

// taggedAction reads `{"type":"pin", ...}`: the type says which members follow.
func taggedAction(a *actionBody, at *Loc, v *Value) *Error {
	if v.Kind() != KindObject {
		return at.WrongType(v, KindObject)
	}
	tag := v.Get("type")
	if tag == nil {
		return at.MissingField("type", Code{})
	}
	loc := at.Member("type", Code{})
	if name, err := String(&loc, tag); err != nil {
		return err
	} else if name != "pin" {
		return at.Invalid("Incorrect tag value")
	}
	rest := ObjectValue(slices.DeleteFunc(slices.Clone(v.Members()), func(m Member) bool { return m.Name == "type" })...)
	return pinFields.Decode(at, &rest, a)
}

// SearchRuleQuery is the body of POST /dynamic-search-rules.
type SearchRuleQuery struct {
	Offset, Limit uint64
	Query         *string
	Active        *bool
}

var ruleListFilterFields = NewObject(
	Optional("query", CodeInvalidDynamicSearchRuleFilterQuery, String, func(q *SearchRuleQuery) **string { return &q.Query }),
	Optional("active", CodeInvalidDynamicSearchRuleFilterActive, Bool, func(q *SearchRuleQuery) **bool { return &q.Active }),
)

// SearchRuleQueryFields is the table of the body of POST /dynamic-search-rules.
var SearchRuleQueryFields = NewObject(
	Plain("offset", CodeInvalidDynamicSearchRuleOffset, Uint, func(q *SearchRuleQuery) *uint64 { return &q.Offset }),
	Plain("limit", CodeInvalidDynamicSearchRuleLimit, Uint, func(q *SearchRuleQuery) *uint64 { return &q.Limit }),
	Custom("filter", CodeInvalidDynamicSearchRuleFilter, func(q *SearchRuleQuery, at *Loc, v *Value) *Error {
		if v.IsNull() {
			return nil
		}
		return ruleListFilterFields.Decode(at, v, q)
	}),
)
