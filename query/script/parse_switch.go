package script

// switchOn reads a switch.
func (p *parser) switchOn() (node, error) {
	n := &switchNode{at: posOf(p.tok.at)}
	err := p.advance()
	if err != nil {
		return nil, err
	}
	if n.on, err = p.expression(); err != nil {
		return nil, err
	}
	if err := p.expect("{", "to start a switch block"); err != nil {
		return nil, err
	}
	for ended := false; ; {
		done, err := p.accept("}")
		if done || err != nil {
			return n, err
		}
		if p.tok.kind == tokenEnd {
			return nil, p.tok.at.fail("Expecting '}' to end this switch block")
		}
		if ended {
			return nil, p.tok.at.fail("Default switch case must be the last")
		}
		c, err := p.switchCase()
		if err != nil {
			return nil, err
		}
		n.cases = append(n.cases, c)
		ended = c.values == nil
		if _, isBlock := c.body.(*block); p.tok.is("}") || isBlock && !p.tok.is(",") {
			continue
		}
		if err := p.expect(",", "to separate the items in this switch block"); err != nil {
			return nil, err
		}
	}
}

func (p *parser) switchCase() (switchCase, error) {
	var c switchCase
	var err error
	if p.tok.kind == tokenName && p.tok.text == "_" {
		if err := p.advance(); err != nil {
			return c, err
		}
		if p.tok.is("if") {
			return c, p.tok.at.fail("This switch case cannot have a condition")
		}
	} else if err = p.caseValues(&c); err != nil {
		return c, err
	}
	guarded, err := p.accept("if")
	if err != nil {
		return c, err
	}
	if guarded {
		if c.cond, err = p.expression(); err != nil {
			return c, err
		}
	}
	if err := p.expect("=>", "in this switch case"); err != nil {
		return c, err
	}
	c.body, err = p.statement()
	return c, err
}

// caseValues reads the alternatives `1 | "a" | 3..5`.
func (p *parser) caseValues(c *switchCase) error {
	c.values = []value{}
	for {
		n, err := p.binary(precedence["|"])
		if err != nil {
			return err
		}
		v, ok := constantOf(n)
		if !ok {
			return n.place().fail("Expecting a literal expression")
		}
		c.values = append(c.values, v)
		if more, err := p.accept("|"); !more || err != nil {
			return err
		}
	}
}

// constantOf returns the value of an expression of literals.
func constantOf(n node) (value, bool) {
	switch n := n.(type) {
	case *literal:
		return n.value, true
	case *binary:
		if n.op != ".." && n.op != "..=" || n.right == nil {
			return value{}, false
		}
		from, ok := constantOf(n.left)
		to, ok2 := constantOf(n.right)
		if !ok || !ok2 || from.kind != integer || to.kind != integer {
			return value{}, false
		}
		return value{kind: interval, ref: &span{from: from.int(), to: to.int(), inclusive: n.op == "..="}}, true
	}
	return value{}, false
}
