package address

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"syscall"
)

// Fault says what an operator can do about an address that cannot be bound. option is its
// flag.
func Fault(option, addr string, err error) error {
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

// BindFault finds out why other code could not bind an address, by binding it again. It is
// for code that does not tell the reason.
func BindFault(addr string) error {
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

// plain drops the operation and address, which package net repeats.
func plain(err error) error {
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Err
	}
	return err
}

// IgnoreClosed filters the error of closing a listener that may be closed already.
func IgnoreClosed(err error) error {
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

// Advertised is the address that other nodes are told: the explicit one, otherwise the host
// that is listened on with the bound port.
func Advertised(explicit, listen string, bound net.Addr) string {
	if explicit != "" {
		return explicit
	}
	_, port, err := net.SplitHostPort(bound.String())
	if err != nil {
		return bound.String()
	}
	host, _, err := net.SplitHostPort(listen)
	if err != nil || host == "" {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port)
}

// LoopbackOnly tells whether an address can only be reached from this machine.
func LoopbackOnly(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// SplitAddr resolves HOST:PORT to an IP address and a port.
func SplitAddr(addr string) (string, int, error) {
	host, p, err := net.SplitHostPort(addr)
	if err != nil {
		return "", 0, fmt.Errorf("%q is not HOST:PORT", addr)
	}
	port, err := strconv.Atoi(p)
	if err != nil {
		return "", 0, fmt.Errorf("%q has no port number", addr)
	}
	if host == "" {
		return "0.0.0.0", port, nil
	}
	if net.ParseIP(host) == nil {
		ips, err := net.LookupIP(host)
		if err != nil || len(ips) == 0 {
			return "", 0, fmt.Errorf("host %q has no address: %w", host, err)
		}
		host = ips[0].String()
		for _, ip := range ips {
			if ip.To4() != nil {
				host = ip.String()
				break
			}
		}
	}
	return host, port, nil
}
