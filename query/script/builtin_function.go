package script

import "slices"

// arrayFunctions are the methods of arrays that take functions or compare
// elements.
func arrayFunctions() map[string]method {
	return map[string]method{
		"index_of": reader(1, 2, arrayIndexOf),
		"map":      reader(1, 1, arrayMap),
		"filter":   reader(1, 1, func(c *invocation) (value, error) { return c.selected(true) }),
		"find": reader(1, 1, func(c *invocation) (value, error) {
			items := c.items()
			i, err := c.first(true)
			if i < 0 || err != nil {
				return value{}, err
			}
			return items[i], nil
		}),
		"some":     reader(1, 1, func(c *invocation) (value, error) { return c.any(true) }),
		"all":      reader(1, 1, arrayAll),
		"for_each": mutator(1, 1, arrayForEach),
		"reduce":   reader(1, 2, func(c *invocation) (value, error) { return c.reduce(slices.All(c.items())) }),
		"reduce_rev": reader(1, 2, func(c *invocation) (value, error) {
			return c.reduce(slices.Backward(c.items()))
		}),
		"retain":     mutator(1, 2, func(c *invocation) (value, error) { return c.part(true) }),
		"drain":      mutator(1, 2, func(c *invocation) (value, error) { return c.part(false) }),
		"dedup":      mutator(0, 1, arrayDedup),
		"sort":       mutator(0, 1, func(c *invocation) (value, error) { return c.arrange(c.recv, false) }),
		"sort_desc":  mutator(0, 0, func(c *invocation) (value, error) { return c.arrange(c.recv, true) }),
		"order":      reader(0, 1, func(c *invocation) (value, error) { return c.arranged(false) }),
		"order_desc": reader(0, 0, func(c *invocation) (value, error) { return c.arranged(true) }),
		"zip":        reader(1, 2, arrayZip),
	}
}

// first finds the first element for which the function answers so, -1 without
// one.
func (c *invocation) first(want bool) (int, error) {
	for i, item := range c.items() {
		yes, err := c.yes(&c.args[0], &item, intOf(int64(i)))
		if err != nil || yes == want {
			return i, err
		}
	}
	return -1, nil
}

func (c *invocation) any(want bool) (value, error) {
	i, err := c.first(want)
	return boolOf(i >= 0), err
}

func arrayAll(c *invocation) (value, error) {
	i, err := c.first(false)
	return boolOf(i < 0), err
}

func arrayIndexOf(c *invocation) (value, error) {
	items := c.items()
	from := 0
	if len(c.args) == 2 {
		start, ok := c.int(1)
		if !ok {
			return value{}, errNoMatch
		}
		if start < 0 {
			start = max(start+int64(len(items)), 0)
		}
		from = clampIndex(start, len(items))
	}
	for i := from; i < len(items); i++ {
		yes := false
		if c.args[0].kind == function {
			var err error
			if yes, err = c.yes(&c.args[0], &items[i], intOf(int64(i))); err != nil {
				return value{}, err
			}
		} else {
			yes = equal(&items[i], &c.args[0])
		}
		if yes {
			return intOf(int64(i)), nil
		}
	}
	return intOf(-1), nil
}

func arrayMap(c *invocation) (value, error) {
	out := make([]value, 0, len(c.items()))
	for i, item := range c.items() {
		v, err := c.on(&c.args[0], &item, intOf(int64(i)))
		if err != nil {
			return value{}, err
		}
		out = append(out, v.copied())
	}
	return c.m.newList(out)
}

// selected are the elements for which the function answers so.
func (c *invocation) selected(want bool) (value, error) {
	var out []value
	for i, item := range c.items() {
		yes, err := c.yes(&c.args[0], &item, intOf(int64(i)))
		if err != nil {
			return value{}, err
		}
		if yes == want {
			out = append(out, item.copied())
		}
	}
	return c.m.newList(out)
}

func arrayForEach(c *invocation) (value, error) {
	items := c.items()
	for i := range items {
		if _, err := c.on(&c.args[0], &items[i], intOf(int64(i))); err != nil {
			return value{}, err
		}
	}
	return value{}, nil
}

// reduce folds the elements: |sum, item, index|.
func (c *invocation) reduce(items func(func(int, value) bool)) (value, error) {
	var sum value
	if len(c.args) == 2 {
		sum = c.args[1]
		if sum.kind == function {
			var err error
			if sum, err = c.m.apply(place{}, closureOf(&sum), nil, nil); err != nil {
				return value{}, err
			}
		}
	}
	for i, item := range items {
		v, err := c.on(&c.args[0], &sum, item.copied(), intOf(int64(i)))
		if err != nil {
			return value{}, err
		}
		sum = v.copied()
	}
	return sum, nil
}

// part keeps (or takes out) a stretch or the elements a function picks, and
// returns the others (or those).
func (c *invocation) part(keep bool) (value, error) {
	items := c.items()
	var in, out []value
	if c.args[0].kind == function {
		for i := range items {
			yes, err := c.yes(&c.args[0], &items[i], intOf(int64(i)))
			if err != nil {
				return value{}, err
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
			return value{}, errNoMatch
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

func arrayDedup(c *invocation) (value, error) {
	items := c.items()
	var kept []value
	for _, item := range items {
		if len(kept) > 0 {
			last := &kept[len(kept)-1]
			alike := equal(last, &item)
			if len(c.args) == 1 {
				var err error
				if alike, err = c.yes(&c.args[0], last, item); err != nil {
					return value{}, err
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

func (c *invocation) arranged(desc bool) (value, error) {
	v, err := c.m.newList(copies(c.items()))
	if err != nil {
		return value{}, err
	}
	_, err = c.arrange(&v, desc)
	return v, err
}

// arrange sorts an array: by a function |a, b| that answers with a number, or by
// value when all elements are of one type.
func (c *invocation) arrange(of *value, desc bool) (value, error) {
	items := of.list().items
	if len(c.args) == 0 && !sortable(items) {
		return value{}, failed("array cannot be sorted because elements are not of the same type or the type does not support comparison")
	}
	var failure error
	slices.SortStableFunc(items, func(a, b value) int {
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
		case compares("<", &a, &b):
			return -1
		case compares(">", &a, &b):
			return 1
		}
		return 0
	})
	return value{}, failure
}

// ordering asks a function how two elements compare.
func (c *invocation) ordering(a, b *value) (int, error) {
	v, err := c.on(&c.args[0], a, b.copied())
	if err != nil {
		return 0, err
	}
	switch v.kind {
	case integer:
		return three(v.int(), 0), nil
	case boolean: // whether a comes first
		if v.bool() {
			return -1, nil
		}
		return 1, nil
	}
	return 0, nil
}

func sortable(items []value) bool {
	for i := range items {
		switch items[i].kind {
		case integer, float, text, char:
			if items[i].kind != items[0].kind {
				return false
			}
		case boolean:
			return false
		default:
			return len(items) <= 1
		}
	}
	return true
}

// arrayZip joins the elements of two arrays in pairs, or by a function.
func arrayZip(c *invocation) (value, error) {
	if c.args[0].kind != array {
		return value{}, errNoMatch
	}
	other := c.args[0].list().items
	var out []value
	for i, item := range c.items() {
		if i == len(other) {
			break
		}
		pair := listOf([]value{item.copied(), other[i].copied()})
		if len(c.args) == 2 {
			var err error
			if pair, err = c.on(&c.args[1], &item, other[i].copied()); err != nil {
				return value{}, err
			}
		}
		out = append(out, pair.copied())
	}
	return c.m.newList(out)
}
