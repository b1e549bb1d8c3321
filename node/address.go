package node

import (
	"errors"
	"fmt"
	"net"
	"syscall"
)

// addressFault says what an operator can do about an address that cannot be
// listened on; option is its flag.
func addressFault(option, addr string, err error) error {
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("%s %s is in use: stop the program that has it, or choose another address", option, addr)
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return fmt.Errorf("%s %s is no address of this machine: choose one of its own, or 0.0.0.0 for all", option, addr)
	case errors.Is(err, syscall.EACCES):
		return fmt.Errorf("%s %s may not be listened on by this user: choose another port, above 1023", option, addr)
	}
	return fmt.Errorf("%s %s cannot be listened on: %w", option, addr, plain(err))
}

// bindFault finds out why an address could not be bound by code that does not
// tell: it tries the same.
func bindFault(addr string) error {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	u, err := net.ListenPacket("udp", addr)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	return errors.Join(u.Close(), l.Close())
}
