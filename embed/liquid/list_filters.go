package liquid

import (
	"cmp"
	"slices"
	"strings"
)

// property is the parameter of filters that look at one member of objects.
var property = param{name: "property", kind: textParam}

// someProperty is property where it may be left out.
var someProperty = param{name: "property", kind: textParam, optional: true}

var listFilters = map[string]*filter{
	"join": {params: []param{{name: "separator", kind: textParam, optional: true}}, apply: func(c *call, in any) any {
		return c.joined(listIn(in, "Array of strings expected"), c.word(0, " "))
	}},
	"compact": {params: []param{someProperty}, apply: func(c *call, in any) any {
		l := listIn(in, "Array expected")
		if c.has(0) && !allObjects(l) {
			stop(invalidInput("Array of objects expected"))
		}
		return l.where(func(v any) bool {
			if c.has(0) {
				v = c.property(v, c.word(0, ""))
			}
			return v != nil
		})
	}},
	"concat": {params: []param{{name: "array"}}, apply: func(c *call, in any) any {
		l := listIn(in, "Array expected")
		other, ok := c.args[0].(list)
		if !ok {
			stop(invalidArgument("array", "Array expected"))
		}
		c.budget.room(itemBytes * (len(l) + len(other)))
		return slices.Concat(l, other)
	}},
	"map": {params: []param{property}, apply: func(c *call, in any) any {
		out := list{}
		for _, v := range listIn(in, "Array expected") {
			c.budget.step(1)
			if o, ok := v.(object); ok {
				if m, ok := o.get(c.word(0, "")); ok {
					out = append(out, m)
				}
			}
		}
		return out
	}},
	"reverse": {apply: func(_ *call, in any) any {
		out := slices.Clone(listIn(in, "Array expected"))
		slices.Reverse(out)
		return out
	}},
	"first": {apply: func(_ *call, in any) any { return endOf(in, 0) }},
	"last":  {apply: func(_ *call, in any) any { return endOf(in, -1) }},
	"sort": {params: []param{someProperty}, apply: func(c *call, in any) any {
		return c.sorted(in, func(v any) any { return v }, func(a, b any) int {
			order, _ := c.compare(a, b) // what has no order counts as equal
			return order
		})
	}},
	"sort_natural": {params: []param{someProperty}, apply: func(c *call, in any) any {
		key := func(v any) any {
			if v == nil {
				return nil
			}
			return lowered(c.text(v))
		}
		return c.sorted(in, key, func(a, b any) int {
			x, _ := a.(string)
			y, _ := b.(string)
			return cmp.Compare(x, y)
		})
	}},
	"uniq": {apply: func(c *call, in any) any { return c.unique(listIn(in, "Array expected")) }},
	"where": {params: []param{property, {name: "target_value", optional: true}}, apply: func(c *call, in any) any {
		l, ok := in.(list)
		switch _, single := in.(object); {
		case ok && !allObjects(l):
			return nil
		case single:
			l = list{in}
		case !ok:
			stop(invalidInput("Array of objects or a single object expected"))
		}
		return l.where(func(v any) bool {
			o, _ := v.(object)
			got, ok := o.get(c.word(0, ""))
			if !ok || !c.has(1) {
				return ok && is(got, stateTruthy)
			}
			return c.equal(c.args[1], got)
		})
	}},
}

// listIn is the input as a list.
func listIn(in any, expected string) list {
	l, ok := in.(list)
	if !ok {
		stop(invalidInput(expected))
	}
	return l
}

// endOf is the first item or letter, or the last one.
func endOf(in any, at int) any {
	if l, ok := in.(list); ok {
		v, _ := member(l, at)
		return v
	}
	if !isScalar(in) {
		stop(invalidInput("String or Array expected"))
	}
	letters := []rune(textOf(in))
	switch {
	case len(letters) == 0:
		return ""
	case at < 0:
		return string(letters[len(letters)-1])
	}
	return string(letters[0])
}

func allObjects(l list) bool {
	for _, v := range l {
		if _, ok := v.(object); !ok {
			return false
		}
	}
	return true
}

// property is a member of an object, or nil if there is none.
func (c *call) property(v any, name string) any {
	c.budget.step(1)
	o, ok := v.(object)
	if !ok {
		return nil
	}
	m, _ := o.get(name)
	return m
}

// where keeps the wanted items.
func (l list) where(wanted func(any) bool) list {
	out := list{}
	for _, v := range l {
		if wanted(v) {
			out = append(out, v)
		}
	}
	return out
}

// joined is the text of all items, with a separator.
func (c *call) joined(in list, between string) string {
	var out strings.Builder
	for i, v := range in {
		s := c.text(v)
		c.budget.step(1)
		c.budget.room(out.Len() + len(between) + len(s))
		if i > 0 {
			out.WriteString(between)
		}
		out.WriteString(s)
	}
	return out.String()
}

// sorted sorts by a key of the items, or of the member that the argument names. nil comes
// last. The sort is stable. A value that is no list is a list of one, nil an empty one.
func (c *call) sorted(in any, key func(any) any, order func(a, b any) int) any {
	l, ok := in.(list)
	if !ok && in != nil {
		l = list{in}
	}
	if c.has(0) && !allObjects(l) {
		stop(invalidInput("Array of objects expected"))
	}
	type keyed struct{ key, item any }
	all := make([]keyed, len(l))
	c.budget.spend(2 * itemBytes * len(l))
	for i, v := range l {
		by := v
		if c.has(0) {
			by = c.property(v, c.word(0, ""))
		}
		all[i] = keyed{key(by), v}
	}
	slices.SortStableFunc(all, func(a, b keyed) int {
		c.budget.step(1)
		switch {
		case a.key == nil || b.key == nil:
			return digit(a.key == nil) - digit(b.key == nil)
		default:
			return order(a.key, b.key)
		}
	})
	out := make(list, len(l))
	for i := range all {
		out[i] = all[i].item
	}
	return out
}

// unique keeps the first of equal items.
func (c *call) unique(in list) list {
	texts := map[string]bool{}
	var out, others list // others are those that are no text
	for _, v := range in {
		c.budget.step(1)
		s, isText := v.(string)
		among := others
		if !isText {
			among = out
		}
		if isText && texts[s] || slices.ContainsFunc(among, func(o any) bool { return c.equal(o, v) }) {
			continue
		}
		c.budget.spend(itemBytes)
		out = append(out, v)
		if isText {
			texts[s] = true
		} else {
			others = append(others, v)
		}
	}
	return out
}
