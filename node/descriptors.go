package node

import "syscall"

// mostConnections is how many clients may be connected when the system allows it.
const mostConnections = 10_000

// connectionsAllowed is how many clients may be connected: half of the descriptors that
// the process may have, so that its files and its links to other nodes have the rest.
func connectionsAllowed() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return mostConnections
	}
	return int(max(16, min(mostConnections, limit.Cur/2)))
}
