package liquid

import (
	"errors"
	"fmt"
)

// fault carries an error from an expression to Render.
type fault struct{ error }

// stop ends the rendering with an error.
func stop(err error) { panic(fault{err}) }

// SyntaxError describes a fault in the text of a template.
type SyntaxError struct {
	// Line counts from one.
	Line int
	// Part is the faulty piece of the text, as written.
	Part    string
	Message string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%s in %s (line %d)", e.Message, e.Part, e.Line)
}

// filterError is an error of a filter.
func filterError(name string, err error) error {
	return fmt.Errorf("error applying filter %q (%w)", name, err)
}

// conversionError: a filter or range needs a value of another type.
func conversionError(v any, want string) error {
	return fmt.Errorf("can't convert %s(%s) to type %s", typeName(v), shown(v), want)
}

var (
	errWholeNumber    = errors.New("liquid: Expected whole number")
	errDivisionByZero = errors.New("division by zero")
	errTooLong        = fmt.Errorf("liquid: more than %d bytes of output", MaxOutput)
)
