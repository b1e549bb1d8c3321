package api

import (
	"encoding/json"
	"strconv"
	"time"

	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
)

// SearchRule is a dynamic search rule (spec search-api 14). When its conditions hold for a
// search, its actions pin documents to positions of the result and scale the scores of
// other documents.
type SearchRule struct {
	UID         string
	Description *string
	// UpdatedAt is UnixNano.
	UpdatedAt  int64
	Precedence *uint64
	Active     bool
	Conditions RuleConditions
	Actions    RuleActions
}

// RuleConditions must all hold. A nil condition always holds.
type RuleConditions struct {
	Time   *RuleTime
	Query  *RuleQuery
	Filter *RuleFilter
}

// RuleTime is a span of time. A nil bound leaves it open. A bound keeps the client's time
// zone.
type RuleTime struct{ Start, End *time.Time }

// RuleQuery tests the words of a query: whether there are none, and whether all of Words
// are among them.
type RuleQuery struct {
	IsEmpty *bool
	Words   *string
}

// RuleFilter tests the filter of a query: it must allow these values, which are sorted by
// field.
type RuleFilter struct {
	Values []decode.Entry[jsonvalue.Value]
}

// RuleActions are what a rule does to a search.
type RuleActions struct {
	Pins   []RulePin
	Scales []RuleScale
	// Object: the actions were written as an object (since 1.54) and are shown as one.
	// Otherwise they are a list of pins, the form of 1.50.
	Object bool
}

// Len is the number of actions.
func (a *RuleActions) Len() int { return len(a.Pins) + len(a.Scales) }

// RulePin pins the document ID to a position, counted from 0, in searches on one index, or
// on any index if IndexUID is nil.
type RulePin struct {
	IndexUID *string
	ID       string
	Position uint32
}

// RuleScale multiplies the scores of documents by Weight in searches on one index, or on
// any index if IndexUID is nil. It applies to the documents named by IDs and to those that
// pass Filter. Weight 0 hides them.
type RuleScale struct {
	IndexUID *string
	IDs      []string
	HasIDs   bool
	// Filter is JSON as the client sent it, nil without one.
	Filter json.RawMessage
	Weight float64
}

// SearchRulePatch is the body of PATCH /dynamic-search-rules/{uid}. Given members replace
// those of the rule, null resets them.
type SearchRulePatch struct {
	Description decode.Field[string]
	Precedence  decode.Field[uint64]
	Active      decode.Field[bool]
	Conditions  decode.Field[RuleConditions]
	Actions     decode.Field[RuleActions]
}

// NewSearchRule returns a rule before its first patch.
func NewSearchRule(uid string) *SearchRule { return &SearchRule{UID: uid, Active: true} }

// Apply lays a patch over the rule.
func (r *SearchRule) Apply(p *SearchRulePatch) {
	if p.Description.Given() {
		r.Description = optional(p.Description)
	}
	if p.Precedence.Given() {
		r.Precedence = optional(p.Precedence)
	}
	if p.Active.Given() {
		r.Active = p.Active.Or(true)
	}
	if p.Conditions.Given() {
		r.Conditions = p.Conditions.Value
	}
	if p.Actions.Given() {
		r.Actions = p.Actions.Value
	}
}

func optional[T any](f decode.Field[T]) *T {
	if f.IsSet() {
		return &f.Value
	}
	return nil
}

// SearchRuleNotFound is the error for a rule that does not exist.
func SearchRuleNotFound(uid string) *apierr.Error {
	return apierr.New(apierr.CodeDynamicSearchRuleNotFound, "Dynamic search rule `"+uid+"` not found.")
}

// AppendJSON appends the rule as answers show it. Actions have the form in which they were
// written; object forces the form of an object.
func (r *SearchRule) AppendJSON(dst []byte, object bool) []byte {
	dst = jsonvalue.AppendString(append(dst, `{"uid":`...), r.UID)
	if r.Description != nil {
		dst = jsonvalue.AppendString(append(dst, `,"description":`...), *r.Description)
	}
	dst = jsonvalue.AppendTime(append(dst, `,"lastUpdatedAt":`...), r.UpdatedAt)
	if r.Precedence != nil {
		dst = strconv.AppendUint(append(dst, `,"precedence":`...), *r.Precedence, 10)
	}
	dst = strconv.AppendBool(append(dst, `,"active":`...), r.Active)
	dst = r.Conditions.appendJSON(append(dst, `,"conditions":`...))
	actions := r.Actions
	actions.Object = actions.Object || object
	dst = actions.appendJSON(append(dst, `,"actions":`...))
	return append(dst, '}')
}

