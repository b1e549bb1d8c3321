package pinning

import (
	"slices"
	"time"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/jsonvalue"
	"shoal/query/filter"
	"shoal/text"
)

// rule is a rule prepared for testing.
type rule struct {
	api.SearchRule
	// words are the words that a query must have. Searches in the list of rules find
	// description and words.
	words, description []string
	// fields are the values that a filter must allow, by field.
	fields []field
	// filters are the filters of the scales, in the same order; nil for none.
	filters []*filter.Filter
	// place orders the rules of a store.
	place int
}

// field is one member of conditions.filter.values, with its values in the form of filters.
type field struct {
	name    string
	numbers []float64
	forms   []string
}

// tokenizer is that of an index with default settings.
var tokenizer = text.New(text.Options{})

func wordsOf(s string) []string {
	var words []string
	for token := range tokenizer.Tokenize(s) {
		if !token.Kind.IsSeparator() && token.Lemma != "" {
			words = append(words, token.Lemma)
		}
	}
	return words
}

func prepare(r *api.SearchRule) *rule {
	p := &rule{SearchRule: *r}
	if q := r.Conditions.Query; q != nil && q.Words != nil {
		p.words = wordsOf(*q.Words)
	}
	if r.Description != nil {
		p.description = wordsOf(*r.Description)
	}
	if f := r.Conditions.Filter; f != nil {
		for i := range f.Values {
			p.gather(f.Values[i].Name, &f.Values[i].Value)
		}
	}
	p.filters = make([]*filter.Filter, len(r.Actions.Scales))
	for i := range r.Actions.Scales {
		if raw := r.Actions.Scales[i].Filter; raw != nil {
			// CheckActions has parsed it before it was stored.
			p.filters[i], _ = filter.ParseRequestFilter(raw)
		}
	}
	return p
}

// CheckActions checks the filters of a rule's scales. g tells which operators are enabled.
func CheckActions(a *api.RuleActions, g filter.Gates) *apierr.Error {
	return checkActions(a, g, apierr.CodeInvalidDynamicSearchRuleActions)
}

func checkActions(a *api.RuleActions, g filter.Gates, code apierr.Code) *apierr.Error {
	for i := range a.Scales {
		if a.Scales[i].Filter == nil {
			continue
		}
		parsed, fault := filter.ParseRequestFilter(a.Scales[i].Filter)
		if fault == nil {
			fault = parsed.RefuseForeign()
		}
		if fault == nil {
			fault = parsed.CheckGates(g)
		}
		if fault != nil {
			return fault.API(code)
		}
	}
	return nil
}

// gather collects the values at a path. Null is no value.
func (p *rule) gather(path string, v *jsonvalue.Value) {
	switch v.Kind() {
	case jsonvalue.KindArray:
		for i := range v.Members() {
			p.gather(path, &v.Members()[i].Value)
		}
		return
	case jsonvalue.KindObject:
		for i := range v.Members() {
			m := &v.Members()[i]
			p.gather(path+"."+m.Name, &m.Value)
		}
		return
	case jsonvalue.KindNull:
		return
	}
	i := slices.IndexFunc(p.fields, func(f field) bool { return f.name == path })
	if i < 0 {
		i = len(p.fields)
		p.fields = append(p.fields, field{name: path})
	}
	f := &p.fields[i]
	switch v.Kind() {
	case jsonvalue.KindString:
		f.forms = append(f.forms, filter.StoredFacetForm(v.String()))
	case jsonvalue.KindBool:
		form := "false"
		if v.Bool() {
			form = "true"
		}
		f.forms = append(f.forms, form)
	default:
		f.numbers = append(f.numbers, v.Float())
	}
}

// Outcome tells whether a condition holds, and if not, why.
type Outcome string

// The outcomes of conditions on the time, on an empty query and on the filter.
const (
	Satisfied     Outcome = "satisfied"
	TooEarly      Outcome = "tooEarly"
	TooLate       Outcome = "tooLate"
	QueryNotEmpty Outcome = "queryNotEmpty"
	QueryEmpty    Outcome = "queryEmpty"
	NotSatisfied  Outcome = "notSatisfied"
)

// time tells whether a time is within the rule's time span, bounds included.
func (p *rule) time(now time.Time) Outcome {
	t := p.Conditions.Time
	switch {
	case t == nil:
	case t.Start != nil && t.Start.After(now):
		return TooEarly
	case t.End != nil && t.End.Before(now):
		return TooLate
	}
	return Satisfied
}

// emptiness tells whether the query is empty or not, as the rule requires.
func (p *rule) emptiness(q *Query) Outcome {
	c := p.Conditions.Query
	switch {
	case c == nil || c.IsEmpty == nil || *c.IsEmpty == q.Empty:
		return Satisfied
	case q.Empty:
		return QueryEmpty
	}
	return QueryNotEmpty
}

// missingWord returns the first word of the rule that the query lacks, "" for none.
func (p *rule) missingWord(words []string) string {
	for _, w := range p.words {
		if !slices.Contains(words, w) {
			return w
		}
	}
	return ""
}
