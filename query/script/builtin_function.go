package script

import (
	"slices"

	"shoal/query/script/value"
)

// arrayFunctions are the methods of arrays that take functions or compare
// elements.
func arrayFunctions() map[string]method {
	return map[string]method{
		"index_of": reader(1, 2, arrayIndexOf),
		"map":      reader(1, 1, arrayMap),
		"filter":   reader(1, 1, func(c *invocation) (value.Value, error) { return c.selected(true) }),
		"find": reader(1, 1, func(c *invocation) (value.Value, error) {
			items := c.items()
			i, err := c.first(true)
			if i < 0 || err != nil {
				return value.Value{}, err
			}
			return items[i], nil
		}),
		"some":     reader(1, 1, func(c *invocation) (value.Value, error) { return c.any(true) }),
		"all":      reader(1, 1, arrayAll),
		"for_each": mutator(1, 1, arrayForEach),
		"reduce":   reader(1, 2, func(c *invocation) (value.Value, error) { return c.reduce(slices.All(c.items())) }),
		"reduce_rev": reader(1, 2, func(c *invocation) (value.Value, error) {
			return c.reduce(slices.Backward(c.items()))
		}),
		"retain":     mutator(1, 2, func(c *invocation) (value.Value, error) { return c.part(true) }),
		"drain":      mutator(1, 2, func(c *invocation) (value.Value, error) { return c.part(false) }),
		"dedup":      mutator(0, 1, arrayDedup),
		"sort":       mutator(0, 1, func(c *invocation) (value.Value, error) { return c.arrange(c.recv, false) }),
		"sort_desc":  mutator(0, 0, func(c *invocation) (value.Value, error) { return c.arrange(c.recv, true) }),
		"order":      reader(0, 1, func(c *invocation) (value.Value, error) { return c.arranged(false) }),
		"order_desc": reader(0, 0, func(c *invocation) (value.Value, error) { return c.arranged(true) }),
		"zip":        reader(1, 2, arrayZip),
	}
}

// first returns the index of the first element for which the function returns want, or -1.
func (c *invocation) first(want bool) (int, error) {
	for i, item := range c.items() {
		yes, err := c.yes(&c.args[0], &item, value.Int(int64(i)))
		if err != nil || yes == want {
			return i, err
		}
	}
	return -1, nil
}

func (c *invocation) any(want bool) (value.Value, error) {
	i, err := c.first(want)
	return value.Bool(i >= 0), err
}

func arrayAll(c *invocation) (value.Value, error) {
	i, err := c.first(false)
	return value.Bool(i < 0), err
}

func arrayIndexOf(c *invocation) (value.Value, error) {
	items := c.items()
	from := 0
	if len(c.args) == 2 {
		start, ok := c.int(1)
		if !ok {
			return value.Value{}, errNoMatch
		}
		if start < 0 {
			start = max(start+int64(len(items)), 0)
		}
		from = clampIndex(start, len(items))
	}
	for i := from; i < len(items); i++ {
		yes := false
		if c.args[0].Kind == value.KindFunction {
			var err error
			if yes, err = c.yes(&c.args[0], &items[i], value.Int(int64(i))); err != nil {
				return value.Value{}, err
			}
		} else {
			yes = value.Equal(&items[i], &c.args[0])
		}
		if yes {
			return value.Int(int64(i)), nil
		}
	}
	return value.Int(-1), nil
}

func arrayMap(c *invocation) (value.Value, error) {
	out := make([]value.Value, 0, len(c.items()))
	for i, item := range c.items() {
		v, err := c.on(&c.args[0], &item, value.Int(int64(i)))
		if err != nil {
			return value.Value{}, err
		}
		out = append(out, v.Copied())
	}
	return c.m.newList(out)
}

// selected are the elements for which the function returns want.
func (c *invocation) selected(want bool) (value.Value, error) {
	var out []value.Value
	for i, item := range c.items() {
		yes, err := c.yes(&c.args[0], &item, value.Int(int64(i)))
		if err != nil {
			return value.Value{}, err
		}
		if yes == want {
			out = append(out, item.Copied())
		}
	}
	return c.m.newList(out)
}

func arrayForEach(c *invocation) (value.Value, error) {
	items := c.items()
	for i := range items {
		if _, err := c.on(&c.args[0], &items[i], value.Int(int64(i))); err != nil {
			return value.Value{}, err
		}
	}
	return value.Value{}, nil
}

