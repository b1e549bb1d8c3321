package node

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	"shoal/consensus"
	"shoal/node/peer"
	"shoal/wire"
)

// greeting is how long an initial member waits for another one to say whether
// the cluster exists already.
const greeting = 300 * time.Millisecond

// openGossip binds the gossip address and begins to look for others.
func (n *Node) openGossip(context.Context) error {
	open := func(bind string) (*gossip, error) {
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
		return openGossip(self, bind, n.secret.GossipKey(), n.cfg.Join, n.log.With("component", "gossip"))
	}
	g, err := n.bindGossip(open)
	if err != nil {
		return err
	}
	n.gossip, n.self = g, g.self
	n.opened("gossip", func() error { return g.Close(true) })
	return nil
}

// bindGossip binds --gossip-addr; without one the usual port, or a free one.
func (n *Node) bindGossip(open func(string) (*gossip, error)) (*gossip, error) {
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
		free, err := lonePort()
		if err != nil {
			return nil, err
		}
		bind = net.JoinHostPort(host, fmt.Sprint(free))
	}
	return open(bind)
}

// openGroup joins or forms the Raft group and answers other nodes from now on.
func (n *Node) openGroup(context.Context) error {
	cfg := consensus.Config{
		Dir: n.dir(dirRaft), NodeID: n.self.ID, Bootstrap: n.voters,
		Listener: n.listener.Raft(),
		Dial: func(id wire.NodeID, timeout time.Duration) (net.Conn, error) {
			addr, ok := n.addressOf(id)
			if !ok {
				return nil, fmt.Errorf("no address is known for node %s: %w", id, wire.ErrUnavailable)
			}
			return peer.DialRaft(addr, n.dialTLS, timeout)
		},
		Call: n.callRaft, Nominees: n.nominees, Logger: n.log,
		OnFatal: func(err error) {
			n.die("its log", err)
		},
	}
	if n.cfg.ExpectNodes > 0 {
		cfg.Membership.PromoteAfter = time.Second
		cfg.Membership.Interval = 100 * time.Millisecond
	}
	var err error
	if n.group, err = consensus.Open(cfg); err != nil {
		return n.folder.fault("its log", err)
	}
	n.opened("consensus", n.group.Close)
	peer.Handle(n.server, methodRaft, n.serveRaft)
	peer.Handle(n.server, methodHello, n.serveHello)
	n.run(func(ctx context.Context) { n.gossip.Run(ctx, n.knownGossip, n.otherSecret) })
	n.run(n.keepIdentity)
	n.run(n.acquaint)
	return nil
}

// greet decides with whom a node without state forms a cluster: with the initial
// members, alone, or with nobody because it joins one. It comes before gossip: a
// cluster that the other members form meanwhile lists this node as soon as it
// hears from it, which must not look like an earlier life.
func (n *Node) greet(ctx context.Context) error {
	formed, err := n.hasRaftState()
	if err != nil {
		return err
	}
	switch {
	case formed:
		return nil
	case n.cluster() != "":
		return fmt.Errorf("data folder %s is damaged: it belongs to cluster %s but its log (%s) is gone: restore the folder from a copy, or start with an empty one under another --name, without --init-members, and --join the others",
			n.folder.path, n.cluster(), dirRaft)
	case len(n.cfg.InitMembers) == 0 && len(n.cfg.Join) > 0:
		return nil
	case len(n.cfg.InitMembers) == 0:
		n.voters = []wire.NodeID{n.self.ID}
		return nil
	}
	n.voters, err = n.firstVoters(ctx)
	return err
}

// hasRaftState tells whether this folder has ever been part of a cluster.
func (n *Node) hasRaftState() (bool, error) {
	entries, err := os.ReadDir(n.dir(dirRaft))
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("data folder %s is damaged: %w", n.folder.path, err)
	}
	return len(entries) > 0, nil
}

// firstVoters lists the initial members. A new folder of a member that a cluster
// has known before must not vote: its earlier votes are lost.
func (n *Node) firstVoters(ctx context.Context) ([]wire.NodeID, error) {
	var voters []wire.NodeID
	for _, m := range n.cfg.InitMembers {
		name, addr, _ := strings.Cut(m, "=")
		id := wire.NodeID(memberID(name).String())
		voters = append(voters, id)
		if id == n.self.ID || !n.folder.fresh {
			continue
		}
		gctx, cancel := context.WithTimeout(ctx, greeting)
		got, err := peer.CallAddr[hello, helloReply](gctx, n.link, addr, methodHello, n.hello())
		cancel()
		if err == nil && got.KnowsCaller {
			return nil, fmt.Errorf("the cluster already knows a member %q, but data folder %s is new: give this node another --name and leave --init-members out (it joins through --join); nothing is lost as long as the others run",
				n.cfg.Name, n.folder.path)
		}
	}
	if len(voters)%2 == 0 {
		n.log.Warn("an even number of first members tolerates no more failures than one less: use 1, 3 or 5", "members", len(voters))
	}
	return voters, nil
}

// helloReply answers a hello.
type helloReply struct {
	Hello hello `msgpack:"h"`
	// KnowsCaller: the caller has been a member of this node's cluster before.
	KnowsCaller bool `msgpack:"k"`
}

func (n *Node) hello() *hello {
	return &hello{Node: n.self, Cluster: n.cluster(), Formed: n.cluster() != "", KeyCheck: n.keyCheck(n.cluster())}
}

func (n *Node) serveHello(_ context.Context, h *hello) (*helloReply, error) {
	_, known := n.group.Catalog().Node(h.Node.ID)
	return &helloReply{Hello: *n.hello(), KnowsCaller: known}, nil
}

// knownGossip lists the gossip addresses of all members of the catalogue, to
// find them again after a long partition.
func (n *Node) knownGossip() []string {
	var out []string
	for _, d := range n.group.Catalog().Nodes() {
		if d.ID != n.self.ID && !n.gossip.Alive(d.ID) {
			out = append(out, d.GossipAddr)
		}
	}
	return out
}

// keepIdentity writes down which cluster the node belongs to as soon as the
// catalogue says so, and refuses to serve another one.
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
		return fmt.Errorf("data folder %s belongs to cluster %s, but the log is of cluster %s: the folder was mixed from two nodes; restore it, or start with an empty one", n.folder.path, mine, id)
	}
	if mine == "" {
		if err := n.folder.setClusterID(id); err != nil {
			return err
		}
		n.clusterID.Store(&id)
		n.log.Info("member of a cluster", "cluster", id, "node", n.self.ID, "name", n.cfg.Name)
	}
	return nil
}

// keyCheck is a digest by which nodes find out that they hold the same master
// key without telling it.
func (n *Node) keyCheck(cluster string) string {
	m := hmac.New(sha256.New, []byte(n.cfg.MasterKey))
	m.Write([]byte("shoal master key check\x00" + cluster))
	return hex.EncodeToString(m.Sum(nil)[:16])
}
