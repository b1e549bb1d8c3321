package fanout

import (
	"context"
	"errors"
	"sync"

	"shoal/api/apierr"
	"shoal/wire"
)

// Group is a set of concurrent calls to the shards of one index. The zero value is ready for
// use and cancels nothing. Go, Do and Wait are for one goroutine.
//
// A client's error does not stop the other shards, because they may find one that precedes it
// (apierr.Error.Place). Any other error means that an answer is missing. It stops the others
// and takes precedence over client errors.
type Group struct {
	stop    context.CancelFunc
	wg      sync.WaitGroup
	calls   int
	mu      sync.Mutex
	verdict verdict // guarded by mu
}

// WithContext returns a Group and a context for its calls. The context ends when a call fails
// for a reason that is not the client's, and after Wait.
func WithContext(ctx context.Context) (*Group, context.Context) {
	ctx, stop := context.WithCancel(ctx)
	return &Group{stop: stop}, ctx
}

// Go makes a call in a goroutine of its own. A panic there becomes a wire.Crash. Of client
// errors with the same place, Wait returns that of the call that was started first.
func (g *Group) Go(call func() error) {
	number := g.calls
	g.calls++
	g.wg.Go(func() { g.run(call, number) })
}

// Do is Go in the goroutine of the caller.
func (g *Group) Do(call func() error) {
	g.calls++
	g.run(call, g.calls-1)
}

func (g *Group) run(call func() error, number int) {
	if err := wire.Catch(call); err != nil {
		g.fail(err, number)
	}
}

// Wait waits for all calls and returns the error of the group, nil for none.
func (g *Group) Wait() error {
	g.wg.Wait()
	if g.stop != nil {
		g.stop()
	}
	return g.verdict.error()
}

func (g *Group) fail(err error, number int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.verdict.note(err, number) && g.stop != nil {
		g.stop()
	}
}

// verdict combines the errors of several calls. The zero value has none.
type verdict struct {
	failed  error // the earliest error that is not a client's
	refusal error
	refused *apierr.Error // the client error in refusal
	by      int           // the number of the call that returned refusal
}

// note records the error of a call. missing tells that an answer is missing, so that waiting
// for the others is pointless.
func (v *verdict) note(err error, number int) (missing bool) {
	var client *apierr.Error
	if !errors.As(err, &client) {
		if v.failed == nil {
			v.failed = err
		}
		return true
	}
	if v.refused == nil || client.Before(v.refused) || number < v.by && !v.refused.Before(client) {
		v.refusal, v.refused, v.by = err, client, number
	}
	return false
}

func (v *verdict) error() error {
	if v.failed != nil {
		return v.failed
	}
	return v.refusal
}
