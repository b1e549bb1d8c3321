package liquid

import (
	"slices"
	"strings"
)

var listFilters = map[string]*filter{
	"compact": {apply: ofList(func(c *call, in list) (any, error) {
		return in.where(func(v any) bool { return c.plain(v) != nil }), nil
	})},
	"concat": {most: 1, apply: ofList(func(c *call, in list) (any, error) {
		other, err := c.list(c.arg(0))
		if err != nil {
			return nil, err
		}
		c.budget.room(itemBytes * (len(in) + len(other)))
		return slices.Concat(in, other), nil
	})},
	"join": {most: 1, apply: ofList(func(c *call, in list) (any, error) {
		return c.joined(in, c.argText(0, " ")), nil
	})},
	"map": {most: 1, apply: ofList(func(c *call, in list) (any, error) {
		key := c.argText(0, "")
		out := make(list, len(in))
		for i := range in {
			out[i] = c.property(in[i], key)
		}
		return out, nil
	})},
	"reverse": {apply: ofList(func(_ *call, in list) (any, error) {
		out := slices.Clone(in)
		slices.Reverse(out)
		return out, nil
	})},
	"first": {apply: ofList(func(_ *call, in list) (any, error) { return in.member("first"), nil })},
	"last":  {apply: ofList(func(_ *call, in list) (any, error) { return in.member("last"), nil })},
	"sort": {most: 1, apply: ofList(func(c *call, in list) (any, error) {
		return c.sorted(in, c.less), nil
	})},
	"sort_natural": {most: 1, apply: ofList(func(c *call, in list) (any, error) {
		return c.sorted(in, func(a, b any) bool { return strings.ToLower(c.text(a)) < strings.ToLower(c.text(b)) }), nil
	})},
	"uniq": {apply: ofList(func(c *call, in list) (any, error) { return c.unique(in), nil })},
	"where": {most: 2, apply: ofList(func(c *call, in list) (any, error) {
		key := c.argText(0, "")
		return in.where(func(v any) bool {
			got := c.property(v, key)
			if len(c.args) < 2 {
				return got != nil && got != false
			}
			return c.equal(got, c.args[1])
		}), nil
	})},
	"sum": {most: 1, apply: ofList(func(c *call, in list) (any, error) {
		whole, all, total := true, 0, 0.0
		for _, v := range in {
			if len(c.args) > 0 {
				v = c.property(v, c.text(c.args[0]))
			}
			n, ok := v.(int)
			whole = whole && ok
			all += n
			total += someNumber(v)
		}
		if whole {
			return all, nil
		}
		return total, nil
	})},
}

// ofList makes a filter of lists.
func ofList(f func(*call, list) (any, error)) func(*call, any) (any, error) {
	return func(c *call, in any) (any, error) {
		l, err := c.list(in)
		if err != nil {
			return nil, err
		}
		return f(c, l)
	}
}

// where keeps the wanted items.
func (l list) where(wanted func(any) bool) list {
	var out list
	for _, v := range l {
		if wanted(v) {
			out = append(out, v)
		}
	}
	return out
}

// joined is the text of all items that are not nil, with a separator.
func (c *call) joined(in list, between string) string {
	var out strings.Builder
	first := true
	for _, v := range in {
		if c.plain(v) == nil {
			continue
		}
		s := c.text(v)
		c.budget.step(1)
		c.budget.room(out.Len() + len(between) + len(s))
		if !first {
			out.WriteString(between)
		}
		first = false
		out.WriteString(s)
	}
	return out.String()
}

// sorted sorts by the items, or by the member that the argument names. Items without it
// come first. The sort is stable.
func (c *call) sorted(in list, less func(a, b any) bool) list {
	type keyed struct{ key, item any }
	all := make([]keyed, len(in))
	c.budget.spend(2 * itemBytes * len(in))
	for i, v := range in {
		all[i] = keyed{v, v}
		if c.arg(0) != nil {
			all[i].key = c.property(v, c.text(c.arg(0)))
		}
	}
	slices.SortStableFunc(all, func(a, b keyed) int {
		c.budget.step(1)
		switch {
		case a.key == nil && b.key == nil:
			return 0
		case c.arg(0) != nil && a.key == nil:
			return -1
		case c.arg(0) != nil && b.key == nil:
			return 1
		case less(a.key, b.key):
			return -1
		case less(b.key, a.key):
			return 1
		}
		return 0
	})
	out := make(list, len(in))
	for i := range all {
		out[i] = all[i].item
	}
	return out
}

// unique keeps the first of equal items. Arrays and objects are compared by their JSON.
func (c *call) unique(in list) list {
	seen := map[any]bool{}
	var out list
	for _, v := range in {
		c.budget.step(1)
		key := v
		switch v.(type) {
		case list, data:
			key = special(c.jsonText(v))
		}
		if !seen[key] {
			seen[key] = true
			c.budget.spend(itemBytes)
			out = append(out, v)
		}
	}
	return out
}
