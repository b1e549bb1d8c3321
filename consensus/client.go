package consensus

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"shoal/wire"
	"shoal/wire/await"
)

// retryEvery is how long a request waits for a leader before it asks again, unless the
// leadership changes meanwhile.
const retryEvery = 25 * time.Millisecond

// client sends requests to the leader, whichever node that is.
type client struct {
	cfg  *Config
	log  *slog.Logger
	life *lifetime
	raft *raftNode

	leadChange *await.Signal               // leadership or the known leader changed
	lastLeader atomic.Pointer[wire.NodeID] // the last known leader other than this node

	mu   sync.Mutex
	open map[*call]struct{}
}

// call is an open request to a leader. A request to a node that no longer leads would
// wait until the link finds that node silent. Its outcome is unknown in any case, so it is
// ended early and the next leader is asked.
type call struct {
	leader wire.NodeID
	cancel context.CancelFunc
}

// call sends a request to the leader. A failure of the link is ErrNoLeader: the request may
// or may not have arrived.
func (c *client) call(ctx context.Context, req *Request) (*Reply, error) {
	leader, ok := c.raft.leader()
	if !ok || leader == c.cfg.NodeID || c.cfg.Call == nil {
		return nil, wire.ErrNoLeader
	}
	ctx, cancel := context.WithTimeout(ctx, c.cfg.ProposeTimeout/2)
	defer cancel()
	defer c.register(&call{leader, cancel})()
	if now, ok := c.raft.leader(); ok && now != leader {
		cancel() // the leader changed meanwhile, so this call must not be cut off
	}
	reply, err := c.cfg.Call(ctx, leader, req)
	switch {
	case err == nil:
		return reply, nil
	case errors.Is(err, wire.ErrNotLeader), errors.Is(err, wire.ErrNoLeader):
		return nil, err
	}
	c.log.Debug("the leader does not answer", "leader", leader, "error", err)
	return nil, fmt.Errorf("%w: %w", wire.ErrNoLeader, err)
}

// register keeps an open request until end is called.
func (c *client) register(one *call) (end func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open[one] = struct{}{}
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.open, one)
	}
}

// hangUp ends the requests to all but the node that leads now.
func (c *client) hangUp(leads wire.NodeID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for one := range c.open {
		if one.leader != leads {
			one.cancel()
		}
	}
}

// followed is called when another leader has become known.
func (c *client) followed() {
	if leader, ok := c.raft.leader(); ok {
		c.hangUp(leader)
		if leader != c.cfg.NodeID {
			c.lastLeader.Store(&leader)
		}
	}
	c.leadChange.Fire()
}

// patience bounds a request to the leader by Config.ProposeTimeout. Its end has the cause
// wire.ErrNoLeader, by which persist distinguishes it from an end that the caller set.
func (c *client) patience(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, c.cfg.ProposeTimeout, wire.ErrNoLeader)
}

// persist makes attempts until one succeeds or fails for a reason that a retry cannot cure.
// It retries when the leadership changes, or after retryEvery. An attempt whose answer was
// lost may have been carried out, so repeating it must be safe. Errors: those of attempt;
// wire.ErrNoLeader when the time of patience is over; the error of ctx when it ends
// otherwise; wire.ErrClosed.
func (c *client) persist(ctx context.Context, attempt func() error) error {
	for {
		change := c.leadChange.Next()
		err := attempt()
		if err == nil || !again(err) {
			return err
		}
		select {
		case <-change:
		case <-time.After(retryEvery):
		case <-c.life.ctx.Done():
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
