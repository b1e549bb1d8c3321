package script

func (p *parser) statement() (node, error) {
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	if p.tok.kind == tokenKeyword {
		switch p.tok.text {
		case "let", "const":
			return p.let()
		case "while":
			return p.while()
		case "loop":
			return p.loop()
		case "do":
			return p.do()
		case "for":
			return p.forLoop()
		case "break", "continue", "return", "throw":
			return p.jump()
		case "try":
			return p.try()
		case "import", "export":
			return p.module()
		}
	}
	left, err := p.expression()
	if err != nil {
		return nil, err
	}
	return p.assignment(left)
}

var assignOps = map[string]string{
	"=": "", "+=": "+", "-=": "-", "*=": "*", "/=": "/", "%=": "%", "**=": "**", "<<=": "<<", ">>=": ">>",
	"&=": "&", "|=": "|", "^=": "^",
}

// assignment goes on after an expression that may be assigned to.
func (p *parser) assignment(left node) (node, error) {
	op, ok := assignOps[p.tok.text]
	if !ok || p.tok.kind != tokenSymbol {
		return left, nil
	}
	at := p.tok.at
	if err := p.assignable(left, true); err != nil {
		return nil, err
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	right, err := p.expression()
	if err != nil {
		return nil, err
	}
	return &assign{at: posOf(at), to: left, op: op, by: right}, nil
}

// assignable refuses the left sides that cannot be assigned to.
func (p *parser) assignable(n node, whole bool) error {
	switch n := n.(type) {
	case *name:
		if p.constant(n.name) {
			return n.pos.fail("Cannot assign to constant " + n.name)
		}
		return nil
	case *this:
		return nil
	case *property:
		if n.elvis {
			break
		}
		return p.chain(n.of)
	case *index:
		if n.elvis {
			break
		}
		return p.chain(n.of)
	}
	return n.place().fail("Expression cannot be assigned to")
}

// chain checks what an assigned property hangs on: any chain that starts at a
// variable or a call.
func (p *parser) chain(n node) error {
	switch n := n.(type) {
	case *name:
		if p.constant(n.name) {
			return n.pos.fail("Cannot assign to constant " + n.name)
		}
		return nil
	case *this, *call:
		return nil
	case *property:
		return p.chain(n.of)
	case *index:
		return p.chain(n.of)
	}
	return n.place().fail("Expression cannot be assigned to")
}

func (p *parser) let() (node, error) {
	at, constant := p.tok.at, p.tok.text == "const"
	if err := p.advance(); err != nil {
		return nil, err
	}
	name, _, err := p.variable()
	if err != nil {
		return nil, err
	}
	n := &let{at: posOf(at), name: name, constant: constant}
	set, err := p.accept("=")
	if err != nil {
		return nil, err
	}
	if set {
		if n.value, err = p.expression(); err != nil {
			return nil, err
		}
	}
	p.declare(name, constant)
	return n, nil
}

// inside reads the body of a loop.
func (p *parser) inside() (node, error) {
	outer := p.inLoop
	p.inLoop = true
	n, err := p.block()
	p.inLoop = outer
	return n, err
}

func (p *parser) while() (node, error) {
	n := &loop{at: posOf(p.tok.at)}
	err := p.advance()
	if err == nil {
		n.cond, err = p.expression()
	}
	if err == nil {
		n.body, err = p.inside()
	}
	return n, err
}

func (p *parser) loop() (node, error) {
	n := &loop{at: posOf(p.tok.at)}
	err := p.advance()
	if err == nil {
		n.body, err = p.inside()
	}
	return n, err
}

func (p *parser) do() (node, error) {
	n := &loop{at: posOf(p.tok.at), after: true}
	err := p.advance()
	if err != nil {
		return nil, err
	}
	if n.body, err = p.inside(); err != nil {
		return nil, err
	}
	if n.until, err = p.accept("until"); err != nil {
		return nil, err
	}
	if !n.until {
		if err := p.expect("while", "for the do statement"); err != nil {
			return nil, err
		}
	}
	n.cond, err = p.expression()
	return n, err
}

func (p *parser) forLoop() (node, error) {
	n := &forNode{at: posOf(p.tok.at)}
	err := p.advance()
	if err != nil {
		return nil, err
	}
	pair, err := p.accept("(")
	if err != nil {
		return nil, err
	}
	if n.item, _, err = p.variable(); err != nil {
		return nil, err
	}
	if pair {
		if err := p.counter(n); err != nil {
			return nil, err
		}
	}
	if err := p.expect("in", "after the iteration variable"); err != nil {
		return nil, err
	}
	if n.over, err = p.expression(); err != nil {
		return nil, err
	}
	p.scopes = append(p.scopes, scope{n.item: false})
	defer func() { p.scopes = p.scopes[:len(p.scopes)-1] }()
	if n.counter != "" {
		p.declare(n.counter, false)
	}
	n.body, err = p.inside()
	return n, err
}

func (p *parser) counter(n *forNode) error {
	if err := p.expect(",", "after the iteration variable name"); err != nil {
		return err
	}
	name, at, err := p.variable()
	if err != nil {
		return err
	}
	if name == n.item {
		return at.fail("Duplicated variable name: " + name)
	}
	n.counter = name
	return p.expect(")", "to close the iteration variable")
}

func (p *parser) jump() (node, error) {
	n := &jump{at: posOf(p.tok.at), what: p.tok.text}
	if (n.what == "break" || n.what == "continue") && !p.inLoop {
		return nil, n.pos.fail("Break statement should only be used inside a loop")
	}
	err := p.advance()
	if err != nil || n.what == "continue" || p.tok.kind == tokenEnd || p.tok.is(";") || p.tok.is("}") {
		return n, err
	}
	n.value, err = p.expression()
	return n, err
}

func (p *parser) try() (node, error) {
	n := &try{at: posOf(p.tok.at)}
	err := p.advance()
	if err != nil {
		return nil, err
	}
	if n.body, err = p.block(); err != nil {
		return nil, err
	}
	if err := p.expect("catch", "for the 'try' statement"); err != nil {
		return nil, err
	}
	named, err := p.accept("(")
	if err != nil {
		return nil, err
	}
	if named {
		if n.name, _, err = p.variable(); err != nil {
			return nil, err
		}
		if err := p.expect(")", "to enclose the catch variable"); err != nil {
			return nil, err
		}
	}
	p.scopes = append(p.scopes, scope{n.name: false})
	defer func() { p.scopes = p.scopes[:len(p.scopes)-1] }()
	n.handler, err = p.block()
	return n, err
}

// module reads `import path [as name]`: there are no modules, which running it
// reports. `export` does nothing.
func (p *parser) module() (node, error) {
	at, what := p.tok.at, p.tok.text
	if err := p.advance(); err != nil {
		return nil, err
	}
	if what == "export" {
		if p.inFunction || len(p.scopes) > 1 {
			return nil, at.fail("Export statement can only appear at global level")
		}
		if p.tok.is("let") || p.tok.is("const") {
			return p.let()
		}
	}
	path, err := p.expression()
	if err != nil {
		return nil, err
	}
	as, err := p.accept("as")
	if err != nil {
		return nil, err
	}
	if as {
		if _, _, err := p.variable(); err != nil {
			return nil, err
		}
	}
	if what == "export" {
		return &literal{at: posOf(at)}, nil
	}
	return &importNode{at: posOf(at), path: path}, nil
}
