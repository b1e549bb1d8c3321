package routing

import (
	"context"
	"errors"
	"strconv"
	"time"

	"shoal/api/apierr"
)

// Lease tells what this node's state is worth.
type Lease interface {
	// Lease tells how fresh it is (coordinator.Log.Lease).
	Lease() (fresh bool, staleSeconds int)
	// Importing tells whether a dump or snapshot is being read into the cluster, so
	// that it holds a part of what it will. It is called on every request.
	Importing() bool
	// Follows tells whether the cluster is a standby that follows another one: it
	// answers, but accepts no writes. It is called on every request.
	Follows() bool
}

// awaitLease waits until this node hears from a leader: most of the time without
// one is an election.
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

// checkLease decides what the state of this node is worth for a request (architecture 1,
// promise 4). old: it may be out of date, and the header of the answer says by how much,
// whatever the answer will be: an index, a key or a limit that this node does not know may
// have been made meanwhile. A route that needs the leader waits for it first, but not for
// a caller whom the known keys refuse: that one is told at once.
func (s *Server) checkLease(x *Exchange) (old bool, _ error) {
	fresh, stale := s.gate.Lease.Lease()
	if fresh {
		return false, nil
	}
	tooOld := time.Duration(stale)*time.Second > s.cfg.MaxStaleness
	if x.route.Leased || tooOld {
		if err := s.authorize(x); err != nil {
			var refused *apierr.Error
			if errors.As(err, &refused) && refused.Code != apierr.CodeInvalidAPIKey {
				return false, err // without a key, or without a master key, here and everywhere
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