// reduce folds the elements: |sum, item, index|.
func (c *invocation) reduce(items func(func(int, value.Value) bool)) (value.Value, error) {
	var sum value.Value
	if len(c.args) == 2 {
		sum = c.args[1]
		if sum.Kind == value.KindFunction {
			var err error
			if sum, err = c.m.apply(value.Place{}, closureOf(&sum), nil, nil); err != nil {
				return value.Value{}, err
			}
		}
	}
	for i, item := range items {
		v, err := c.on(&c.args[0], &sum, item.Copied(), value.Int(int64(i)))
		if err != nil {
			return value.Value{}, err
		}
		sum = v.Copied()
	}
	return sum, nil
}

// part keeps a range of elements or those that a function selects, and returns the others.
// Without keep it removes and returns the selected ones.
func (c *invocation) part(keep bool) (value.Value, error) {
	items := c.items()
	var in, out []value.Value
	if c.args[0].Kind == value.KindFunction {
		for i := range items {
			yes, err := c.yes(&c.args[0], &items[i], value.Int(int64(i)))
			if err != nil {
				return value.Value{}, err
			}
			if yes {
				in = append(in, items[i])
			} else {
				out = append(out, items[i])
			}
		}
	} else {
		from, to, ok := c.stretch(0, len(items))
		if !ok {
			return value.Value{}, errNoMatch
		}
		in = slices.Clone(items[from:to])
		out = append(slices.Clone(items[:from]), items[to:]...)
	}
	if !keep {
		in, out = out, in
	}
	c.setItems(in)
	return c.m.newList(out)
}

func arrayDedup(c *invocation) (value.Value, error) {
	items := c.items()
	var kept []value.Value
	for _, item := range items {
		if len(kept) > 0 {
			last := &kept[len(kept)-1]
			alike := value.Equal(last, &item)
			if len(c.args) == 1 {
				var err error
				if alike, err = c.yes(&c.args[0], last, item); err != nil {
					return value.Value{}, err
				}
			}
			if alike {
				continue
			}
		}
		kept = append(kept, item)
	}
	return c.setItems(kept), nil
}

func (c *invocation) arranged(desc bool) (value.Value, error) {
	v, err := c.m.newList(copies(c.items()))
	if err != nil {
		return value.Value{}, err
	}
	_, err = c.arrange(&v, desc)
	return v, err
}

// arrange sorts an array by a function |a, b| that returns a number, or by value if all
// elements have one type.
func (c *invocation) arrange(of *value.Value, desc bool) (value.Value, error) {
	items := of.List().Items
	if len(c.args) == 0 && !sortable(items) {
		return value.Value{}, value.Failed("array cannot be sorted because elements are not of the same type or the type does not support comparison")
	}
	var failure error
	slices.SortStableFunc(items, func(a, b value.Value) int {
		if failure != nil {
			return 0
		}
		if failure = c.m.worked(1); failure != nil {
			return 0
		}
		if len(c.args) == 1 {
			var n int
			n, failure = c.ordering(&a, &b)
			return n
		}
		if desc {
			a, b = b, a
		}
		switch {
		case value.Compares("<", &a, &b):
			return -1
		case value.Compares(">", &a, &b):
			return 1
		}
		return 0
	})
	return value.Value{}, failure
}

// ordering compares two elements by a function.
func (c *invocation) ordering(a, b *value.Value) (int, error) {
	v, err := c.on(&c.args[0], a, b.Copied())
	if err != nil {
		return 0, err
	}
	switch v.Kind {
	case value.KindInt:
		return value.Three(v.Int(), 0), nil
	case value.KindBool: // whether a comes first
		if v.Bool() {
			return -1, nil
		}
		return 1, nil
	}
	return 0, nil
}

func sortable(items []value.Value) bool {
	for i := range items {
		switch items[i].Kind {
		case value.KindInt, value.KindFloat, value.KindString, value.KindChar:
			if items[i].Kind != items[0].Kind {
				return false
			}
		case value.KindBool:
			return false
		default:
			return len(items) <= 1
		}
	}
	return true
}

// arrayZip joins the elements of two arrays in pairs, or by a function.
func arrayZip(c *invocation) (value.Value, error) {
	if c.args[0].Kind != value.KindArray {
		return value.Value{}, errNoMatch
	}
	other := c.args[0].List().Items
	var out []value.Value
	for i, item := range c.items() {
		if i == len(other) {
			break
		}
		pair := value.Array([]value.Value{item.Copied(), other[i].Copied()})
		if len(c.args) == 2 {
			var err error
			if pair, err = c.on(&c.args[1], &item, other[i].Copied()); err != nil {
				return value.Value{}, err
			}
		}
		out = append(out, pair.Copied())
	}
	return c.m.newList(out)
}
