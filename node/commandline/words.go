package commandline

import (
	"fmt"
	"strings"
)

// kind is the classification of a word on the command line.
type kind int

const (
	plain     kind = iota // not classified yet
	end                   // after the last word
	long                  // --name
	longValue             // the value after --name=
	short                 // -n
	shortRest             // the letters of -name after the first
	argument
)

func (k kind) String() string {
	switch k {
	case end:
		return "<EOL>"
	case long:
		return "long flag"
	case longValue:
		return "flag value"
	case short:
		return "short flag"
	case shortRest:
		return "short flag remainder"
	case argument:
		return "positional argument"
	}
	return "untyped"
}

type word struct {
	text string
	kind kind
}

// shown is the word as typed.
func (w word) shown() string {
	switch w.kind {
	case long:
		return "--" + w.text
	case short:
		return "-" + w.text
	case end:
		return "EOL"
	}
	return w.text
}

// looks guesses the kind of an unclassified word from its form.
func (w word) looks() kind {
	switch {
	case w.kind != plain:
		return w.kind
	case strings.HasPrefix(w.text, "--"):
		return long
	case w.text == "-":
		return argument
	case strings.HasPrefix(w.text, "-"):
		return short
	}
	return plain
}

// isValue tells whether the word can be a value, because it is not an option.
func (w word) isValue() bool {
	switch w.looks() {
	case plain, longValue, shortRest, argument:
		return true
	}
	return false
}

// words are the words that were not read yet.
type words []word

func wordsOf(args []string) words {
	out := make(words, len(args))
	for i, a := range args {
		out[i] = word{text: a}
	}
	return out
}

func (w *words) next() word {
	if len(*w) == 0 {
		return word{kind: end}
	}
	first := (*w)[0]
	*w = (*w)[1:]
	return first
}

func (w words) peek() word { return (&w).next() }

// push puts words in front.
func (w *words) push(first ...word) { *w = append(first, *w...) }

// onlyArguments turns all remaining words into arguments.
func (w *words) onlyArguments() {
	all := make(words, len(*w))
	for i, one := range *w {
		all[i] = word{text: one.shown(), kind: argument}
	}
	*w = all
}

// value returns the next word if it can be a value.
func (w *words) value(what string) (string, error) {
	next := w.next()
	if !next.isValue() {
		return "", &noValue{what: what, got: next}
	}
	return next.text, nil
}

// noValue is the error for an option without a value.
type noValue struct {
	what string
	got  word
}

func (e *noValue) Error() string {
	return fmt.Sprintf("expected %s value but got %q (%s)", e.what, e.got.shown(), e.got.looks())
}
