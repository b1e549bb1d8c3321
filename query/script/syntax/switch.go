package syntax

import "shoal/query/script/value"

// switchOn reads a switch.
func (p *parser) switchOn() (Node, error) {
	n := &Switch{At: PosOf(p.tok.at)}
	err := p.advance()
	if err != nil {
		return nil, err
	}
	if n.On, err = p.expression(); err != nil {
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
			return nil, p.tok.at.Fail("Expecting '}' to end this switch block")
		}
		if ended {
			return nil, p.tok.at.Fail("Default switch case must be the last")
		}
		c, err := p.switchCase()
		if err != nil {
			return nil, err
		}
		n.Cases = append(n.Cases, c)
		ended = c.Values == nil
		if _, isBlock := c.Body.(*Block); p.tok.is("}") || isBlock && !p.tok.is(",") {
			continue
		}
		if err := p.expect(",", "to separate the items in this switch block"); err != nil {
			return nil, err
		}
	}
}

func (p *parser) switchCase() (Case, error) {
	var c Case
	var err error
	if p.tok.kind == tokenName && p.tok.text == "_" {
		if err := p.advance(); err != nil {
			return c, err
		}
		if p.tok.is("if") {
			return c, p.tok.at.Fail("This switch case cannot have a condition")
		}
	} else if err = p.caseValues(&c); err != nil {
		return c, err
	}
	guarded, err := p.accept("if")
	if err != nil {
		return c, err
	}
	if guarded {
		if c.Cond, err = p.condition(); err != nil {
			return c, err
		}
	}
	if err := p.expect("=>", "in this switch case"); err != nil {
		return c, err
	}
	c.Body, err = p.statement()
	return c, err
}

// caseValues reads the alternatives `1 | "a" | 3..5`.
func (p *parser) caseValues(c *Case) error {
	c.Values = []value.Value{}
	for {
		n, err := p.binary(precedence["|"])
		if err != nil {
			return err
		}
		v, ok := constantOf(n)
		if !ok {
			return n.Place().Fail("Expecting a literal expression")
		}
		c.Values = append(c.Values, v)
		if more, err := p.accept("|"); !more || err != nil {
			return err
		}
	}
}

// constantOf returns the value of an expression of literals.
func constantOf(n Node) (value.Value, bool) {
	switch n := n.(type) {
	case *Literal:
		return n.Value, true
	case *Binary:
		if n.Op != ".." && n.Op != "..=" || n.Right == nil {
			return value.Value{}, false
		}
		from, ok := constantOf(n.Left)
		to, ok2 := constantOf(n.Right)
		if !ok || !ok2 || from.Kind != value.KindInt || to.Kind != value.KindInt {
			return value.Value{}, false
		}
		return value.Interval(from.Int(), to.Int(), n.Op == "..="), true
	}
	return value.Value{}, false
}
