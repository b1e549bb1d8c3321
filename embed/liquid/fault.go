package liquid

import (
	"fmt"
	"strings"
)

// fault carries an error from a node to Render.
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
	return fmt.Sprintf("liquid: %s in %s (line %d)", e.Message, e.Part, e.Line)
}

// Failure is the error about a template that cannot be rendered with the values it got.
type Failure struct {
	// Message says what happened.
	Message string
	// Details are pairs of a name and its value.
	Details []string
	// Inside are the tags around the place, the innermost first.
	Inside []Frame
}

// Frame is a tag or filter that was being rendered when a failure happened.
type Frame struct {
	Source string
	// Details are pairs of a name and its value.
	Details []string
}

func failure(message string, details ...string) error {
	return &Failure{Message: message, Details: details}
}

// Error is the message as the reference writes it, in several lines.
func (e *Failure) Error() string {
	var out strings.Builder
	out.WriteString("liquid: " + e.Message + "\n")
	details(&out, e.Details)
	for _, f := range e.Inside {
		out.WriteString("from: " + f.Source + "\n")
		details(&out, f.Details)
	}
	return out.String()
}

func details(out *strings.Builder, pairs []string) {
	if len(pairs) > 0 {
		out.WriteString("  with:\n")
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		out.WriteString("    " + pairs[i] + "=" + pairs[i+1] + "\n")
	}
}

// invalidInput is the error of a filter that got a value of a wrong kind.
func invalidInput(cause string) error { return failure("Invalid input", "cause", cause) }

// invalidArgument is the error of a filter about one of its arguments.
func invalidArgument(name, cause string) error {
	return failure("Invalid argument", "argument", name, "cause", cause)
}

var errTooLong = fmt.Errorf("liquid: more than %d bytes of output", MaxOutput)
