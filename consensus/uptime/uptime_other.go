//go:build !linux

package uptime

import "time"

var opened = time.Now()

// Elapsed is the time since the program began.
func Elapsed() time.Duration { return time.Since(opened) }
