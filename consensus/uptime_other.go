//go:build !linux

package consensus

import "time"

var processStart = time.Now()

// uptime returns the time since the program began.
func uptime() time.Duration { return time.Since(processStart) }
