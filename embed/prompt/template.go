package prompt

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/osteele/liquid"

	"shoal/api"
)

// maxOutput bounds what one template renders, in bytes.
const maxOutput = 4 << 20

// errNoFiles is what every attempt to read another template gets.
var errNoFiles = errors.New("liquid: templates cannot be included")

type noFiles struct{}

func (noFiles) ReadTemplate(string) ([]byte, error) { return nil, errNoFiles }

// newEngine returns an engine that reads nothing but its input.
func newEngine() *liquid.Engine {
	e := liquid.NewEngine()
	e.UnregisterTag("include")
	e.UnregisterTag("render")
	e.RegisterTemplateStore(noFiles{})
	return e
}

// Template is one compiled text.
type Template struct {
	compiled *liquid.Template
	// plain is the template that every embedder has by default: it is rendered
	// without the engine.
	plain bool
}

// Parse compiles a text. Errors are written by the client; their text says what
// is wrong with the template.
func Parse(source string) (t *Template, err error) {
	defer caught(&err)
	if source == api.DefaultDocumentTemplate {
		return &Template{plain: true}, nil
	}
	if at := unclosed(source); at >= 0 {
		return nil, fmt.Errorf("liquid: `%s` at byte %d is not closed", source[at:at+2], at)
	}
	compiled, fault := newEngine().ParseString(lenient(source))
	if fault != nil {
		return nil, fmt.Errorf("liquid: %w", fault.Cause())
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
// which.
func (t *Template) Document(doc *api.Value, searchable func(name string) bool) (out string, err error) {
	members := visible(doc)
	if t.plain {
		return renderPlain(members, searchable), nil
	}
	fields := make([]any, len(members))
	for i, m := range members {
		known := searchable == nil || searchable(m.Name)
		v := api.ObjectValue(
			api.Member{Name: "name", Value: api.StringValue(m.Name)},
			api.Member{Name: "value", Value: m.Value},
			api.Member{Name: "is_searchable", Value: api.BoolValue(known)},
		)
		fields[i] = node{json: &v, path: "field"}
	}
	object := api.ObjectValue(members...)
	return t.render(liquid.Bindings{
		"doc": node{json: &object, path: "doc"}, lenientPrefix + "doc": node{json: &object, path: "doc", lenient: true}, "fields": fields,
	})
}

// Search renders a search: q and media are nil when the search has none.
func (t *Template) Search(q *string, media *api.Value) (string, error) {
	var members []api.Member
	if q != nil {
		members = append(members, api.Member{Name: "q", Value: api.StringValue(*q)})
	}
	if media != nil {
		members = append(members, api.Member{Name: "media", Value: *media})
	}
	vars := liquid.Bindings{}
	for _, name := range []string{"q", "media"} {
		strict := node{missing: &lookup{path: "search", name: name}}
		if at := indexOf(members, name); at >= 0 {
			strict = node{json: &members[at].Value, path: name}
		}
		soft := strict
		soft.lenient = true
		vars[name], vars[lenientPrefix+name] = strict, soft
	}
	return t.render(vars)
}

func indexOf(members []api.Member, name string) int {
	for i := range members {
		if members[i].Name == name {
			return i
		}
	}
	return -1
}

func visible(doc *api.Value) []api.Member {
	var out []api.Member
	for _, m := range doc.Members() {
		if !hidden(m.Name) {
			out = append(out, m)
		}
	}
	return out
}

func renderPlain(members []api.Member, searchable func(string) bool) string {
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

func (t *Template) render(vars liquid.Bindings) (out string, err error) {
	defer caught(&err)
	if t.plain {
		return "", nil
	}
	w := &boundedText{}
	if fault := t.compiled.FRender(w, vars); fault != nil {
		return "", cause(fault)
	}
	return w.String(), nil
}

// cause unwraps what the engine puts around an error.
func cause(fault liquid.SourceError) error {
	if c := fault.Cause(); c != nil {
		return c
	}
	return fault
}

// boundedText collects output up to maxOutput.
type boundedText struct{ strings.Builder }

var errTooLong = fmt.Errorf("liquid: more than %d bytes of output", maxOutput)

func (b *boundedText) Write(p []byte) (int, error) {
	if b.Len()+len(p) > maxOutput {
		return 0, errTooLong
	}
	return b.Builder.Write(p)
}

func (b *boundedText) WriteString(s string) (int, error) { return b.Write([]byte(s)) }
