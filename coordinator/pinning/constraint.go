package pinning

import (
	"maps"
	"slices"

	"shoal/query"
)

// conjunction is one way in which a filter can be true: per field, conditions
// that must all hold. Geo and vector conditions stand under names no field has.
type conjunction map[string][]condition

// condition is a node of a filter, negated or not.
type condition struct {
	node    *query.FilterNode
	negated bool
}

// maxConjunctions bounds the ways that are looked at.
const maxConjunctions = 1000

// conjunctions puts a filter in disjunctive normal form.
func conjunctions(f *query.Filter) []conjunction {
	if f == nil || f.Root == nil {
		return nil
	}
	return ways(f.Root, false)
}

func ways(n *query.FilterNode, negated bool) []conjunction {
	switch n.Op {
	case query.FilterNot:
		return ways(n.Kids[0], !negated)
	case query.FilterAnd, query.FilterOr:
		if (n.Op == query.FilterAnd) != negated {
			return every(n.Kids, negated)
		}
		var out []conjunction
		for _, kid := range n.Kids {
			if out = append(out, ways(kid, negated)...); len(out) >= maxConjunctions {
				return out[:maxConjunctions]
			}
		}
		return out
	case query.FilterIn:
		return among(n, negated)
	}
	return []conjunction{{target(n): {{n, negated}}}}
}

// among takes IN as an alternative of equalities.
func among(n *query.FilterNode, negated bool) []conjunction {
	var equals []*query.FilterNode
	for i := range n.Values {
		equals = append(equals, &query.FilterNode{Op: query.FilterEqual, Field: n.Field, Values: n.Values[i : i+1]})
	}
	if len(equals) == 0 {
		return nil
	}
	return ways(&query.FilterNode{Op: query.FilterOr, Kids: equals}, negated)
}

// every joins the ways of nodes that must all be true.
func every(kids []*query.FilterNode, negated bool) []conjunction {
	out := ways(kids[0], negated)
	for _, kid := range kids[1:] {
		more := ways(kid, negated)
		var joined []conjunction
		for _, a := range out {
			for _, b := range more {
				if len(joined) == maxConjunctions {
					break
				}
				both := maps.Clone(a)
				for name, list := range b {
					both[name] = slices.Concat(both[name], list)
				}
				joined = append(joined, both)
			}
		}
		out = joined
	}
	return out
}

// target names what a condition is about.
func target(n *query.FilterNode) string {
	switch n.Op {
	case query.FilterVectors:
		return "\x00vectors"
	case query.FilterGeoRadius, query.FilterGeoBox, query.FilterGeoPolygon:
		return "\x00geo"
	}
	return n.Field.Value
}

// allowed tells whether some way has conditions on every field of the rule that
// the rule's values satisfy.
func (p *rule) allowed(ways []conjunction) bool {
	return slices.ContainsFunc(ways, func(c conjunction) bool {
		for i := range p.fields {
			conditions := c[p.fields[i].name]
			if len(conditions) == 0 || !p.fields[i].satisfies(conditions) {
				return false
			}
		}
		return true
	})
}

// satisfies tests all conditions on the field.
func (f *field) satisfies(conditions []condition) bool {
	for _, c := range conditions {
		holds, supported := f.test(c.node)
		if !supported || holds == c.negated {
			return false
		}
	}
	return true
}

// test evaluates one condition: whether some value meets it.
func (f *field) test(n *query.FilterNode) (holds, supported bool) {
	switch n.Op {
	case query.FilterEqual:
		return f.equals(n.Values[0].Value), true
	case query.FilterNotEqual:
		return !f.equals(n.Values[0].Value), true
	case query.FilterExists:
		return true, true
	case query.FilterNull, query.FilterEmpty:
		return false, true
	case query.FilterLess, query.FilterLessEqual, query.FilterGreater, query.FilterGreaterEqual:
		return f.within(n.Op, n.Values[0].Value), true
	case query.FilterBetween:
		return f.between(n.Values[0].Value, n.Values[1].Value), true
	}
	return false, false
}

func (f *field) equals(value string) bool {
	if slices.Contains(f.forms, query.FilterForm(value)) {
		return true
	}
	number, ok := query.ParseFinite(value)
	return ok && slices.Contains(f.numbers, number)
}

// within compares as filters do: numbers with numbers, strings by their forms.
func (f *field) within(op query.FilterOp, value string) bool {
	if number, ok := query.ParseFinite(value); ok && slices.ContainsFunc(f.numbers, func(n float64) bool { return ordered(op, n, number) }) {
		return true
	}
	form := query.FilterForm(value)
	return slices.ContainsFunc(f.forms, func(s string) bool { return ordered(op, s, form) })
}

func ordered[T float64 | string](op query.FilterOp, a, b T) bool {
	switch op {
	case query.FilterLess:
		return a < b
	case query.FilterLessEqual:
		return a <= b
	case query.FilterGreater:
		return a > b
	}
	return a >= b
}

func (f *field) between(low, high string) bool {
	from, ok := query.ParseFinite(low)
	to, ok2 := query.ParseFinite(high)
	if ok && ok2 && slices.ContainsFunc(f.numbers, func(n float64) bool { return from <= n && n <= to }) {
		return true
	}
	first, last := query.FilterForm(low), query.FilterForm(high)
	return slices.ContainsFunc(f.forms, func(s string) bool { return first <= s && s <= last })
}
