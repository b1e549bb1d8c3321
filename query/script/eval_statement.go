package script

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"shoal/query/script/syntax"
	"shoal/query/script/value"
)

func evalBlock(b *syntax.Block, m *machine) (value.Value, error) {
	mark := len(m.vars)
	v, err := m.sequence(b.Body)
	m.forget(mark)
	return v, err
}

// sequence runs statements and returns the value of the last one.
func (m *machine) sequence(body []syntax.Node) (last value.Value, err error) {
	for _, n := range body {
		if last, err = m.run(n); err != nil {
			return value.Value{}, err
		}
	}
	return last, nil
}

func evalLet(n *syntax.Let, m *machine) (value.Value, error) {
	var v value.Value
	if n.Value != nil {
		var err error
		if v, err = m.run(n.Value); err != nil {
			return value.Value{}, err
		}
	}
	_, err := m.define(n.Name, v.Copied(), n.Constant)
	return value.Value{}, n.Pos.At(err)
}

func evalIf(n *syntax.If, m *machine) (value.Value, error) {
	yes, err := m.truth(n.Cond)
	switch {
	case err != nil:
		return value.Value{}, err
	case yes:
		return m.run(n.Then)
	case n.Otherwise != nil:
		return m.run(n.Otherwise)
	}
	return value.Value{}, nil
}

func evalLoop(n *syntax.Loop, m *machine) (value.Value, error) {
	for first := true; ; first = false {
		if err := m.step(n); err != nil {
			return value.Value{}, err
		}
		if n.Cond != nil && (!n.After || !first) {
			yes, err := m.truth(n.Cond)
			if err != nil || yes == n.Until {
				return value.Value{}, err
			}
		}
		if _, err := m.run(n.Body); err != nil {
			if v, ended, err := turn(err); ended {
				return v, err
			}
		}
	}
}

// turn handles an interruption of one iteration of a loop: whether the loop ends, and with
// which value or error.
func turn(err error) (value.Value, bool, error) {
	var l *leave
	if errors.As(err, &l) {
		switch l.kind {
		case leaveTurn:
			return value.Value{}, false, nil
		case leaveLoop:
			return l.value, true, nil
		}
	}
	return value.Value{}, true, err
}

func evalFor(n *syntax.For, m *machine) (value.Value, error) {
	over, err := m.run(n.Over)
	if err != nil {
		return value.Value{}, err
	}
	mark := len(m.vars)
	defer func() { m.forget(mark) }()
	count := int64(0)
	var result value.Value
	each := func(item value.Value) (bool, error) {
		m.forget(mark)
		if err := m.step(n); err != nil {
			return true, err
		}
		if n.Counter != "" {
			if _, err := m.define(n.Counter, value.Int(count), false); err != nil {
				return true, n.Pos.At(err)
			}
		}
		if _, err := m.define(n.Item, item.Copied(), false); err != nil {
			return true, n.Pos.At(err)
		}
		count++
		_, err := m.run(n.Body)
		if err == nil {
			return false, nil
		}
		v, ended, err := turn(err)
		result = v
		return ended, err
	}
	err = iterate(n, &over, each)
	return result, err
}

// iterate calls each with the items of a value until each returns that the loop has ended.
func iterate(n *syntax.For, over *value.Value, each func(value.Value) (bool, error)) error {
	// Marking the value as shared keeps the items unchanged while the body modifies the
	// variable.
	*over = over.Copied()
	switch over.Kind {
	case value.KindArray:
		for _, item := range over.List().Items {
			if ended, err := each(item); ended {
				return err
			}
		}
	case value.KindString:
		for _, r := range over.Text {
			if ended, err := each(value.Char(r)); ended {
				return err
			}
		}
	case value.KindIterator:
		for item := range over.Iterator().Items {
			if ended, err := each(item); ended {
				return err
			}
		}
	case value.KindRange:
		s := over.Range()
		for i := s.From; s.Holds(i); i++ {
			if ended, err := each(value.Int(i)); ended || i == math.MaxInt64 {
				return err
			}
		}
	default:
		return syntax.Start(n.Over).Fail("For loop expects iterable type").WithKind("ErrorFor")
	}
	return nil
}

func evalSwitch(n *syntax.Switch, m *machine) (value.Value, error) {
	on, err := m.run(n.On)
	if err != nil {
		return value.Value{}, err
	}
	for i := range n.Cases {
		c := &n.Cases[i]
		if !takes(c, &on) {
			continue
		}
		if c.Cond != nil {
			yes, err := m.truth(c.Cond)
			if err != nil {
				return value.Value{}, err
			}
			if !yes {
				continue
			}
		}
		return m.run(c.Body)
	}
	return value.Value{}, nil
}

// takes tells whether a value equals one of the alternatives. Types must agree.
func takes(c *syntax.Case, on *value.Value) bool {
	if c.Values == nil {
		return true
	}
	for i := range c.Values {
		v := &c.Values[i]
		if v.Kind == value.KindRange && on.Kind == value.KindInt {
			if v.Range().Holds(on.Int()) {
				return true
			}
		} else if v.Kind == on.Kind && value.Equal(v, on) {
			return true
		}
	}
	return false
}

func evalJump(n *syntax.Jump, m *machine) (value.Value, error) {
	var v value.Value
	if n.Value != nil {
		var err error
		if v, err = m.run(n.Value); err != nil {
			return value.Value{}, err
		}
	}
	switch n.What {
	case "break":
		return value.Value{}, &leave{kind: leaveLoop, value: v, at: n.Pos}
	case "continue":
		return value.Value{}, &leave{kind: leaveTurn, at: n.Pos}
	case "return":
		return value.Value{}, &leave{kind: leaveFunction, value: v, at: n.Pos}
	}
	e := n.Pos.Fail("Runtime error")
	if s := m.display(&v); s != "" {
		e.Message += ": " + s
	}
	e.Thrown = &v
	return value.Value{}, e
}

func evalTry(n *syntax.Try, m *machine) (value.Value, error) {
	mark, base, self, calls, nesting := len(m.vars), m.base, m.this, m.calls, m.nesting
	v, err := m.run(n.Body)
	var e *value.Error
	if err == nil || !errors.As(err, &e) || e.Fatal {
		return v, err
	}
	m.forget(mark)
	m.base, m.this, m.calls, m.nesting = base, self, calls, nesting
	if n.Name != "" {
		if _, err := m.define(n.Name, caught(e), false); err != nil {
			return value.Value{}, n.Pos.At(err)
		}
	}
	v, err = m.run(n.Handler)
	m.forget(mark)
	return v, err
}

// caught is the value that a handler gets for a failure: the thrown value, or an object
// that describes the error.
func caught(e *value.Error) value.Value {
	if e.Thrown != nil {
		return *e.Thrown
	}
	entries := append([]value.Entry{value.Detail("error", cmp.Or(e.Kind, "ErrorRuntime")), value.Detail("message", e.Message)}, e.Details...)
	if e.Line != 0 {
		entries = append(entries, value.Entry{Key: "line", Value: value.Int(int64(e.Line))}, value.Entry{Key: "position", Value: value.Int(int64(e.Position))})
	}
	slices.SortFunc(entries, func(a, b value.Entry) int { return strings.Compare(a.Key, b.Key) })
	return value.Object(entries)
}

// chars counts the characters of a string.
func chars(s string) int { return utf8.RuneCountInString(s) }
