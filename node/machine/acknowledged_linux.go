package machine

import (
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// unacknowledged is how long sent bytes may stay without a sign of having arrived.
const unacknowledged = 20 * time.Second

// acknowledged ends a connection whose bytes do not arrive. Keepalives do not: they are sent
// on a connection only that has nothing else under way.
func acknowledged(_, _ string, c syscall.RawConn) error {
	var fault error
	if err := c.Control(func(fd uintptr) {
		fault = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(unacknowledged.Milliseconds()))
	}); err != nil {
		return err
	}
	return fault
}
