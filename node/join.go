package node

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"shoal/consensus"
	"shoal/node/address"
	"shoal/node/folder"
	"shoal/node/gossip"
	"shoal/node/peer"
	"shoal/node/poll"
	"shoal/wire"
)

// openGossip binds the gossip address and begins to look for other nodes.
func (n *Node) openGossip(context.Context) error {
	open := func(bind string) (*gossip.Gossip, error) {
		self := n.self
		_, port, err := net.SplitHostPort(bind)
		if err != nil {
			return nil, fmt.Errorf("--gossip-addr: %w", err)
		}
		self.GossipAddr = n.cfg.AdvertiseGossip
		if self.GossipAddr == "" {
			host, _, err := net.SplitHostPort(bind)
			if err != nil || host == "" {
				host = "127.0.0.1"
			}
			self.GossipAddr = net.JoinHostPort(host, port)
		}
		return gossip.Open(n.on.Network, self, bind, n.secret.GossipKeys(), n.cfg.Join, n.twinHeard, n.sparingly("gossip"))
	}
	g, err := n.bindGossip(open)
	if err != nil {
		return err
	}
	n.gossip, n.self = g, g.Self
	n.opened("gossip", func() error { return g.Close(true) })
	n.run(n.watchTwins)
	n.run(func(ctx context.Context) { g.Run(ctx, n.knownGossip, n.otherSecret) })
	return nil
}

// bindGossip binds --gossip-addr, or without that option the usual port or a free one.
func (n *Node) bindGossip(open func(string) (*gossip.Gossip, error)) (*gossip.Gossip, error) {
	bind := n.cfg.GossipAddr
	if bind == "" {
		if g, err := open("127.0.0.1:7946"); err == nil {
			return g, nil
		}
		bind = "127.0.0.1:0"
	}
	host, port, err := net.SplitHostPort(bind)
	if err != nil {
		return nil, fmt.Errorf("--gossip-addr: %w", err)
	}
	if port == "0" {
		free, err := address.LonePort()
		if err != nil {
			return nil, err
		}
		bind = net.JoinHostPort(host, fmt.Sprint(free))
	}
	return open(bind)
}

// openGroup joins or forms the Raft group and serves other nodes from now on.
func (n *Node) openGroup(context.Context) error {
	cfg := consensus.Config{
		Dir: n.dir(folder.DirRaft), NodeID: n.self.ID, Bootstrap: n.voters,
		Listener: n.listener.Raft(),
		Dial: func(id wire.NodeID, timeout time.Duration) (net.Conn, error) {
			addr, ok := n.addressOf(id)
			if !ok {
				return nil, fmt.Errorf("no address is known for node %s: %w", id, wire.ErrUnavailable)
			}
			return peer.DialRaft(n.on.Network, n.identity, id, addr, func() string { return n.heardAt(id) }, timeout)
		},
		FS: n.on.Files.FS, RaftLog: n.on.Files.RaftLog, Clock: n.on.Clock, Call: n.callRaft, Opened: n.grouped.Store, Twin: n.twin, Nominees: n.nominees, Told: n.told, Logger: n.log,
		OnFatal: func(err error) {
			n.end(end{err: n.logFault(err), dead: true})
			// Raft ends the process at once for some of these errors, so the log line that
			// says why must come first.
			time.Sleep(lastWords)
		},
	}
	if n.on.Observe != nil {
		cfg.Observer = n.on.Observe(n.self.ID)
	}
	if n.cfg.ExpectNodes > 0 {
		cfg.Membership.PromoteAfter = time.Second
		cfg.Membership.Interval = 100 * time.Millisecond
	}
	var err error
	if n.group, err = consensus.Open(cfg); err != nil {
		return n.logFault(err)
	}
	n.opened("consensus", n.group.Close)
	n.members = &poll.Members{Self: n.self.ID, Group: n.group, Link: n.link}
	peer.Handle(n.server, methodRaft, n.serveRaft)
	if n.arrived.Store(n.group.Catalog().ClusterID() != ""); !n.arrived.Load() {
		n.run(n.arrive)
	}
	n.run(n.keepIdentity)
	n.run(n.needDictionaries)
	n.run(n.awaitAdmission)
	n.run(n.acquaint)
	return nil
}

