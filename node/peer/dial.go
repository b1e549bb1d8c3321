package peer

import (
	"context"
	"crypto/tls"
	"errors"
	"time"

	"shoal/node/machine"
)

// spareEvery is how often dial asks for another address of a node while connecting to the
// usual one takes long.
const spareEvery = 100 * time.Millisecond

// dial connects to a node and shakes hands. The usual address may be out of date. If it takes
// long, does not answer, or belongs to another node, dial tries a spare address as soon as
// spare returns one; spare returns "" for none. The first connection that proves to reach the
// node wins.
func dial(ctx context.Context, network machine.Network, self *Identity, at target, spare func() string, protocols ...string) (*tls.Conn, error) {
	one := func(ctx context.Context, addr string) (*tls.Conn, error) {
		return greet(ctx, network, addr, self.client(at.node, addr, protocols...))
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type outcome struct {
		conn *tls.Conn
		err  error
	}
	ended := make(chan outcome, 2)
	try := func(addr string) {
		c, err := one(ctx, addr)
		ended <- outcome{c, err}
	}
	go try(at.addr)
	late := time.NewTicker(spareEvery)
	defer late.Stop()
	var errs []error
	for tried := 1; ; {
		select {
		case <-late.C:
		case o := <-ended:
			if o.err == nil {
				cancel()
				if tried-len(errs) > 1 { // the other one ends with ctx
					if other := <-ended; other.conn != nil {
						_ = other.conn.Close() // never used
					}
				}
				return o.conn, nil
			}
			errs = append(errs, o.err)
		}
		if tried == 1 {
			if other := spare(); other != "" && other != at.addr {
				tried = 2
				go try(other)
			}
		}
		if len(errs) == tried {
			return nil, errors.Join(errs...)
		}
	}
}

// greet connects to an address and shakes hands.
func greet(ctx context.Context, network machine.Network, addr string, conf *tls.Config) (*tls.Conn, error) {
	raw, err := network.Dial(ctx, addr)
	if err != nil {
		return nil, err
	}
	c := tls.Client(raw, conf)
	if err := c.HandshakeContext(ctx); err != nil {
		_ = raw.Close() // the handshake says what is wrong
		return nil, err
	}
	return c, nil
}
