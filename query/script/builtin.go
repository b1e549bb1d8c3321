package script

import "math"

// methods are the built-in functions by type of the receiver; common those of
// every type.
var (
	methods  map[kind]map[string]method
	common   map[string]method
	mutators map[string]bool
)

func init() {
	methods = map[kind]map[string]method{
		integer: numberMethods(), float: numberMethods(), char: charMethods(), text: textMethods(),
		array: arrayMethods(), object: objectMethods(), interval: intervalMethods(),
	}
	common = commonMethods()
	mutators = map[string]bool{}
	for _, table := range methods {
		for name, m := range table {
			if m.mutates {
				mutators[name] = true
			}
		}
	}
}

// reader and mutator build rows of the tables.
func reader(least, most int, run func(c *invocation) (value, error)) method {
	return method{least: least, most: most, run: run}
}

func mutator(least, most int, run func(c *invocation) (value, error)) method {
	return method{least: least, most: most, mutates: true, run: run}
}

func (c *invocation) int(i int) (int64, bool) {
	if i < len(c.args) && c.args[i].kind == integer {
		return c.args[i].int(), true
	}
	return 0, false
}

// textual reads a string or character argument.
func (c *invocation) textual(i int) (string, bool) {
	if i >= len(c.args) {
		return "", false
	}
	switch v := &c.args[i]; v.kind {
	case text:
		return v.text, true
	case char:
		return string(v.rune()), true
	}
	return "", false
}

// stretch reads a start and an optional length, or a range, as bounds in 0..n.
func (c *invocation) stretch(i, n int) (from, to int, ok bool) {
	if i < len(c.args) && c.args[i].kind == interval {
		s := c.args[i].span()
		from, to = clampIndex(s.from, n), n
		if !s.open {
			to = clampIndex(s.to, n)
			if s.inclusive && to < n && s.to >= 0 {
				to++
			}
		}
		return from, max(from, to), true
	}
	start, ok := c.int(i)
	if !ok {
		return 0, 0, false
	}
	if start < 0 {
		start = max(start+int64(n), 0)
	}
	from, to = int(min(start, int64(n))), n
	if i+1 < len(c.args) {
		length, ok := c.int(i + 1)
		if !ok {
			return 0, 0, false
		}
		to = from + int(min(max(length, 0), int64(n-from)))
	}
	return from, to, true
}

func clampIndex(i int64, n int) int { return int(min(max(i, 0), int64(n))) }

func commonMethods() map[string]method {
	return map[string]method{
		"to_string": reader(0, 0, func(c *invocation) (value, error) { return c.m.newText(c.m.display(c.recv)) }),
		"to_debug":  reader(0, 0, func(c *invocation) (value, error) { return c.m.newText(c.m.debug(c.recv)) }),
		"type_of":   reader(0, 0, func(c *invocation) (value, error) { return textOf(c.recv.kind.name()), nil }),
		"print":     reader(0, 0, func(*invocation) (value, error) { return value{}, nil }),
		"debug":     reader(0, 0, func(*invocation) (value, error) { return value{}, nil }),
	}
}

func intervalMethods() map[string]method {
	row := func(f func(s *span, n int64) value) method {
		return reader(0, 1, func(c *invocation) (value, error) {
			n, ok := c.int(0)
			if len(c.args) == 1 && !ok {
				return value{}, errNoMatch
			}
			return f(c.recv.span(), n), nil
		})
	}
	return map[string]method{
		"contains": row(func(s *span, n int64) value { return boolOf(s.holds(n)) }),
		"start":    row(func(s *span, _ int64) value { return intOf(s.from) }),
		"end":      row(func(s *span, _ int64) value { return intOf(s.to) }),
		"is_empty": row(func(s *span, _ int64) value { return boolOf(!s.holds(s.from)) }),
	}
}

// global runs the functions that are not methods of their first argument.
func (m *machine) global(n *call, args []value) (value, bool, error) {
	switch {
	case n.name == "PI" && len(args) == 0:
		return floatOf(math.Pi), true, nil
	case n.name == "E" && len(args) == 0:
		return floatOf(math.E), true, nil
	case n.name == "exit" && len(args) == 0:
		return value{}, true, &leave{kind: leaveScript, at: n.pos}
	case n.name == "range" && (len(args) == 2 || len(args) == 3):
		return m.stepped(n, args)
	case n.name != "Fn" && n.name != "is_def_var" && n.name != "is_def_fn" && n.name != "exit":
		return value{}, false, nil
	}
	if err := firstArg(n, m, args); err != nil {
		return value{}, true, err
	}
	switch {
	case n.name == "exit" && len(args) == 1:
		return value{}, true, &leave{kind: leaveScript, value: args[0], at: n.pos}
	case n.name == "Fn" && len(args) == 1 && args[0].kind == text:
		return value{kind: function, ref: &closure{name: args[0].text}}, true, nil
	case n.name == "is_def_var" && len(args) == 1 && args[0].kind == text:
		return boolOf(m.find(args[0].text) != nil), true, nil
	case n.name == "is_def_fn" && len(args) == 2 && args[0].kind == text && args[1].kind == integer:
		return boolOf(m.program.fns[fnKey{args[0].text, int(args[1].int())}] != nil), true, nil
	}
	return value{}, true, failed(notFound(n.name, args))
}

// stepped is range(from, to[, step]): without a step a range, else the integers
// as an array.
func (m *machine) stepped(n *call, args []value) (value, bool, error) {
	if err := firstArg(n, m, args); err != nil {
		return value{}, true, err
	}
	for i := range args {
		if args[i].kind != integer {
			return value{}, true, failed(notFound(n.name, args))
		}
	}
	from, to := args[0].int(), args[1].int()
	if len(args) == 2 {
		return value{kind: interval, ref: &span{from: from, to: to}}, true, nil
	}
	by := args[2].int()
	if by == 0 {
		return value{}, true, failed("range cannot have a step of zero")
	}
	var items []value
	for i := from; by > 0 && i < to || by < 0 && i > to; i += by {
		if items = append(items, intOf(i)); len(items) > m.limits.Items {
			break
		}
		if by > 0 && i > math.MaxInt64-by || by < 0 && i < math.MinInt64-by {
			break
		}
	}
	v, err := m.newList(items)
	return v, true, err
}
