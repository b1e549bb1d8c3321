//go:build !unix

package machine

import "net"

// Quiet tells whether a connection is open and nothing has arrived on it that was not read
// yet, without waiting. A connection that cannot be asked passes for quiet.
func Quiet(net.Conn) bool { return true }
