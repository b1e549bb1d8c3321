package liquid

import (
	"fmt"
	"math"
)

var numberFilters = map[string]*filter{
	"abs":   {apply: ofNumber(math.Abs)},
	"ceil":  {apply: ofNumber(math.Ceil)},
	"floor": {apply: ofNumber(math.Floor)},
	"round": {most: 1, apply: func(c *call, in any) (any, error) {
		n, err := number(in)
		if err != nil {
			return nil, err
		}
		places, err := c.argWhole(0, 0)
		if err != nil {
			return nil, err
		}
		scale := math.Pow10(places)
		if rounded := math.Round(n*scale) / scale; !math.IsNaN(rounded) && !math.IsInf(rounded, 0) {
			n = rounded
		}
		return n, nil
	}},

	"plus":     {most: 1, apply: arithmetic(func(a, b int) int { return a + b }, func(a, b float64) float64 { return a + b })},
	"minus":    {most: 1, apply: arithmetic(func(a, b int) int { return a - b }, func(a, b float64) float64 { return a - b })},
	"times":    {most: 1, apply: arithmetic(func(a, b int) int { return a * b }, func(a, b float64) float64 { return a * b })},
	"at_least": {most: 1, apply: arithmetic(func(a, b int) int { return max(a, b) }, math.Max)},
	"at_most":  {most: 1, apply: arithmetic(func(a, b int) int { return min(a, b) }, math.Min)},

	"divided_by": {most: 1, apply: func(c *call, in any) (any, error) {
		switch b := c.arg(0).(type) {
		case int, float64:
			return divided(in, b)
		default:
			return nil, fmt.Errorf("invalid divisor: '%s'", shown(b))
		}
	}},
	"modulo": {most: 1, apply: func(c *call, in any) (any, error) {
		a, err := number(in)
		if err != nil {
			return nil, err
		}
		b, err := number(c.arg(0))
		switch {
		case err != nil:
			return nil, err
		case b == 0:
			return nil, errDivisionByZero
		}
		return math.Mod(a, b), nil
	}},
	"pluralize": {most: 2, apply: func(c *call, in any) (any, error) {
		if someNumber(in) == 1 {
			return c.argText(0, ""), nil
		}
		return c.argText(1, ""), nil
	}},
}

// ofNumber makes a filter of one number. Whole results are integers.
func ofNumber(f func(float64) float64) func(*call, any) (any, error) {
	return func(_ *call, in any) (any, error) {
		n, err := number(in)
		if err != nil {
			return nil, err
		}
		n = f(n)
		if n == math.Trunc(n) && math.Abs(n) < 1<<53 {
			return int(n), nil
		}
		return n, nil
	}
}

// arithmetic makes a filter of two numbers. The result of two integers is an integer.
// Values that are not numbers count as 0.
func arithmetic(whole func(a, b int) int, other func(a, b float64) float64) func(*call, any) (any, error) {
	return func(c *call, in any) (any, error) {
		a, aWhole := in.(int)
		b, bWhole := c.arg(0).(int)
		if aWhole && bWhole {
			return whole(a, b), nil
		}
		return other(someNumber(in), someNumber(c.arg(0))), nil
	}
}

// divided truncates the result if both numbers are whole.
func divided(in, by any) (any, error) {
	if someNumber(by) == 0 {
		return nil, errDivisionByZero
	}
	a, err := number(in)
	if err != nil {
		return nil, err
	}
	b, whole := by.(int)
	if n, ok := in.(int); ok && whole {
		return n / b, nil
	}
	if _, isText := in.(string); isText && whole && a == math.Trunc(a) {
		return wholeOf(a) / b, nil
	}
	return a / someNumber(by), nil
}
