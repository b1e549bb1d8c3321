package pinning

import (
	"strconv"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/jsonvalue"
	"shoal/query/filter"
)

// maxInline bounds the actions in the rule of one search, because any client may send one, and
// the filter of each scale may be as large as that of a search.
const maxInline = 100

// CheckInline checks the actions of a search's own rule. g tells which operators are enabled.
func CheckInline(r *api.SearchRule, g filter.Gates) *apierr.Error {
	if n := r.Actions.Len(); n > maxInline {
		return apierr.New(apierr.CodeInvalidSearchInlineRule, "`inlineRule` has "+strconv.Itoa(n)+" actions, but it may have "+strconv.Itoa(maxInline)+".")
	}
	return checkActions(&r.Actions, g, apierr.CodeInvalidSearchInlineRule)
}

// Inline returns the rules including that of one search, and tells as JSON which of its
// conditions hold. Conditions are evaluated even if the rule is inactive. Missing conditions
// are omitted.
func (s *Store) Inline(r *api.SearchRule, q *Query) (*Store, []byte) {
	p := prepare(r)
	o := jsonvalue.ObjectWriter{}
	o.Value("satisfiesActiveCondition", func(dst []byte) []byte { return strconv.AppendBool(dst, r.Active) })
	if r.Conditions.Time != nil {
		o.Text("satisfiesTimeCondition", string(p.time(q.Now)))
	}
	if c := r.Conditions.Query; c != nil && c.IsEmpty != nil {
		o.Text("satisfiesQueryEmptyCondition", string(p.emptiness(q)))
	}
	if c := r.Conditions.Query; c != nil && c.Words != nil {
		if w := p.missingWord(q.counted()); w == "" {
			o.Text("satisfiesQueryWordsCondition", string(Satisfied))
		} else {
			o.Value("satisfiesQueryWordsCondition", func(dst []byte) []byte {
				return append(jsonvalue.AppendString(append(dst, `{"missingWord":{"word":`...), w), "}}"...)
			})
		}
	}
	if r.Conditions.Filter != nil {
		outcome := Satisfied
		if len(p.fields) > 0 && !p.allowed(conjunctions(q.Filter)) {
			outcome = NotSatisfied
		}
		o.Text("satisfiesFilterCondition", string(outcome))
	}
	return s.With(r), o.End()
}
