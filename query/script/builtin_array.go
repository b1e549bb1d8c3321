package script

import "slices"

func arrayMethods() map[string]method {
	table := map[string]method{
		"len":      reader(0, 0, func(c *invocation) (value, error) { return intOf(int64(len(c.items()))), nil }),
		"is_empty": reader(0, 0, func(c *invocation) (value, error) { return boolOf(len(c.items()) == 0), nil }),
		"push":     mutator(1, 1, arrayPush),
		"append":   mutator(1, 1, arrayAppend),
		"insert":   mutator(2, 2, arrayInsert),
		"pop":      mutator(0, 0, func(c *invocation) (value, error) { return c.takeAt(len(c.items()) - 1), nil }),
		"shift":    mutator(0, 0, func(c *invocation) (value, error) { return c.takeAt(0), nil }),
		"remove":   mutator(1, 1, arrayRemove),
		"clear":    mutator(0, 0, func(c *invocation) (value, error) { return c.setItems(nil), nil }),
		"truncate": mutator(1, 1, arrayTruncate),
		"chop":     mutator(1, 1, arrayChop),
		"get":      reader(1, 1, arrayGet),
		"set":      mutator(2, 2, arraySet),
		"contains": reader(1, 1, func(c *invocation) (value, error) {
			found, err := contains(c.recv, &c.args[0])
			return boolOf(found), err
		}),
		"reverse": mutator(0, 0, func(c *invocation) (value, error) {
			slices.Reverse(c.items())
			return value{}, c.m.worked(len(c.items()))
		}),
		"extract": reader(1, 2, arrayExtract),
		"splice":  mutator(2, 3, arraySplice),
		"split":   mutator(1, 1, arraySplit),
		"pad":     mutator(2, 2, arrayPad),
	}
	for name, m := range arrayFunctions() {
		table[name] = m
	}
	return table
}

// items are the elements of the receiver. Mutators own them.
func (c *invocation) items() []value { return c.list.items }

func (c *invocation) setItems(items []value) value {
	c.list.items = items
	return value{}
}

// grown stores items that may be more than allowed.
func (c *invocation) grown(items []value) (value, error) {
	if err := c.m.checkItems(len(items), "Size of array"); err != nil {
		return value{}, err
	}
	grew := len(items) - len(c.items())
	return c.setItems(items), c.m.allocated(max(grew, 0) * itemBytes)
}

// takeAt removes and returns an element, () when there is none.
func (c *invocation) takeAt(i int) value {
	items := c.items()
	if i < 0 || i >= len(items) {
		return value{}
	}
	v := items[i]
	c.setItems(slices.Delete(items, i, i+1))
	return v
}

func arrayPush(c *invocation) (value, error) { return c.grown(append(c.items(), c.args[0])) }

func arrayAppend(c *invocation) (value, error) {
	if c.args[0].kind != array {
		return value{}, errNoMatch
	}
	items := c.items()
	for _, v := range c.args[0].list().items {
		items = append(items, v.copied())
	}
	return c.grown(items)
}

func arrayInsert(c *invocation) (value, error) {
	i, ok := c.int(0)
	if !ok {
		return value{}, errNoMatch
	}
	items := c.items()
	n := int64(len(items))
	if i < 0 {
		i = max(i+n, 0)
	}
	return c.grown(slices.Insert(items, int(min(i, n)), c.args[1]))
}

func arrayRemove(c *invocation) (value, error) {
	i, ok := c.int(0)
	if !ok {
		return value{}, errNoMatch
	}
	at, ok := position(i, len(c.items()))
	if !ok {
		return value{}, nil
	}
	return c.takeAt(at), nil
}

// arrayTruncate keeps the first elements, arrayChop the last ones.
func arrayTruncate(c *invocation) (value, error) {
	n, ok := c.int(0)
	if !ok {
		return value{}, errNoMatch
	}
	return c.setItems(c.items()[:clampIndex(n, len(c.items()))]), nil
}

func arrayChop(c *invocation) (value, error) {
	n, ok := c.int(0)
	if !ok {
		return value{}, errNoMatch
	}
	items := c.items()
	return c.setItems(slices.Delete(items, 0, len(items)-clampIndex(n, len(items)))), nil
}

func arrayGet(c *invocation) (value, error) {
	i, ok := c.int(0)
	if !ok {
		return value{}, errNoMatch
	}
	if at, ok := position(i, len(c.items())); ok {
		return c.items()[at], nil
	}
	return value{}, nil
}

func arraySet(c *invocation) (value, error) {
	i, ok := c.int(0)
	if !ok {
		return value{}, errNoMatch
	}
	if at, ok := position(i, len(c.items())); ok {
		c.items()[at] = c.args[1]
	}
	return value{}, nil
}

func arrayExtract(c *invocation) (value, error) {
	from, to, ok := c.stretch(0, len(c.items()))
	if !ok {
		return value{}, errNoMatch
	}
	return c.m.newList(copies(c.items()[from:to]))
}

// copies returns elements for another array.
func copies(items []value) []value {
	out := make([]value, len(items))
	for i := range items {
		out[i] = items[i].copied()
	}
	return out
}

// arraySplice replaces a stretch by the elements of another array.
func arraySplice(c *invocation) (value, error) {
	with := c.args[len(c.args)-1]
	c.args = c.args[:len(c.args)-1]
	from, to, ok := c.stretch(0, len(c.items()))
	if !ok || with.kind != array || len(c.args) == 1 && c.args[0].kind != interval {
		return value{}, errNoMatch
	}
	return c.grown(slices.Replace(c.items(), from, to, copies(with.list().items)...))
}

// arraySplit cuts the array in two and returns the second part.
func arraySplit(c *invocation) (value, error) {
	i, ok := c.int(0)
	if !ok {
		return value{}, errNoMatch
	}
	items := c.items()
	if i < 0 {
		i = max(i+int64(len(items)), 0)
	}
	at := clampIndex(i, len(items))
	rest := slices.Clone(items[at:])
	c.setItems(items[:at])
	return c.m.newList(rest)
}

func arrayPad(c *invocation) (value, error) {
	n, ok := c.int(0)
	if !ok {
		return value{}, errNoMatch
	}
	if n > int64(c.m.limits.Items) {
		return value{}, c.m.checkItems(c.m.limits.Items+1, "Size of array")
	}
	items := c.items()
	for len(items) < int(n) {
		items = append(items, c.args[1].copied())
	}
	return c.grown(items)
}
