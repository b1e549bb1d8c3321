package script

import (
	"errors"
	"slices"

	"shoal/query/script/value"
)

// arrayFunctions are the methods of arrays that take functions or compare
// elements.
func arrayFunctions() map[string]method {
	sort := func(c *invocation) (value.Value, error) { return c.arrange(c.recv, false, true) }
	order := func(c *invocation) (value.Value, error) { return c.arranged(false) }
	return map[string]method{
		"index_of": reader(1, 2, arrayIndexOf),
		"map":      reader(1, 1, arrayMap),
		"filter":   reader(1, 1, arrayFilter),
		"find": reader(1, 2, func(c *invocation) (value.Value, error) {
			items := c.items()
			i, err := c.first(true, false)
			if i < 0 || err != nil {
				return value.Value{}, err
			}
			return items[i], nil
		}),
		"find_map": reader(1, 2, arrayFindMap),
		"some": reader(1, 1, func(c *invocation) (value.Value, error) {
			i, err := c.first(true, true)
			return value.Bool(i >= 0), err
		}),
		"all": reader(1, 1, func(c *invocation) (value.Value, error) {
			i, err := c.first(false, true)
			return value.Bool(i < 0), err
		}),
		"for_each": mutator(1, 1, arrayForEach),
		"reduce":   reader(1, 2, func(c *invocation) (value.Value, error) { return c.reduce(slices.All(c.items())) }),
		"reduce_rev": reader(1, 2, func(c *invocation) (value.Value, error) {
			return c.reduce(slices.Backward(c.items()))
		}),
		"retain":     mutator(1, 2, func(c *invocation) (value.Value, error) { return c.part(true) }),
		"drain":      mutator(1, 2, func(c *invocation) (value.Value, error) { return c.part(false) }),
		"dedup":      mutator(0, 1, arrayDedup),
		"sort":       mutator(0, 1, sort),
		"sort_by":    mutator(1, 1, sort),
		"sort_desc":  mutator(0, 0, func(c *invocation) (value.Value, error) { return c.arrange(c.recv, true, false) }),
		"order":      reader(0, 1, order),
		"order_by":   reader(1, 1, order),
		"order_desc": reader(0, 0, func(c *invocation) (value.Value, error) { return c.arranged(true) }),
		"zip":        reader(2, 2, arrayZip),
	}
}

// start reads an index to begin at from the second argument.
func (c *invocation) start() (int, bool) {
	if len(c.args) < 2 {
		return 0, true
	}
	i, ok := c.int(1)
	return c.offset(i), ok
}

// first returns the index of the first element for which the function returns want, or -1.
// named: the name of a function may stand for it.
func (c *invocation) first(want, named bool) (int, error) {
	f, ok := c.function(0, named)
	from, ok2 := c.start()
	if !ok || !ok2 {
		return -1, errNoMatch
	}
	items := c.items()
	for i := from; i < len(items); i++ {
		item := items[i]
		yes, err := c.yes(&f, each(&item, i))
		if err != nil || yes == want {
			return i, err
		}
	}
	return -1, nil
}

func arrayIndexOf(c *invocation) (value.Value, error) {
	if c.args[0].Kind == value.KindFunction {
		i, err := c.first(true, false)
		return value.Int(int64(i)), err
	}
	from, ok := c.start()
	if !ok {
		return value.Value{}, errNoMatch
	}
	items := c.items()
	for i := from; i < len(items); i++ {
		if value.Equal(&items[i], &c.args[0]) {
			return value.Int(int64(i)), nil
		}
	}
	return value.Int(-1), nil
}

func arrayMap(c *invocation) (value.Value, error) {
	f, ok := c.function(0, true)
	if !ok {
		return value.Value{}, errNoMatch
	}
	out := make([]value.Value, 0, len(c.items()))
	for i, item := range c.items() {
		v, err := c.call(&f, each(&item, i))
		if err != nil {
			return value.Value{}, err
		}
		out = append(out, v.Copied())
	}
	return c.m.newList(out)
}

// arrayFindMap returns the first result of the function that is not ().
func arrayFindMap(c *invocation) (value.Value, error) {
	f, ok := c.function(0, false)
	from, ok2 := c.start()
	if !ok || !ok2 {
		return value.Value{}, errNoMatch
	}
	items := c.items()
	for i := from; i < len(items); i++ {
		item := items[i]
		if v, err := c.call(&f, each(&item, i)); err != nil || v.Kind != value.KindUnit {
			return v, err
		}
	}
	return value.Value{}, nil
}

func arrayFilter(c *invocation) (value.Value, error) {
	f, ok := c.function(0, true)
	if !ok {
		return value.Value{}, errNoMatch
	}
	var out []value.Value
	for i, item := range c.items() {
		yes, err := c.yes(&f, each(&item, i))
		if err != nil {
			return value.Value{}, err
		}
		if yes {
			out = append(out, item.Copied())
		}
	}
	return c.m.newList(out)
}

