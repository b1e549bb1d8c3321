package pinning

import (
	"maps"
	"slices"

	"shoal/query/filter"
)

// conjunction is one alternative of a filter: conditions, by field, that must all hold. Geo,
// vector and object conditions are under names that no field has.
type conjunction map[string][]condition

// condition is a node of a filter, negated or not.
type condition struct {
	node    *filter.Node
	negated bool
}

// maxConjunctions bounds the alternatives considered.
const maxConjunctions = 1000

// conjunctions returns the disjunctive normal form of a filter.
func conjunctions(f *filter.Filter) []conjunction {
	if f == nil || f.Root == nil {
		return nil
	}
	return ways(f.Root, false)
}

func ways(n *filter.Node, negated bool) []conjunction {
	switch n.Op {
	case filter.FilterNot:
		return ways(n.Kids[0], !negated)
	case filter.FilterAnd, filter.FilterOr:
		if (n.Op == filter.FilterAnd) != negated {
			return every(n.Kids, negated)
		}
		var out []conjunction
		for _, kid := range n.Kids {
			if out = append(out, ways(kid, negated)...); len(out) >= maxConjunctions {
				return out[:maxConjunctions]
			}
		}
		return out
	case filter.FilterIn:
		return among(n, negated)
	}
	return []conjunction{{target(n): {{n, negated}}}}
}

// among treats IN as alternative equalities.
func among(n *filter.Node, negated bool) []conjunction {
	var equals []*filter.Node
	for i := range n.Values {
		equals = append(equals, &filter.Node{Op: filter.FilterEqual, Field: n.Field, Values: n.Values[i : i+1]})
	}
	if len(equals) == 0 {
		return nil
	}
	return ways(&filter.Node{Op: filter.FilterOr, Kids: equals}, negated)
}

// every combines the alternatives of nodes that must all be true.
func every(kids []*filter.Node, negated bool) []conjunction {
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

// target returns the subject of a condition.
func target(n *filter.Node) string {
	switch n.Op {
	case filter.FilterVectors:
		return "\x00vectors"
	case filter.FilterGeoRadius, filter.FilterGeoBox, filter.FilterGeoPolygon:
		return "\x00geo"
	case filter.FilterObject:
		return "\x00object"
	}
	return n.Field.Value
}

// allowed tells whether some alternative has conditions on as many fields as the rule has values,
// and they satisfy these. As in the reference, several values of one field count as several, so
// that nothing satisfies them.
func (p *rule) allowed(ways []conjunction) bool {
	values := 0
	for i := range p.fields {
		values += len(p.fields[i].forms) + len(p.fields[i].numbers)
	}
	return slices.ContainsFunc(ways, func(c conjunction) bool {
		satisfied := 0
		for i := range p.fields {
			if conditions := c[p.fields[i].name]; len(conditions) > 0 && p.fields[i].satisfies(conditions) {
				satisfied++
			}
		}
		return satisfied == values
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

// test evaluates one condition: whether some value satisfies it.
func (f *field) test(n *filter.Node) (holds, supported bool) {
	switch n.Op {
	case filter.FilterEqual:
		return f.equals(n.Values[0].Value), true
	case filter.FilterNotEqual:
		return !f.equals(n.Values[0].Value), true
	case filter.FilterExists:
		return true, true
	case filter.FilterNull, filter.FilterEmpty:
		return false, true
	case filter.FilterLess, filter.FilterLessEqual, filter.FilterGreater, filter.FilterGreaterEqual:
		return f.within(n.Op, n.Values[0].Value), true
	case filter.FilterBetween:
		return f.between(n.Values[0].Value, n.Values[1].Value), true
	}
	return false, false
}

func (f *field) equals(value string) bool {
	if slices.Contains(f.forms, filter.FilterForm(value)) {
		return true
	}
	number, ok := filter.ParseFinite(value)
	return ok && slices.Contains(f.numbers, number)
}

// within compares like filters do: numbers with numbers, strings by their forms.
func (f *field) within(op filter.FilterOp, value string) bool {
	if number, ok := filter.ParseFinite(value); ok && slices.ContainsFunc(f.numbers, func(n float64) bool { return ordered(op, n, number) }) {
		return true
	}
	form := filter.FilterForm(value)
	return slices.ContainsFunc(f.forms, func(s string) bool { return ordered(op, s, form) })
}

func ordered[T float64 | string](op filter.FilterOp, a, b T) bool {
	switch op {
	case filter.FilterLess:
		return a < b
	case filter.FilterLessEqual:
		return a <= b
	case filter.FilterGreater:
		return a > b
	}
	return a >= b
}

func (f *field) between(low, high string) bool {
	from, ok := filter.ParseFinite(low)
	to, ok2 := filter.ParseFinite(high)
	if ok && ok2 && slices.ContainsFunc(f.numbers, func(n float64) bool { return from <= n && n <= to }) {
		return true
	}
	first, last := filter.FilterForm(low), filter.FilterForm(high)
	return slices.ContainsFunc(f.forms, func(s string) bool { return first <= s && s <= last })
}
