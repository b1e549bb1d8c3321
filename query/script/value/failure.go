package value

import (
	"errors"
	"strconv"
)

// Error is a failure of a program: of its source or of one run. Line and Position count
// characters from 1; 0 means an unknown place.
type Error struct {
	Message        string
	Line, Position int
	// Placeless failures never get a place.
	Placeless bool
	// Arithmetic failures are failures of numeric operations.
	Arithmetic bool
	// Kind is Rhai's name of the failure, "" for a runtime error. Details are what a handler
	// is told of that kind.
	Kind    string
	Details []Entry
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

// Fail returns an error at this place.
func (p Place) Fail(message string) *Error {
	return &Error{Message: message, Line: int(p.Line), Position: int(p.Column)}
}

// WithKind tells of which kind a failure is, and what a handler gets of it.
func (e *Error) WithKind(kind string, details ...Entry) *Error {
	e.Kind, e.Details = kind, details
	return e
}

// Into makes the error one of a call at this place.
func (e *Error) Into(at Place, function string) {
	e.Message = e.Error() + "\nin call to function '" + function + "'"
	e.Line, e.Position, e.Placeless, e.Arithmetic = int(at.Line), int(at.Column), false, false
	e.Kind, e.Details = "ErrorInFunctionCall", []Entry{Detail("function", function), Detail("source", "")}
}

// Detail is a text that a handler gets of a failure.
func Detail(name, text string) Entry { return Entry{Key: name, Value: String(text)} }

// NotFound returns the error that no function takes these arguments. Its caller adds the
// place.
func NotFound(name string, args []Value) *Error {
	called := signature(name, args)
	return Failed("Function not found: "+called).WithKind("ErrorFunctionNotFound", Detail("function", called))
}

// WrongType returns the error that a value is not of a type. Its caller adds the place.
func WrongType(want string, v *Value) *Error {
	have := v.TypeName()
	if v.Kind == KindRange {
		have = v.Range().implementation()
	}
	return Failed("Data type incorrect: "+have+" (expecting "+want+")").WithKind("ErrorMismatchDataType", Detail("requested", want), Detail("actual", have))
}

// Fatal returns an error at this place that the program cannot catch.
func (p Place) Fatal(message string) *Error {
	e := p.Fail(message)
	e.Fatal = true
	return e
}

// At gives this place to an error that has none.
func (p Place) At(err error) error {
	var e *Error
	if errors.As(err, &e) && e.Line == 0 && !e.Placeless {
		e.Line, e.Position = int(p.Line), int(p.Column)
	}
	return err
}

// Placeless marks a failure of numeric operations as one without a place, because Rhai runs
// the operators of two integers without telling them their place.
func Placeless(err error) error {
	var e *Error
	if errors.As(err, &e) && e.Arithmetic {
		e.Placeless = true
	}
	return err
}

// failedArithmetic is a failure of a numeric operation. Its caller adds the place.
func failedArithmetic(message string) error {
	return &Error{Message: message, Arithmetic: true, Kind: ArithmeticKind}
}

// ArithmeticKind is the kind of a failure with numbers.
const ArithmeticKind = "ErrorArithmetic"

// Failed is an error whose caller adds the place.
func Failed(message string) *Error { return &Error{Message: message} }
