package settings

import (
	"strconv"

	"shoal/api/apierr"
	"shoal/api/jsonvalue"
)

// Templates compiles what clients write as templates. Package embed/prompt does
// it; this package does not know the language. A nil member accepts everything.
type Templates struct {
	// Text compiles one template.
	Text func(source string) error
	// JSON compiles all texts inside of a value; path leads to the one at fault
	// (".a[0]"), empty for the value itself.
	JSON func(v *jsonvalue.Value) (path string, err error)
}

func (t Templates) check(source string) error {
	if t.Text == nil {
		return nil
	}
	return t.Text(source)
}

// checkFragmentTemplates compiles the fragments of both sides.
func (e *EmbedderPatch) checkFragmentTemplates(t Templates) *apierr.Error {
	if t.JSON == nil {
		return nil
	}
	for _, f := range []embedderField{embIndexingFragments, embSearchFragments} {
		v := e.value(f)
		if v == nil {
			continue
		}
		for i := range v.Members() {
			m := &v.Members()[i]
			value := m.Value.Get("value")
			if value == nil {
				continue // null: the fragment goes
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
	}
	return nil
}

// checkFragmentCount bounds the fragments of one merged definition (spec
// write-api 13.1).
func (e *EmbedderPatch) checkFragmentCount() *apierr.Error {
	for _, f := range []embedderField{embIndexingFragments, embSearchFragments} {
		if v := e.value(f); v != nil && v.Len() > maxFragments {
			return apierr.New(apierr.CodeInvalidSettingsEmbedders, "Too many fragments in the configuration. Found "+strconv.Itoa(v.Len())+", but limited to 256.")
		}
	}
	return nil
}

const maxFragments = 256
