//go:build !linux

package machine

import "syscall"

// acknowledged leaves the timeout of unacknowledged bytes to the system.
func acknowledged(string, string, syscall.RawConn) error { return nil }
