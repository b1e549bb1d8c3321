package node

import (
	"context"
	"net"
	"strings"
	"time"

	"shoal/node/folder"
	"shoal/node/gossip"
	"shoal/wire"
)

// directory finds the addresses of nodes. Safe for concurrent use once gossip is open.
type directory struct {
	cluster *membership
	first   []string // --init-members
	self    wire.Node
	gossip  *gossip.Gossip // nil until it is open
}

// addressOf finds the current address of a node. Gossip knows it best; the list of first
// members is the first hint; the catalogue remembers it. An address where another node is
// now does not count.
//
// A node that this cluster was recovered without has no address: for a moment the indexes
// still list its copies, and anything built there would be lost.
func (d *directory) addressOf(id wire.NodeID) (string, bool) {
	if id == d.self.ID {
		return d.self.PeerAddr, true
	}
	if d.cluster.lost(id) {
		return "", false
	}
	if d.gossip == nil {
		return d.listedAddr(id)
	}
	last, seen := d.gossip.Node(id)
	if seen && d.gossip.Alive(id) {
		return last.PeerAddr, true
	}
	addr, ok := last.PeerAddr, seen
	if !ok {
		addr, ok = d.listedAddr(id)
	}
	if !ok {
		if member, known := d.cluster.node(id); known {
			addr, ok = member.PeerAddr, true
		}
	}
	return addr, ok && !d.gossip.Occupied(addr)
}

// listedAddr is the address of a node in --init-members. Clusters of earlier releases began
// with ids made from names.
func (d *directory) listedAddr(id wire.NodeID) (string, bool) {
	name, known := d.cluster.folder.First.Members().Name(id)
	for _, m := range d.first {
		listed, addr, _ := strings.Cut(m, "=")
		if known && listed == name || !known && wire.NodeID(folder.MemberID(listed).String()) == id {
			return addr, true
		}
	}
	return "", false
}

// listedSelf is the address of this node in its own --init-members.
func (d *directory) listedSelf() string {
	for _, m := range d.first {
		if name, addr, _ := strings.Cut(m, "="); name == d.self.Name {
			return addr
		}
	}
	return ""
}

// heardAt is where gossip sees a node whose link address is a host name, "" for nowhere.
// Gossip sees a node that moved at once, while a name server may return its old address for
// a while.
func (d *directory) heardAt(id wire.NodeID) string {
	if d.gossip == nil || !d.gossip.Alive(id) {
		return ""
	}
	seen, _ := d.gossip.Node(id)
	host, port, err := net.SplitHostPort(seen.PeerAddr)
	if err != nil || net.ParseIP(host) != nil {
		return ""
	}
	at, _, err := net.SplitHostPort(seen.GossipAddr)
	if err != nil || net.ParseIP(at) == nil {
		return ""
	}
	return net.JoinHostPort(at, port)
}

// locateEvery is how often a starting node checks whether gossip has found a member.
const locateEvery = 10 * time.Millisecond

// locate waits until the address of a node is known, or ctx ends. A starting node asks
// others before its catalogue is complete, while gossip is still finding them.
func (d *directory) locate(ctx context.Context, id wire.NodeID) {
	tick := time.NewTicker(locateEvery)
	defer tick.Stop()
	for {
		if _, known := d.addressOf(id); known {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// knownGossip lists the gossip addresses of all members in the catalogue, so that a node
// finds them again after a long partition.
func (d *directory) knownGossip() []string {
	c := d.cluster.catalog()
	if c == nil {
		return nil
	}
	var out []string
	for _, member := range c.Nodes() {
		if member.ID != d.self.ID && !d.gossip.Alive(member.ID) {
			out = append(out, member.GossipAddr)
		}
	}
	return out
}

// alive tells whether gossip sees the node.
func (d *directory) alive(id wire.NodeID) bool { return id == d.self.ID || d.gossip.Alive(id) }
