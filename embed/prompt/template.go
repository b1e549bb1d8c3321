package prompt

import (
	"context"
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

// Parse compiles a text. The error says what is wrong with the template. It wraps ErrBudget
// if the template is too large.
func Parse(source string) (t *Template, err error) {
	if source == settings.DefaultDocumentTemplate {
		return &Template{plain: true}, nil
	}
	return compile(source)
}

func compile(source string) (*Template, error) {
	compiled, err := liquid.Parse(source)
	return &Template{compiled: compiled}, err
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
		fields[i] = liquid.JSON(&v)
	}
	object := jsonvalue.ObjectValue(members...)
	return t.compiled.Render(b, map[string]any{"doc": liquid.JSON(&object), "fields": liquid.List(fields)})
}

// fragment renders a text of a fragment for a document. It has no fields.
func (t *Template) fragment(b *liquid.Budget, doc *jsonvalue.Value) (string, error) {
	object := jsonvalue.ObjectValue(visible(doc)...)
	return t.compiled.Render(b, map[string]any{"doc": liquid.JSON(&object)})
}

// search renders a text of a fragment for a search. q and media are nil if it has none.
func (t *Template) search(b *liquid.Budget, q *string, media *jsonvalue.Value) (string, error) {
	vars := map[string]any{}
	if q != nil {
		vars["q"] = *q
	}
	if media != nil {
		vars["media"] = liquid.JSON(media)
	}
	return t.compiled.Render(b, vars)
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
