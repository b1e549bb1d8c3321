package filter

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"shoal/api/apierr"
	"shoal/api/jsonvalue"
)

// Filter is a parsed filter. The tree is immutable and safe for concurrent use;
// a nil *Filter means that nothing is filtered.
type Filter struct{ Root *Node }

// FilterOp is the kind of a node of a filter.
type FilterOp uint8

// Kinds of nodes. A negated operator (NOT IN, IS NOT NULL ...) is a FilterNot
// around the plain one.
const (
	FilterAnd FilterOp = iota + 1
	FilterOr
	FilterNot
	FilterEqual
	FilterNotEqual
	FilterLess
	FilterLessEqual
	FilterGreater
	FilterGreaterEqual
	FilterBetween
	FilterIn
	FilterExists
	FilterNull
	FilterEmpty
	FilterContains
	FilterStartsWith
	FilterVectors
	FilterForeign
	FilterGeoRadius
	FilterGeoBox
	FilterGeoPolygon
	// FilterObject holds for a document in which its kid holds for one object that
	// stands at the field, alone or in an array.
	FilterObject
)

// operator is the spelling used in messages and in canonical text.
func (op FilterOp) operator() string {
	switch op {
	case FilterEqual:
		return "="
	case FilterNotEqual:
		return "!="
	case FilterLess:
		return "<"
	case FilterLessEqual:
		return "<="
	case FilterGreater:
		return ">"
	case FilterGreaterEqual:
		return ">="
	case FilterBetween:
		return "TO"
	case FilterIn:
		return "IN"
	case FilterExists:
		return "EXISTS"
	case FilterNull:
		return "IS NULL"
	case FilterEmpty:
		return "IS EMPTY"
	case FilterContains:
		return "CONTAINS"
	case FilterStartsWith:
		return "STARTS WITH"
	}
	return ""
}

// Node is one node of a filter.
type Node struct {
	Op FilterOp
	// Kids are the operands of And and Or (two or more), Not, Foreign and Object (one).
	Kids []*Node
	// Field is the attribute of a condition; the word `_vectors` of a vector
	// filter. Inside an Object, its value is the whole name from the document on.
	Field FilterToken
	// Values are the operands of a condition: none, one, two for Between, any
	// number for In. Geo conditions hold their numbers in order of writing (points
	// as latitude, longitude).
	Values []FilterToken
	// Keyword is the CONTAINS of a FilterContains.
	Keyword FilterToken
	Vector  FilterVector
}

// FilterVectorKind restricts a vector filter.
type FilterVectorKind uint8

// Kinds of vector filters.
const (
	VectorAny FilterVectorKind = iota
	VectorFragment
	VectorUserProvided
	VectorDocumentTemplate
	VectorRegenerate
)

// FilterVector are the parts of a `_vectors` condition.
type FilterVector struct {
	Kind     FilterVectorKind
	Named    bool // Embedder is given
	Embedder FilterToken
	Fragment FilterToken // VectorFragment
}

// FilterToken is a word or value of a filter and where it stood.
type FilterToken struct {
	// Value is the text with its escapes decoded.
	Value string

	source   string // the whole expression
	from, to int    // bytes of the fragment in source
	shown    int    // messages show source from here
}

// Fragment is the token as written (without quotes).
func (t FilterToken) Fragment() string { return t.source[t.from:t.to] }

// fault is an error at this token.
func (t FilterToken) fault(text string) *FilterError {
	return &FilterError{Message: text + position(t.source, t.from, t.to, t.shown)}
}

// FilterError is a refusal of a filter. Message is complete with its position;
// Code is set when it does not depend on the route. Listed is set when the fault is in an
// expression of a list.
type FilterError struct {
	Message string
	Code    *apierr.Code
	Listed  bool
}

// Error returns the message.
func (e *FilterError) Error() string { return e.Message }

// API is the answer to a client of a route whose filter errors carry code.
func (e *FilterError) API(code apierr.Code) *apierr.Error {
	if e.Code != nil {
		code = *e.Code
	}
	return apierr.New(code, e.Message)
}

// position renders "\n{c1}:{c2} {text}": the column, in characters within its
// line, of the fragment source[from:to], that plus its length, and the
// expression from shown on.
func position(source string, from, to, shown int) string {
	line := strings.LastIndexByte(source[:from], '\n') + 1
	c1 := utf8.RuneCountInString(source[line:from]) + 1
	c2 := c1 + utf8.RuneCountInString(source[from:to])
	return "\n" + strconv.Itoa(c1) + ":" + strconv.Itoa(c2) + " " + source[shown:]
}

// escapeForMessage shows a fragment on one line: quotes, backslashes, control
// and unprintable characters are escaped.
func escapeForMessage(s string) string {
	var b strings.Builder
	for i, r := range s {
		jsonvalue.WriteDebugRune(&b, r, i == 0)
	}
	return b.String()
}

// Walk visits every node, parents first, in order of writing, until visit
// returns false.
func (f *Filter) Walk(visit func(*Node) bool) {
	if f != nil && f.Root != nil {
		f.Root.walk(visit)
	}
}

// Condition returns the condition of a number, counted from 1 in order of writing;
// nil without one.
func (f *Filter) Condition(number int) (found *Node) {
	f.conditions(func(at int, n *Node) bool {
		if at == number {
			found = n
		}
		return at < number
	})
	return found
}

// Number returns the number of a condition, 0 for one that is not in the filter.
func (f *Filter) Number(condition *Node) (number int) {
	f.conditions(func(at int, n *Node) bool {
		if n == condition {
			number = at
		}
		return number == 0
	})
	return number
}

// conditions numbers the conditions until visit returns false. What stands inside of
// a condition has no number.
func (f *Filter) conditions(visit func(number int, n *Node) bool) {
	number := 0
	var each func(n *Node) bool
	each = func(n *Node) bool {
		if n.Connects() {
			return !slices.ContainsFunc(n.Kids, func(kid *Node) bool { return !each(kid) })
		}
		number++
		return visit(number, n)
	}
	if f != nil && f.Root != nil {
		each(f.Root)
	}
}

// Connects tells an operator between conditions from a condition.
func (n *Node) Connects() bool {
	return n.Op == FilterAnd || n.Op == FilterOr || n.Op == FilterNot
}

func (n *Node) walk(visit func(*Node) bool) bool {
	if !visit(n) {
		return false
	}
	for _, kid := range n.Kids {
		if !kid.walk(visit) {
			return false
		}
	}
	return true
}
