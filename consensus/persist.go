package consensus

import (
	"context"
	"errors"
	"time"

	"shoal/wire"
)

// retryEvery is how long a request waits for a leader before it asks again, unless the
// leadership changes meanwhile.
const retryEvery = 25 * time.Millisecond

// patience bounds a request to the leader by Config.ProposeTimeout. Its end has the cause
// wire.ErrNoLeader, by which persist distinguishes it from an end that the caller set.
func (g *Group) patience(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, g.cfg.ProposeTimeout, wire.ErrNoLeader)
}

// persist makes attempts until one succeeds or fails for a reason that a retry cannot cure.
// It retries when the leadership changes, or after retryEvery. An attempt whose answer was
// lost may have been carried out, so repeating it must be safe. Errors: those of attempt;
// wire.ErrNoLeader when the time of patience is over; the error of ctx when it ends
// otherwise; wire.ErrClosed.
func (g *Group) persist(ctx context.Context, attempt func() error) error {
	for {
		change := g.leadChange.Next()
		err := attempt()
		if err == nil || !again(err) {
			return err
		}
		select {
		case <-change:
		case <-time.After(retryEvery):
		case <-g.ctx.Done():
			return wire.ErrClosed
		case <-ctx.Done():
			if errors.Is(context.Cause(ctx), wire.ErrNoLeader) {
				return wire.ErrNoLeader
			}
			return ctx.Err()
		}
	}
}

// again tells whether another attempt may succeed.
func again(err error) bool {
	return errors.Is(err, wire.ErrNoLeader) || errors.Is(err, wire.ErrNotLeader) ||
		errors.Is(err, wire.ErrUnavailable) || errors.Is(err, wire.ErrClosed)
}
