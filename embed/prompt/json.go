package prompt

import (
	"context"
	"fmt"
	"strconv"

	"shoal/api/jsonvalue"
	"shoal/embed/liquid"
)

// JSON is a fragment: a value in which every text is a template.
type JSON struct {
	value jsonvalue.Value
	texts map[string]*Template // by path
}

// ParseError: a text inside a fragment does not compile.
type ParseError struct {
	// Path leads to the text, as in ".a[0]". It is empty at the root.
	Path  string
	Cause error
}

func (e *ParseError) Error() string { return "error while parsing template: " + e.Cause.Error() }

func (e *ParseError) Unwrap() error { return e.Cause }

// ParseJSON compiles all texts of a value. Errors: *ParseError.
func ParseJSON(v *jsonvalue.Value) (*JSON, error) {
	j := &JSON{value: *v, texts: map[string]*Template{}}
	err := walkTexts(v, "", func(path, text string) error {
		t, err := compile(text)
		if err != nil {
			return &ParseError{Path: path, Cause: err}
		}
		j.texts[path] = t
		return nil
	})
	return j, err
}

func walkTexts(v *jsonvalue.Value, path string, f func(path, text string) error) error {
	switch v.Kind() {
	case jsonvalue.KindString:
		return f(path, v.String())
	case jsonvalue.KindArray, jsonvalue.KindObject:
		for i := range v.Members() {
			m := &v.Members()[i]
			if err := walkTexts(&m.Value, below(v, path, i), f); err != nil {
				return err
			}
		}
	}
	return nil
}

func below(v *jsonvalue.Value, path string, i int) string {
	if v.Kind() == jsonvalue.KindArray {
		return path + "[" + strconv.Itoa(i) + "]"
	}
	return path + "." + v.Members()[i].Name
}

// Document renders the fragment for a document. All its texts share one budget. Errors are
// as in Template.Document.
func (j *JSON) Document(ctx context.Context, doc *jsonvalue.Value) (jsonvalue.Value, error) {
	b := liquid.NewBudget(ctx)
	return j.render(&j.value, "", func(t *Template) (string, error) { return t.fragment(b, doc) })
}

// Search renders the fragment for a search.
func (j *JSON) Search(ctx context.Context, q *string, media *jsonvalue.Value) (jsonvalue.Value, error) {
	b := liquid.NewBudget(ctx)
	return j.render(&j.value, "", func(t *Template) (string, error) { return t.search(b, q, media) })
}

func (j *JSON) render(v *jsonvalue.Value, path string, f func(*Template) (string, error)) (jsonvalue.Value, error) {
	switch v.Kind() {
	case jsonvalue.KindString:
		text, err := f(j.texts[path])
		if err != nil {
			return jsonvalue.Value{}, fmt.Errorf("error while rendering template: %w", err)
		}
		return jsonvalue.StringValue(text), nil
	case jsonvalue.KindArray, jsonvalue.KindObject:
		members, items := make([]jsonvalue.Member, v.Len()), make([]jsonvalue.Value, v.Len())
		for i := range v.Members() {
			m := &v.Members()[i]
			value, err := j.render(&m.Value, below(v, path, i), f)
			if err != nil {
				return jsonvalue.Value{}, err
			}
			members[i], items[i] = jsonvalue.Member{Name: m.Name, Value: value}, value
		}
		if v.Kind() == jsonvalue.KindArray {
			return jsonvalue.ArrayValue(items...), nil
		}
		return jsonvalue.ObjectValue(members...), nil
	}
	return *v, nil
}
