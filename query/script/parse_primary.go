package script

import (
	"slices"
	"sort"
	"strconv"
)

func itoa(n int) string { return strconv.Itoa(n) }

func (p *parser) primary() (node, error) {
	t := p.tok
	pos := posOf(t.at)
	switch t.kind {
	case tokenInt:
		return &literal{pos, intOf(t.int)}, p.advance()
	case tokenFloat:
		return &literal{pos, floatOf(t.float)}, p.advance()
	case tokenChar:
		return &literal{pos, charOf(rune(t.int))}, p.advance()
	case tokenText:
		return &literal{pos, textOf(t.text)}, p.advance()
	case tokenTemplate:
		return p.template()
	case tokenName:
		return p.named()
	case tokenKeyword:
		switch t.text {
		case "true", "false":
			return &literal{pos, boolOf(t.text == "true")}, p.advance()
		case "this":
			return &this{pos}, p.advance()
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
func (p *parser) named() (node, error) {
	at, id := p.tok.at, p.tok.text
	if err := p.advance(); err != nil {
		return nil, err
	}
	if p.tok.is("(") {
		args, err := p.args(id)
		if err != nil {
			return nil, err
		}
		return &call{at: posOf(at), name: id, args: args}, nil
	}
	p.names = append(p.names, id)
	return &name{posOf(at), id}, nil
}

func (p *parser) parenthesis() (node, error) {
	at := p.tok.at
	if err := p.advance(); err != nil {
		return nil, err
	}
	done, err := p.accept(")")
	if done || err != nil {
		return &literal{at: posOf(at)}, err
	}
	n, err := p.expression()
	if err != nil {
		return nil, err
	}
	return n, p.expect(")", "for a matching ( in this expression")
}

func (p *parser) array() (node, error) {
	at := p.tok.at
	if err := p.advance(); err != nil {
		return nil, err
	}
	items, err := p.list("]", "to end this array literal", "to separate the items of this array literal")
	return &arrayLit{posOf(at), items}, err
}

func (p *parser) mapping() (node, error) {
	m := &mapLit{at: posOf(p.tok.at)}
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
			return nil, p.tok.at.fail("Expecting '}' " + end)
		}
		if err := p.mapEntry(m); err != nil {
			return nil, err
		}
		if p.tok.is("}") {
			continue
		}
		if p.tok.kind == tokenEnd {
			return nil, p.tok.at.fail("Expecting '}' " + end)
		}
		if err := p.expect(",", "to separate the items of this object map literal"); err != nil {
			return nil, err
		}
	}
}

func (p *parser) mapEntry(m *mapLit) error {
	at, key := p.tok.at, p.tok.text
	switch p.tok.kind {
	case tokenName, tokenText:
	case tokenReserved:
		return at.fail("'" + key + "' is a reserved keyword")
	default:
		if len(m.keys) == 0 {
			return at.fail("Expecting '}' to end this object map literal")
		}
		return at.fail("Expecting name of a property")
	}
	if slices.Contains(m.keys, key) {
		return at.fail("Duplicated property for object map literal: " + key)
	}
	if err := p.advance(); err != nil {
		return err
	}
	if err := p.expect(":", "to follow the property '"+key+"' in this object map literal"); err != nil {
		return err
	}
	v, err := p.expression()
	m.keys, m.values = append(m.keys, key), append(m.values, v)
	return err
}

// sort arranges the keys for evaluation straight into an object.
func (m *mapLit) sort() {
	order := make([]int, len(m.keys))
	for i := range order {
		order[i] = i
	}
	sort.Slice(order, func(a, b int) bool { return m.keys[order[a]] < m.keys[order[b]] })
	keys, values := make([]string, len(order)), make([]node, len(order))
	for to, from := range order {
		keys[to], values[to] = m.keys[from], m.values[from]
	}
	m.keys, m.values = keys, values
}

// template reads an interpolated string.
func (p *parser) template() (node, error) {
	t := &template{at: posOf(p.tok.at)}
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	for {
		if p.tok.text != "" {
			t.parts = append(t.parts, &literal{posOf(p.tok.at), textOf(p.tok.text)})
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
		t.parts = append(t.parts, &block{posOf(at), body})
		// The brace is at hand; the text goes on right behind it.
		if p.tok, err = p.lex.template(token{at: p.lex.at}); err != nil {
			return nil, err
		}
	}
}

func (p *parser) ifElse() (node, error) {
	n := &ifNode{at: posOf(p.tok.at)}
	err := p.advance()
	if err != nil {
		return nil, err
	}
	if n.cond, err = p.expression(); err != nil {
		return nil, err
	}
	if n.then, err = p.block(); err != nil {
		return nil, err
	}
	more, err := p.accept("else")
	if !more || err != nil {
		return n, err
	}
	if !p.tok.is("if") {
		n.otherwise, err = p.block()
		return n, err
	}
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	n.otherwise, err = p.ifElse()
	return n, err
}

// closure reads `|a, b| expression`.
func (p *parser) closure() (node, error) {
	at := p.tok.at
	fn := &fnDef{}
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
	err := p.body(fn, at, func() (node, error) {
		if p.tok.is("{") {
			return p.block()
		}
		return p.statement()
	})
	for _, name := range p.names {
		if !slices.Contains(fn.params, name) && !slices.Contains(fn.free, name) {
			fn.free = append(fn.free, name)
		}
	}
	p.names = append(outer, fn.free...)
	fn.name = "anon$" + itoa(p.count)
	return &closureLit{posOf(at), fn}, err
}
