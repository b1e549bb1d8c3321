package liquid

import (
	"errors"
	"fmt"
	"slices"
)

var (
	errBreakOutside    = errors.New("break outside a loop")
	errContinueOutside = errors.New("continue outside a loop")
)

// loop is for and tablerow.
type loop struct {
	name                string
	over                expression
	limit, offset, cols expression
	reversed, table     bool
	body, otherwise     []node
}

// loopState is the variable forloop.
type loopState struct {
	index, length int
	parent        *loopState
}

func (l *loopState) member(name string) any {
	switch name {
	case "first":
		return l.index == 0
	case "last":
		return l.index == l.length-1
	case "index":
		return l.index + 1
	case "index0":
		return l.index
	case "rindex":
		return l.length - l.index
	case "rindex0":
		return l.length - l.index - 1
	case "length":
		return l.length
	case "parentloop":
		if l.parent != nil {
			return l.parent
		}
	}
	return nil
}

// items is what a loop iterates over: a part of a range or of a list.
type items struct {
	span span
	list list
	// from and count define the part.
	from, count int
}

func (i *items) at(n int) any {
	if i.list != nil {
		return i.list[i.from+n]
	}
	return i.span.from + i.from + n
}

const forloop = "forloop"

func (l *loop) render(r *rendering) signal {
	part := l.items(r)
	if part.count == 0 && !l.table {
		return r.all(l.otherwise)
	}
	columns := part.count
	if l.cols != nil {
		if n := r.modifier("cols", l.cols); n > 0 {
			columns = n
		}
	}
	parent, _ := r.vars[forloop].(*loopState)
	state := &loopState{length: part.count, parent: parent}
	defer r.restore(forloop)()
	defer r.restore(l.name)()
	r.vars[forloop] = state
	for n := range part.count {
		r.budget.step(1)
		state.index = n
		at := n
		if l.reversed {
			at = part.count - 1 - n
		}
		r.vars[l.name] = part.at(at)
		s := l.round(r, n, columns, part.count)
		if s == broken {
			break
		}
	}
	return done
}

// restore remembers a variable. The returned function restores it.
func (r *rendering) restore(name string) func() {
	before, ok := r.vars[name]
	return func() {
		if ok {
			r.vars[name] = before
			return
		}
		delete(r.vars, name)
	}
}

// round renders the body once, for tablerow in a table cell.
func (l *loop) round(r *rendering, n, columns, count int) signal {
	if !l.table {
		return r.all(l.body)
	}
	if n%columns == 0 {
		r.put(r.out, fmt.Sprintf(`<tr class="row%d">`, n/columns+1))
	}
	r.put(r.out, fmt.Sprintf(`<td class="col%d">`, n%columns+1))
	s := r.all(l.body)
	r.put(r.out, "</td>")
	if (n+1)%columns == 0 || n+1 == count {
		r.put(r.out, "</tr>")
	}
	return s
}

// items evaluates the values of a loop: for an object, pairs of name and value; for a
// scalar, nothing.
func (l *loop) items(r *rendering) items {
	var part items
	switch v := r.plain(l.over.eval(r)).(type) {
	case span:
		part.span, part.count = v, v.length()
	case list:
		part.list, part.count = v, len(v)
	case data:
		members := v.json.Members()
		r.budget.spend(3 * itemBytes * len(members))
		for i := range members {
			m := &members[i]
			part.list = append(part.list, list{m.Name, v.below(&m.Value, m.Name).flat(r.budget)})
		}
		part.count = len(members)
	}
	if l.offset != nil {
		part.from = min(max(0, r.modifier("offset", l.offset)), part.count)
		part.count -= part.from
	}
	if l.limit != nil {
		if n := r.modifier("limit", l.limit); n >= 0 {
			part.count = min(part.count, n)
		}
	}
	return part
}

// modifier is the value of limit, offset or cols.
func (r *rendering) modifier(name string, e expression) int {
	n, ok := r.plain(e.eval(r)).(int)
	if !ok {
		stop(fmt.Errorf("loop %s must be an integer", name))
	}
	return n
}

func parseLoop(p *parser, t *token) (node, error) {
	l := &loop{table: t.name == "tablerow"}
	if err := l.head(t); err != nil {
		return nil, err
	}
	var between []string
	if !l.table {
		between = []string{"else"}
	}
	err := p.block(t, func(begin *token, body []node) error {
		switch {
		case begin == t:
			l.body = body
		case l.otherwise != nil:
			return begin.syntaxf("for loops accept at most one else clause")
		default:
			l.otherwise = slices.Grow(body, 1)
		}
		return nil
	}, between...)
	return l, err
}

// head parses NAME in VALUES and the modifiers.
func (l *loop) head(t *token) error {
	p, err := newExpressions(t.args, nil)
	if err != nil {
		return t.syntax(err)
	}
	name := p.next()
	if name.kind != nameWord || !p.name("in") {
		return t.syntax(p.fail())
	}
	l.name = name.text
	if l.over, err = p.operand(); err == nil {
		l.over, err = p.filters(l.over)
	}
	for err == nil {
		p.sign(",")
		w := p.next()
		switch {
		case w.kind == endWord:
			return nil
		case w.kind != nameWord:
			return t.syntax(p.fail())
		case w.text == "reversed":
			l.reversed = true
			continue
		case !p.sign(":"):
			return t.syntaxf("undefined loop modifier %q", w.text)
		}
		var e expression
		e, err = p.operand()
		switch w.text {
		case "cols":
			l.cols = e
		case "limit":
			l.limit = e
		case "offset":
			l.offset = e
		default:
			return t.syntaxf("undefined loop modifier %q", w.text)
		}
	}
	return t.syntax(err)
}
