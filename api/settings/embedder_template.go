package settings

import (
	"slices"
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
	single      string // path of the placeholder outside of a repeated value, "" when not met
	array, item string // path of the repeated array, and of the placeholder in its first element
	fault       string
}

// walkTemplate returns the findings, faults included.
func walkTemplate(root *jsonvalue.Value, name, placeholder string) *templateWalk {
	w := &templateWalk{placeholder: placeholder}
	w.walk(root, name, &w.single, false)
	switch {
	case w.fault != "":
	case w.single == "" && w.array == "":
		w.fault = "in `" + name + "`: \"" + placeholder + "\" not found"
	case w.single != "" && w.array != "":
		w.fail(w.single, "Found \""+placeholder+"\", but it was already present in `"+w.item+"` (repeated)")
	}
	return w
}

// repeats tells whether the template holds any number of values.
func (w *templateWalk) repeats() bool { return w.array != "" }

func (w *templateWalk) fail(path, text string) { w.fault = "in `" + path + "`: " + text }

// walk stores the path of the placeholder in found, which may happen once. nested tells that v is
// repeated; then paths have no position for it.
func (w *templateWalk) walk(v *jsonvalue.Value, path string, found *string, nested bool) {
	switch v.Kind() {
	case jsonvalue.KindString:
		switch text := v.String(); {
		case text == repeatPlaceholder:
			w.fail(path, "\""+repeatPlaceholder+"\" appears outside of an array")
		case text != w.placeholder:
		case *found != "":
			w.fail(path, "Found \""+w.placeholder+"\", but it was already present in `"+*found+"`")
		default:
			*found = path
		}
	case jsonvalue.KindObject:
		for i := 0; i < v.Len() && w.fault == ""; i++ {
			m := &v.Members()[i]
			w.walk(&m.Value, path+"."+m.Name, found, nested)
		}
	case jsonvalue.KindArray:
		if v.Len() > 1 && repetition(v.Members()[1:]) == 0 {
			w.walkRepeat(v, path, nested)
			return
		}
		if at := repetition(v.Members()); at >= 0 {
			w.misplaced(path, at)
		}
		for i := 0; i < v.Len() && w.fault == ""; i++ {
			w.walk(&v.Members()[i].Value, path+"["+strconv.Itoa(i)+"]", found, nested)
		}
	}
}

func (w *templateWalk) misplaced(path string, at int) {
	w.fail(path, "\""+repeatPlaceholder+"\" expected at position #1, but found at position #"+strconv.Itoa(at))
}

// walkRepeat handles an array whose first element is repeated. What follows the repetition is not
// looked at, except for another one.
func (w *templateWalk) walkRepeat(v *jsonvalue.Value, path string, nested bool) {
	later := repetition(v.Members()[2:])
	switch {
	case nested:
		w.fail(path, "\""+repeatPlaceholder+"\" appears nested inside of a value that is itself repeated")
	case w.array != "":
		w.fail(path, "Found \""+repeatPlaceholder+"\", but it was already present in `"+w.array+"`")
	case repetition(v.Members()[:1]) == 0:
		w.misplaced(path, 0)
	case later >= 0:
		w.misplaced(path, later+2)
	}
	found := ""
	if w.fault == "" {
		w.walk(&v.Members()[0].Value, path, &found, true)
	}
	switch {
	case w.fault != "":
	case found == "":
		w.fail(path+"[0]", "Expected \""+w.placeholder+"\" inside of the repeated value")
	default:
		w.array, w.item = path, path+"[0]"+found[len(path):]
	}
}

// repetition is the index of "{{..}}" among the elements, or -1.
func repetition(elements []jsonvalue.Member) int {
	return slices.IndexFunc(elements, func(e jsonvalue.Member) bool {
		return e.Value.Kind() == jsonvalue.KindString && e.Value.String() == repeatPlaceholder
	})
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
	case asks.repeats() == answers.repeats():
		return nil
	case answers.repeats():
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
