package liquid

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// filter is a row in the table of filters.
type filter struct {
	params []param
	// shownAs is the name in messages if it is another one.
	shownAs string
	// apply computes the result. in is opened. What is wrong stops the rendering.
	apply func(c *call, in any) any
}

// param is a parameter of a filter.
type param struct {
	name     string
	kind     paramKind
	optional bool
}

type paramKind int

const (
	anyParam paramKind = iota
	textParam
	wholeParam
)

// filterCall is a use of a filter in a template.
type filterCall struct {
	name   string
	source string
	filter *filter
	args   []argument
}

// argument is given by place, or by name.
type argument struct {
	name  string
	value expression
}

// call is one run of a filter.
type call struct {
	*rendering
	// args are the arguments, each of the kind of its parameter.
	args []any
}

// filters are all filters, by name.
var filters map[string]*filter

func init() { // in init, because its functions refer to the table
	filters = map[string]*filter{}
	for _, family := range []map[string]*filter{textFilters, listFilters, numberFilters, otherFilters} {
		maps.Copy(filters, family)
	}
}

// resolve looks the filter up and counts its arguments.
func (f *filterCall) resolve() error {
	known, ok := filters[f.name]
	if !ok {
		return failure("Unknown filter", "requested filter", f.name,
			"available filters", strings.Join(slices.Sorted(maps.Keys(filters)), ", "))
	}
	f.filter = known
	required, given := 0, 0
	for _, p := range known.params {
		if !p.optional {
			required++
		}
	}
	for _, a := range f.args {
		if a.name == "" {
			given++
		}
	}
	switch most := len(known.params); {
	case given < required:
		return f.refused("Invalid number of arguments", "cause", "expected at least "+counted(given+1, required))
	case given > most:
		return f.refused("Invalid number of positional arguments", "cause", "expected at most "+counted(most, most))
	}
	for _, a := range f.args {
		if a.name != "" {
			return f.refused("Unexpected named argument `" + a.name + "`")
		}
	}
	return nil
}

// counted is a number of arguments as messages have it.
func counted(n, of int) string {
	if of == 1 {
		return strconv.Itoa(n) + " positional argument"
	}
	return strconv.Itoa(n) + " positional arguments"
}

func (f *filterCall) refused(message string, details ...string) error {
	return &Failure{Message: message, Details: details,
		Inside: []Frame{{Source: "Filter parsing error", Details: []string{"filter", f.source}}}}
}

func (f *filterCall) eval(r *rendering, in any) (out any) {
	r.budget.step(1)
	in = opened(in)
	r.within(func() Frame {
		return Frame{Source: "Filter error", Details: []string{"filter", f.String(), "input", sourceOf(in)}}
	}, func() {
		c := &call{rendering: r}
		for i, a := range f.args {
			c.args = append(c.args, f.filter.params[i].take(r, a.value.eval(r)))
		}
		r.budget.look(shallow(in))
		out = f.filter.apply(c, in)
		r.budget.spend(shallow(out))
	})
	return out
}

// take converts an argument to the kind of the parameter.
func (p *param) take(r *rendering, v any) any {
	switch p.kind {
	case textParam:
		return r.text(v)
	case wholeParam:
		n, ok := whole(v)
		if !ok {
			stop(invalidArgument(p.name, "Whole number expected"))
		}
		return n
	}
	return opened(v)
}

func (f *filterCall) String() string {
	name := f.name
	if f.filter.shownAs != "" {
		name = f.filter.shownAs
	}
	if len(f.filter.params) == 0 {
		return name
	}
	args := make([]string, len(f.args))
	for i := range f.args {
		args[i] = f.args[i].value.String()
	}
	return name + " : " + strings.Join(args, ", ")
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

// has tells whether an argument was given.
func (c *call) has(i int) bool { return i < len(c.args) }

// word is an argument of kind text, or otherwise if it was not given.
func (c *call) word(i int, otherwise string) string {
	if !c.has(i) {
		return otherwise
	}
	s, _ := c.args[i].(string)
	return s
}

// count is an argument of kind whole, or otherwise if it was not given.
func (c *call) count(i, otherwise int) int {
	if !c.has(i) {
		return otherwise
	}
	n, _ := c.args[i].(int)
	return n
}

var otherFilters = map[string]*filter{
	"default": {params: []param{{name: "default"}}, apply: func(c *call, in any) any {
		if is(in, stateDefault) {
			return c.args[0]
		}
		return in
	}},
	"date": {params: []param{{name: "format", kind: textParam}}, apply: func(c *call, in any) any {
		s, _ := in.(string)
		format := c.word(0, "")
		if format == "" {
			return in
		}
		t, ok := timeOf(s)
		if !ok {
			return in
		}
		c.budget.room(len(format))
		out, ok := formatTime(c.budget, t, format)
		if !ok {
			stop(failure("Invalid date-format string: " + format))
		}
		return out
	}},
	"size": {apply: func(_ *call, in any) any {
		switch v := in.(type) {
		case list:
			return len(v)
		case object:
			return len(v.names())
		}
		return len(textOf(in))
	}},
}
