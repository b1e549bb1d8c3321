package script

import (
	"maps"
	"math"
	"slices"

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
		value.KindFunction: functionMethods(),
	}
	common = commonMethods()
	mutators = map[string]bool{}
	for _, table := range append(slices.Collect(maps.Values(methods)), common) {
		for name, m := range table {
			if m.mutates {
				mutators[name] = true
			}
		}
	}
}

// reader, property and mutator build rows of the tables.
func reader(least, most int, run func(c *invocation) (value.Value, error)) method {
	return method{least: least, most: most, run: run}
}

func property(run func(c *invocation) (value.Value, error)) method {
	return method{property: true, run: run}
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

// stretch reads a start and a length, a range, or with open a start alone, as bounds within
// 0..n.
func (c *invocation) stretch(i, n int, open bool) (from, to int, ok bool) {
	start, count := int64(0), int64(math.MaxInt64)
	last := i
	switch {
	case i < len(c.args) && c.args[i].Kind == value.KindRange:
		start, count = span(c.args[i].Range())
	case i+1 < len(c.args):
		last = i + 1
		if count, ok = c.int(i + 1); !ok {
			return 0, 0, false
		}
		fallthrough
	default:
		if start, ok = c.int(i); !ok || last == i && !open {
			return 0, 0, false
		}
	}
	if start < 0 {
		start = max(start+int64(n), 0)
	}
	from = int(min(start, int64(n)))
	return from, from + int(min(max(count, 0), int64(n-from))), last == len(c.args)-1
}

// span is the start and length of a range.
func span(s *value.Range) (start, count int64) {
	start = max(s.From, 0)
	count = max(s.To, start) - start
	if s.Inclusive && count < math.MaxInt64 {
		count++
	}
	return start, count
}

func clampIndex(i int64, n int) int { return int(min(max(i, 0), int64(n))) }

func commonMethods() map[string]method {
	return map[string]method{
		"to_string": reader(0, 0, func(c *invocation) (value.Value, error) { return c.m.newText(c.m.display(c.recv)) }),
		"to_debug":  reader(0, 0, func(c *invocation) (value.Value, error) { return c.m.newText(c.m.debug(c.recv)) }),
		"type_of":   reader(0, 0, func(c *invocation) (value.Value, error) { return value.String(c.recv.TypeName()), nil }),
		"print":     reader(0, 0, func(*invocation) (value.Value, error) { return value.Value{}, nil }),
		"debug":     reader(0, 0, func(*invocation) (value.Value, error) { return value.Value{}, nil }),
		"tag":       property(func(c *invocation) (value.Value, error) { return value.Int(int64(c.recv.Tag)), nil }),
		"set_tag": mutator(1, 1, func(c *invocation) (value.Value, error) {
			tag, ok := c.int(0)
			if !ok {
				return value.Value{}, errNoMatch
			}
			return value.Value{}, setTag(c.recv, tag)
		}),
		"take": mutator(0, 0, func(c *invocation) (value.Value, error) {
			v := *c.recv
			*c.recv = value.Value{}
			return v, nil
		}),
	}
}

func intervalMethods() map[string]method {
	row := func(f func(s *value.Range) value.Value) method {
		return property(func(c *invocation) (value.Value, error) { return f(c.recv.Range()), nil })
	}
	return map[string]method{
		"contains": reader(1, 1, func(c *invocation) (value.Value, error) {
			n, ok := c.int(0)
			if !ok {
				return value.Value{}, errNoMatch
			}
			return value.Bool(c.recv.Range().Holds(n)), nil
		}),
		"start":        row(func(s *value.Range) value.Value { return value.Int(s.From) }),
		"end":          row(func(s *value.Range) value.Value { return value.Int(s.To) }),
		"is_inclusive": row(func(s *value.Range) value.Value { return value.Bool(s.Inclusive) }),
		"is_exclusive": row(func(s *value.Range) value.Value { return value.Bool(!s.Inclusive) }),
		"is_empty":     row(func(s *value.Range) value.Value { return value.Bool(!s.Holds(s.From)) }),
	}
}

func functionMethods() map[string]method {
	return map[string]method{
		"name": property(func(c *invocation) (value.Value, error) { return value.String(closureOf(c.recv).name), nil }),
		"is_anonymous": property(func(c *invocation) (value.Value, error) {
			fn := closureOf(c.recv).fn
			return value.Bool(fn != nil && anonymous(fn)), nil
		}),
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
	case !globals[n.Name] || len(args) == 0:
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
	return m.globalOn(n, args)
}

// globals are the names of the functions of globalOn and of their like.
var globals = map[string]bool{"Fn": true, "is_def_var": true, "is_def_fn": true, "exit": true, "call": true, "curry": true}

// globalOn runs call and curry, and says what is wrong with the arguments of the others.
func (m *machine) globalOn(n *syntax.Call, args []value.Value) (value.Value, bool, error) {
	wrong := func(i int, want string) error { return syntax.Start(n.Args[i]).At(value.WrongType(want, &args[i])) }
	f := &args[0]
	switch {
	case n.Name == "curry" && len(args) == 1, n.Name == "exit", n.Name == "Fn" && len(args) > 1,
		n.Name == "is_def_var" && len(args) > 1, n.Name == "is_def_fn" && len(args) != 2:
		return value.Value{}, true, value.NotFound(n.Name, args)
	case (n.Name == "call" || n.Name == "curry") && f.Kind != value.KindFunction:
		return value.Value{}, true, wrong(0, "Fn")
	case n.Name == "curry":
		return curried(f, args[1:]), true, nil
	case n.Name == "call":
		v, err := m.apply(n.Pos, closureOf(f), args[1:], nil)
		return v, true, err
	case f.Kind != value.KindString:
		return value.Value{}, true, wrong(0, "string")
	}
	return value.Value{}, true, wrong(1, "i64")
}

// stepped is range(from, to[, step]) of integers or floats, and range(range, step).
func (m *machine) stepped(n *syntax.Call, args []value.Value) (value.Value, bool, error) {
	if err := firstArg(n, m, args); err != nil {
		return value.Value{}, true, err
	}
	all := args
	if len(args) == 2 && args[0].Kind == value.KindRange && !args[0].Range().Inclusive {
		s := args[0].Range()
		all = []value.Value{value.Int(s.From), value.Int(s.To), args[1]}
	}
	for i := range all {
		if k := all[i].Kind; k != all[0].Kind || k != value.KindInt && (k != value.KindFloat || len(all) == 2) {
			return value.Value{}, true, value.NotFound(n.Name, args)
		}
	}
	if len(all) == 2 {
		return value.Interval(all[0].Int(), all[1].Int(), false), true, nil
	}
	if by, _ := all[2].Number(); by == 0 {
		return value.Value{}, true, value.Failed("step value cannot be zero\nin call to function 'range'").WithKind("ErrorInFunctionCall",
			value.Detail("function", "range"), value.Detail("source", ""))
	}
	if all[0].Kind == value.KindFloat {
		return value.Sequence(stepSource+"<f64>", value.FloatSteps(all[0].Float(), all[1].Float(), all[2].Float())), true, nil
	}
	return value.Sequence(stepSource+"<i64>", value.Steps(all[0].Int(), all[1].Int(), all[2].Int())), true, nil
}

// stepSource and the like are what Rhai shows as JSON of an iterator.
const (
	iteratorSource = "rhai::packages::iter_basic::"
	stepSource     = iteratorSource + "StepRange"
)
