package script

func objectMethods() map[string]method {
	return map[string]method{
		"len":       reader(0, 0, func(c *invocation) (value, error) { return intOf(int64(len(c.entries()))), nil }),
		"is_empty":  reader(0, 0, func(c *invocation) (value, error) { return boolOf(len(c.entries()) == 0), nil }),
		"contains":  reader(1, 1, objectContains),
		"get":       reader(1, 1, objectGet),
		"set":       mutator(2, 2, objectSet),
		"remove":    mutator(1, 1, objectRemove),
		"clear":     mutator(0, 0, objectClear),
		"keys":      reader(0, 0, objectKeys),
		"values":    reader(0, 0, objectValues),
		"mixin":     mutator(1, 1, objectMixin),
		"fill_with": mutator(1, 1, objectFill),
		"filter":    reader(1, 1, objectFilter),
		"retain":    mutator(1, 1, func(c *invocation) (value, error) { return c.divide(true) }),
		"drain":     mutator(1, 1, func(c *invocation) (value, error) { return c.divide(false) }),
		"to_json":   reader(0, 0, objectJSON),
	}
}

func (c *invocation) entries() []entry { return c.dict.entries }

// key reads the first argument as a property name.
func (c *invocation) key() (string, error) {
	if c.args[0].kind != text {
		return "", errNoMatch
	}
	return c.args[0].text, nil
}

func objectContains(c *invocation) (value, error) {
	key, err := c.key()
	_, found := c.dict.get(key)
	return boolOf(found), err
}

func objectGet(c *invocation) (value, error) {
	key, err := c.key()
	v, _ := c.dict.get(key)
	return v, err
}

func objectSet(c *invocation) (value, error) {
	key, err := c.key()
	if err != nil {
		return value{}, err
	}
	return value{}, c.m.setKey(c.recv, key, "", &c.args[1])
}

func objectRemove(c *invocation) (value, error) {
	key, err := c.key()
	if err != nil {
		return value{}, err
	}
	v, _ := c.dict.remove(key)
	return v, nil
}

func objectClear(c *invocation) (value, error) {
	c.dict.entries = nil
	return value{}, nil
}

func objectKeys(c *invocation) (value, error) {
	items := make([]value, 0, len(c.entries()))
	for _, e := range c.entries() {
		items = append(items, textOf(e.key))
	}
	return c.m.newList(items)
}

func objectValues(c *invocation) (value, error) {
	items := make([]value, 0, len(c.entries()))
	for _, e := range c.entries() {
		items = append(items, e.value.copied())
	}
	return c.m.newList(items)
}

func objectMixin(c *invocation) (value, error) {
	if c.args[0].kind != object {
		return value{}, errNoMatch
	}
	return value{}, c.m.mix(c.recv, &c.args[0])
}

// objectFill adds the properties that are missing.
func objectFill(c *invocation) (value, error) {
	if c.args[0].kind != object {
		return value{}, errNoMatch
	}
	for _, e := range c.args[0].dict().entries {
		if _, ok := c.dict.find(e.key); ok {
			continue
		}
		v := e.value.copied()
		if err := c.m.setKey(c.recv, e.key, "", &v); err != nil {
			return value{}, err
		}
	}
	return value{}, nil
}

func objectFilter(c *invocation) (value, error) {
	in, _, err := c.pick()
	if err != nil {
		return value{}, err
	}
	for i := range in {
		in[i].value = in[i].value.copied()
	}
	return dictOf(in), c.m.allocated(len(in) * itemBytes)
}

// pick tells the properties that a function |key, value| takes from the others.
func (c *invocation) pick() (in, out []entry, err error) {
	for _, e := range c.entries() {
		key := textOf(e.key)
		yes, err := c.yes(&c.args[0], &key, e.value.copied())
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

// divide keeps (or takes out) the properties that a function picks and returns
// the others (or those).
func (c *invocation) divide(keep bool) (value, error) {
	in, out, err := c.pick()
	if err != nil {
		return value{}, err
	}
	if !keep {
		in, out = out, in
	}
	c.dict.entries = in
	return dictOf(out), c.m.allocated(len(out) * itemBytes)
}

func objectJSON(c *invocation) (value, error) {
	encoded, err := appendValue(nil, c.recv, 0)
	if err != nil {
		return value{}, err
	}
	return c.m.newText(string(encoded))
}
