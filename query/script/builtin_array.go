package script

import (
	"slices"

	"shoal/query/script/value"
)

func arrayMethods() map[string]method {
	table := map[string]method{
		"len":      property(func(c *invocation) (value.Value, error) { return value.Int(int64(len(c.items()))), nil }),
		"is_empty": property(func(c *invocation) (value.Value, error) { return value.Bool(len(c.items()) == 0), nil }),
		"push":     mutator(1, 1, arrayPush),
		"append":   mutator(1, 1, arrayAppend),
		"insert":   mutator(2, 2, arrayInsert),
		"pop":      mutator(0, 0, func(c *invocation) (value.Value, error) { return c.takeAt(len(c.items()) - 1), nil }),
		"shift":    mutator(0, 0, func(c *invocation) (value.Value, error) { return c.takeAt(0), nil }),
		"remove":   mutator(1, 1, arrayRemove),
		"clear":    mutator(0, 0, func(c *invocation) (value.Value, error) { return c.setItems(nil), nil }),
		"truncate": mutator(1, 1, arrayTruncate),
		"chop":     mutator(1, 1, arrayChop),
		"get":      reader(1, 1, arrayGet),
		"set":      mutator(2, 2, arraySet),
		"contains": reader(1, 1, func(c *invocation) (value.Value, error) {
			found, err := value.Contains(c.recv, &c.args[0])
			return value.Bool(found), err
		}),
		"reverse": mutator(0, 0, func(c *invocation) (value.Value, error) {
			slices.Reverse(c.items())
			return value.Value{}, c.m.worked(len(c.items()))
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

// items are the elements of the receiver. Mutators may modify them.
func (c *invocation) items() []value.Value { return c.list.Items }

func (c *invocation) setItems(items []value.Value) value.Value {
	c.list.Items = items
	return value.Value{}
}

// grown stores items after checking their number.
func (c *invocation) grown(items []value.Value) (value.Value, error) {
	if err := c.m.checkItems(len(items), "Size of array"); err != nil {
		return value.Value{}, err
	}
	grew := len(items) - len(c.items())
	return c.setItems(items), c.m.allocated(max(grew, 0) * value.ItemBytes)
}

// takeAt removes and returns an element, or returns () if there is none.
func (c *invocation) takeAt(i int) value.Value {
	items := c.items()
	if i < 0 || i >= len(items) {
		return value.Value{}
	}
	v := items[i]
	c.setItems(slices.Delete(items, i, i+1))
	return v
}

func arrayPush(c *invocation) (value.Value, error) { return c.grown(append(c.items(), c.args[0])) }

func arrayAppend(c *invocation) (value.Value, error) {
	if c.args[0].Kind != value.KindArray {
		return value.Value{}, errNoMatch
	}
	items := c.items()
	for _, v := range c.args[0].List().Items {
		items = append(items, v.Copied())
	}
	return c.grown(items)
}

func arrayInsert(c *invocation) (value.Value, error) {
	i, ok := c.int(0)
	if !ok {
		return value.Value{}, errNoMatch
	}
	return c.grown(slices.Insert(c.items(), c.offset(i), c.args[1]))
}

func arrayRemove(c *invocation) (value.Value, error) {
	i, ok := c.int(0)
	if !ok {
		return value.Value{}, errNoMatch
	}
	if at, ok := position(i, len(c.items())); ok {
		return c.takeAt(at), nil
	}
	return value.Value{}, nil
}

// arrayTruncate keeps the first elements, arrayChop the last ones.
func arrayTruncate(c *invocation) (value.Value, error) {
	n, ok := c.int(0)
	if !ok {
		return value.Value{}, errNoMatch
	}
	return c.setItems(c.items()[:clampIndex(n, len(c.items()))]), nil
}

func arrayChop(c *invocation) (value.Value, error) {
	n, ok := c.int(0)
	if !ok {
		return value.Value{}, errNoMatch
	}
	items := c.items()
	return c.setItems(slices.Delete(items, 0, len(items)-clampIndex(n, len(items)))), nil
}

func arrayGet(c *invocation) (value.Value, error) {
	i, ok := c.int(0)
	if !ok {
		return value.Value{}, errNoMatch
	}
	if at := c.offset(i); at < len(c.items()) {
		return c.items()[at], nil
	}
	return value.Value{}, nil
}

func arraySet(c *invocation) (value.Value, error) {
	i, ok := c.int(0)
	if !ok {
		return value.Value{}, errNoMatch
	}
	if at := c.offset(i); at < len(c.items()) {
		c.items()[at] = c.args[1]
	}
	return value.Value{}, nil
}

// offset resolves an index of the array. A negative one counts from the end; one before the
// start is the start.
func (c *invocation) offset(i int64) int {
	n := int64(len(c.items()))
	if i < 0 {
		i = max(i+n, 0)
	}
	return int(min(i, n))
}

func arrayExtract(c *invocation) (value.Value, error) {
	from, to, ok := c.stretch(0, len(c.items()), true)
	if !ok {
		return value.Value{}, errNoMatch
	}
	return c.m.newList(copies(c.items()[from:to]))
}

// copies returns copies of elements for another array.
func copies(items []value.Value) []value.Value {
	out := make([]value.Value, len(items))
	for i := range items {
		out[i] = items[i].Copied()
	}
	return out
}

// arraySplice replaces a stretch by the elements of another array.
func arraySplice(c *invocation) (value.Value, error) {
	with := c.args[len(c.args)-1]
	c.args = c.args[:len(c.args)-1]
	from, to, ok := c.stretch(0, len(c.items()), false)
	if !ok || with.Kind != value.KindArray {
		return value.Value{}, errNoMatch
	}
	return c.grown(slices.Replace(c.items(), from, to, copies(with.List().Items)...))
}

// arraySplit cuts the array in two and returns the second part.
func arraySplit(c *invocation) (value.Value, error) {
	i, ok := c.int(0)
	if !ok {
		return value.Value{}, errNoMatch
	}
	items, at := c.items(), c.offset(i)
	rest := slices.Clone(items[at:])
	c.setItems(items[:at])
	return c.m.newList(rest)
}

func arrayPad(c *invocation) (value.Value, error) {
	n, ok := c.int(0)
	if !ok {
		return value.Value{}, errNoMatch
	}
	if n > int64(c.m.limits.Items) {
		return value.Value{}, c.m.checkItems(c.m.limits.Items+1, "Size of array")
	}
	items := c.items()
	for len(items) < int(n) {
		items = append(items, c.args[1].Copied())
	}
	return c.grown(items)
}
