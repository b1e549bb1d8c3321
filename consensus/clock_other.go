//go:build !linux

package consensus

import "time"

var opened = time.Now()

// elapsed is the time since the program began.
func elapsed() time.Duration { return time.Since(opened) }
