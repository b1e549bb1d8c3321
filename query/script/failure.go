package script

import (
	"errors"
	"strconv"
)

// Error is a failure of a program: of its text or of one run. Line and Position
// count from 1 in characters; 0 means that no place is known.
type Error struct {
	Message        string
	Line, Position int
	// fatal failures cannot be caught by the program.
	fatal bool
	// thrown is the value of a throw statement.
	thrown *value
}

// Error renders the message as Rhai does, with its place.
func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Message
	}
	return e.Message + " (line " + strconv.Itoa(e.Line) + ", position " + strconv.Itoa(e.Position) + ")"
}

// place is a position in the source.
type place struct{ line, column int32 }

func (p place) fail(message string) *Error {
	return &Error{Message: message, Line: int(p.line), Position: int(p.column)}
}

func (p place) fatal(message string) *Error {
	e := p.fail(message)
	e.fatal = true
	return e
}

// at gives an error without a place this one.
func (p place) at(err error) error {
	var e *Error
	if errors.As(err, &e) && e.Line == 0 {
		e.Line, e.Position = int(p.line), int(p.column)
	}
	return err
}

// failed is an error that gets its place from whoever called.
func failed(message string) error { return &Error{Message: message} }
