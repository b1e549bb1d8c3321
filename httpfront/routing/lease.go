package routing

import (
	"context"
	"errors"
	"strconv"
	"time"

	"shoal/api/apierr"
)

// Lease tells how current and complete this node's state is.
type Lease interface {
	// Lease tells whether the state is fresh, or else its age in seconds
	// (coordinator.Log.Lease).
	Lease() (fresh bool, staleSeconds int)
	// Outside says why this node has never had the state of its cluster, "" once it had. Such
	// a node knows nothing that it could answer from.
	Outside() string
	// Importing tells whether the cluster is still reading in a dump or snapshot, so that
	// its data is incomplete. It is called on every request.
	Importing() bool
	// Follows tells whether the cluster is a standby that follows another one. It answers
	// reads but accepts no writes. It is called on every request.
	Follows() bool
}

// awaitLease waits until this node hears from a leader. Usually there is none only during
// an election.
func (s *Server) awaitLease(ctx context.Context) bool {
	if s.cfg.LeaseWait == 0 {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, s.cfg.LeaseWait)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-tick.C:
		}
		if fresh, _ := s.gate.Lease.Lease(); fresh {
			return true
		}
	}
}

// checkLease decides whether the state of this node is good enough for a request
// (architecture 1, promise 4). old: the state may be out of date. Every such answer, errors
// too, says so in a header, because an index, a key or a limit that this node does not know
// may exist by now. A route that needs the leader waits for it first, unless the known keys
// refuse the caller: that one is told at once. A node that has no state of its cluster yet
// refuses everything: it would call each index unknown.
func (s *Server) checkLease(x *Exchange) (old bool, _ error) {
	fresh, stale := s.gate.Lease.Lease()
	if fresh {
		return false, nil
	}
	if why := s.gate.Lease.Outside(); why != "" {
		if s.awaitLease(x.Context()) {
			return false, nil
		}
		return false, apierr.Starting(why)
	}
	tooOld := time.Duration(stale)*time.Second > s.cfg.MaxStaleness
	if x.route.Leased || tooOld {
		if err := s.authorize(x); err != nil {
			var refused *apierr.Error
			if errors.As(err, &refused) && refused.Code != apierr.CodeInvalidAPIKey {
				return false, err // every node would refuse a missing key or a missing master key
			}
			return false, apierr.KeysMayBeOld()
		}
		if x.route.Leased && s.awaitLease(x.Context()) {
			return false, nil
		}
		return false, apierr.NoLeader()
	}
	x.writer.Header().Set("Shoal-Stale", strconv.Itoa(stale))
	return true, nil
}
