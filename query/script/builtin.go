package script

import (
	"math"

	"shoal/query/script/syntax"
	"shoal/query/script/value"
)

// methods are the built-in functions by type of the receiver. common are those for every
// type.
var (
	methods  map[value.Kind]map[string]method
	common   map[string]method
	mutators map[string]bool
)

func init() {
	methods = map[value.Kind]map[string]method{
		value.KindInt: numberMethods(), value.KindFloat: numberMethods(), value.KindChar: charMethods(), value.KindString: textMethods(),
		value.KindArray: arrayMethods(), value.KindObject: objectMethods(), value.KindRange: intervalMethods(),
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
func reader(least, most int, run func(c *invocation) (value.Value, error)) method {
	return method{least: least, most: most, run: run}
}

func mutator(least, most int, run func(c *invocation) (value.Value, error)) method {
	return method{least: least, most: most, mutates: true, run: run}
}

func (c *invocation) int(i int) (int64, bool) {
	if i < len(c.args) && c.args[i].Kind == value.KindInt {
		return c.args[i].Int(), true
	}
	return 0, false
}

// textual reads a string or character argument.
func (c *invocation) textual(i int) (string, bool) {
	if i >= len(c.args) {
		return "", false
	}
	switch v := &c.args[i]; v.Kind {
	case value.KindString:
		return v.Text, true
	case value.KindChar:
		return string(v.Rune()), true
	}
	return "", false
}

// stretch reads a start and an optional length, or a range, as bounds within 0..n.
func (c *invocation) stretch(i, n int) (from, to int, ok bool) {
	if i < len(c.args) && c.args[i].Kind == value.KindRange {
		s := c.args[i].Range()
		from, to = clampIndex(s.From, n), n
		if !s.Open {
			to = clampIndex(s.To, n)
			if s.Inclusive && to < n && s.To >= 0 {
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
		"to_string": reader(0, 0, func(c *invocation) (value.Value, error) { return c.m.newText(c.m.display(c.recv)) }),
		"to_debug":  reader(0, 0, func(c *invocation) (value.Value, error) { return c.m.newText(c.m.debug(c.recv)) }),
		"type_of":   reader(0, 0, func(c *invocation) (value.Value, error) { return value.String(c.recv.Kind.Name()), nil }),
		"print":     reader(0, 0, func(*invocation) (value.Value, error) { return value.Value{}, nil }),
		"debug":     reader(0, 0, func(*invocation) (value.Value, error) { return value.Value{}, nil }),
	}
}

func intervalMethods() map[string]method {
	row := func(f func(s *value.Range, n int64) value.Value) method {
		return reader(0, 1, func(c *invocation) (value.Value, error) {
			n, ok := c.int(0)
			if len(c.args) == 1 && !ok {
				return value.Value{}, errNoMatch
			}
			return f(c.recv.Range(), n), nil
		})
	}
	return map[string]method{
		"contains": row(func(s *value.Range, n int64) value.Value { return value.Bool(s.Holds(n)) }),
		"start":    row(func(s *value.Range, _ int64) value.Value { return value.Int(s.From) }),
		"end":      row(func(s *value.Range, _ int64) value.Value { return value.Int(s.To) }),
		"is_empty": row(func(s *value.Range, _ int64) value.Value { return value.Bool(!s.Holds(s.From)) }),
	}
}

// global runs functions that are not methods of their first argument.
func (m *machine) global(n *syntax.Call, args []value.Value) (value.Value, bool, error) {
	switch {
	case n.Name == "PI" && len(args) == 0:
		return value.Float(math.Pi), true, nil
	case n.Name == "E" && len(args) == 0:
		return value.Float(math.E), true, nil
	case n.Name == "exit" && len(args) == 0:
		return value.Value{}, true, &leave{kind: leaveScript, at: n.Pos}
	case n.Name == "range" && (len(args) == 2 || len(args) == 3):
		return m.stepped(n, args)
	case n.Name != "Fn" && n.Name != "is_def_var" && n.Name != "is_def_fn" && n.Name != "exit":
		return value.Value{}, false, nil
	}
	if err := firstArg(n, m, args); err != nil {
		return value.Value{}, true, err
	}
	switch {
	case n.Name == "exit" && len(args) == 1:
		return value.Value{}, true, &leave{kind: leaveScript, value: args[0], at: n.Pos}
	case n.Name == "Fn" && len(args) == 1 && args[0].Kind == value.KindString:
		return value.Value{Kind: value.KindFunction, Ref: &closure{name: args[0].Text}}, true, nil
	case n.Name == "is_def_var" && len(args) == 1 && args[0].Kind == value.KindString:
		return value.Bool(m.find(args[0].Text) != nil), true, nil
	case n.Name == "is_def_fn" && len(args) == 2 && args[0].Kind == value.KindString && args[1].Kind == value.KindInt:
		return value.Bool(m.program.Functions[syntax.Signature{Name: args[0].Text, Params: int(args[1].Int())}] != nil), true, nil
	}
	return value.Value{}, true, value.NotFound(n.Name, args)
}

// stepped is range(from, to[, step]). Without a step it is a range, otherwise an array of
// integers.
func (m *machine) stepped(n *syntax.Call, args []value.Value) (value.Value, bool, error) {
	if err := firstArg(n, m, args); err != nil {
		return value.Value{}, true, err
	}
	for i := range args {
		if args[i].Kind != value.KindInt {
			return value.Value{}, true, value.NotFound(n.Name, args)
		}
	}
	from, to := args[0].Int(), args[1].Int()
	if len(args) == 2 {
		return value.Value{Kind: value.KindRange, Ref: &value.Range{From: from, To: to}}, true, nil
	}
	by := args[2].Int()
	if by == 0 {
		return value.Value{}, true, value.Failed("range cannot have a step of zero")
	}
	var items []value.Value
	for i := from; by > 0 && i < to || by < 0 && i > to; i += by {
		if items = append(items, value.Int(i)); len(items) > m.limits.Items {
			break
		}
		if by > 0 && i > math.MaxInt64-by || by < 0 && i < math.MinInt64-by {
			break
		}
	}
	v, err := m.newList(items)
	return v, true, err
}
