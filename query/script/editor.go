package script

import (
	"encoding/json"
	"errors"

	"shoal/api/apierr"
)

// Editor edits documents by one compiled function. Safe for concurrent use.
type Editor struct {
	program *Program
	context Context
	limits  Limits
}

// NewEditor compiles an edition: a JSON object with the members `function` and `context`;
// other members are ignored. Errors of the program are *apierr.Error.
func NewEditor(edition []byte) (*Editor, error) {
	var body struct {
		Function string          `json:"function"`
		Context  json.RawMessage `json:"context"`
	}
	if err := json.Unmarshal(edition, &body); err != nil {
		return nil, err
	}
	program, err := Compile(body.Function)
	if err != nil {
		return nil, apierr.EditionCompilation(err.Error())
	}
	context, err := ParseContext(body.Context)
	if err != nil {
		return nil, err
	}
	return &Editor{program: program, context: context}, nil
}

// Edit returns the edited document: nil if the function deletes it, the input itself if
// nothing changed. Errors are *apierr.Error.
func (e *Editor) Edit(doc []byte) ([]byte, error) {
	out, deleted, err := e.program.Run(doc, e.context, e.limits)
	switch {
	case errors.Is(err, ErrNotObject):
		return nil, apierr.EditionNotObject()
	case err != nil:
		return nil, apierr.EditionRuntime(err.Error())
	case deleted:
		return nil, nil
	}
	return out, nil
}
