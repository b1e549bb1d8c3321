package fanout

import (
	"context"
	"errors"
	"sync"

	"shoal/api/apierr"
	"shoal/wire"
)

// Group is the calls to the shards of one index that go on at the same time. The
// zero value is ready for use and cancels nothing. Go, Do and Wait are for one
// goroutine.
//
// A client's error does not stop the other shards: they may find one that comes
// before it (apierr.Error.Place). Any other error says that an answer is missing; it
// stops the others and goes before errors of the client's.
type Group struct {
	stop    context.CancelFunc
	wg      sync.WaitGroup
	calls   int
	mu      sync.Mutex
	verdict verdict // guarded by mu
}

// WithContext returns a Group and a context for its calls, which ends when one of
// them fails for a reason that is not the client's, and after Wait.
func WithContext(ctx context.Context) (*Group, context.Context) {
	ctx, stop := context.WithCancel(ctx)
	return &Group{stop: stop}, ctx
}

// Go makes a call in a goroutine of its own; a panic there is a wire.Crash. Among errors with the same place that
// of the call which was started first is kept.
func (g *Group) Go(call func() error) {
	number := g.calls
	g.calls++
	g.wg.Go(func() { g.run(call, number) })
}

// Do makes a call like Go, in the goroutine of the caller.
func (g *Group) Do(call func() error) {
	g.calls++
	g.run(call, g.calls-1)
}

func (g *Group) run(call func() error, number int) {
	if err := wire.Catch(call); err != nil {
		g.fail(err, number)
	}
}

// Wait returns when all calls have, with the error of the shards, nil if none has
// one.
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

// verdict makes one error of those of several calls. The zero value has none.
type verdict struct {
	failed  error // the first one in time that is not a client's
	refusal error
	refused *apierr.Error // what is in refusal
	by      int           // the number of the call that refusal is from
}

// note takes in the error of a call; missing tells that an answer is missing, and the
// others are not worth waiting for.
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
