package liquid

import (
	"errors"
	"fmt"
	"math"
	"strconv"
)

// filter is a row in the table of filters.
type filter struct {
	// most is how many arguments it takes; missing ones are zero or its default.
	most int
	// named is the argument that is given by name, if there is one.
	named string
	// apply computes the result. in and the arguments are plain. Errors stop the rendering.
	apply func(c *call, in any) (any, error)
}

// call is one use of a filter.
type call struct {
	*rendering
	args  []any
	named any
}

// filters are all filters, by name.
var filters map[string]*filter

func init() { // in init, because its functions refer to the table
	filters = map[string]*filter{}
	for _, family := range []map[string]*filter{textFilters, listFilters, numberFilters, otherFilters} {
		for name, f := range family {
			filters[name] = f
		}
	}
}

func (f filtered) eval(r *rendering) any {
	if f.filter == nil {
		stop(fmt.Errorf("undefined filter %q", f.name))
	}
	r.budget.step(1)
	in := r.plain(f.of.eval(r))
	c := &call{rendering: r}
	for _, e := range f.args {
		c.args = append(c.args, r.plain(e.eval(r)))
	}
	for _, n := range f.named {
		v := r.plain(n.value.eval(r))
		if n.name != f.filter.named {
			stop(filterError(f.name, fmt.Errorf("unexpected argument %q", n.name)))
		}
		c.named = v
	}
	if len(c.args) > f.filter.most {
		stop(filterError(f.name, fmt.Errorf("wrong number of arguments (given %d, expected %d)", len(c.args), f.filter.most)))
	}
	r.budget.look(shallow(in))
	out, err := f.filter.apply(c, in)
	if err != nil {
		stop(filterError(f.name, err))
	}
	r.budget.spend(shallow(out))
	return out
}

// shallow is the size of a value without the values its items refer to.
func shallow(v any) int {
	switch v := v.(type) {
	case string:
		return len(v)
	case list:
		return itemBytes * len(v)
	case nil:
		return 0
	}
	return itemBytes
}

// arg is an argument, or nil if it was not given.
func (c *call) arg(i int) any {
	if i >= len(c.args) {
		return nil
	}
	return c.args[i]
}

// argText is an argument as text, or otherwise if it was not given.
func (c *call) argText(i int, otherwise string) string {
	if i >= len(c.args) {
		return otherwise
	}
	return c.text(c.args[i])
}

// argWhole is an argument as a whole number, or otherwise if it was not given.
func (c *call) argWhole(i, otherwise int) (int, error) {
	if i >= len(c.args) {
		return otherwise, nil
	}
	switch v := c.args[i].(type) {
	case nil:
		return 0, nil
	case int:
		return v, nil
	case float64:
		return wholeOf(v), nil
	case bool:
		if v {
			return 1, nil
		}
		return 0, nil
	case string:
		if n, err := strconv.Atoi(v); err == nil {
			return n, nil
		}
	}
	return 0, conversionError(c.args[i], "int")
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

// number converts a value to a number.
func number(v any) (float64, error) {
	switch v := v.(type) {
	case nil:
		return 0, nil
	case int:
		return float64(v), nil
	case float64:
		return v, nil
	case string:
		if f, err := strconv.ParseFloat(v, 64); err == nil {
			return f, nil
		}
	}
	return 0, conversionError(v, "float64")
}

// someNumber converts a value to a number, or to 0 if it is not one.
func someNumber(v any) float64 {
	f, err := number(v)
	if err != nil {
		return 0
	}
	return f
}

// list converts a value to a list. A range becomes its numbers, nil an empty list.
func (c *call) list(v any) (list, error) {
	switch v := v.(type) {
	case nil:
		return nil, nil
	case list:
		return v, nil
	case span:
		if v.length() > maxSteps {
			c.budget.step(maxSteps)
		}
		c.budget.spend(itemBytes * v.length())
		out := make(list, v.length())
		for i := range out {
			out[i] = v.from + i
		}
		return out, nil
	}
	return nil, conversionError(v, "list")
}

// property is a member of an item as a value, or nil if there is none.
func (c *call) property(item any, name string) any {
	c.budget.step(1)
	switch item := item.(type) {
	case data:
		if d, ok := item.member(name).(data); ok {
			return d.lenientPlain(c.budget)
		}
		return item.member(name)
	default:
		return c.member(item, name)
	}
}

var otherFilters = map[string]*filter{
	"default": {most: 1, named: "allow_false", apply: func(c *call, in any) (any, error) {
		if allow, _ := c.named.(bool); allow && in == false {
			return in, nil
		}
		if in == nil || in == false || in == "" {
			return c.arg(0), nil
		}
		if l, ok := in.(list); ok && len(l) == 0 {
			return c.arg(0), nil
		}
		if d, ok := in.(data); ok && d.json.Len() == 0 {
			return c.arg(0), nil
		}
		return in, nil
	}},
	"json":    {apply: func(c *call, in any) (any, error) { return c.jsonText(in), nil }},
	"inspect": {apply: func(c *call, in any) (any, error) { return c.jsonText(in), nil }},
	"type":    {apply: func(_ *call, in any) (any, error) { return typeName(in), nil }},
	"date": {most: 1, apply: func(c *call, in any) (any, error) {
		t, ok := timeOf(in)
		if !ok {
			return in, nil
		}
		format := c.argText(0, "%a, %b %d, %y")
		c.budget.room(len(format))
		return formatTime(c.budget, t, format)
	}},
	"size": {apply: func(_ *call, in any) (any, error) {
		switch v := in.(type) {
		case string:
			return runes(v), nil
		case list:
			return len(v), nil
		case data:
			return v.json.Len(), nil
		}
		return 0, nil
	}},
}

var errFormat = errors.New("a width in a format of a date is too large")
