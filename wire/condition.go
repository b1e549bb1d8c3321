package wire

import (
	"errors"
	"fmt"
	"runtime/debug"
)

// Conditions that cross nodes. Both sides of a link compare them with errors.Is: the link
// transfers their identity, not their text.
var (
	// ErrNoLeader: no leader is known or reachable. Nothing was accepted, or (for a proposal)
	// the outcome is unknown: retry with the same request id.
	ErrNoLeader = errors.New("no leader")
	// ErrNotLeader: this node is not, or no longer, the leader.
	ErrNotLeader = errors.New("not the leader")
	// ErrBehind: the replica does not have the requested version yet.
	ErrBehind = errors.New("replica is behind the requested version")
	// ErrGone: the requested version is no longer kept. Restart the request with the newest
	// catalogue.
	ErrGone = errors.New("requested version is gone")
	// ErrUnavailable: no replica answered.
	ErrUnavailable = errors.New("unavailable")
	// ErrNoShard: this node holds no such shard.
	ErrNoShard = errors.New("no such shard on this node")
	// ErrFenced: the caller's term or base version is out of date.
	ErrFenced = errors.New("fenced by a newer term")
	// ErrTooLarge: a command exceeds the size of a log entry. A retry cannot succeed.
	ErrTooLarge = errors.New("too large for an entry of the log")
	// ErrCrashed: the code for the answer panicked. A retry would panic again.
	ErrCrashed = errors.New("an internal error of the program")
	// ErrDied: processes of the node ended during the requested work, more often than the
	// caller knows.
	ErrDied = errors.New("the node stopped while it did this before")
	// ErrDamaged: the data on disk is damaged, and no other node has a copy.
	ErrDamaged = errors.New("damaged on the disk of the only node that has it")
	// ErrNoBlob: every node that staged a payload is present and does not have it any more. The
	// task fails. If such nodes are away, the error is ErrUnavailable, and the task waits.
	ErrNoBlob = errors.New("the staged payload is lost")
	// ErrClosed: the component is closing.
	ErrClosed = errors.New("closed")
)

// Crash is a caught panic: a fault of the program, which a retry would meet again. It is
// ErrCrashed.
type Crash struct {
	Value any
	// Stack is the stack of the goroutine that panicked.
	Stack string
}

// NewCrash wraps the result of recover. Call it in the deferred function.
func NewCrash(value any) *Crash { return &Crash{Value: value, Stack: string(debug.Stack())} }

func (c *Crash) Error() string { return fmt.Sprintf("%s: %v", ErrCrashed, c.Value) }

// Unwrap returns ErrCrashed.
func (c *Crash) Unwrap() error { return ErrCrashed }

// Catch makes a call and turns its panic into a Crash. Goroutines that work for one request or
// batch use it, so that a panic fails only that request or batch.
func Catch(call func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = NewCrash(p)
		}
	}()
	return call()
}
