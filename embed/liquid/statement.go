package liquid

import (
	"strconv"
	"strings"
)

// assign sets a variable.
type assign struct {
	name  string
	value *chain
}

func (a *assign) render(r *rendering) {
	r.within(func() Frame { return Frame{Source: "{% assign " + a.name + " = " + a.value.String() + "%}"} }, func() {
		r.assign(a.name, a.value.eval(r))
	})
}

func (r *rendering) assign(name string, v any) {
	if r.assigned == nil {
		r.assigned = map[string]any{}
	}
	r.assigned[name] = v
}

func parseAssign(_ *parser, t *tag) (node, error) {
	a := &assign{}
	var err error
	if a.name, err = t.identifier(); err != nil {
		return nil, err
	}
	if err := t.expect("="); err != nil {
		return nil, err
	}
	if a.value = t.word().chain; a.value == nil {
		return nil, t.unexpected("a value")
	}
	if err := a.value.resolve(); err != nil {
		return nil, err
	}
	return a, t.nothing()
}

// cycle shows its values in turn, one each time it is rendered.
type cycle struct {
	group  string
	values []expression
}

func (c *cycle) render(r *rendering) {
	tag := func() Frame { return Frame{Source: "{% cycle " + joinedSource(c.values, ", ") + " %}"} }
	r.within(tag, func() {
		if r.turns == nil {
			r.turns = map[string]int{}
		}
		n := r.turns[c.group]
		if n >= len(c.values) {
			stop(failure("cycle index out of bounds, most likely from mismatched cycles",
				"index", strconv.Itoa(n), "count", strconv.Itoa(len(c.values))))
		}
		r.turns[c.group] = (n + 1) % len(c.values)
		r.write(r.out, c.values[n].eval(r))
	})
}

// parseCycle parses values, or a group and values. Cycles of one group share their turns;
// cycles without a group share them if their lists are equal.
func parseCycle(_ *parser, t *tag) (node, error) {
	c := &cycle{}
	if len(t.words) > 1 && t.words[1].text == ":" {
		switch name := t.word().value().(type) {
		case variable:
			if len(name.indexes) > 0 {
				return nil, t.unexpected("a name")
			}
			c.group = name.name
		case literal:
			c.group = textOf(name.value)
		default:
			return nil, t.unexpected("a name")
		}
		t.read++
	}
	for t.peek() != "" || len(t.words) == 0 {
		v, err := t.value()
		if err != nil {
			return nil, err
		}
		c.values = append(c.values, v)
		if t.peek() != "" && !t.accept(",") {
			t.read++
			return nil, t.unexpected(`","`)
		}
	}
	if len(c.values) == 0 { // the reference crashes on it when it renders
		return nil, t.unexpected("a value")
	}
	if c.group == "" {
		c.group = joinedSource(c.values, "-")
	}
	return c, nil
}

// joinedSource are expressions as messages show them.
func joinedSource(list []expression, separator string) string {
	parts := make([]string, len(list))
	for i := range list {
		parts[i] = list[i].String()
	}
	return strings.Join(parts, separator)
}

// counter is increment and decrement. Its number hides behind a variable of the same name.
type counter struct {
	name string
	down bool
}

func (c counter) render(r *rendering) {
	if r.counters == nil {
		r.counters = map[string]int{}
	}
	n := r.counters[c.name]
	if c.down {
		n--
		r.counters[c.name] = n
	} else {
		r.counters[c.name] = n + 1
	}
	r.put(r.out, strconv.Itoa(n))
}

func parseCounter(_ *parser, t *tag) (node, error) {
	name, err := t.identifier()
	if err == nil {
		err = t.nothing()
	}
	return counter{name, t.name == "decrement"}, err
}

// stopLoop is break and continue. Outside of loops it ends the template.
type stopLoop struct{ by interrupt }

func (s stopLoop) render(r *rendering) { r.interrupt = s.by }

func parseInterrupt(_ *parser, t *tag) (node, error) {
	if t.name == "break" {
		return stopLoop{breaking}, t.nothing()
	}
	return stopLoop{continuing}, t.nothing()
}

// include is include and render. There are no other templates, so it always fails.
type include struct {
	of      expression
	partial string // what follows the name of a template
}

func (i include) render(r *rendering) {
	name := i.of.eval(r)
	if !isScalar(name) {
		stop(failure("Can only `include` strings", "partial", sourceOf(name)))
	}
	tag, ending := "include", ""
	if i.partial != "" {
		tag, ending = "render", i.partial
	}
	r.within(func() Frame { return Frame{Source: "{% " + tag + " " + i.of.String() + " %}"} }, func() {
		stop(failure("Partial does not exist", "name", textOf(name)+ending))
	})
}

func parseInclude(_ *parser, t *tag) (node, error) {
	of, err := t.value()
	if err != nil {
		return nil, err
	}
	i := include{of: of}
	if t.name == "render" {
		i.partial = ".liquid"
		return i, t.renderWords()
	}
	for t.peek() != "" {
		if err := t.setting(); err != nil {
			return nil, err
		}
		if !t.accept(",") {
			break
		}
	}
	return i, t.nothing()
}

// setting reads NAME: VALUE.
func (t *tag) setting() error {
	_, err := t.identifier()
	if err == nil {
		err = t.expect(":")
	}
	if err == nil {
		_, err = t.value()
	}
	return err
}

// renderWords reads what may follow the template of a render.
func (t *tag) renderWords() error {
	if with := t.accept("with"); with || t.accept("for") {
		w := t.word()
		if w.value() == nil && (with || w.between == nil) {
			return t.unexpected("a value")
		}
		if err := t.expect("as"); err != nil {
			return err
		}
		if _, err := t.identifier(); err != nil {
			return err
		}
	}
	for t.peek() != "" {
		if err := t.expect(","); err != nil {
			return err
		}
		if t.peek() == "" {
			return nil
		}
		if err := t.setting(); err != nil {
			return err
		}
	}
	return nil
}
