package script

import (
	"maps"
	"math"
	"strconv"

	"shoal/query/script/value"
)

// numberMethods are the methods of integers and floats. Each checks the type of its
// receiver.
func numberMethods() map[string]method {
	table := map[string]method{
		"abs":         reader(0, 0, numberAbs),
		"sign":        reader(0, 0, numberSign),
		"is_zero":     property(func(c *invocation) (value.Value, error) { n, _ := c.recv.Number(); return value.Bool(n == 0), nil }),
		"to_float":    reader(0, 0, func(c *invocation) (value.Value, error) { n, _ := c.recv.Number(); return value.Float(n), nil }),
		"is_odd":      parity(func(i int64) value.Value { return value.Bool(i&1 != 0) }),
		"is_even":     parity(func(i int64) value.Value { return value.Bool(i&1 == 0) }),
		"to_hex":      whole(func(i int64) value.Value { return value.String(strconv.FormatUint(uint64(i), 16)) }),
		"to_octal":    whole(func(i int64) value.Value { return value.String(strconv.FormatUint(uint64(i), 8)) }),
		"to_binary":   whole(func(i int64) value.Value { return value.String(strconv.FormatUint(uint64(i), 2)) }),
		"to_int":      reader(0, 0, numberInt),
		"is_nan":      fraction(func(f float64) value.Value { return value.Bool(math.IsNaN(f)) }),
		"is_infinite": fraction(func(f float64) value.Value { return value.Bool(math.IsInf(f, 0)) }),
		"is_finite":   fraction(func(f float64) value.Value { return value.Bool(!math.IsInf(f, 0) && !math.IsNaN(f)) }),
		"max":         reader(1, 1, func(c *invocation) (value.Value, error) { return extreme(c, ">") }),
		"min":         reader(1, 1, func(c *invocation) (value.Value, error) { return extreme(c, "<") }),
		"log":         reader(0, 1, numberLog),
	}
	for name, f := range map[string]func(float64) float64{
		"sqrt": math.Sqrt, "exp": math.Exp, "ln": math.Log, "sin": math.Sin, "cos": math.Cos, "tan": math.Tan,
		"asin": math.Asin, "acos": math.Acos, "sinh": math.Sinh, "cosh": math.Cosh, "tanh": math.Tanh,
		"to_degrees": func(f float64) float64 { return f * 180 / math.Pi }, "to_radians": func(f float64) float64 { return f * math.Pi / 180 },
		"asinh": math.Asinh, "acosh": math.Acosh, "atanh": math.Atanh,
	} {
		table[name] = real(f)
	}
	for name, f := range map[string]func(float64) float64{
		"floor": math.Floor, "ceiling": math.Ceil, "round": math.Round, "int": math.Trunc,
		"fraction": func(f float64) float64 { return f - math.Trunc(f) },
	} {
		table[name] = fraction(func(x float64) value.Value { return value.Float(f(x)) })
	}
	table["atan"] = reader(0, 1, func(c *invocation) (value.Value, error) {
		if len(c.args) == 0 {
			return real(math.Atan).run(c)
		}
		return pair(math.Atan2).run(c)
	})
	table["hypot"] = pair(math.Hypot)
	maps.Copy(table, bitMethods())
	return table
}

// fraction makes a property of floats, parity one of integers; real makes a method of floats,
// pair one of two floats, whole one of integers.
func fraction(f func(float64) value.Value) method {
	return property(func(c *invocation) (value.Value, error) {
		if c.recv.Kind != value.KindFloat {
			return value.Value{}, errNoMatch
		}
		return f(c.recv.Float()), nil
	})
}

func parity(f func(int64) value.Value) method {
	p := whole(f)
	p.property = true
	return p
}

func pair(f func(a, b float64) float64) method {
	return reader(1, 1, func(c *invocation) (value.Value, error) {
		if c.recv.Kind != value.KindFloat || c.args[0].Kind != value.KindFloat {
			return value.Value{}, errNoMatch
		}
		return value.Float(f(c.recv.Float(), c.args[0].Float())), nil
	})
}

func real(f func(float64) float64) method {
	return reader(0, 0, func(c *invocation) (value.Value, error) {
		if c.recv.Kind != value.KindFloat {
			return value.Value{}, errNoMatch
		}
		return value.Float(f(c.recv.Float())), nil
	})
}

func whole(f func(int64) value.Value) method {
	return reader(0, 0, func(c *invocation) (value.Value, error) {
		if c.recv.Kind != value.KindInt {
			return value.Value{}, errNoMatch
		}
		return f(c.recv.Int()), nil
	})
}

func numberAbs(c *invocation) (value.Value, error) {
	if c.recv.Kind == value.KindFloat {
		return value.Float(math.Abs(c.recv.Float())), nil
	}
	i := c.recv.Int()
	if i == math.MinInt64 {
		return value.Value{}, value.Failed("Negation overflow: -" + value.Itoa(i)).WithKind(value.ArithmeticKind)
	}
	return value.Int(max(i, -i)), nil
}

func numberSign(c *invocation) (value.Value, error) {
	f, _ := c.recv.Number()
	switch {
	case math.IsNaN(f):
		return value.Value{}, value.Failed("Sign of NaN is undefined").WithKind(value.ArithmeticKind)
	case f > 0:
		return value.Int(1), nil
	case f < 0:
		return value.Int(-1), nil
	}
	return value.Int(0), nil
}

func numberInt(c *invocation) (value.Value, error) {
	if c.recv.Kind == value.KindInt {
		return *c.recv, nil
	}
	f := c.recv.Float()
	if math.IsNaN(f) || f > 1<<63 || f < -(1<<63) {
		return value.Value{}, value.Failed("Integer overflow: to_int(" + value.DisplayFloat(f) + ")").WithKind(value.ArithmeticKind)
	}
	if f == 1<<63 { // as a float, the greatest integer is one more
		return value.Int(math.MaxInt64), nil
	}
	return value.Int(int64(f)), nil
}

func numberLog(c *invocation) (value.Value, error) {
	if c.recv.Kind != value.KindFloat || len(c.args) == 1 && c.args[0].Kind != value.KindFloat {
		return value.Value{}, errNoMatch
	}
	if len(c.args) == 0 {
		return value.Float(math.Log10(c.recv.Float())), nil
	}
	return value.Float(math.Log(c.recv.Float()) / math.Log(c.args[0].Float())), nil
}

// extreme is max and min of two values of one kind, or of an integer and a float.
func extreme(c *invocation, op string) (value.Value, error) {
	a, b := c.recv, &c.args[0]
	_, numeric := a.Number()
	_, numeric2 := b.Number()
	if a.Kind != b.Kind && !(numeric && numeric2) {
		return value.Value{}, errNoMatch
	}
	won := *b
	if value.Compares(op, a, b) {
		won = *a
	}
	if a.Kind != b.Kind {
		f, _ := won.Number()
		return value.Float(f), nil
	}
	return won, nil
}
