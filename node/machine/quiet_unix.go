//go:build unix

package machine

import (
	"net"
	"syscall"
)

// Quiet tells, without waiting, whether a connection is open and has no unread data. It
// returns true if the connection cannot tell.
func Quiet(c net.Conn) bool {
	sc, ok := c.(syscall.Conn)
	if !ok {
		return true
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return false
	}
	var peek [1]byte
	var fault error
	err = raw.Read(func(fd uintptr) bool {
		_, _, fault = syscall.Recvfrom(int(fd), peek[:], syscall.MSG_PEEK)
		return true // do not wait
	})
	return err == nil && (fault == syscall.EAGAIN || fault == syscall.EWOULDBLOCK)
}
