package pinning

import (
	"slices"
	"time"

	"shoal/api"
	"shoal/api/jsonvalue"
	"shoal/query/filter"
	"shoal/text"
)

// rule is a rule with what is needed to test it prepared.
type rule struct {
	api.SearchRule
	// words are the words a query must have; description and words are found by
	// searches of the list.
	words, description []string
	// fields are the values a filter must allow, by field.
	fields []field
}

// field is one member of conditions.filter.values: its values as filters see
// them.
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
	return p
}

// gather collects the values at a path; null is no value.
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

// inTime tells whether a time is inside the rule's span, bounds included.
func (p *rule) inTime(now time.Time) bool {
	t := p.Conditions.Time
	return t == nil || (t.Start == nil || !t.Start.After(now)) && (t.End == nil || !t.End.Before(now))
}

// asks tells whether a query satisfies the condition on its words.
func (p *rule) asks(q *Query) bool {
	c := p.Conditions.Query
	if c == nil {
		return true
	}
	if c.IsEmpty != nil && *c.IsEmpty != q.Empty {
		return false
	}
	for _, w := range p.words {
		if !slices.Contains(q.Words, w) {
			return false
		}
	}
	return true
}
