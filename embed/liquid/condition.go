package liquid

import "strings"

// condition is what if, unless and elsif ask: comparisons joined by "or" and "and", of which
// "and" binds more strongly.
type condition []conjunction

type conjunction []comparison

// comparison compares two values by a sign. Without a sign it asks whether the first one
// is neither missing nor nil nor false.
type comparison struct {
	a, b expression
	sign string
}

func (c condition) holds(r *rendering) bool {
	for _, all := range c {
		if all.holds(r) {
			return true
		}
	}
	return false
}

func (c conjunction) holds(r *rendering) bool {
	for i := range c {
		if !c[i].holds(r) {
			return false
		}
	}
	return true
}

func (c *comparison) holds(r *rendering) bool {
	if c.sign == "" {
		v, ok := c.a.find(r)
		return ok && is(v, stateTruthy)
	}
	a, b := c.a.eval(r), c.b.eval(r)
	switch c.sign {
	case "==":
		return r.equal(a, b)
	case "!=", "<>":
		return !r.equal(a, b)
	case "contains":
		return r.contains(a, b)
	}
	order, ok := r.compare(a, b)
	switch c.sign {
	case "<":
		return ok && order < 0
	case ">":
		return ok && order > 0
	case "<=":
		return ok && order <= 0
	}
	return ok && order >= 0
}

func (c condition) String() string {
	var out strings.Builder
	for i, all := range c {
		if i > 0 {
			out.WriteString(" or ")
		}
		for j, one := range all {
			if j > 0 {
				out.WriteString(" and ")
			}
			out.WriteString(one.a.String())
			switch one.sign {
			case "":
			case "<>":
				out.WriteString(" != " + one.b.String())
			default:
				out.WriteString(" " + one.sign + " " + one.b.String())
			}
		}
	}
	return out.String()
}

// condition reads the words of if, unless and elsif.
func (t *tag) condition() (condition, error) {
	var out condition
	for {
		all, err := t.conjunction()
		if err != nil {
			return nil, err
		}
		out = append(out, all)
		if t.peek() == "" {
			return out, nil
		}
		if !t.accept("or") {
			t.read++
			return nil, t.unexpected(`"and" or "or"`)
		}
	}
}

func (t *tag) conjunction() (conjunction, error) {
	var out conjunction
	for {
		c, err := t.comparison()
		if err != nil {
			return nil, err
		}
		if out = append(out, c); !t.accept("and") {
			return out, nil
		}
	}
}

func (t *tag) comparison() (c comparison, err error) {
	if c.a, err = t.value(); err != nil {
		return c, err
	}
	switch sign := t.peek(); sign {
	case "==", "!=", "<>", "<", ">", "<=", ">=", "contains":
		t.read++
		c.sign = sign
		c.b, err = t.value()
	}
	return c, err
}
