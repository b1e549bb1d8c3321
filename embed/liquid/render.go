package liquid

import (
	"fmt"
	"maps"
	"strings"
)

// rendering is the state of one run of a template.
type rendering struct {
	budget *Budget
	vars   map[string]any
	out    writer
	// counters belong to increment and decrement, turns to cycle, shown to ifchanged.
	counters, turns map[string]int
	shown           map[*ifChanged]string
}

// Render runs a template over variables, which it does not change. JSON, Missing and List
// make their values. It fails with ErrBudget if the template exceeds its limits, and with
// *UnknownIndex for a missing member. The end of the budget's context stops it.
func (t *Template) Render(b *Budget, vars map[string]any) (out string, err error) {
	defer func() {
		if f := recover(); f != nil {
			out, err = "", faultOf(f)
		}
	}()
	text := &bounded{}
	r := &rendering{budget: b, vars: maps.Clone(vars), out: text}
	if r.vars == nil {
		r.vars = map[string]any{}
	}
	switch r.all(t.nodes) {
	case broken:
		return "", errBreakOutside
	case continued:
		return "", errContinueOutside
	}
	return text.String(), nil
}

// faultOf is the error of a stopped rendering. Templates and documents come from clients,
// so even a panic of unknown cause must not end the node.
func faultOf(f any) error {
	if f, ok := f.(fault); ok {
		return f.error
	}
	return fmt.Errorf("liquid: %v", f)
}

// bounded collects output up to MaxOutput.
type bounded struct{ strings.Builder }

func (b *bounded) WriteString(s string) (int, error) {
	if b.Len()+len(s) > MaxOutput {
		return 0, errTooLong
	}
	return b.Builder.WriteString(s)
}

// all renders nodes until one breaks off.
func (r *rendering) all(nodes []node) signal {
	for _, n := range nodes {
		if s := n.render(r); s != done {
			return s
		}
	}
	return done
}

// captured renders nodes into a separate text.
func (r *rendering) captured(nodes []node) (string, signal) {
	var text strings.Builder
	before := r.out
	r.out = &text
	s := r.all(nodes)
	r.out = before
	return text.String(), s
}

// text is the text outside braces.
type text string

func (t text) render(r *rendering) signal {
	r.put(r.out, string(t))
	return done
}

// output is {{ ... }}.
type output struct{ of expression }

func (o output) render(r *rendering) signal {
	r.write(r.out, o.of.eval(r))
	return done
}
