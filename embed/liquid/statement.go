package liquid

import (
	"fmt"
	"strings"
)

// assign sets a variable.
type assign struct {
	name  string
	value expression
}

func (a assign) render(r *rendering) signal {
	r.vars[a.name] = r.plain(a.value.eval(r))
	return done
}

func parseAssign(_ *parser, t *token) (node, error) {
	p, err := newExpressions(t.args, nil)
	if err != nil {
		return nil, t.syntax(err)
	}
	name := p.next()
	if name.kind != nameWord || !p.sign("=") {
		return nil, t.syntax(p.fail())
	}
	e, err := p.condition()
	if err == nil {
		err = p.end()
	}
	if err != nil {
		return nil, t.syntax(err)
	}
	return assign{name.text, e}, nil
}

// cycle shows its values in turn, one each time it is rendered.
type cycle struct {
	group  string
	values []expression
}

func (c cycle) render(r *rendering) signal {
	if r.turns == nil {
		r.turns = map[string]int{}
	}
	n := r.turns[c.group]
	r.turns[c.group] = n + 1
	r.write(r.out, c.values[n%len(c.values)].eval(r))
	return done
}

// parseCycle parses values, or a group and values. Cycles of one group share their turns;
// cycles without a group share them if their lists are equal.
func parseCycle(_ *parser, t *token) (node, error) {
	p, err := newExpressions(t.args, nil)
	if err != nil {
		return nil, t.syntax(err)
	}
	var c cycle
	for {
		w := p.peek()
		e, err := p.operand()
		if err != nil {
			return nil, t.syntax(err)
		}
		if c.values == nil && c.group == "" && p.sign(":") {
			c.group = "group " + w.text + fmt.Sprint(w.value)
			continue
		}
		c.values = append(c.values, e)
		if !p.sign(",") {
			break
		}
	}
	if c.group == "" {
		c.group = "list " + strings.TrimSpace(t.args)
	}
	if err := p.end(); err != nil {
		return nil, t.syntax(err)
	}
	return c, nil
}

// leave is break and continue.
type leave signal

func (l leave) render(*rendering) signal { return signal(l) }

func parseBreak(*parser, *token) (node, error) { return leave(broken), nil }

func parseContinue(*parser, *token) (node, error) { return leave(continued), nil }
