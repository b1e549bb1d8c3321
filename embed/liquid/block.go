package liquid

import "errors"

// choice is if and unless: it renders the first branch whose condition holds.
type choice struct {
	branches []branch
	// unless turns the condition of the only branch around.
	unless    bool
	otherwise *otherwise
}

type branch struct {
	test condition
	body []node
}

func (c *choice) render(r *rendering) {
	depth := len(r.inside)
	for i := range c.branches {
		b := &c.branches[i]
		if i > 0 {
			r.inside = append(r.inside, elseTag)
		}
		r.inside = append(r.inside, from("{% if ", b.test, " %}"))
		if b.test.holds(r) != c.unless {
			r.all(b.body)
			r.inside = r.inside[:depth]
			return
		}
	}
	c.otherwise.render(r)
	r.inside = r.inside[:depth]
}

// otherwise is the else of a block. It is nil if the block has none.
type otherwise struct{ body []node }

func (o *otherwise) render(r *rendering) {
	if o != nil {
		r.within(elseTag, func() { r.all(o.body) })
	}
}

// readElse reads the rest of the block, which follows its else.
func (b *block) readElse() (*otherwise, error) {
	body, err := b.rest()
	return &otherwise{body}, err
}

// readBareElse is readElse for an else that must have no words behind its name.
func (b *block) readBareElse(e *element) (*otherwise, error) {
	if err := (&tag{element: e, p: b.p}).nothing(); err != nil {
		return nil, err
	}
	return b.readElse()
}

// elseTag is else as messages of the reference show it.
func elseTag() Frame { return Frame{Source: "{{% else %}}"} }

func parseChoice(_ *parser, t *tag) (node, error) {
	b, err := t.open()
	if err != nil {
		return nil, err
	}
	defer b.leave()
	c := &choice{unless: t.name == "unless"}
	for t != nil {
		if t, err = c.branch(b, t); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// branch parses a branch that begins with if, unless or elsif. It returns the elsif that
// begins the next one, or nil at the end of the block.
func (c *choice) branch(b *block, t *tag) (next *tag, err error) {
	test, err := t.condition()
	if err != nil {
		return nil, err
	}
	ends := []string{"else", "elsif"}
	if c.unless {
		ends = ends[:1]
	}
	body, e, err := b.until(ends...)
	c.branches = append(c.branches, branch{test, body})
	switch {
	case e == nil || err != nil:
		return nil, err
	case e.name == "elsif":
		return &tag{element: e, p: b.p}, nil
	}
	c.otherwise, err = b.readElse()
	return nil, err
}

// selection is case: it renders the first clause with the value.
type selection struct {
	of        expression
	clauses   []clause
	otherwise *otherwise
}

// clause is rendered if the value is among values.
type clause struct {
	values []expression
	body   []node
}

func (s *selection) render(r *rendering) {
	v := s.of.eval(r)
	tag := func() Frame {
		return Frame{Source: "{% case " + s.of.String() + " %}", Details: []string{s.of.String(), textOf(v)}}
	}
	for i := range s.clauses {
		c := &s.clauses[i]
		for _, e := range c.values {
			if r.equal(e.eval(r), v) {
				r.within(tag, func() { r.within(c.frame, func() { r.all(c.body) }) })
				return
			}
		}
	}
	r.within(tag, func() { s.otherwise.render(r) })
}

func (c *clause) frame() Frame {
	return Frame{Source: "{% when " + joinedSource(c.values, " or ") + " %}"}
}

func parseCase(p *parser, t *tag) (node, error) {
	s := &selection{}
	var err error
	if s.of, err = t.value(); err == nil {
		err = t.nothing()
	}
	if err != nil {
		return nil, err
	}
	b, err := t.open()
	if err != nil {
		return nil, err
	}
	defer b.leave()
	_, e, err := b.until("when", "else") // what is before the first when is not rendered
	for err == nil && e != nil && e.name == "when" {
		var c clause
		if c.values, err = (&tag{element: e, p: p}).values(); err != nil {
			return nil, err
		}
		c.body, e, err = b.until("when", "else")
		s.clauses = append(s.clauses, c)
	}
	if e == nil || err != nil {
		return s, err
	}
	s.otherwise, err = b.readBareElse(e)
	return s, err
}

// values reads the values of a when, separated by commas or "or".
func (t *tag) values() ([]expression, error) {
	var out []expression
	for {
		e, err := t.value()
		if err != nil {
			return nil, err
		}
		out = append(out, e)
		if t.peek() == "" {
			return out, nil
		}
		if !t.accept("or") && !t.accept(",") {
			t.read++
			return nil, t.unexpected(`"or" or ","`)
		}
	}
}

// capture stores the output of its body in a variable.
type capture struct {
	name string
	body []node
}

func (c *capture) render(r *rendering) {
	r.within(c.frame, func() { r.assign(c.name, r.captured(c.body)) })
}

func (c *capture) frame() Frame { return Frame{Source: "{% capture " + c.name + " %}"} }

func parseCapture(_ *parser, t *tag) (node, error) {
	name, err := t.identifier()
	if err == nil {
		err = t.nothing()
	}
	if err != nil {
		return nil, err
	}
	c := &capture{name: name}
	c.body, err = t.body()
	var failed *Failure
	if errors.As(err, &failed) {
		failed.Inside = append(failed.Inside, c.frame())
	}
	return c, err
}

// ifChanged shows the output of its body if the last such tag had another output.
type ifChanged struct{ body []node }

func (c *ifChanged) render(r *rendering) {
	var text string
	r.within(func() Frame { return Frame{Source: "{{% ifchanged %}}"} }, func() { text = r.captured(c.body) })
	if r.shown == nil || *r.shown != text {
		r.put(r.out, text)
	}
	r.shown = &text
}

func parseIfChanged(_ *parser, t *tag) (node, error) {
	if err := t.nothing(); err != nil {
		return nil, err
	}
	body, err := t.body()
	return &ifChanged{body}, err
}

// parseComment skips a comment. Tags in it are parsed, so that a raw block in it ends where
// it should; what is wrong in them does not count, except in comments inside.
func parseComment(p *parser, t *tag) (node, error) {
	if err := t.nothing(); err != nil {
		return nil, err
	}
	b, err := t.open()
	if err != nil {
		return nil, err
	}
	defer b.leave()
	for {
		e, err := b.next()
		if e == nil || err != nil {
			return text(""), err
		}
		if e.kind != tagElement {
			continue
		}
		if _, err := p.node(e); err != nil && (e.name == "comment" || isBudget(err)) {
			return nil, err
		}
	}
}

// parseRaw reads the text of a raw block as it is written.
func parseRaw(p *parser, t *tag) (node, error) {
	if err := t.nothing(); err != nil {
		return nil, err
	}
	begin := p.at
	for {
		e := p.next()
		switch {
		case e.kind == endElement:
			return nil, t.wrongf("the block has no endraw")
		case e.kind == tagElement && e.name == "endraw" && len(e.words) == 0:
			return text(p.source[begin:e.begin]), nil
		}
	}
}
