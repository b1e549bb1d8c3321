package filter

import (
	"math"
	"strings"

	"shoal/api/apierr"
	"shoal/api/jsonvalue"
)

// maxFilterDepth bounds the nesting counted by the parser: a parenthesis costs
// four levels, a NOT one (spec search-api 7.2).
const maxFilterDepth = 150

// ParseFilter parses a filter in its JSON form: an expression, or an array (AND)
// of expressions and arrays of expressions (OR). Blank expressions and empty
// arrays contribute nothing; a filter of nothing is nil. raw must be valid JSON;
// absent or null means no filter.
func ParseFilter(raw []byte) (*Filter, *FilterError) {
	return parseFilter(raw, new(filterScale).unlimited())
}

func parseFilter(raw []byte, scale *filterScale) (*Filter, *FilterError) {
	if len(raw) == 0 {
		return nil, nil
	}
	v, err := jsonvalue.ParseWithin(raw, math.MaxInt64) // it came from a body that was within its bound
	if err != nil {
		// Not reachable with a body that was decoded; kept harmless.
		return nil, &FilterError{Message: apierr.FilterTextType("String, Array", string(raw))}
	}
	return parseFilterValue(&v, scale)
}

// ParseRequestFilter is ParseFilter for what a read request sent: only absence means
// no filter. A body cannot send null, which stands for absence there, but the text
// "null" of a query string is one, and no filter.
//
// Anybody may send such a filter, so it may only weigh MaxFilterWeight.
func ParseRequestFilter(raw []byte) (*Filter, *FilterError) {
	if string(raw) == "null" {
		return nil, &FilterError{Message: apierr.FilterTextType("String, Array", "null")}
	}
	return parseFilter(raw, &filterScale{left: MaxFilterWeight})
}

// ParseFilterValue is ParseFilter for a decoded value.
func ParseFilterValue(v *jsonvalue.Value) (*Filter, *FilterError) {
	return parseFilterValue(v, new(filterScale).unlimited())
}

func parseFilterValue(v *jsonvalue.Value, scale *filterScale) (*Filter, *FilterError) {
	switch v.Kind() {
	case jsonvalue.KindNull:
		return nil, nil
	case jsonvalue.KindString:
		root, err := parseExpression(v.String(), scale)
		if err != nil {
			return nil, err
		}
		return filterOf(root), nil
	case jsonvalue.KindArray:
	default:
		return nil, &FilterError{Message: apierr.FilterTextType("String, Array", v.JSON())}
	}
	// All types are checked before any expression is parsed.
	for i := range v.Members() {
		if err := checkFilterElement(&v.Members()[i].Value); err != nil {
			return nil, err
		}
	}
	var ands []*Node
	for i := range v.Members() {
		node, err := parseFilterElement(&v.Members()[i].Value, scale)
		if err != nil {
			err.Listed = true
			return nil, err
		}
		if node != nil {
			ands = append(ands, node)
		}
	}
	return filterOf(joinFilters(FilterAnd, ands)), nil
}

func checkFilterElement(v *jsonvalue.Value) *FilterError {
	switch v.Kind() {
	case jsonvalue.KindString:
	case jsonvalue.KindArray:
		for i := range v.Members() {
			if e := &v.Members()[i].Value; e.Kind() != jsonvalue.KindString {
				return &FilterError{Message: apierr.FilterTextType("String", e.JSON())}
			}
		}
	default:
		return &FilterError{Message: apierr.FilterTextType("String, [String]", v.JSON())}
	}
	return nil
}

func parseFilterElement(v *jsonvalue.Value, scale *filterScale) (*Node, *FilterError) {
	if v.Kind() == jsonvalue.KindString {
		return parseExpression(v.String(), scale)
	}
	var ors []*Node
	for i := range v.Members() {
		node, err := parseExpression(v.Members()[i].Value.String(), scale)
		if err != nil {
			return nil, err
		}
		if node != nil {
			ors = append(ors, node)
		}
	}
	return joinFilters(FilterOr, ors), nil
}

