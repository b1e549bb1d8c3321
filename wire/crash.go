package wire

import (
	"fmt"
	"runtime/debug"
)

// Crash is a panic that was caught: a mistake of the program, which asking again
// meets again. It is ErrCrashed.
type Crash struct {
	Value any
	// Stack is that of the goroutine that panicked.
	Stack string
}

// NewCrash keeps what recover returned. It belongs into the deferred function.
func NewCrash(value any) *Crash { return &Crash{Value: value, Stack: string(debug.Stack())} }

func (c *Crash) Error() string { return fmt.Sprintf("%s: %v", ErrCrashed, c.Value) }

// Unwrap makes it ErrCrashed.
func (c *Crash) Unwrap() error { return ErrCrashed }

// Catch makes a call and turns its panic into a Crash. Goroutines that work for one
// request or batch run in it: what they do wrong fails that one, and nothing else.
func Catch(call func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = NewCrash(p)
		}
	}()
	return call()
}
