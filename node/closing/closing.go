package closing

import (
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"time"
)

// Slow and Limit say how long closing may take. What is acknowledged is on disk before anything is closed,
// so nothing is lost by an end in the middle.
const (
	Slow  = 10 * time.Second // said in the log, each time that this passes
	Limit = time.Minute      // after which the process ends without the rest
)

// Step is one thing on the stack of what is open.
type Step struct {
	Name  string
	Close func() error
}

// Unwind closes a stack from its top, one thing after the other, and joins the errors.
// It returns after limit at the latest, with the name of what did not end; the stacks of
// all goroutines are in the log then.
func Unwind(stack []Step, slow, limit time.Duration, log *slog.Logger) error {
	var errs []error
	begin := time.Now()
	for i := len(stack) - 1; i >= 0; i-- {
		c := stack[i]
		ended := make(chan error, 1)
		go func() { ended <- c.Close() }()
		if err := await(c.Name, ended, slow, limit-time.Since(begin), log); err != nil {
			errs = append(errs, fmt.Errorf("close %s: %w", c.Name, err))
			if errors.Is(err, ErrDoesNotEnd) {
				break // what is below is in use
			}
		}
	}
	return errors.Join(errs...)
}

// ErrDoesNotEnd: the process ends with something that is still at work.
var ErrDoesNotEnd = errors.New("it did not end; nothing acknowledged is lost, start the node again")

// await waits for the end of one step and says what it waits for.
func await(name string, ended <-chan error, slow, limit time.Duration, log *slog.Logger) error {
	over, again := time.NewTimer(limit), time.NewTicker(slow)
	defer over.Stop()
	defer again.Stop()
	for begin := time.Now(); ; {
		select {
		case err := <-ended:
			return err
		case <-again.C:
			log.Warn("stopping takes long", "for", name, "since", time.Since(begin).Round(time.Second).String())
		case <-over.C:
			stacks := make([]byte, 1<<20)
			log.Error("something does not end", "what", name, "goroutines", string(stacks[:runtime.Stack(stacks, true)]))
			return ErrDoesNotEnd
		}
	}
}
