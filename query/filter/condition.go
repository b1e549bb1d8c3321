package filter

import (
	"slices"
	"strings"

	"shoal/api/apierr"
)

// condition parses what may follow the first value of a condition; at is the
// position after it, start that of the value. Without a match node and fault are
// nil.
func (p *filterParser) condition(field FilterToken, at, start int) (*Node, int, *filterFault) {
	if next, ok := p.keyword(at, "IN"); ok {
		return p.in(field, next)
	}
	// The NOT of `NOT IN` is a whole word, that of the others only a prefix of one.
	if end := p.wordEnd(at); p.src[at:end] == "NOT" {
		if next, ok := p.keyword(end, "IN"); ok {
			node, end, fault := p.in(field, next)
			if fault != nil {
				return nil, end, fault
			}
			return negate(node), end, nil
		}
	}
	if op, size := comparison(p.src[at:]); size > 0 {
		return p.operand(op, field, at+size)
	}
	if node, end := p.state(field, at); node != nil {
		return node, end, nil
	}
	if p.has(start, "_vectors") {
		if node, end, fault := p.vectors(start); node != nil || fault != nil {
			return node, end, fault
		}
	}
	if end, ok := p.phrase(at, "EXISTS"); ok {
		return &Node{Op: FilterExists, Field: field}, end, nil
	}
	if end, ok := p.phrase(at, "NOT", "EXISTS"); ok {
		return negate(&Node{Op: FilterExists, Field: field}), end, nil
	}
	if node, end, fault := p.between(field, at); node != nil || fault != nil {
		return node, end, fault
	}
	return p.textual(field, at)
}

// comparison recognises the operator that s starts with.
func comparison(s string) (op FilterOp, size int) {
	if s == "" {
		return 0, 0
	}
	equal := len(s) > 1 && s[1] == '='
	switch {
	case s[0] == '<' && equal:
		return FilterLessEqual, 2
	case s[0] == '>' && equal:
		return FilterGreaterEqual, 2
	case s[0] == '!' && equal:
		return FilterNotEqual, 2
	case s[0] == '<':
		return FilterLess, 1
	case s[0] == '>':
		return FilterGreater, 1
	case s[0] == '=':
		return FilterEqual, 1
	}
	return 0, 0
}

// operand parses the value that must follow an operator.
func (p *filterParser) operand(op FilterOp, field FilterToken, at int) (*Node, int, *filterFault) {
	v, end, fault := p.value(at)
	if fault != nil {
		return nil, at, fault
	}
	return &Node{Op: op, Field: field, Values: []FilterToken{v}}, end, nil
}

// state parses IS [NOT] NULL and IS [NOT] EMPTY.
func (p *filterParser) state(field FilterToken, at int) (*Node, int) {
	if !p.has(at, "IS") {
		return nil, at
	}
	if end, ok := p.phrase(at, "IS", "NULL"); ok {
		return &Node{Op: FilterNull, Field: field}, end
	}
	if end, ok := p.phrase(at, "IS", "NOT", "NULL"); ok {
		return negate(&Node{Op: FilterNull, Field: field}), end
	}
	if end, ok := p.phrase(at, "IS", "EMPTY"); ok {
		return &Node{Op: FilterEmpty, Field: field}, end
	}
	if end, ok := p.phrase(at, "IS", "NOT", "EMPTY"); ok {
		return negate(&Node{Op: FilterEmpty, Field: field}), end
	}
	return nil, at
}

// between parses `from TO to` after the field.
func (p *filterParser) between(field FilterToken, at int) (*Node, int, *filterFault) {
	from, end, fault := p.value(at)
	if fault != nil {
		if fault.soft {
			fault = nil
		}
		return nil, at, fault
	}
	if !p.has(end, "TO") {
		return nil, at, nil
	}
	next := p.blanks(end + len("TO"))
	if next == end+len("TO") {
		return nil, at, nil
	}
	to, end, fault := p.value(next)
	if fault != nil {
		return nil, at, fault
	}
	return &Node{Op: FilterBetween, Field: field, Values: []FilterToken{from, to}}, end, nil
}

// textual parses [NOT] CONTAINS and [NOT] STARTS WITH.
func (p *filterParser) textual(field FilterToken, at int) (*Node, int, *filterFault) {
	for _, try := range [...]struct {
		op      FilterOp
		keyword string
		negated bool
	}{
		{FilterContains, "CONTAINS", false},
		{FilterContains, "CONTAINS", true},
		{FilterStartsWith, "STARTS WITH", false},
		{FilterStartsWith, "STARTS WITH", true},
	} {
		end, ok := 0, false
		if try.negated {
			end, ok = p.phrase(at, "NOT", try.keyword)
		} else {
			end, ok = p.phrase(at, try.keyword)
		}
		if !ok {
			continue
		}
		node, next, fault := p.operand(try.op, field, end)
		if fault != nil {
			return nil, at, fault
		}
		node.Keyword = p.token(end-len(try.keyword), end)
		if try.negated {
			node = negate(node)
		}
		return node, next, nil
	}
	return nil, at, nil
}

// in parses "[" [ value { "," value } [","] ] "]" after the keyword.
func (p *filterParser) in(field FilterToken, at int) (*Node, int, *filterFault) {
	if !p.has(at, "[") {
		return nil, at, p.faultAt(at, says(apierr.FilterTextInOpening))
	}
	at++
	node := &Node{Op: FilterIn, Field: field}
	for {
		next := at
		if len(node.Values) > 0 {
			if next = p.blanks(at); !p.has(next, ",") {
				break
			}
			if len(node.Values) == 1 { // about as many as there are commas
				node.Values = slices.Grow(node.Values, p.scale.most(strings.Count(p.upTo(next, "]"), ",")))
			}
			next = p.blanks(next + 1)
		}
		v, end, fault := p.value(next)
		if fault != nil && !fault.soft {
			return nil, at, fault
		}
		if fault != nil {
			// A comma may close the list.
			if len(node.Values) > 0 {
				at = next
			}
			break
		}
		node.Values = append(node.Values, v)
		at = end
		if p.weighValue(); p.scale.over() {
			return nil, at, p.faultAt(at, says(""))
		}
	}
	close := p.blanks(at)
	if p.has(close, "]") {
		return node, p.blanks(close + 1), nil
	}
	if at == len(p.src) {
		return nil, at, p.faultAt(at, says(apierr.FilterTextInClosing))
	}
	return nil, at, p.faultAt(at, apierr.FilterTextInList)
}

// upTo returns the text from at up to the first end, or all of it if there is none.
func (p *filterParser) upTo(at int, end string) string {
	rest := p.src[at:]
	if i := strings.Index(rest, end); i >= 0 {
		return rest[:i]
	}
	return rest
}
