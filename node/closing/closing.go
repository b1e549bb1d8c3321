package closing

import (
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"time"
)

// Limits for closing. Acknowledged data is on disk before anything is closed, so nothing is
// lost if closing is cut off.
const (
	Slow  = 10 * time.Second // logged each time that this passes
	Limit = time.Minute      // then the process ends without closing the rest
)

// Step is one entry of the stack of open things.
type Step struct {
	Name  string
	Close func() error
}

// Unwind closes a stack from its top, one step after the other, and joins the errors. It
// returns after limit at the latest. The error then names the step that did not end, and
// the log has the stacks of all goroutines.
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
				break // it still uses the steps below
			}
		}
	}
	return errors.Join(errs...)
}

// ErrDoesNotEnd: the process ends while a step is still at work.
var ErrDoesNotEnd = errors.New("it did not end; nothing acknowledged is lost, start the node again")

// await waits for the end of one step and logs what it waits for.
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
			log.Error("a part of the node does not stop", "what", name, "goroutines", string(stacks[:runtime.Stack(stacks, true)]))
			return ErrDoesNotEnd
		}
	}
}
