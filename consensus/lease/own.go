package lease

import (
	"sync/atomic"
	"time"

	"shoal/consensus/fsm"
)

// Own is what this node has heard from leaders, or granted itself as one: until when it may
// answer for tasks, and up to which log time their ends may be shown. It is safe for
// concurrent use.
type Own struct {
	clock    Clock
	fsm      *fsm.FSM
	observer Observer // may be nil

	until   atomic.Int64 // by the clock
	seen    atomic.Int64 // newest watermark heard
	Contact Contact
}

// NewOwn returns what a node that has heard from no leader yet knows. observer may be nil.
func NewOwn(clock Clock, machine *fsm.FSM, observer Observer) *Own {
	return &Own{clock: clock, fsm: machine, observer: observer}
}

// Seen is the newest watermark that a leader has told this node, or that it told others as one.
func (o *Own) Seen() int64 { return o.seen.Load() }

// Known is the newest watermark this node has heard, from a leader or an entry.
func (o *Own) Known() int64 { return max(o.seen.Load(), o.fsm.Visible.Load()) }

// Learn records a leader's watermark.
func (o *Own) Learn(at int64) {
	if raise(&o.seen, at) {
		o.fsm.Applied.Fire()
	}
}

// Prolong extends the lease of this node, granted by the leader of a term. Its end never
// moves back.
func (o *Own) Prolong(term uint64, until int64) {
	if raise(&o.until, until) && o.observer != nil {
		o.observer.Leased(term, o.clock.opened+time.Duration(until))
	}
}

// Until is the end of the lease by the clock, 0 if there was none.
func (o *Own) Until() int64 { return o.until.Load() }

// Left is how long the lease lasts, 0 if there is none.
func (o *Own) Left() time.Duration { return time.Duration(max(o.until.Load()-o.clock.Now(), 0)) }

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
