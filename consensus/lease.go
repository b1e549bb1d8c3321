package consensus

import (
	"sync/atomic"
	"time"

	"shoal/consensus/fsm"
)

// leaseClock measures leases. It includes sleep of the machine.
type leaseClock struct {
	elapsed func() time.Duration // Clock.Elapsed
	opened  time.Duration        // when the group was
}

// now is the time since the group was opened, in nanoseconds.
func (c *leaseClock) now() int64 { return int64(c.elapsed() - c.opened) }

// ownLease is what this node has heard from leaders, or granted itself as one: until when it
// may answer for tasks, and up to which log time their ends may be shown.
type ownLease struct {
	leaseClock
	fsm      *fsm.FSM
	observer Observer // may be nil

	until   atomic.Int64 // nanoseconds since opened
	seen    atomic.Int64 // newest watermark heard
	contact contact
}

// known is the newest watermark this node has heard, from a leader or an entry.
func (o *ownLease) known() int64 { return max(o.seen.Load(), o.fsm.Visible.Load()) }

// learn records a leader's watermark.
func (o *ownLease) learn(at int64) {
	if raise(&o.seen, at) {
		o.fsm.Applied.Fire()
	}
}

// prolong extends the lease of this node, granted by the leader of a term. Its end never
// moves back.
func (o *ownLease) prolong(term uint64, until int64) {
	if raise(&o.until, until) && o.observer != nil {
		o.observer.Leased(term, o.opened+time.Duration(until))
	}
}

// left is how long the lease lasts, 0 if there is none.
func (o *ownLease) left() time.Duration { return time.Duration(max(o.until.Load()-o.now(), 0)) }

// raise makes a value at least as large as another one. It returns false if it was so
// before.
func raise(value *atomic.Int64, to int64) bool {
	for {
		old := value.Load()
		if to <= old {
			return false
		}
		if value.CompareAndSwap(old, to) {
			return true
		}
	}
}
