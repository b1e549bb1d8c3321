package syntax

func (p *parser) statement() (Node, error) {
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

// assignment continues after an expression that may be assigned to.
func (p *parser) assignment(left Node) (Node, error) {
	op, ok := assignOps[p.tok.text]
	if !ok || p.tok.kind != tokenSymbol {
		return left, nil
	}
	at := p.tok.at
	if err := p.assignable(left); err != nil {
		return nil, err
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	right, err := p.expression()
	if err != nil {
		return nil, err
	}
	return &Assign{At: PosOf(at), To: left, Op: op, By: right}, nil
}

// assignable refuses left sides that cannot be assigned to.
func (p *parser) assignable(left Node) error {
	refused := false
	switch n := left.(type) {
	case *Call:
		refused = true
	case *Property:
		refused = n.Elvis
	case *Index:
		refused = n.Elvis
	}
	if refused {
		return left.Place().Fail("Expression cannot be assigned to")
	}
	return p.chain(left)
}

// chain checks the base of an assigned property: any chain that starts at a variable or a
// call.
func (p *parser) chain(n Node) error {
	switch n := n.(type) {
	case *Name:
		if p.constant(n.Name) {
			return n.Pos.Fail("Cannot assign to constant " + n.Name)
		}
		return nil
	case *This, *Call:
		return nil
	case *Property:
		return p.chain(n.Of)
	case *Index:
		return p.chain(n.Of)
	}
	return n.Place().Fail("Expression cannot be assigned to")
}

func (p *parser) let() (Node, error) {
	at, constant := p.tok.at, p.tok.text == "const"
	if err := p.advance(); err != nil {
		return nil, err
	}
	name, _, err := p.variable()
	if err != nil {
		return nil, err
	}
	n := &Let{At: PosOf(at), Name: name, Constant: constant}
	set, err := p.accept("=")
	if err != nil {
		return nil, err
	}
	if set {
		if n.Value, err = p.expression(); err != nil {
			return nil, err
		}
	}
	p.declare(name, constant)
	return n, nil
}

// inside reads the body of a loop.
func (p *parser) inside() (Node, error) {
	outer := p.inLoop
	p.inLoop = true
	n, err := p.block()
	p.inLoop = outer
	return n, err
}

func (p *parser) while() (Node, error) {
	n := &Loop{At: PosOf(p.tok.at)}
	err := p.advance()
	if err == nil {
		n.Cond, err = p.condition()
	}
	if err == nil {
		n.Body, err = p.inside()
	}
	return n, err
}

func (p *parser) loop() (Node, error) {
	n := &Loop{At: PosOf(p.tok.at)}
	err := p.advance()
	if err == nil {
		n.Body, err = p.inside()
	}
	return n, err
}

func (p *parser) do() (Node, error) {
	n := &Loop{At: PosOf(p.tok.at), After: true}
	err := p.advance()
	if err != nil {
		return nil, err
	}
	if n.Body, err = p.inside(); err != nil {
		return nil, err
	}
	if n.Until, err = p.accept("until"); err != nil {
		return nil, err
	}
	if !n.Until {
		if err := p.expect("while", "for the do statement"); err != nil {
			return nil, err
		}
	}
	n.Cond, err = p.condition()
	return n, err
}

func (p *parser) forLoop() (Node, error) {
	n := &For{At: PosOf(p.tok.at)}
	err := p.advance()
	if err != nil {
		return nil, err
	}
	pair, err := p.accept("(")
	if err != nil {
		return nil, err
	}
	if n.Item, _, err = p.variable(); err != nil {
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
	if n.Over, err = p.expression(); err != nil {
		return nil, err
	}
	if err := notIterable(n.Over); err != nil {
		return nil, err
	}
	p.scopes = append(p.scopes, scope{n.Item: false})
	defer func() { p.scopes = p.scopes[:len(p.scopes)-1] }()
	if n.Counter != "" {
		p.declare(n.Counter, false)
	}
	n.Body, err = p.inside()
	return n, err
}

func (p *parser) counter(n *For) error {
	if err := p.expect(",", "after the iteration variable name"); err != nil {
		return err
	}
	name, at, err := p.variable()
	if err != nil {
		return err
	}
	if name == n.Item {
		return at.Fail("Duplicated variable name: " + name)
	}
	n.Counter = name
	return p.expect(")", "to close the iteration variable")
}

func (p *parser) jump() (Node, error) {
	n := &Jump{At: PosOf(p.tok.at), What: p.tok.text}
	if (n.What == "break" || n.What == "continue") && !p.inLoop {
		return nil, n.Pos.Fail("Break statement should only be used inside a loop")
	}
	err := p.advance()
	if err != nil || n.What == "continue" || p.tok.kind == tokenEnd || p.tok.is(";") || p.tok.is("}") {
		return n, err
	}
	n.Value, err = p.expression()
	return n, err
}

func (p *parser) try() (Node, error) {
	n := &Try{At: PosOf(p.tok.at)}
	err := p.advance()
	if err != nil {
		return nil, err
	}
	if n.Body, err = p.block(); err != nil {
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
		if n.Name, _, err = p.variable(); err != nil {
			return nil, err
		}
		if err := p.expect(")", "to enclose the catch variable"); err != nil {
			return nil, err
		}
	}
	p.scopes = append(p.scopes, scope{n.Name: false})
	defer func() { p.scopes = p.scopes[:len(p.scopes)-1] }()
	n.Handler, err = p.block()
	return n, err
}
