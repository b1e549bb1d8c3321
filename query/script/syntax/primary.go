package syntax

import (
	"slices"
	"sort"
	"strconv"

	"shoal/query/script/value"
)

func (p *parser) primary() (Node, error) {
	t := p.tok
	pos := PosOf(t.at)
	switch t.kind {
	case tokenInt:
		return &Literal{pos, value.Int(t.int)}, p.advance()
	case tokenFloat:
		return &Literal{pos, value.Float(t.float)}, p.advance()
	case tokenChar:
		return &Literal{pos, value.Char(rune(t.int))}, p.advance()
	case tokenText:
		return &Literal{pos, value.String(t.text)}, p.advance()
	case tokenTemplate:
		return p.template()
	case tokenName:
		return p.named()
	case tokenKeyword:
		switch t.text {
		case "true", "false":
			return &Literal{pos, value.Bool(t.text == "true")}, p.advance()
		case "this":
			if !p.inFunction {
				return nil, t.at.Fail("'this' can only be used in functions")
			}
			return &This{pos}, p.advance()
		case "if":
			return p.ifElse()
		case "switch":
			return p.switchOn()
		case "while":
			return p.while()
		case "loop":
			return p.loop()
		case "do":
			return p.do()
		case "for":
			return p.forLoop()
		}
	case tokenSymbol:
		switch t.text {
		case "(":
			return p.parenthesis()
		case "[":
			return p.array()
		case "#{":
			return p.mapping()
		case "{":
			return p.block()
		case "|", "||":
			return p.closure()
		}
	}
	return nil, p.unexpected()
}

// named reads a variable or a function call.
func (p *parser) named() (Node, error) {
	at, id := p.tok.at, p.tok.text
	if err := p.advance(); err != nil {
		return nil, err
	}
	if p.tok.is("(") {
		args, err := p.args(id)
		if err != nil {
			return nil, err
		}
		return &Call{At: PosOf(at), Name: id, Args: args}, nil
	}
	if _, function := functionNames[id]; function {
		return nil, at.Fail("'" + id + "' is a reserved keyword")
	}
	p.names = append(p.names, id)
	return &Name{PosOf(at), id}, nil
}

func (p *parser) parenthesis() (Node, error) {
	at := p.tok.at
	if err := p.advance(); err != nil {
		return nil, err
	}
	done, err := p.accept(")")
	if done || err != nil {
		return &Literal{At: PosOf(at)}, err
	}
	n, err := p.expression()
	if err != nil {
		return nil, err
	}
	return n, p.expect(")", "for a matching ( in this expression")
}

func (p *parser) array() (Node, error) {
	at := p.tok.at
	if err := p.advance(); err != nil {
		return nil, err
	}
	items, err := p.list("]", "to end this array literal", "to separate the items of this array literal")
	return &Array{PosOf(at), items}, err
}

func (p *parser) mapping() (Node, error) {
	m := &Map{At: PosOf(p.tok.at)}
	if err := p.advance(); err != nil {
		return nil, err
	}
	const end = "to end this object map literal"
	for {
		done, err := p.accept("}")
		if err != nil {
			return nil, err
		}
		if done {
			m.sort()
			return m, nil
		}
		if p.tok.kind == tokenEnd {
			return nil, p.tok.at.Fail("Expecting '}' " + end)
		}
		if err := p.mapEntry(m); err != nil {
			return nil, err
		}
		if p.tok.is("}") {
			continue
		}
		if p.tok.kind == tokenEnd {
			return nil, p.tok.at.Fail("Expecting '}' " + end)
		}
		if err := p.expect(",", "to separate the items of this object map literal"); err != nil {
			return nil, err
		}
	}
}

func (p *parser) mapEntry(m *Map) error {
	at, key := p.tok.at, p.tok.text
	switch {
	case p.isReserved():
		return p.reserved()
	case p.tok.kind == tokenName, p.tok.kind == tokenText:
	default:
		if len(m.Keys) == 0 {
			return at.Fail("Expecting '}' to end this object map literal")
		}
		return at.Fail("Expecting name of a property")
	}
	if slices.Contains(m.Keys, key) {
		return at.Fail("Duplicated property for object map literal: " + key)
	}
	if err := p.advance(); err != nil {
		return err
	}
	if err := p.expect(":", "to follow the property '"+key+"' in this object map literal"); err != nil {
		return err
	}
	v, err := p.expression()
	m.Keys, m.Values = append(m.Keys, key), append(m.Values, v)
	return err
}

// sort puts the keys in the order of an object map, for evaluation.
func (m *Map) sort() {
	order := make([]int, len(m.Keys))
	for i := range order {
		order[i] = i
	}
	sort.Slice(order, func(a, b int) bool { return m.Keys[order[a]] < m.Keys[order[b]] })
	keys, values := make([]string, len(order)), make([]Node, len(order))
	for to, from := range order {
		keys[to], values[to] = m.Keys[from], m.Values[from]
	}
	m.Keys, m.Values = keys, values
}

// template reads an interpolated string.
func (p *parser) template() (Node, error) {
	t := &Template{At: PosOf(p.tok.at)}
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	for {
		if p.tok.text != "" {
			t.Parts = append(t.Parts, &Literal{PosOf(p.tok.at), value.String(p.tok.text)})
		}
		if p.tok.kind == tokenText {
			return t, p.advance()
		}
		at := p.tok.at
		if err := p.advance(); err != nil {
			return nil, err
		}
		p.scopes = append(p.scopes, scope{})
		body, err := p.statements(true)
		p.scopes = p.scopes[:len(p.scopes)-1]
		if err != nil {
			return nil, err
		}
		t.Parts = append(t.Parts, &Block{PosOf(at), body})
		// The closing brace is the current token; the text continues right after it.
		if p.tok, err = p.lex.template(token{at: p.lex.at}); err != nil {
			return nil, err
		}
	}
}

func (p *parser) ifElse() (Node, error) {
	n := &If{At: PosOf(p.tok.at)}
	err := p.advance()
	if err != nil {
		return nil, err
	}
	if n.Cond, err = p.condition(); err != nil {
		return nil, err
	}
	if n.Then, err = p.block(); err != nil {
		return nil, err
	}
	more, err := p.accept("else")
	if !more || err != nil {
		return n, err
	}
	if !p.tok.is("if") {
		n.Otherwise, err = p.block()
		return n, err
	}
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	n.Otherwise, err = p.ifElse()
	return n, err
}

// closure reads `|a, b| expression`.
func (p *parser) closure() (Node, error) {
	at := p.tok.at
	fn := &Function{}
	none := p.tok.is("||")
	if err := p.advance(); err != nil {
		return nil, err
	}
	if !none {
		if err := p.params(fn, "|", "anonymous function or closure"); err != nil {
			return nil, err
		}
	}
	outer := p.names
	p.names = nil
	err := p.body(fn, at, func() (Node, error) {
		if p.tok.is("{") {
			return p.block()
		}
		return p.statement()
	})
	for _, name := range p.names {
		if !slices.Contains(fn.Params, name) && !slices.Contains(fn.Free, name) {
			fn.Free = append(fn.Free, name)
		}
	}
	p.names = append(outer, fn.Free...)
	fn.Name = "anon$" + strconv.Itoa(p.count)
	return &Closure{PosOf(at), fn}, err
}
