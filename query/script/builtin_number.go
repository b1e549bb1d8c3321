package script

import (
	"math"
	"strconv"
)

// numberMethods are those of integers and floats; each looks at what it got.
func numberMethods() map[string]method {
	table := map[string]method{
		"abs":         reader(0, 0, numberAbs),
		"sign":        reader(0, 0, numberSign),
		"is_zero":     numeric(func(f float64) value { return boolOf(f == 0) }),
		"to_float":    numeric(floatOf),
		"is_odd":      whole(func(i int64) value { return boolOf(i&1 != 0) }),
		"is_even":     whole(func(i int64) value { return boolOf(i&1 == 0) }),
		"to_hex":      whole(func(i int64) value { return textOf(strconv.FormatUint(uint64(i), 16)) }),
		"to_octal":    whole(func(i int64) value { return textOf(strconv.FormatUint(uint64(i), 8)) }),
		"to_binary":   whole(func(i int64) value { return textOf(strconv.FormatUint(uint64(i), 2)) }),
		"to_char":     whole(func(i int64) value { return charOf(rune(i)) }),
		"to_int":      reader(0, 0, numberInt),
		"is_nan":      numeric(func(f float64) value { return boolOf(math.IsNaN(f)) }),
		"is_infinite": numeric(func(f float64) value { return boolOf(math.IsInf(f, 0)) }),
		"is_finite":   numeric(func(f float64) value { return boolOf(!math.IsInf(f, 0) && !math.IsNaN(f)) }),
		"max":         reader(1, 1, func(c *invocation) (value, error) { return extreme(c, ">") }),
		"min":         reader(1, 1, func(c *invocation) (value, error) { return extreme(c, "<") }),
		"log":         reader(0, 1, numberLog),
	}
	for name, f := range map[string]func(float64) float64{
		"sqrt": math.Sqrt, "exp": math.Exp, "ln": math.Log, "sin": math.Sin, "cos": math.Cos, "tan": math.Tan,
		"asin": math.Asin, "acos": math.Acos, "atan": math.Atan, "sinh": math.Sinh, "cosh": math.Cosh, "tanh": math.Tanh,
		"to_degrees": func(f float64) float64 { return f * 180 / math.Pi }, "to_radians": func(f float64) float64 { return f * math.Pi / 180 },
		"floor": math.Floor, "ceiling": math.Ceil, "round": math.Round, "int": math.Trunc,
		"fraction": func(f float64) float64 { return f - math.Trunc(f) },
	} {
		table[name] = real(f)
	}
	return table
}

// numeric is a method of every number, real one of floats, whole one of integers.
func numeric(f func(float64) value) method {
	return reader(0, 0, func(c *invocation) (value, error) {
		n, _ := c.recv.number()
		return f(n), nil
	})
}

func real(f func(float64) float64) method {
	return reader(0, 0, func(c *invocation) (value, error) {
		if c.recv.kind != float {
			return value{}, errNoMatch
		}
		return floatOf(f(c.recv.float())), nil
	})
}

func whole(f func(int64) value) method {
	return reader(0, 0, func(c *invocation) (value, error) {
		if c.recv.kind != integer {
			return value{}, errNoMatch
		}
		return f(c.recv.int()), nil
	})
}

func numberAbs(c *invocation) (value, error) {
	if c.recv.kind == float {
		return floatOf(math.Abs(c.recv.float())), nil
	}
	i := c.recv.int()
	if i == math.MinInt64 {
		return value{}, failed("Negation overflow: -" + itoa64(i))
	}
	return intOf(max(i, -i)), nil
}

func numberSign(c *invocation) (value, error) {
	f, _ := c.recv.number()
	switch {
	case math.IsNaN(f):
		return value{}, failed("Sign of NaN is undefined")
	case f > 0:
		return intOf(1), nil
	case f < 0:
		return intOf(-1), nil
	}
	return intOf(0), nil
}

func numberInt(c *invocation) (value, error) {
	if c.recv.kind == integer {
		return *c.recv, nil
	}
	f := c.recv.float()
	if math.IsNaN(f) || f >= 1<<63 || f < -(1<<63) {
		return value{}, failed("Integer overflow: to_int(" + displayFloat(f) + ")")
	}
	return intOf(int64(f)), nil
}

func numberLog(c *invocation) (value, error) {
	if c.recv.kind != float || len(c.args) == 1 && c.args[0].kind != float {
		return value{}, errNoMatch
	}
	if len(c.args) == 0 {
		return floatOf(math.Log10(c.recv.float())), nil
	}
	return floatOf(math.Log(c.recv.float()) / math.Log(c.args[0].float())), nil
}

// extreme is max and min of two values of one kind, or of mixed numbers.
func extreme(c *invocation, op string) (value, error) {
	a, b := c.recv, &c.args[0]
	_, numeric := a.number()
	_, numeric2 := b.number()
	if a.kind != b.kind && !(numeric && numeric2) {
		return value{}, errNoMatch
	}
	won := *b
	if compares(op, a, b) {
		won = *a
	}
	if a.kind != b.kind {
		f, _ := won.number()
		return floatOf(f), nil
	}
	return won, nil
}