// joinFilters wraps several nodes; one is itself, none is nil.
func joinFilters(op FilterOp, nodes []*Node) *Node {
	switch len(nodes) {
	case 0:
		return nil
	case 1:
		return nodes[0]
	}
	return &Node{Op: op, Kids: nodes}
}

func filterOf(root *Node) *Filter {
	if root == nil {
		return nil
	}
	return &Filter{Root: root}
}

// ParseFilterText parses one expression.
func ParseFilterText(text string) (*Filter, *FilterError) {
	root, err := parseExpression(text, new(filterScale).unlimited())
	if err != nil {
		return nil, err
	}
	return filterOf(root), nil
}

func parseExpression(text string, scale *filterScale) (*Node, *FilterError) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	p := filterParser{src: text, scale: scale}
	node, at, fault := p.or(0, 0)
	if fault == nil && at != len(text) {
		fault = p.faultAt(at, apierr.FilterTextTrailing)
	}
	if scale.left < 0 {
		return nil, &FilterError{Message: apierr.FilterTextWeight(MaxFilterWeight)}
	}
	if fault != nil {
		return nil, fault.report(text)
	}
	return node, nil
}

// filterParser parses one expression by recursive descent. Positions are byte
// offsets in src; nothing is consumed by state, so alternatives are tried by
// simply starting again at the same position.
type filterParser struct {
	src   string
	shown int // messages show src from here: 0, or the last `_foreign` begun
	// within is the attribute whose braces are open, the innermost one; "" outside.
	within string
	scale  *filterScale
}

// filterFault is a syntax error before it is rendered. A soft fault of a value
// lets the alternatives of a primary go on; every other use treats soft and hard
// alike. An incomplete fault passes every rewording.
type filterFault struct {
	from, to, shown int
	text            func(fragment string) string
	soft            bool
	incomplete      bool
	keyword         bool // soft: a reserved word stood where a value was due
}

func (f *filterFault) report(text string) *FilterError {
	if f.incomplete {
		return &FilterError{Message: apierr.FilterTextIncomplete + position(text, 0, len(text), 0)}
	}
	message := f.text(escapeForMessage(text[f.from:f.to]))
	return &FilterError{Message: message + position(text, f.from, f.to, f.shown)}
}

// reworded is the same place with another text.
func (f *filterFault) reworded(text func(string) string) *filterFault {
	if f.incomplete {
		return f
	}
	return &filterFault{from: f.from, to: f.to, shown: f.shown, text: text}
}

// faultAt is an error about everything from at to the end.
func (p *filterParser) faultAt(at int, text func(string) string) *filterFault {
	return p.faultIn(at, len(p.src), text)
}

func (p *filterParser) faultIn(from, to int, text func(string) string) *filterFault {
	return &filterFault{from: from, to: to, shown: p.shown, text: text}
}

// says is a text without parts.
func says(text string) func(string) string { return func(string) string { return text } }

// or = and { OR and }
func (p *filterParser) or(at, depth int) (*Node, int, *filterFault) {
	return p.chain(at, depth, "OR", FilterOr, p.and)
}

// and = not { AND not }
func (p *filterParser) and(at, depth int) (*Node, int, *filterFault) {
	return p.chain(at, depth, "AND", FilterAnd, p.not)
}

func (p *filterParser) chain(at, depth int, keyword string, op FilterOp, operand func(at, depth int) (*Node, int, *filterFault)) (*Node, int, *filterFault) {
	if depth > maxFilterDepth {
		return nil, at, p.faultAt(at, says(apierr.FilterTextDepth))
	}
	first, at, fault := operand(at, depth+1)
	if fault != nil {
		return nil, at, fault
	}
	var kids []*Node
	for {
		next, ok := p.keyword(at, keyword)
		if !ok {
			break
		}
		if p.scale.over() {
			return nil, at, p.faultAt(at, says(""))
		}
		kid, end, fault := operand(next, depth+1)
		if fault != nil {
			return nil, end, fault
		}
		if kids == nil {
			kids = append(kids, first)
		}
		kids = append(kids, kid)
		at = end
	}
	if kids == nil {
		return first, at, nil
	}
	return &Node{Op: op, Kids: kids}, at, nil
}

