package liquid

import "math"

var numberFilters = map[string]*filter{
	"abs": {apply: func(_ *call, in any) any {
		if n, ok := whole(in); ok {
			return max(n, -n)
		}
		return math.Abs(numberIn(in))
	}},
	"ceil":  {apply: func(_ *call, in any) any { return wholeOf(math.Ceil(numberIn(in))) }},
	"floor": {apply: func(_ *call, in any) any { return wholeOf(math.Floor(numberIn(in))) }},
	"round": {params: []param{{name: "decimal_places", kind: wholeParam, optional: true}}, apply: func(c *call, in any) any {
		n, places := numberIn(in), c.count(0, 0)
		switch {
		case places <= 0:
			return wholeOf(math.Round(n))
		case places > math.MaxInt32:
			stop(invalidInput("decimal-places was too large"))
		}
		scale := power(10, places)
		return math.Round(n*scale) / scale
	}},

	"plus":  operator("operand", func(a, b int) int { return a + b }, func(a, b float64) float64 { return a + b }),
	"minus": operator("operand", func(a, b int) int { return a - b }, func(a, b float64) float64 { return a - b }),
	"times": operator("operand", func(a, b int) int { return a * b }, func(a, b float64) float64 { return a * b }),
	"at_least": operator("min", func(a, b int) int { return max(a, b) }, func(a, b float64) float64 {
		return known(a, b, math.Max)
	}),
	"at_most": operator("max", func(a, b int) int { return min(a, b) }, func(a, b float64) float64 {
		return known(a, b, math.Min)
	}),
	"divided_by": divider(func(a, b int) int { return a / b }, func(a, b float64) float64 { return a / b }),
	"modulo":     divider(func(a, b int) int { return a % b }, math.Mod),
}

// known chooses one of two numbers; NaN is none.
func known(a, b float64, choose func(a, b float64) float64) float64 {
	switch {
	case math.IsNaN(a):
		return b
	case math.IsNaN(b):
		return a
	}
	return choose(a, b)
}

// wholeOf truncates a number. Too large numbers become the largest.
func wholeOf(f float64) int {
	switch {
	case math.IsNaN(f):
		return 0
	case f >= math.MaxInt:
		return math.MaxInt
	case f <= math.MinInt:
		return math.MinInt
	}
	return int(f)
}

// power multiplies in the order of the reference, so that the last digits agree.
func power(base float64, n int) float64 {
	out := 1.0
	for ; ; base *= base {
		if n&1 == 1 {
			out *= base
		}
		if n >>= 1; n == 0 {
			return out
		}
	}
}

// numberIn is the input as a number.
func numberIn(in any) float64 {
	n, ok := fraction(in)
	if !ok {
		stop(invalidInput("Number expected"))
	}
	return n
}

// arithmetic computes with two numbers. The result of two whole ones is whole; a text may
// hold a number.
type arithmetic struct {
	whole func(a, b int) int
	other func(a, b float64) float64
}

func (x arithmetic) of(in, operand any) any {
	if !isScalar(in) {
		stop(invalidInput("Number expected"))
	}
	if a, ok := whole(in); ok {
		if b, ok := whole(operand); ok {
			return x.whole(a, b)
		}
	}
	a, ok := fraction(in)
	b, also := fraction(operand)
	if !ok || !also {
		stop(invalidArgument("operand", "Number expected"))
	}
	return x.other(a, b)
}

// operator makes a filter of two numbers. name is that of its parameter.
func operator(name string, whole func(a, b int) int, other func(a, b float64) float64) *filter {
	x := arithmetic{whole, other}
	return &filter{params: []param{{name: name}}, apply: func(c *call, in any) any { return x.of(in, c.args[0]) }}
}

// divider makes a filter that refuses a second number of zero.
func divider(whole func(a, b int) int, other func(a, b float64) float64) *filter {
	x := arithmetic{whole, other}
	return &filter{params: []param{{name: "operand"}}, apply: func(c *call, in any) any {
		if !isScalar(in) {
			stop(invalidInput("Number expected"))
		}
		if n, ok := fraction(c.args[0]); ok && n == 0 {
			stop(invalidArgument("operand", "Can't divide by zero"))
		}
		return x.of(in, c.args[0])
	}}
}
