package value

import (
	"errors"
	"strconv"
)

// Error is a failure of a program: of its text or of one run. Line and Position
// count from 1 in characters; 0 means that no place is known.
type Error struct {
	Message        string
	Line, Position int
	// Placeless failures have no place, however far they travel.
	Placeless bool
	// Arithmetic failures are those of numbers.
	Arithmetic bool
	// Fatal failures cannot be caught by the program.
	Fatal bool
	// Thrown is the value of a throw statement.
	Thrown *Value
}

// Error renders the message as Rhai does, with its place.
func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Message
	}
	return e.Message + " (line " + strconv.Itoa(e.Line) + ", position " + strconv.Itoa(e.Position) + ")"
}

// Place is a position in the source.
type Place struct{ Line, Column int32 }

// Fail is an error at this place.
func (p Place) Fail(message string) *Error {
	return &Error{Message: message, Line: int(p.Line), Position: int(p.Column)}
}

// Fatal is an error at this place that the program cannot catch.
func (p Place) Fatal(message string) *Error {
	e := p.Fail(message)
	e.Fatal = true
	return e
}

// At gives an error without a place this one.
func (p Place) At(err error) error {
	var e *Error
	if errors.As(err, &e) && e.Line == 0 && !e.Placeless {
		e.Line, e.Position = int(p.Line), int(p.Column)
	}
	return err
}

// Placeless takes the place away from a failure of numbers: Rhai runs the operators of
// two integers without telling them where they stand.
func Placeless(err error) error {
	var e *Error
	if errors.As(err, &e) && e.Arithmetic {
		e.Placeless = true
	}
	return err
}

// failedArithmetic is a failure of numbers that gets its place from whoever called.
func failedArithmetic(message string) error { return &Error{Message: message, Arithmetic: true} }

// Failed is an error that gets its place from whoever called.
func Failed(message string) error { return &Error{Message: message} }
