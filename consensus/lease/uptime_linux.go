package lease

import (
	"time"

	"golang.org/x/sys/unix"
)

var processStart = time.Now()

// Uptime returns the time since the machine was started, sleep included: Go's own
// monotonic time stands still meanwhile. Leases need it: a node that slept must not believe
// that its lease still runs.
func Uptime() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &t); err != nil {
		return time.Since(processStart) // a kernel older than 2.6.39
	}
	return time.Duration(t.Nano())
}
