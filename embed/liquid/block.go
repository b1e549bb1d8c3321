package liquid

import (
	"fmt"
	"strings"
)

// choice is if and unless: it renders the first branch whose condition holds.
type choice struct{ branches []branch }

// branch is rendered if its test holds. A nil test marks else.
type branch struct {
	test expression
	body []node
}

func (c choice) render(r *rendering) signal {
	for _, b := range c.branches {
		if b.test == nil {
			return r.all(b.body)
		}
		if v := r.plain(b.test.eval(r)); v != nil && v != false {
			return r.all(b.body)
		}
	}
	return done
}

func parseIf(p *parser, t *token) (node, error) { return parseChoice(p, t, false) }

func parseUnless(p *parser, t *token) (node, error) { return parseChoice(p, t, true) }

func parseChoice(p *parser, t *token, negate bool) (node, error) {
	var c choice
	err := p.block(t, func(begin *token, body []node) error {
		if begin.name == "else" {
			c.branches = append(c.branches, branch{nil, body})
			return nil
		}
		test, err := p.condition(begin)
		if err != nil {
			return err
		}
		if negate && begin == t {
			test = negated{test}
		}
		c.branches = append(c.branches, branch{test, body})
		return nil
	}, "elsif", "else")
	return c, err
}

// selection is case: it renders the first clause with the value.
type selection struct {
	of      expression
	clauses []clause
}

// clause is rendered if the value is among values. all marks else.
type clause struct {
	values []expression
	all    bool
	body   []node
}

func (s selection) render(r *rendering) signal {
	v := r.plain(s.of.eval(r))
	for _, c := range s.clauses {
		if c.all {
			return r.all(c.body)
		}
		for _, e := range c.values {
			if r.equal(v, e.eval(r)) {
				return r.all(c.body)
			}
		}
	}
	return done
}

func parseCase(p *parser, t *token) (node, error) {
	of, err := p.condition(t)
	if err != nil {
		return nil, err
	}
	s := selection{of: of}
	err = p.block(t, func(begin *token, body []node) error {
		switch begin.name {
		case "when":
			values, err := p.values(begin)
			if err != nil {
				return err
			}
			s.clauses = append(s.clauses, clause{values: values, body: body})
		case "else":
			s.clauses = append(s.clauses, clause{all: true, body: body})
		}
		return nil // text before the first when is ignored
	}, "when", "else")
	return s, err
}

// values reads the values of a when, separated by commas or "or".
func (p *parser) values(t *token) ([]expression, error) {
	words, err := newExpressions(t.args, p.isLenient)
	if err != nil {
		return nil, t.syntax(err)
	}
	var out []expression
	for {
		e, err := words.operand()
		if err != nil {
			return nil, t.syntax(err)
		}
		out = append(out, e)
		if words.sign(",") || words.name("or") {
			continue
		}
		if err := words.end(); err != nil {
			return nil, t.syntax(err)
		}
		return out, nil
	}
}

// capture stores the output of its body in a variable.
type capture struct {
	name string
	body []node
}

func (c capture) render(r *rendering) signal {
	text, s := r.captured(c.body)
	if s == done {
		r.vars[c.name] = text
	}
	return s
}

func parseCapture(p *parser, t *token) (node, error) {
	name := strings.Trim(t.args, `'"`)
	if name == "" || strings.ContainsAny(name, " \t\r\n") {
		return nil, t.syntaxf("capture tag requires exactly one variable name, got %q", t.args)
	}
	c := capture{name: name}
	err := p.block(t, func(_ *token, body []node) error {
		c.body = body
		return nil
	})
	return c, err
}

// ifChanged shows the output of its body if it differs from the last one shown.
type ifChanged struct{ body []node }

func (c *ifChanged) render(r *rendering) signal {
	text, s := r.captured(c.body)
	if last, ok := r.shown[c]; ok && last == text {
		return s
	}
	if r.shown == nil {
		r.shown = map[*ifChanged]string{}
	}
	r.shown[c] = text
	r.put(r.out, text)
	return s
}

func parseIfChanged(p *parser, t *token) (node, error) {
	c := &ifChanged{}
	err := p.block(t, func(_ *token, body []node) error {
		c.body = body
		return nil
	})
	return c, err
}

func parseComment(p *parser, t *token) (node, error) {
	_, err := p.skip(t)
	return nil, err
}

func parseRaw(p *parser, t *token) (node, error) {
	source, err := p.skip(t)
	if err != nil || source == "" {
		return nil, err
	}
	return text(source), nil
}

// counter is increment and decrement. Its number is separate from variables of the same
// name.
type counter struct {
	name string
	down bool
}

func (c counter) render(r *rendering) signal {
	if r.counters == nil {
		r.counters = map[string]int{}
	}
	n := r.counters[c.name]
	if c.down {
		n--
		r.counters[c.name] = n
	} else {
		r.counters[c.name] = n + 1
	}
	r.put(r.out, fmt.Sprint(n))
	return done
}

func parseCounter(_ *parser, t *token) (node, error) {
	if n := nameLength(t.args); n == 0 || n != len(t.args) {
		return nil, t.syntaxf("%s needs the name of a counter, got %q", t.name, t.args)
	}
	return counter{t.args, t.name == "decrement"}, nil
}
