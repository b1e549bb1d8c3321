package syntax

import (
	"slices"

	"shoal/query/script/value"
)

// precedence of binary operators; higher binds tighter.
var precedence = map[string]int{
	"||": 30, "|": 30, "^": 30, "&&": 60, "&": 60, "==": 90, "!=": 90, "in": 110, "!in": 110,
	"<": 130, "<=": 130, ">": 130, ">=": 130, "??": 135, "..": 140, "..=": 140,
	"+": 150, "-": 150, "*": 180, "/": 180, "%": 180, "**": 190, "<<": 210, ">>": 210,
}

func (p *parser) expression() (Node, error) { return p.binary(0) }

// binary reads an expression whose operators bind tighter than above.
func (p *parser) binary(above int) (Node, error) {
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	left, err := p.unary()
	if err != nil {
		return nil, err
	}
	for links := 0; ; links++ {
		level, ok := precedence[p.tok.text]
		if !ok || p.tok.kind != tokenSymbol && p.tok.kind != tokenKeyword || level <= above {
			return left, nil
		}
		if links == maxLinks {
			return nil, p.tok.at.Fail("Expression exceeds maximum complexity")
		}
		op, at := p.tok.text, p.tok.at
		if err := p.advance(); err != nil {
			return nil, err
		}
		if (op == ".." || op == "..=") && p.rangeEnds() {
			left = &Binary{At: PosOf(at), Op: op, Left: left}
			continue
		}
		tighter := level
		if op == "**" {
			tighter-- // binds to the right
		}
		right, err := p.binary(tighter)
		if err != nil {
			return nil, err
		}
		if op == "&&" || op == "||" {
			for _, side := range []Node{left, right} {
				if err := notBoolean(side); err != nil {
					return nil, err
				}
			}
		}
		if op == "in" || op == "!in" { // a call on what is searched, which is read first
			left, right = right, left
		}
		left = &Binary{At: PosOf(at), Op: op, Left: left, Right: right}
	}
}

// rangeEnds tells whether the range has no upper end.
func (p *parser) rangeEnds() bool {
	return p.tok.kind == tokenEnd || slices.ContainsFunc([]string{")", "]", "}", ",", ";", "{", "=>"}, p.tok.is)
}

func (p *parser) unary() (Node, error) {
	if p.tok.kind != tokenSymbol || p.tok.text != "-" && p.tok.text != "+" && p.tok.text != "!" {
		return p.postfix()
	}
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	op, at := p.tok.text, p.tok.at
	if err := p.advance(); err != nil {
		return nil, err
	}
	of, err := p.unary()
	if err != nil {
		return nil, err
	}
	if lit, ok := of.(*Literal); ok && op == "-" {
		switch lit.Value.Kind {
		case value.KindInt:
			return &Literal{At: PosOf(at), Value: value.Int(-lit.Value.Int())}, nil
		case value.KindFloat:
			return &Literal{At: PosOf(at), Value: value.Float(-lit.Value.Float())}, nil
		}
	}
	return &Unary{At: PosOf(at), Op: op, Of: of}, nil
}

// postfix reads a primary with its properties, indexes and calls.
func (p *parser) postfix() (Node, error) {
	n, err := p.primary()
	for links := 0; err == nil; links++ {
		if p.tok.kind != tokenSymbol {
			return n, nil
		}
		if links == maxLinks {
			return nil, p.tok.at.Fail("Expression exceeds maximum complexity")
		}
		switch p.tok.text {
		case "[", "?[":
			n, err = p.index(n)
		case ".", "?.":
			n, err = p.member(n)
		default:
			return n, nil
		}
	}
	return nil, err
}

func (p *parser) index(of Node) (Node, error) {
	n := &Index{At: PosOf(p.tok.at), Of: of, Elvis: p.tok.text == "?["}
	err := p.advance()
	if err != nil {
		return nil, err
	}
	if n.By, err = p.expression(); err != nil {
		return nil, err
	}
	if err := checkIndex(of, n.By); err != nil {
		return nil, err
	}
	return n, p.expect("]", "for a matching [ in this index expression")
}

func (p *parser) member(of Node) (Node, error) {
	link, elvis := p.tok.at, p.tok.text == "?."
	if err := p.advance(); err != nil {
		return nil, err
	}
	at, name, function := p.tok.at, p.tok.text, p.isReserved()
	if function && !functionNames[name] {
		return nil, p.reserved()
	}
	if p.tok.kind != tokenName {
		return nil, at.Fail("Expecting name of a property")
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	if !p.tok.is("(") {
		if function {
			return nil, at.Fail("'" + name + "' is a reserved keyword")
		}
		return &Property{At: PosOf(at), Link: link, Of: of, Name: name, Elvis: elvis}, nil
	}
	args, err := p.args(name)
	if err != nil {
		return nil, err
	}
	return &Call{At: PosOf(at), Link: link, Of: of, Name: name, Args: args, Elvis: elvis}, nil
}

// args reads the arguments of a call.
func (p *parser) args(of string) ([]Node, error) {
	if err := p.advance(); err != nil {
		return nil, err
	}
	return p.list(")", "to close the arguments list of this function call '"+of+"'", "to separate the arguments to function call '"+of+"'")
}

// list reads expressions separated by commas up to end.
func (p *parser) list(end, toEnd, toSeparate string) ([]Node, error) {
	var items []Node
	for {
		done, err := p.accept(end)
		if done || err != nil {
			return items, err
		}
		if p.tok.kind == tokenEnd {
			return nil, p.tok.at.Fail("Expecting '" + end + "' " + toEnd)
		}
		n, err := p.expression()
		if err != nil {
			return nil, err
		}
		items = append(items, n)
		if p.tok.is(end) {
			continue
		}
		if p.tok.kind == tokenEnd {
			return nil, p.tok.at.Fail("Expecting '" + end + "' " + toEnd)
		}
		if err := p.expect(",", toSeparate); err != nil {
			return nil, err
		}
	}
}
