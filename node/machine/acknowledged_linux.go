package machine

import (
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// unacknowledged is how long sent bytes may remain unacknowledged.
const unacknowledged = 20 * time.Second

// acknowledged ends a connection whose sent bytes are not acknowledged. Keepalives cannot
// do that, because they are sent only on idle connections.
func acknowledged(_, _ string, c syscall.RawConn) error {
	var fault error
	if err := c.Control(func(fd uintptr) {
		fault = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(unacknowledged.Milliseconds()))
	}); err != nil {
		return err
	}
	return fault
}
