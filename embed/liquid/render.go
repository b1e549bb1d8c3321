package liquid

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// rendering is the state of one run of a template.
type rendering struct {
	budget *Budget
	// vars are the values of the caller, assigned those of assign and capture, scopes those
	// of the open loops, counters those of increment and decrement.
	vars, assigned map[string]any
	scopes         []scope
	counters       map[string]int
	out            writer
	// turns belong to cycle, shown to ifchanged.
	turns map[string]int
	shown *string
	// interrupt is what break or continue has asked for; loops end it.
	interrupt interrupt
	// inside are the tags being rendered, the outermost first.
	inside []func() Frame
}

// scope are the variables of a loop.
type scope struct {
	name, stateName string
	item, state     any
}

type interrupt int

const (
	none interrupt = iota
	breaking
	continuing
)

// Render runs a template over variables, which it does not change. JSON and List make their
// values. It fails with ErrBudget if the template exceeds its limits, and with *Failure if
// it needs what is not there. The end of the budget's context stops it.
func (t *Template) Render(b *Budget, vars map[string]any) (out string, err error) {
	text := &bounded{}
	r := &rendering{budget: b, vars: vars, out: text}
	defer func() {
		if f := recover(); f != nil {
			out, err = "", r.faultOf(f)
		}
	}()
	r.all(t.nodes)
	return text.String(), nil
}

// faultOf is the error of a stopped rendering. Templates and documents come from clients,
// so even a panic of unknown cause must not end the node.
func (r *rendering) faultOf(f any) error {
	stopped, ok := f.(fault)
	if !ok {
		return fmt.Errorf("liquid: %v", f)
	}
	var failed *Failure
	if errors.As(stopped.error, &failed) {
		for _, describe := range slices.Backward(r.inside) {
			failed.Inside = append(failed.Inside, describe())
		}
	}
	return stopped.error
}

// within runs f inside a tag. A failure of f names the tag. describe runs only then.
func (r *rendering) within(describe func() Frame, f func()) {
	r.inside = append(r.inside, describe)
	f()
	r.inside = r.inside[:len(r.inside)-1]
}

// from describes a tag without details.
func from(begin string, of fmt.Stringer, end string) func() Frame {
	return func() Frame { return Frame{Source: begin + of.String() + end} }
}

// writer takes the bytes of an output.
type writer interface{ WriteString(s string) (int, error) }

// bounded collects output up to MaxOutput.
type bounded struct{ strings.Builder }

func (b *bounded) WriteString(s string) (int, error) {
	if b.Len()+len(s) > MaxOutput {
		return 0, errTooLong
	}
	return b.Builder.WriteString(s)
}

// all renders nodes until one interrupts.
func (r *rendering) all(nodes []node) {
	for _, n := range nodes {
		if n.render(r); r.interrupt != none {
			return
		}
	}
}

// captured renders nodes into a separate text.
func (r *rendering) captured(nodes []node) string {
	var text strings.Builder
	before := r.out
	r.out = &text
	r.all(nodes)
	r.out = before
	return text.String()
}

// put writes a text and counts it in the budget.
func (r *rendering) put(out writer, s string) {
	r.budget.spend(len(s))
	if _, err := out.WriteString(s); err != nil {
		stop(err)
	}
}

// write prints a value.
func (r *rendering) write(out writer, v any) {
	if l, ok := v.(list); ok {
		for i := range l {
			r.budget.step(1)
			r.write(out, l[i])
		}
		return
	}
	r.put(out, textOf(v))
}

// text is a value as printed. It is counted in the budget.
func (r *rendering) text(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case list:
		var out strings.Builder
		r.write(&out, v)
		return out.String()
	}
	s := textOf(v)
	r.budget.look(len(s))
	return s
}

// text is the text outside braces.
type text string

func (t text) render(r *rendering) { r.put(r.out, string(t)) }

// output is {{ ... }}.
type output struct{ of *chain }

func (o output) render(r *rendering) { r.write(r.out, o.of.eval(r)) }
