package lease

import "time"

// Clock measures leases. It includes sleep of the machine.
type Clock struct {
	elapsed func() time.Duration
	opened  time.Duration
}

// NewClock returns a clock that begins now. elapsed is the time since some moment. It must go
// on while the machine sleeps.
func NewClock(elapsed func() time.Duration) Clock { return Clock{elapsed, elapsed()} }

// Now is the time since the clock began, in nanoseconds.
func (c *Clock) Now() int64 { return int64(c.elapsed() - c.opened) }
