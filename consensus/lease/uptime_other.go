//go:build !linux

package lease

import "time"

var processStart = time.Now()

// Uptime returns the time since the program began.
func Uptime() time.Duration { return time.Since(processStart) }
