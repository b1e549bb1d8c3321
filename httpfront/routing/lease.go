package routing

import (
	"context"
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

// checkLease refuses what a node without contact to the leader must not answer
// and marks what it still answers (architecture 1, promise 4).
func (s *Server) checkLease(x *Exchange) error {
	fresh, stale := s.gate.Lease.Lease()
	if !fresh && x.route.Leased {
		fresh = s.awaitLease(x.Context())
	}
	if fresh {
		return nil
	}
	if x.route.Leased || time.Duration(stale)*time.Second > s.cfg.MaxStaleness {
		return apierr.NoLeader()
	}
	x.writer.Header().Set("Shoal-Stale", strconv.Itoa(stale))
	return nil
}
