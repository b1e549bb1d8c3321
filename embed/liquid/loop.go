package liquid

import (
	"strconv"
	"strings"
)

// loop is for and tablerow.
type loop struct {
	name                string
	over                expression // or span
	span                *between
	limit, offset, cols expression
	reversed, table     bool
	body                []node
	otherwise           *otherwise
}

// loopState is the variable forloop or tablerow.
type loopState struct {
	index, length int
	// parent is the forloop around a for.
	parent any
	// columns is the number of columns of a tablerow, or 0.
	columns int
}

func (l *loopState) names() []string {
	if l.columns > 0 {
		return []string{"length", "index0", "index", "rindex0", "rindex", "first", "last", "col0", "col", "col_first", "col_last"}
	}
	return []string{"length", "parentloop", "index0", "index", "rindex0", "rindex", "first", "last"}
}

func (l *loopState) get(name string) (any, bool) {
	switch name {
	case "first":
		return l.index == 0, true
	case "last":
		return l.last(), true
	case "index":
		return l.index + 1, true
	case "index0":
		return l.index, true
	case "rindex":
		return l.length - l.index, true
	case "rindex0":
		return l.length - l.index - 1, true
	case "length":
		return l.length, true
	}
	if l.columns == 0 {
		return l.parent, name == "parentloop"
	}
	column := l.index % l.columns
	switch name {
	case "col0":
		return column, true
	case "col":
		return column + 1, true
	case "col_first":
		return column == 0, true
	case "col_last":
		return l.endsRow(), true
	}
	return nil, false
}

func (l *loopState) last() bool { return l.index == l.length-1 }

func (l *loopState) endsRow() bool { return l.index%l.columns == l.columns-1 || l.last() }

// items is what a loop iterates over: a part of a range or of a list. Places behind the end
// of it are nil.
type items struct {
	first int // of a range
	list  list
	// length is that of the whole range or list, from and count define the part.
	length, from, count int
}

func (i *items) at(n int) any {
	switch n += i.from; {
	case n >= i.length:
		return nil
	case i.list != nil:
		return i.list[n]
	}
	return i.first + n
}

const forloop = "forloop"

func (l *loop) render(r *rendering) {
	part, columns := l.items(r)
	if part.count == 0 && l.otherwise != nil {
		r.within(l.frame, func() { l.otherwise.render(r) })
	}
	s := scope{name: l.name, stateName: "tablerow"}
	var parent any
	if !l.table {
		s.stateName = forloop
		parent, _ = r.lookup(forloop)
	}
	depth := len(r.scopes)
	for n := range part.count {
		r.budget.step(1)
		at := n
		if l.reversed {
			at = part.count - 1 - n
		}
		s.item = part.at(at)
		state := &loopState{index: n, length: part.count, parent: parent, columns: columns}
		s.state = state
		r.scopes = append(r.scopes[:depth], s)
		l.round(r, state)
		if l.table {
			continue
		}
		ended := r.interrupt == breaking
		if r.interrupt = none; ended {
			break
		}
	}
	r.scopes = r.scopes[:depth]
}

// round renders the body once, for tablerow in a table cell.
func (l *loop) round(r *rendering, state *loopState) {
	if l.table {
		if state.index%state.columns == 0 {
			r.put(r.out, `<tr class="row`+strconv.Itoa(state.index/state.columns+1)+`">`)
		}
		r.put(r.out, `<td class="col`+strconv.Itoa(state.index%state.columns+1)+`">`)
	}
	index := state.index + 1
	r.within(func() Frame {
		f := l.frame()
		f.Details = []string{"index", strconv.Itoa(index)}
		return f
	}, func() { r.all(l.body) })
	if l.table {
		r.put(r.out, "</td>")
		if state.endsRow() {
			r.put(r.out, "</tr>")
		}
	}
}

func (l *loop) frame() Frame {
	over := ""
	if l.span != nil {
		over = l.span.String()
	} else {
		over = l.over.String()
	}
	var settings []string
	for _, s := range []struct {
		name  string
		value expression
	}{{"cols", l.cols}, {"limit", l.limit}, {"offset", l.offset}} {
		if s.value != nil {
			settings = append(settings, s.name+":"+s.value.String())
		}
	}
	if l.reversed {
		settings = append(settings, "reversed")
	}
	return Frame{Source: "{% for " + l.name + " in " + over + " " + strings.Join(settings, ", ") + " %}"}
}