// arrayForEach runs the function with each element as `this`, and its index.
func arrayForEach(c *invocation) (value.Value, error) {
	f, ok := c.function(0, false)
	if !ok {
		return value.Value{}, errNoMatch
	}
	items := c.items()
	for i := range items {
		b := each(&items[i], i)
		b.at = -1
		if _, err := c.call(&f, b); err != nil {
			return value.Value{}, err
		}
	}
	return value.Value{}, nil
}

// reduce folds the elements: |sum, item, index|.
func (c *invocation) reduce(items func(func(int, value.Value) bool)) (value.Value, error) {
	f, ok := c.function(0, true)
	if !ok {
		return value.Value{}, errNoMatch
	}
	var sum value.Value
	if len(c.args) == 2 {
		sum = c.args[1]
	}
	for i, item := range items {
		b := each(&item, i)
		b.args, b.at = []value.Value{sum}, 1
		v, err := c.call(&f, b)
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
	if f, ok := c.function(0, true); ok && len(c.args) == 1 {
		for i := range items {
			yes, err := c.yes(&f, each(&items[i], i))
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
		from, to, ok := c.stretch(0, len(items), false)
		if !ok {
			return value.Value{}, errNoMatch
		}
		if from == to { // Rhai leaves the array alone, even if it should keep nothing
			return c.m.newList(nil)
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

// arrayDedup drops elements that equal the one before. A function that fails says no.
func arrayDedup(c *invocation) (value.Value, error) {
	f, ok := c.function(0, true)
	if !ok && len(c.args) == 1 {
		return value.Value{}, errNoMatch
	}
	items := c.items()
	var kept []value.Value
	for _, item := range items {
		if len(kept) > 0 {
			last := &kept[len(kept)-1]
			alike := false
			if len(c.args) == 0 {
				alike = value.Equal(last, &item)
			} else if yes, err := c.yes(&f, callback{args: []value.Value{last.Copied(), item.Copied()}}); err == nil {
				alike = yes
			} else if fatal(err) {
				return value.Value{}, err
			}
			if alike {
				continue
			}
		}
		kept = append(kept, item)
	}
	return c.setItems(kept), nil
}

// fatal tells whether an error ends the program even where failures count as an answer.
func fatal(err error) bool {
	var e *value.Error
	return !errors.As(err, &e) || e.Fatal
}

func (c *invocation) arranged(desc bool) (value.Value, error) {
	v, err := c.m.newList(copies(c.items()))
	if err != nil {
		return value.Value{}, err
	}
	_, err = c.arrange(&v, desc, false)
	return v, err
}

// arrange sorts an array by a function |a, b| that returns a number or whether a comes
// first, or by value if all elements have one type.
func (c *invocation) arrange(of *value.Value, desc, named bool) (value.Value, error) {
	f, ok := c.function(0, named)
	if !ok && len(c.args) == 1 {
		return value.Value{}, errNoMatch
	}
	items := of.List().Items
	if len(c.args) == 0 {
		if err := sortable(items); err != nil {
			return value.Value{}, err
		}
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
			n, failure = c.ordering(&f, &a, &b)
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

// ordering compares two elements by a function. They are equal if it fails or returns
// something else.
func (c *invocation) ordering(f, a, b *value.Value) (int, error) {
	v, err := c.call(f, callback{args: []value.Value{a.Copied(), b.Copied()}})
	switch {
	case err != nil && fatal(err):
		return 0, err
	case err == nil && v.Kind == value.KindInt:
		return value.Three(v.Int(), 0), nil
	case err == nil && v.Kind == value.KindBool: // whether a comes first
		if v.Bool() {
			return -1, nil
		}
		return 1, nil
	}
	return 0, nil
}

// sortable refuses elements that have no order.
func sortable(items []value.Value) error {
	if len(items) <= 1 {
		return nil
	}
	problem := ""
	switch items[0].Kind {
	case value.KindArray, value.KindObject, value.KindFunction, value.KindRange, value.KindIterator:
		problem = "elements of " + items[0].TypeName() + " cannot be sorted"
	}
	for i := range items {
		if items[i].TypeName() != items[0].TypeName() {
			problem = "elements of different types cannot be sorted"
		}
	}
	if problem == "" {
		return nil
	}
	return value.Failed("Function not found: "+problem).WithKind("ErrorFunctionNotFound", value.Detail("function", problem))
}

// arrayZip joins the elements of two arrays by a function |a, b, index|.
func arrayZip(c *invocation) (value.Value, error) {
	f, ok := c.function(1, false)
	if !ok || c.args[0].Kind != value.KindArray {
		return value.Value{}, errNoMatch
	}
	other := c.args[0].List().Items
	var out []value.Value
	for i, item := range c.items() {
		if i == len(other) {
			break
		}
		b := each(nil, i)
		b.args = []value.Value{item.Copied(), other[i].Copied()}
		joined, err := c.call(&f, b)
		if err != nil {
			return value.Value{}, err
		}
		out = append(out, joined.Copied())
	}
	return c.m.newList(out)
}
