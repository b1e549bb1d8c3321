package script

import "shoal/query/script/value"

func objectMethods() map[string]method {
	return map[string]method{
		"len":       reader(0, 0, func(c *invocation) (value.Value, error) { return value.Int(int64(len(c.entries()))), nil }),
		"is_empty":  reader(0, 0, func(c *invocation) (value.Value, error) { return value.Bool(len(c.entries()) == 0), nil }),
		"contains":  reader(1, 1, objectContains),
		"get":       reader(1, 1, objectGet),
		"set":       mutator(2, 2, objectSet),
		"remove":    mutator(1, 1, objectRemove),
		"clear":     mutator(0, 0, objectClear),
		"keys":      reader(0, 0, objectKeys),
		"values":    reader(0, 0, objectValues),
		"mixin":     mutator(1, 1, objectMixin),
		"fill_with": mutator(1, 1, objectFill),
		"map":       reader(1, 1, objectMap),
		"filter":    reader(1, 1, objectFilter),
		"retain":    mutator(1, 1, func(c *invocation) (value.Value, error) { return c.divide(true) }),
		"drain":     mutator(1, 1, func(c *invocation) (value.Value, error) { return c.divide(false) }),
		"to_json":   reader(0, 0, objectJSON),
	}
}

func (c *invocation) entries() []value.Entry { return c.dict.Entries }

// key reads the first argument as a property name.
func (c *invocation) key() (string, error) {
	if c.args[0].Kind != value.KindString {
		return "", errNoMatch
	}
	return c.args[0].Text, nil
}

func objectContains(c *invocation) (value.Value, error) {
	key, err := c.key()
	_, found := c.dict.Get(key)
	return value.Bool(found), err
}

func objectGet(c *invocation) (value.Value, error) {
	key, err := c.key()
	v, _ := c.dict.Get(key)
	return v, err
}

func objectSet(c *invocation) (value.Value, error) {
	key, err := c.key()
	if err != nil {
		return value.Value{}, err
	}
	return value.Value{}, c.m.setKey(c.recv, key, "", &c.args[1])
}

func objectRemove(c *invocation) (value.Value, error) {
	key, err := c.key()
	if err != nil {
		return value.Value{}, err
	}
	v, _ := c.dict.Remove(key)
	return v, nil
}

func objectClear(c *invocation) (value.Value, error) {
	c.dict.Entries = nil
	return value.Value{}, nil
}

func objectKeys(c *invocation) (value.Value, error) {
	items := make([]value.Value, 0, len(c.entries()))
	for _, e := range c.entries() {
		items = append(items, value.String(e.Key))
	}
	return c.m.newList(items)
}

func objectValues(c *invocation) (value.Value, error) {
	items := make([]value.Value, 0, len(c.entries()))
	for _, e := range c.entries() {
		items = append(items, e.Value.Copied())
	}
	return c.m.newList(items)
}

func objectMixin(c *invocation) (value.Value, error) {
	if c.args[0].Kind != value.KindObject {
		return value.Value{}, errNoMatch
	}
	return value.Value{}, c.m.mix(c.recv, &c.args[0])
}

// objectFill adds the properties that are missing.
func objectFill(c *invocation) (value.Value, error) {
	if c.args[0].Kind != value.KindObject {
		return value.Value{}, errNoMatch
	}
	for _, e := range c.args[0].Dict().Entries {
		if _, ok := c.dict.Find(e.Key); ok {
			continue
		}
		v := e.Value.Copied()
		if err := c.m.setKey(c.recv, e.Key, "", &v); err != nil {
			return value.Value{}, err
		}
	}
	return value.Value{}, nil
}

func objectFilter(c *invocation) (value.Value, error) {
	in, _, err := c.pick()
	if err != nil {
		return value.Value{}, err
	}
	for i := range in {
		in[i].Value = in[i].Value.Copied()
	}
	return value.Object(in), c.m.allocated(len(in) * value.ItemBytes)
}

// property is the callback of a method of maps for one property: |key, value|.
func (c *invocation) property(e *value.Entry) callback {
	return callback{item: &e.Value, args: []value.Value{value.String(e.Key)}, at: 1}
}

// objectMap replaces all values by the results of a function.
func objectMap(c *invocation) (value.Value, error) {
	f, ok := c.function(0, false)
	if !ok {
		return value.Value{}, errNoMatch
	}
	out := make([]value.Entry, 0, len(c.entries()))
	for _, e := range c.entries() {
		v, err := c.call(&f, c.property(&e))
		if err != nil {
			return value.Value{}, err
		}
		out = append(out, value.Entry{Key: e.Key, Value: v.Copied()})
	}
	return value.Object(out), c.m.allocated(len(out) * value.ItemBytes)
}

// pick separates the properties that a function |key, value| selects from the others.
func (c *invocation) pick() (in, out []value.Entry, err error) {
	f, ok := c.function(0, false)
	if !ok {
		return nil, nil, errNoMatch
	}
	for _, e := range c.entries() {
		yes, err := c.yes(&f, c.property(&e))
		if err != nil {
			return nil, nil, err
		}
		if yes {
			in = append(in, e)
		} else {
			out = append(out, e)
		}
	}
	return in, out, nil
}

// divide keeps the properties that a function selects and returns the others. Without keep
// it removes and returns the selected ones.
func (c *invocation) divide(keep bool) (value.Value, error) {
	in, out, err := c.pick()
	if err != nil {
		return value.Value{}, err
	}
	if !keep {
		in, out = out, in
	}
	c.dict.Entries = in
	return value.Object(out), c.m.allocated(len(out) * value.ItemBytes)
}

func objectJSON(c *invocation) (value.Value, error) {
	encoded, err := value.AppendValue(nil, c.recv, 0)
	if err != nil {
		return value.Value{}, err
	}
	return c.m.newText(string(encoded))
}