// items evaluates what the loop iterates over, and the number of columns of a table.
func (l *loop) items(r *rendering) (part items, columns int) {
	var over any
	r.within(l.frame, func() {
		if l.span == nil {
			over = l.over.eval(r)
			return
		}
		part.first = r.bound("start", l.span.from)
		part.length = max(0, r.bound("end", l.span.to)-part.first+1)
	})
	if l.span == nil {
		part.list = r.members(over)
		part.length = len(part.list)
	}
	if l.cols != nil {
		columns = r.setting(l.cols)
	}
	part.count = part.length
	limit := -1
	if l.limit != nil {
		limit = min(uintOr(r.setting(l.limit), part.length), part.length)
	}
	if l.offset != nil {
		part.from = min(uintOr(r.setting(l.offset), part.length), part.length)
		part.count -= part.from
	}
	if limit >= 0 {
		part.count = limit
	}
	if l.table {
		columns = l.columns(columns, part.count)
	}
	return part, columns
}

// columns is the number of columns of a table of n cells.
func (l *loop) columns(wanted, n int) int {
	switch {
	case l.cols == nil:
		return max(n, 1)
	case wanted == 0 && n > 0: // the reference crashes
		stop(failure("Expected whole number above zero, found `0`"))
	case wanted <= 0:
		return max(n, 1)
	}
	return wanted
}

// uintOr is n, or most if n is negative: the reference takes it for a very large one.
func uintOr(n, most int) int {
	if n < 0 {
		return most
	}
	return n
}

// members are the items of a list, or pairs of name and value of an object.
func (r *rendering) members(v any) list {
	switch v := opened(v).(type) {
	case list:
		r.budget.spend(itemBytes * len(v))
		return v
	case object:
		names := v.names()
		r.budget.spend(3 * itemBytes * len(names))
		out := make(list, len(names))
		for i, name := range names {
			m, _ := v.get(name)
			out[i] = list{name, m}
		}
		return out
	case nil, state:
		return nil
	default:
		stop(failure("Expected array, found `" + typeName(v) + "`"))
	}
	return nil
}

// bound is one end of a range.
func (r *rendering) bound(name string, e expression) int {
	v := e.eval(r)
	n, ok := whole(v)
	if !ok {
		stop(failure("Expected whole number, found `"+typeName(v)+"`", name, textOf(v)))
	}
	return n
}

// setting is the value of limit, offset or cols.
func (r *rendering) setting(e expression) int {
	v := e.eval(r)
	n, ok := whole(v)
	if !ok {
		stop(failure("Expected whole number, found `" + typeName(v) + "`"))
	}
	return n
}

func parseLoop(_ *parser, t *tag) (node, error) {
	l := &loop{table: t.name == "tablerow"}
	if err := l.head(t); err != nil {
		return nil, err
	}
	b, err := t.open()
	if err != nil {
		return nil, err
	}
	defer b.leave()
	ends := []string{"else"}
	if l.table {
		ends = nil
	}
	var e *element
	if l.body, e, err = b.until(ends...); e == nil || err != nil {
		return l, err
	}
	l.otherwise, err = b.readBareElse(e)
	return l, err
}

// head parses NAME in VALUES and the settings.
func (l *loop) head(t *tag) (err error) {
	if l.name, err = t.identifier(); err != nil {
		return err
	}
	if err := t.expect("in"); err != nil {
		return err
	}
	w := t.word()
	l.over, l.span = w.value(), w.between
	if l.over == nil && l.span == nil {
		return t.unexpected("a value or range")
	}
	for t.peek() != "" {
		w := t.word()
		switch {
		case w.text == "reversed" && !l.table:
			l.reversed = true
			continue
		case w.text != "limit" && w.text != "offset" && (w.text != "cols" || !l.table):
			return t.unexpected("a setting of the loop")
		}
		if err := t.expect(":"); err != nil {
			return err
		}
		v, err := t.value()
		if err != nil {
			return err
		}
		switch w.text {
		case "cols":
			l.cols = v
		case "limit":
			l.limit = v
		default:
			l.offset = v
		}
	}
	return nil
}