// lastWords is how long a process that must end has to log why.
const lastWords = 3 * time.Second

// logFault says what to do about a log that cannot be continued. A log of a newer program
// is intact.
func (n *Node) logFault(err error) error {
	if twin, ok := errors.AsType[*consensus.TwinError](err); ok {
		return fmt.Errorf("data folder %s is a copy of one that is in use: %w: leave this process stopped, or start it with an empty folder and another --name", n.folder.Path, twin)
	}
	switch {
	case errors.Is(err, consensus.ErrOlderProgram):
		return fmt.Errorf("data folder %s: %w: start the program again that this node ran last, or a newer one", n.folder.Path, err)
	case errors.Is(err, consensus.ErrForked):
		return fmt.Errorf("data folder %s: %w. This node does not start again, for acknowledged writes may be in its folder only: if an older copy of a node's folder was put back, stop all nodes and run 'shoal recover' on the one that knows most; if this folder is that older copy, empty it and start this node: the cluster fills it",
			n.folder.Path, err)
	case errors.Is(err, consensus.ErrUnknownEntry):
		return fmt.Errorf("data folder %s: %w: start the newest program that the other nodes run; if this is it, the folder is damaged: %s",
			n.folder.Path, err, folder.Anew(n.folder.Path))
	}
	return n.folder.Fault("its log", err)
}

// helloReply answers a hello.
type helloReply struct {
	Hello hello `msgpack:"h"`
	// KnowsCaller: the caller was a member of this node's cluster before.
	KnowsCaller bool `msgpack:"k"`
	// Proof answers the hello's Challenge.
	Proof []byte `msgpack:"p"`
	// Lost: this node's cluster was recovered without the caller.
	Lost bool `msgpack:"l"`
}

func (n *Node) hello() *hello {
	return &hello{Node: n.self, Cluster: n.cluster(), Formed: n.cluster() != "", KeyCheck: n.keyCheck(n.cluster())}
}

func (n *Node) serveHello(ctx context.Context, h *hello) (*helloReply, error) {
	if err := speaksFor(ctx, h.Node.ID); err != nil {
		return nil, err
	}
	return &helloReply{
		Hello: *n.hello(), KnowsCaller: n.known(h.Node.ID), Proof: n.proof(h.Node.ID, n.self.ID, h.Challenge), Lost: n.lost(h.Node.ID),
	}, nil
}

// knownGossip lists the gossip addresses of all members in the catalogue, so that a node
// finds them again after a long partition.
func (n *Node) knownGossip() []string {
	c := n.catalog()
	if c == nil {
		return nil
	}
	var out []string
	for _, d := range c.Nodes() {
		if d.ID != n.self.ID && !n.gossip.Alive(d.ID) {
			out = append(out, d.GossipAddr)
		}
	}
	return out
}

// keepIdentity records the node's cluster as soon as the catalogue names it, and refuses to
// serve another cluster.
func (n *Node) keepIdentity(ctx context.Context) {
	for {
		changed := n.group.Changed()
		if id := n.group.Catalog().ClusterID(); id != "" {
			if err := n.belong(id); err != nil {
				n.fail(err)
			}
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

func (n *Node) belong(id string) error {
	mine := n.cluster()
	if mine != "" && mine != id {
		return fmt.Errorf("data folder %s belongs to cluster %s, but the log is of cluster %s: the folder was mixed from two nodes: keep it aside, and start this node with an empty one and --join or its --init-members", n.folder.Path, mine, id)
	}
	if mine == "" {
		if err := n.folder.SetClusterID(id); err != nil {
			return err
		}
		n.clusterID.Store(&id)
		n.log.Info("member of a cluster", "cluster", id, "node", n.self.ID, "name", n.cfg.Name)
	}
	return nil
}