// not = NOT not | primary
func (p *filterParser) not(at, depth int) (*Node, int, *filterFault) {
	if depth > maxFilterDepth {
		return nil, at, p.faultAt(at, says(apierr.FilterTextDepth))
	}
	next, ok := p.keyword(at, "NOT")
	if !ok {
		return p.primary(at, depth+1)
	}
	node, end, fault := p.not(next, depth+1)
	if fault != nil {
		return nil, end, fault
	}
	return negate(node), end, nil
}

// negate wraps a node in a NOT, or takes one away.
func negate(n *Node) *Node {
	if n.Op == FilterNot {
		return n.Kids[0]
	}
	return &Node{Op: FilterNot, Kids: []*Node{n}}
}

// primary is a parenthesis, a geo condition, or something that starts with a
// value. What fits nothing is reported as a missing operation from at on.
func (p *filterParser) primary(at, depth int) (*Node, int, *filterFault) {
	if depth > maxFilterDepth {
		return nil, at, p.faultAt(at, says(apierr.FilterTextDepth))
	}
	start := p.blanks(at)
	if p.has(start, "(") {
		return p.parenthesis(at, start, depth)
	}
	p.weigh()
	word := p.src[start:p.wordEnd(start)]
	if fault := p.outside(start, word); fault != nil {
		return nil, at, fault
	}
	switch word {
	case "_geoRadius", "_geoBoundingBox", "_geoPolygon":
		return p.geo(start, word)
	}
	field, rest, fault := p.value(at)
	if fault != nil {
		if fault.soft && !fault.keyword {
			fault = p.faultAt(at, apierr.FilterTextOperation)
		}
		return nil, at, fault
	}
	if path, open, ok := p.opens(field); ok {
		return p.object(path, open, depth)
	}
	field.Value = p.named(field.Value)
	node, end, fault := p.condition(field, rest, start)
	if fault == nil && node == nil && word == "_foreign" {
		node, end, fault = p.foreign(at, start, depth)
	}
	if fault == nil && node == nil {
		fault = p.faultAt(at, apierr.FilterTextOperation)
	}
	return node, end, fault
}

// parenthesis = "(" or ")" with blanks around both.
func (p *filterParser) parenthesis(at, open, depth int) (*Node, int, *filterFault) {
	shown := p.shown
	node, end, fault := p.or(p.blanks(open+1), depth+1)
	if fault != nil {
		return nil, end, fault
	}
	if end = p.blanks(end); !p.has(end, ")") {
		fault = p.faultAt(at, func(x string) string { return apierr.FilterTextDelimiter(x, ")") })
		fault.shown = shown
		return nil, end, fault
	}
	return node, p.blanks(end + 1), nil
}

// foreign = "_foreign(" value "," or ")". From the word on, messages show the
// expression from the start of this condition.
func (p *filterParser) foreign(at, start, depth int) (*Node, int, *filterFault) {
	if p.within != "" {
		return nil, at, p.faultIn(start, start+len("_foreign"), apierr.FilterTextInObject)
	}
	p.shown = at
	open := start + len("_foreign")
	if !p.has(open, "(") {
		return nil, open, p.faultAt(open, apierr.FilterTextForeign)
	}
	field, end, fault := p.value(p.blanks(open + 1))
	if fault != nil {
		return nil, end, fault.reworded(apierr.FilterTextForeign)
	}
	if end = p.blanks(end); !p.has(end, ",") {
		return nil, end, p.faultAt(end, apierr.FilterTextForeign)
	}
	inner, end, fault := p.or(p.blanks(end+1), depth)
	if fault != nil {
		return nil, end, fault.reworded(apierr.FilterTextForeign)
	}
	if end = p.blanks(end); !p.has(end, ")") {
		return nil, end, p.faultAt(end, apierr.FilterTextForeign)
	}
	return &Node{Op: FilterForeign, Field: field, Kids: []*Node{inner}}, end + 1, nil
}
