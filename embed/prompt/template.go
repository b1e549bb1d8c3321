package prompt

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"shoal/api/jsonvalue"
	"shoal/api/settings"
	"shoal/embed/liquid"
)

// Template is one compiled text.
type Template struct {
	compiled *liquid.Template
	// plain marks the default template of embedders, which has its own fast rendering.
	plain bool
}

// ErrBudget is wrapped by every error about a template that exceeds its limits.
var ErrBudget = liquid.ErrBudget

// data are the variables of templates. Conditions may use members of them that do not
// exist.
var data = liquid.Options{Lenient: []string{"doc", "media", "q"}}

// Parse compiles a text. The error says what is wrong with the template. It wraps ErrBudget
// if the template is too large.
func Parse(source string) (t *Template, err error) {
	if source == settings.DefaultDocumentTemplate {
		return &Template{plain: true}, nil
	}
	if at := unclosed(source); at >= 0 {
		return nil, fmt.Errorf("liquid: `%s` at byte %d is not closed", source[at:at+2], at)
	}
	compiled, err := liquid.Parse(source, data)
	if errors.Is(err, ErrBudget) {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("liquid: %w", err)
	}
	return &Template{compiled: compiled}, nil
}

// hidden members of documents are not visible to templates.
func hidden(name string) bool { return name == "_vectors" || name == "_geo" }

// Document renders a document. searchable tells which fields are searched; nil means all. A
// missing member is an error that names it. A template that exceeds its limits fails with
// ErrBudget. The end of ctx stops it.
func (t *Template) Document(ctx context.Context, doc *jsonvalue.Value, searchable func(name string) bool) (out string, err error) {
	return t.document(liquid.NewBudget(ctx), doc, searchable)
}

func (t *Template) document(b *liquid.Budget, doc *jsonvalue.Value, searchable func(name string) bool) (out string, err error) {
	members := visible(doc)
	if t.plain {
		return renderPlain(members, searchable), nil
	}
	fields := make([]any, len(members))
	for i, m := range members {
		known := searchable == nil || searchable(m.Name)
		v := jsonvalue.ObjectValue(
			jsonvalue.Member{Name: "name", Value: jsonvalue.StringValue(m.Name)},
			jsonvalue.Member{Name: "value", Value: m.Value},
			jsonvalue.Member{Name: "is_searchable", Value: jsonvalue.BoolValue(known)},
		)
		fields[i] = liquid.JSON(&v, "field")
	}
	object := jsonvalue.ObjectValue(members...)
	return t.compiled.Render(b, map[string]any{"doc": liquid.JSON(&object, "doc"), "fields": liquid.List(fields)})
}

// Search renders a search. q and media are nil if the search has none. Errors are as in
// Document.
func (t *Template) Search(ctx context.Context, q *string, media *jsonvalue.Value) (string, error) {
	return t.search(liquid.NewBudget(ctx), q, media)
}

func (t *Template) search(b *liquid.Budget, q *string, media *jsonvalue.Value) (string, error) {
	var members []jsonvalue.Member
	if q != nil {
		members = append(members, jsonvalue.Member{Name: "q", Value: jsonvalue.StringValue(*q)})
	}
	if media != nil {
		members = append(members, jsonvalue.Member{Name: "media", Value: *media})
	}
	if t.plain {
		return "", nil
	}
	vars := map[string]any{}
	for _, name := range []string{"q", "media"} {
		vars[name] = liquid.Missing("search", name)
		if at := indexOf(members, name); at >= 0 {
			vars[name] = liquid.JSON(&members[at].Value, name)
		}
	}
	return t.compiled.Render(b, vars)
}

func indexOf(members []jsonvalue.Member, name string) int {
	for i := range members {
		if members[i].Name == name {
			return i
		}
	}
	return -1
}

func visible(doc *jsonvalue.Value) []jsonvalue.Member {
	var out []jsonvalue.Member
	for _, m := range doc.Members() {
		if !hidden(m.Name) {
			out = append(out, m)
		}
	}
	return out
}

func renderPlain(members []jsonvalue.Member, searchable func(string) bool) string {
	var out strings.Builder
	for i := range members {
		m := &members[i]
		if m.Value.IsNull() || searchable != nil && !searchable(m.Name) {
			continue
		}
		out.WriteString(m.Name)
		out.WriteString(": ")
		liquid.Print(&out, &m.Value)
		out.WriteByte('\n')
	}
	return out.String()
}
