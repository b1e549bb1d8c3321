package gossip

import (
	"context"
	"log/slog"
	"net"
	"time"

	"github.com/hashicorp/memberlist"

	"shoal/node/address"
	"shoal/node/machine"
)

// carrier carries gossip until ctx ends. memberlist knows no contexts: without it, dialling
// an unresponsive address would go on for ten seconds after gossip was closed, and a
// stopping node would wait for it.
type carrier struct {
	memberlist.NodeAwareTransport
	network machine.Network
	ctx     context.Context
}

var _ memberlist.NodeAwareTransport = (*carrier)(nil)

// carry binds the gossip address of cfg.
func carry(ctx context.Context, network machine.Network, cfg *memberlist.Config, log *slog.Logger) (*carrier, error) {
	below, err := network.Gossip(cfg.BindAddr, cfg.BindPort)
	if err == nil && below == nil {
		below, err = bind(cfg, log)
	}
	if err != nil {
		return nil, err
	}
	return &carrier{NodeAwareTransport: below, network: network, ctx: ctx}, nil
}

// bind binds the address. Port 0 means any free port, which bind writes into cfg.
func bind(cfg *memberlist.Config, log *slog.Logger) (memberlist.NodeAwareTransport, error) {
	free := cfg.BindPort
	if free == 0 {
		var err error
		if free, err = address.LonePort(); err != nil {
			return nil, err
		}
		cfg.BindPort, cfg.AdvertisePort = free, free
	}
	return listen(cfg.BindAddr, free, cfg.Keyring.GetKeys, log)
}

// DialTimeout implements memberlist.Transport.
func (c *carrier) DialTimeout(addr string, timeout time.Duration) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(c.ctx, timeout)
	defer cancel()
	conn, err := c.network.Dial(ctx, addr)
	if err != nil {
		return nil, err
	}
	return &carried{Conn: conn, forget: context.AfterFunc(c.ctx, func() {
		_ = conn.Close() // its reader gets the error
	})}, nil
}

// DialAddressTimeout implements memberlist.NodeAwareTransport.
func (c *carrier) DialAddressTimeout(a memberlist.Address, timeout time.Duration) (net.Conn, error) {
	return c.DialTimeout(a.Addr, timeout)
}

// carried is a connection that ends with its carrier.
type carried struct {
	net.Conn
	forget func() bool
}

// Close implements net.Conn.
func (c *carried) Close() error {
	c.forget()
	return c.Conn.Close()
}
