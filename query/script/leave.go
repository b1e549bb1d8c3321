package script

import "shoal/query/script/value"

// leaving is the kind of a jump that interrupts statements.
type leaving uint8

const (
	leaveLoop leaving = iota
	leaveTurn
	leaveFunction
	leaveScript
)

// leave carries a value out of a loop, a function or the program.
type leave struct {
	kind  leaving
	value value.Value
	at    value.Place
}

func (l *leave) Error() string { return "'return' outside of a function" }