// AppendJSON appends the patch as task details show it: only the given members.
func (p *SearchRulePatch) AppendJSON(dst []byte) []byte {
	return SearchRuleFields.Write(dst, *p, false)
}

func (c *RuleConditions) appendJSON(dst []byte) []byte {
	o := jsonvalue.ObjectWriter{Buf: dst}
	if c.Time != nil {
		o.Value("time", c.Time.appendJSON)
	}
	if c.Query != nil {
		o.Value("query", c.Query.appendJSON)
	}
	if c.Filter != nil {
		o.Value("filter", c.Filter.appendJSON)
	}
	return o.End()
}

func (t *RuleTime) appendJSON(dst []byte) []byte {
	o := jsonvalue.ObjectWriter{Buf: dst}
	for _, bound := range []struct {
		name string
		at   *time.Time
	}{{"start", t.Start}, {"end", t.End}} {
		if bound.at != nil {
			o.Value(bound.name, func(b []byte) []byte { return jsonvalue.AppendString(b, bound.at.Format(time.RFC3339Nano)) })
		}
	}
	return o.End()
}

func (q *RuleQuery) appendJSON(dst []byte) []byte {
	o := jsonvalue.ObjectWriter{Buf: dst}
	if q.IsEmpty != nil {
		o.Value("isEmpty", func(b []byte) []byte { return strconv.AppendBool(b, *q.IsEmpty) })
	}
	if q.Words != nil {
		o.Value("words", func(b []byte) []byte { return jsonvalue.AppendString(b, *q.Words) })
	}
	return o.End()
}

func (f *RuleFilter) appendJSON(dst []byte) []byte {
	o := jsonvalue.ObjectWriter{Buf: append(dst, `{"values":`...)}
	for i := range f.Values {
		o.Value(f.Values[i].Name, f.Values[i].Value.AppendJSON)
	}
	return append(o.End(), '}')
}

func (a *RuleActions) appendJSON(dst []byte) []byte {
	if !a.Object && len(a.Scales) == 0 {
		return jsonvalue.AppendList(dst, a.Pins, (*RulePin).appendSelector)
	}
	dst = jsonvalue.AppendList(append(dst, `{"pin":`...), a.Pins, (*RulePin).appendJSON)
	dst = jsonvalue.AppendList(append(dst, `,"scale":`...), a.Scales, (*RuleScale).appendJSON)
	return append(dst, '}')
}

// appendSelector appends the pin in the form of 1.50.
func (p *RulePin) appendSelector(dst []byte) []byte {
	dst = append(dst, `{"selector":{`...)
	if p.IndexUID != nil {
		dst = append(jsonvalue.AppendString(append(dst, `"indexUid":`...), *p.IndexUID), ',')
	}
	dst = jsonvalue.AppendString(append(dst, `"id":`...), p.ID)
	dst = strconv.AppendUint(append(dst, `},"action":{"type":"pin","position":`...), uint64(p.Position), 10)
	return append(dst, '}', '}')
}

func (p *RulePin) appendJSON(dst []byte) []byte {
	dst = jsonvalue.AppendString(append(dst, `{"id":`...), p.ID)
	dst = strconv.AppendUint(append(dst, `,"position":`...), uint64(p.Position), 10)
	return append(appendIndexUID(dst, p.IndexUID), '}')
}

func (s *RuleScale) appendJSON(dst []byte) []byte {
	dst = jsonvalue.AppendFloat(append(dst, `{"weight":`...), s.Weight)
	if s.HasIDs {
		dst = decode.WriteStrings(append(dst, `,"ids":`...), s.IDs, true)
	}
	if s.Filter != nil {
		dst = append(append(dst, `,"filter":`...), s.Filter...)
	}
	return append(appendIndexUID(dst, s.IndexUID), '}')
}

func appendIndexUID(dst []byte, uid *string) []byte {
	if uid == nil {
		return dst
	}
	return jsonvalue.AppendString(append(dst, `,"indexUid":`...), *uid)
}
