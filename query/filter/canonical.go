package filter

import "shoal/api/jsonvalue"

// String is the canonical text of a filter (spec search-api 7.5): fields and
// values as JSON strings, every operand of AND and OR in parentheses. The search
// routes parse this text again and evaluate that, so their messages quote it.
func (f *Filter) String() string {
	if f == nil || f.Root == nil {
		return ""
	}
	return string(f.Root.appendCanonical(nil, ""))
}

// String is the canonical text of one node that stands outside of braces.
func (n *Node) String() string { return string(n.appendCanonical(nil, "")) }

// appendCanonical appends the text of a node that stands in the braces of a path.
func (n *Node) appendCanonical(b []byte, within string) []byte {
	switch n.Op {
	case FilterAnd, FilterOr:
		for i, kid := range n.Kids {
			if i > 0 && n.Op == FilterAnd {
				b = append(b, " AND "...)
			} else if i > 0 {
				b = append(b, " OR "...)
			}
			b = append(kid.appendCanonical(append(b, '('), within), ')')
		}
		return b
	case FilterNot:
		b = append(b, "NOT ("...)
		return append(n.Kids[0].appendCanonical(b, within), ')')
	case FilterObject:
		b = append(jsonvalue.AppendString(b, written(n.Field.Value, within)), ".{"...)
		return append(n.Kids[0].appendCanonical(b, n.Field.Value), '}')
	case FilterVectors:
		return n.appendVectors(b)
	case FilterForeign:
		b = jsonvalue.AppendString(append(b, "_foreign("...), n.Field.Value)
		return append(n.Kids[0].appendCanonical(append(b, ", "...), within), ')')
	case FilterGeoRadius:
		b = append(b, "_geoRadius("...)
		return append(appendNumbers(b, n.Values), ')')
	case FilterGeoBox, FilterGeoPolygon:
		return n.appendPoints(b)
	}
	return n.appendCondition(jsonvalue.AppendString(b, written(n.Field.Value, within)))
}

// appendCondition renders the operator and its operands after the field.
func (n *Node) appendCondition(b []byte) []byte {
	b = append(b, ' ')
	switch n.Op {
	case FilterBetween:
		b = jsonvalue.AppendString(b, n.Values[0].Value)
		return jsonvalue.AppendString(append(b, " TO "...), n.Values[1].Value)
	case FilterIn:
		b = append(b, "IN ["...)
		for i, v := range n.Values {
			if i > 0 {
				b = append(b, ", "...)
			}
			b = jsonvalue.AppendString(b, v.Value)
		}
		return append(b, ']')
	case FilterExists, FilterNull, FilterEmpty:
		return append(b, n.Op.operator()...)
	}
	b = append(append(b, n.Op.operator()...), ' ')
	return jsonvalue.AppendString(b, n.Values[0].Value)
}

func (n *Node) appendVectors(b []byte) []byte {
	b = append(b, "_vectors"...)
	if n.Vector.Named {
		b = jsonvalue.AppendString(append(b, '.'), n.Vector.Embedder.Value)
	}
	switch n.Vector.Kind {
	case VectorFragment:
		b = jsonvalue.AppendString(append(b, ".fragments."...), n.Vector.Fragment.Value)
	case VectorUserProvided:
		b = append(b, ".userProvided"...)
	case VectorDocumentTemplate:
		b = append(b, ".documentTemplate"...)
	case VectorRegenerate:
		b = append(b, ".regenerate"...)
	}
	return append(b, " EXISTS"...)
}

func (n *Node) appendPoints(b []byte) []byte {
	if n.Op == FilterGeoBox {
		b = append(b, "_geoBoundingBox("...)
	} else {
		b = append(b, "_geoPolygon("...)
	}
	for i := 0; i < len(n.Values); i += 2 {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = append(appendNumbers(append(b, '['), n.Values[i:i+2]), ']')
	}
	return append(b, ')')
}

func appendNumbers(b []byte, tokens []FilterToken) []byte {
	for i, t := range tokens {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = append(b, t.Value...)
	}
	return b
}
