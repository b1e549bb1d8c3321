package settings

import (
	"strconv"

	"shoal/api/apierr"
	"shoal/api/jsonvalue"
)

// The request and response templates of rest embedders: JSON in which one string is a
// placeholder. An array [X, "{{..}}"] repeats X once per text (spec write-api 13.4, 13.5).

const repeatPlaceholder = "{{..}}"

// templateWalk finds the placeholder and the repetition of one template.
type templateWalk struct {
	placeholder string
	found       string // path of the placeholder, "" when not met
	inRepeat    bool   // the placeholder is inside the repeated value
	repeat      string // path of the repeated array
	fault       string
}

// walkTemplate returns the findings, faults included.
func walkTemplate(root *jsonvalue.Value, name, placeholder string) *templateWalk {
	w := &templateWalk{placeholder: placeholder}
	w.walk(root, name, false)
	if w.fault == "" && w.found == "" {
		w.fault = "in `" + name + "`: \"" + placeholder + "\" not found"
	}
	return w
}

func (w *templateWalk) fail(path, text string) {
	if w.fault == "" {
		w.fault = "in `" + path + "`: " + text
	}
}

func (w *templateWalk) walk(v *jsonvalue.Value, path string, repeated bool) {
	if w.fault != "" {
		return
	}
	switch v.Kind() {
	case jsonvalue.KindString:
		switch v.String() {
		case repeatPlaceholder:
			w.fail(path, "\""+repeatPlaceholder+"\" appears outside of an array")
		case w.placeholder:
			w.meet(path, repeated)
		}
	case jsonvalue.KindObject:
		for i := range v.Members() {
			m := &v.Members()[i]
			w.walk(&m.Value, path+"."+m.Name, repeated)
		}
	case jsonvalue.KindArray:
		if at := repetition(v); at >= 0 {
			w.walkRepeat(v, path, at, repeated)
			return
		}
		for i := range v.Members() {
			w.walk(&v.Members()[i].Value, path+"["+strconv.Itoa(i)+"]", repeated)
		}
	}
}

// meet records the placeholder, which may appear once.
func (w *templateWalk) meet(path string, repeated bool) {
	if w.found != "" {
		text := "Found \"" + w.placeholder + "\", but it was already present in `" + w.found + "`"
		if w.inRepeat {
			text += " (repeated)"
		}
		w.fail(path, text)
		return
	}
	w.found, w.inRepeat = path, repeated
}

// walkRepeat handles an array that has the repetition at index at.
func (w *templateWalk) walkRepeat(v *jsonvalue.Value, path string, at int, repeated bool) {
	switch {
	case repeated:
		w.fail(path, "\""+repeatPlaceholder+"\" appears nested inside of a value that is itself repeated")
		return
	case at != 1:
		w.fail(path, "\""+repeatPlaceholder+"\" expected at position #1, but found at position #"+strconv.Itoa(at))
		return
	case w.repeat != "":
		w.fail(path, "Found \""+repeatPlaceholder+"\", but it was already present in `"+w.repeat+"`")
		return
	}
	w.repeat = path
	before := w.found
	w.walk(&v.Members()[0].Value, path+"[0]", true)
	if w.fault == "" && w.found == before {
		w.fail(path+"[0]", "Expected \""+w.placeholder+"\" inside of the repeated value")
	}
}

// repetition is the index of "{{..}}" among the elements, or -1.
func repetition(v *jsonvalue.Value) int {
	for i := range v.Members() {
		if e := &v.Members()[i].Value; e.Kind() == jsonvalue.KindString && e.String() == repeatPlaceholder {
			return i
		}
	}
	return -1
}

// Notes about the placeholder of a request.
const (
	textNote     = "\n  - Note: this template is using a document template, and so expects to contain the placeholder \"{{text}}\" rather than \"{{fragment}}\""
	fragmentNote = "\n  - Note: this template is using fragments, and so expects to contain the placeholder \"{{fragment}}\" rathern than \"{{text}}\""
)

// checkTemplates checks request, fragments and response. Request and response must both be
// single, or both repeated. Without a request nothing is checked. A change, which is not whole,
// may leave out the fragments that are there: then either placeholder of the request will do.
func (e *EmbedderPatch) checkTemplates(t Templates, whole bool) *apierr.Error {
	request, response := e.value(embRequest), e.value(embResponse)
	if request == nil {
		return nil
	}
	reset := e.fields[embIndexingFragments].IsNull() || e.fields[embSearchFragments].IsNull()
	fragments := e.hasFragments()
	if fragments {
		if err := e.compile(embIndexingFragments, t); err != nil {
			return err
		}
	}
	asks, note := walkTemplate(request, "request", "{{fragment}}"), fragmentNote
	if !fragments && (whole || reset || asks.fault != "") {
		asks, note = walkTemplate(request, "request", "{{text}}"), textNote
	}
	if asks.fault != "" {
		return vectorError(asks.fault + note)
	}
	if fragments {
		if err := e.compile(embSearchFragments, t); err != nil {
			return err
		}
	}
	if response == nil {
		return nil
	}
	answers := walkTemplate(response, "response", "{{embedding}}")
	switch {
	case answers.fault != "":
		return vectorError(answers.fault)
	case asks.inRepeat == answers.inRepeat:
		return nil
	case answers.inRepeat:
		return vectorError("in `response`: `response` has multiple embeddings, but `request` has only one text to embed")
	}
	return vectorError("in `response`: `response` has a single embedding, but `request` has multiple texts to embed")
}

// hasFragments tells whether there are fragments that are not removed.
func (e *EmbedderPatch) hasFragments() bool {
	return len(namesOf(e.value(embIndexingFragments)))+len(namesOf(e.value(embSearchFragments))) > 0
}

// Templates compiles the templates of clients. Package embed/prompt supplies it, because
// this package does not know the language. A nil member accepts everything.
type Templates struct {
	// Text compiles one template.
	Text func(source string) error
	// JSON compiles all texts inside a value. path leads to the faulty one (".a[0]") and is
	// empty for the value itself.
	JSON func(v *jsonvalue.Value) (path string, err error)
}

func (t Templates) check(source string) error {
	if t.Text == nil {
		return nil
	}
	return t.Text(source)
}

// compile compiles the fragments of one side.
func (e *EmbedderPatch) compile(f embedderField, t Templates) *apierr.Error {
	v := e.value(f)
	if t.JSON == nil || v == nil {
		return nil
	}
	for i := range v.Members() {
		m := &v.Members()[i]
		value := m.Value.Get("value")
		if value == nil {
			continue // null removes the fragment
		}
		path, err := t.JSON(value)
		switch {
		case err == nil:
		case path == "":
			return vectorError("error while parsing template: " + err.Error())
		default:
			return vectorError("in ``." + embedderFieldNames[f] + "." + m.Name + path + "``, error while parsing template: " + err.Error())
		}
	}
	return nil
}

// checkFragmentCount bounds the fragments that documents have (spec write-api 13.1).
func (e *EmbedderPatch) checkFragmentCount() *apierr.Error {
	v := e.value(embIndexingFragments)
	if nested := e.value(embIndexingEmbedder); nested != nil {
		v = nested.Get(embedderFieldNames[embIndexingFragments])
	}
	if v != nil && v.Len() > maxFragments {
		return apierr.New(codeEmbedders, "Too many fragments in the configuration. Found "+strconv.Itoa(v.Len())+", but limited to 256.")
	}
	return nil
}

// maxFragments is one less than the message of too many says.
const maxFragments = 255
