package prompt

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/osteele/liquid/render"

	"shoal/api/jsonvalue"
	"shoal/api/settings"
)

// Template is one compiled text.
type Template struct {
	compiled render.Node
	// plain is the template that every embedder has by default: it is rendered
	// without the engine.
	plain bool
}

// Parse compiles a text. Errors are written by the client; their text says what
// is wrong with the template. ErrBudget is in that about one that is too large.
func Parse(source string) (t *Template, err error) {
	defer caught(&err)
	if source == settings.DefaultDocumentTemplate {
		return &Template{plain: true}, nil
	}
	if at := unclosed(source); at >= 0 {
		return nil, fmt.Errorf("liquid: `%s` at byte %d is not closed", source[at:at+2], at)
	}
	compiled, err := compile(lenient(source))
	if errors.Is(err, ErrBudget) {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("liquid: %w", err)
	}
	return &Template{compiled: compiled}, nil
}

// caught turns a panic of the engine into an error: templates and documents are
// user input.
func caught(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("liquid: %v", r)
	}
}

// Conditions may ask for members that do not exist: in them, the names of the
// data are those of a lenient twin.
var (
	conditionTag = regexp.MustCompile(`\{%-?\s*(?:if|elsif|unless|case|when)\s[^%]*(?:%[^}][^%]*)*%\}`)
	dataName     = regexp.MustCompile(`\b(doc|media|q)\b`)
	quotedText   = regexp.MustCompile(`"[^"]*"|'[^']*'|[^"']+`)
)

const lenientPrefix = "lenient_"

func lenient(source string) string {
	return conditionTag.ReplaceAllStringFunc(source, func(tag string) string {
		return quotedText.ReplaceAllStringFunc(tag, func(part string) string {
			if part[0] == '"' || part[0] == '\'' {
				return part
			}
			return dataName.ReplaceAllString(part, lenientPrefix+"$1")
		})
	})
}

// hidden members of documents are not for templates.
func hidden(name string) bool { return name == "_vectors" || name == "_geo" }

// Document renders a document. searchable tells of which fields words are
// searched; nil stands for all. A missing member is an error whose text tells
// which. A template that wants more than it may use gives ErrBudget; the end of ctx
// stops it.
func (t *Template) Document(ctx context.Context, doc *jsonvalue.Value, searchable func(name string) bool) (out string, err error) {
	return t.document(newBudget(ctx), doc, searchable)
}

func (t *Template) document(b *budget, doc *jsonvalue.Value, searchable func(name string) bool) (out string, err error) {
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
		fields[i] = node{json: &v, path: "field", budget: b}
	}
	object := jsonvalue.ObjectValue(members...)
	return t.render(b, map[string]any{
		"doc":                 node{json: &object, path: "doc", budget: b},
		lenientPrefix + "doc": node{json: &object, path: "doc", budget: b, lenient: true},
		"fields":              fields,
	})
}

// Search renders a search: q and media are nil when the search has none. Errors as
// in Document.
func (t *Template) Search(ctx context.Context, q *string, media *jsonvalue.Value) (string, error) {
	return t.search(newBudget(ctx), q, media)
}

func (t *Template) search(b *budget, q *string, media *jsonvalue.Value) (string, error) {
	var members []jsonvalue.Member
	if q != nil {
		members = append(members, jsonvalue.Member{Name: "q", Value: jsonvalue.StringValue(*q)})
	}
	if media != nil {
		members = append(members, jsonvalue.Member{Name: "media", Value: *media})
	}
	vars := map[string]any{}
	for _, name := range []string{"q", "media"} {
		strict := node{missing: &lookup{path: "search", name: name}, budget: b}
		if at := indexOf(members, name); at >= 0 {
			strict = node{json: &members[at].Value, path: name, budget: b}
		}
		soft := strict
		soft.lenient = true
		vars[name], vars[lenientPrefix+name] = strict, soft
	}
	return t.render(b, vars)
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
		printValue(&out, &m.Value)
		out.WriteByte('\n')
	}
	return out.String()
}

func (t *Template) render(b *budget, vars map[string]any) (string, error) {
	if t.plain {
		return "", nil
	}
	return renderTree(b, t.compiled, vars)
}

// boundedText collects output up to maxOutput.
type boundedText struct {
	strings.Builder
	budget *budget
}

var errTooLong = fmt.Errorf("liquid: more than %d bytes of output", maxOutput)

func (b *boundedText) Write(p []byte) (int, error) {
	if b.Len()+len(p) > maxOutput {
		return 0, errTooLong
	}
	b.budget.spend(len(p))
	return b.Builder.Write(p)
}

func (b *boundedText) WriteString(s string) (int, error) { return b.Write([]byte(s)) }
