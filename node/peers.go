package node

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"

	"shoal/node/address"
	"shoal/node/folder"
	"shoal/node/gossip"
	"shoal/node/peer"
	"shoal/text/dictionary"
	"shoal/wire"
)

// peers are the connections between this node and others. They open in steps: openPeers
// binds the address, describe says what this node is, openGossip begins to look for others,
// serve answers them.
type peers struct {
	*process
	directory
	clients  *entrance
	key      masterKey
	secret   *peer.Secret
	identity *peer.Identity // this node proves it to others
	listener *peer.Listener
	link     *peer.Link
	server   *peer.Server
	traffic  peer.Traffic // of server and link
	endServe func()       // ends serve, and waits for it
}

// openPeers binds the address for other nodes.
func openPeers(p *process, clients *entrance, cluster *membership) (*peers, error) {
	n := &peers{process: p, clients: clients, key: masterKey(p.cfg.MasterKey), directory: directory{cluster: cluster, first: p.cfg.InitMembers}}
	var err error
	if n.secret, err = n.clusterSecret(); err != nil {
		return nil, err
	}
	if n.identity, err = n.secret.Identify(n.folder.ID); err != nil {
		return nil, err
	}
	if n.listener, err = n.listen(); err != nil {
		return nil, err
	}
	n.opened("node address", n.listener.Close)
	n.link = peer.NewLink(n.on.Network, n.identity, n.addressOf)
	n.link.Hear(n.heardAt)
	n.link.Count(&n.traffic)
	n.listener.Tell(n.link.Back)
	n.opened("links", n.link.Close)
	return n, nil
}

// clusterSecret is the secret of the configuration, otherwise the one in this node's
// folder.
func (n *peers) clusterSecret() (*peer.Secret, error) {
	if also := n.cfg.ClusterSecretAlso; also != "" {
		return peer.NewSecret(n.cfg.ClusterSecret, also)
	}
	if n.cfg.ClusterSecret != "" {
		return peer.NewSecret(n.cfg.ClusterSecret)
	}
	text, err := folder.OwnSecret(n.on.Files, n.folder.Path)
	if err != nil {
		return nil, err
	}
	s, err := peer.NewSecret(text)
	if err != nil {
		return nil, fmt.Errorf("file %s: %w: write the secret of another node of the cluster into it; if this node is the only one, remove the file: the node makes another secret", n.dir(folder.FileSecret), err)
	}
	return s, nil
}

// listen binds --peer-addr, or without that option the usual port, or a free one if
// another node of this machine has it.
func (n *peers) listen() (*peer.Listener, error) {
	listen := func(addr string) (*peer.Listener, error) {
		return peer.Listen(n.on.Network, addr, n.identity, n.sparingly("link"))
	}
	if n.cfg.PeerAddr != "" {
		l, err := listen(n.cfg.PeerAddr)
		if err != nil {
			return nil, address.Fault("--peer-addr", n.cfg.PeerAddr, err)
		}
		return l, nil
	}
	if l, err := listen("127.0.0.1:7701"); err == nil {
		return l, nil
	}
	return listen("127.0.0.1:0")
}

// describe sets the description that other nodes get of this one.
func (n *peers) describe(has dictionary.Set) {
	_, disk := n.disk.Space()
	n.self = wire.Node{
		ID: n.folder.ID, Name: n.cfg.Name, Zone: n.cfg.Zone, Data: n.cfg.Data, Voter: n.cfg.Voter, Version: wire.Version, Dictionaries: has, Disk: disk,
		HTTPAddr: address.Advertised(n.cfg.AdvertiseHTTP, n.cfg.HTTPAddr, n.clients.Addr()),
		PeerAddr: address.Advertised(n.cfg.AdvertisePeer, n.cfg.PeerAddr, n.listener.Addr()),
	}
	n.server = peer.NewServer(n.sparingly("link"))
	n.server.Count(&n.traffic)
	n.server.Bar(n.cluster.bar)
	n.server.Trace(n.tracer())
}

// openGossip binds the gossip address and begins to look for other nodes. twin is called
// with the addresses of nodes that have this node's id.
func (n *peers) openGossip(twin func(addr string)) error {
	g, err := n.bindGossip(func(bind string) (*gossip.Gossip, error) {
		self := n.self
		host, port, err := net.SplitHostPort(bind)
		if err != nil {
			return nil, fmt.Errorf("--gossip-addr: %w", err)
		}
		self.GossipAddr = cmp.Or(n.cfg.AdvertiseGossip, net.JoinHostPort(cmp.Or(host, "127.0.0.1"), port))
		return gossip.Open(n.on.Network, self, bind, n.secret.GossipKeys(), n.cfg.Join, twin, n.sparingly("gossip"))
	})
	if err != nil {
		return err
	}
	n.gossip, n.self = g, g.Self
	n.opened("gossip", func() error { return g.Close(true) })
	n.run(func(ctx context.Context) { g.Run(ctx, n.knownGossip, n.otherSecret) })
	return nil
}

// bindGossip binds --gossip-addr, or without that option the usual port or a free one.
func (n *peers) bindGossip(open func(string) (*gossip.Gossip, error)) (*gossip.Gossip, error) {
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

// otherSecret is called when most of the addresses to join use another secret.
func (n *peers) otherSecret(addrs []string) {
	if time.Since(n.begun) > newFor {
		n.log.Warn("other nodes use another --cluster-secret: set the same one on all nodes", "addresses", strings.Join(addrs, ","))
		return
	}
	n.fail(fmt.Errorf("--cluster-secret differs from that of the nodes at %s: set the same secret on all nodes", strings.Join(addrs, ", ")))
}

// serve answers other nodes from now on: at first only who this node is, the rest once its
// parts are open. Until then callers are told that it is unavailable.
func (n *peers) serve() {
	ln := n.listener.RPC()
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := n.server.Serve(ln); err != nil {
			n.fail(fmt.Errorf("serve other nodes: %w", err))
		}
	}()
	n.endServe = sync.OnceFunc(func() { n.server.Close(); <-done })
	n.endHere()
}

// endHere makes the node stop answering others before it closes the parts opened so far,
// because the answers use them.
func (n *peers) endHere() {
	n.opened("service for nodes", func() error { n.endServe(); return nil })
}

// dialRaft connects to another node's Raft log.
func (n *peers) dialRaft(id wire.NodeID, timeout time.Duration) (net.Conn, error) {
	addr, ok := n.addressOf(id)
	if !ok {
		return nil, fmt.Errorf("no address is known for node %s: %w", id, wire.ErrUnavailable)
	}
	return peer.DialRaft(n.on.Network, n.identity, id, addr, func() string { return n.heardAt(id) }, timeout)
}
