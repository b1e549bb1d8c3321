package wire

import (
	"errors"
	"fmt"
	"runtime/debug"
)

// Conditions that cross nodes. They are compared with errors.Is on both sides
// of a link: the link carries their identity, not their text.
var (
	// ErrNoLeader: no leader is known or it cannot be reached; nothing was
	// accepted, or (for a proposal) the outcome is unknown: retry with the same
	// request id.
	ErrNoLeader = errors.New("no leader")
	// ErrNotLeader: this node is not the leader (any more).
	ErrNotLeader = errors.New("not the leader")
	// ErrBehind: the replica does not have the requested version yet.
	ErrBehind = errors.New("replica is behind the requested version")
	// ErrGone: the requested version is no longer kept; restart the request with
	// the newest catalogue.
	ErrGone = errors.New("requested version is gone")
	// ErrUnavailable: no replica answered.
	ErrUnavailable = errors.New("unavailable")
	// ErrNoShard: this node holds no such shard.
	ErrNoShard = errors.New("no such shard on this node")
	// ErrFenced: the caller's term or base version is out of date.
	ErrFenced = errors.New("fenced by a newer term")
	// ErrTooLarge: a command is larger than an entry of the log may be; it will not
	// get through later either.
	ErrTooLarge = errors.New("too large for an entry of the log")
	// ErrCrashed: the code that was to answer panicked. It would again: nothing is
	// gained by asking once more.
	ErrCrashed = errors.New("an internal error of the program")
	// ErrDied: processes of the node have ended while they did what is asked, more
	// often than the caller knows of.
	ErrDied = errors.New("the node has ended while it did this before")
	// ErrDamaged: the disk does not hold what was written, and no other node has a copy.
	ErrDamaged = errors.New("damaged on the disk of the only node that has it")
	// ErrNoBlob: every node that staged a payload is there and has it no more. Its
	// task fails; a payload whose nodes are away is ErrUnavailable and waited for.
	ErrNoBlob = errors.New("the staged payload is lost")
	// ErrClosed: the component is closing.
	ErrClosed = errors.New("closed")
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
