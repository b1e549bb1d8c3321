package node

import (
	"context"
	"crypto/hmac"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"shoal/node/peer"
	"shoal/wire"
	"shoal/wire/await"
)

const (
	// For newFor after its start a node treats a mismatch with the majority as its own
	// misconfiguration and ends. Later it only avoids the nodes that do not fit.
	newFor = time.Minute
	// Nodes that did not answer are greeted again after greetMin, later every
	// greetMax.
	greetMin = 25 * time.Millisecond
	greetMax = time.Second
	// greetTime bounds one greeting.
	greetTime = 2 * time.Second
)

const methodHello = "hello"

// hello is how two nodes introduce themselves.
type hello struct {
	Node    wire.Node `msgpack:"n"`
	Cluster string    `msgpack:"c"` // "" while the node belongs to none
	// Formed: the node's Raft log holds state, so its cluster already exists.
	Formed bool `msgpack:"f"`
	// KeyCheck is a digest of the master key and the cluster, for programs without
	// challenges.
	KeyCheck string `msgpack:"k"`
	// Challenge asks the reply to prove that its sender knows the master key.
	Challenge []byte `msgpack:"ch"`
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

// greeter introduces this node and the others to each other. Nodes of another cluster or
// with another master key are never nominated. A node that was just started with wrong
// options learns it here, from the majority.
type greeter struct {
	*peers
	// greeted are the nodes that may belong to this node's cluster, with their own
	// descriptions.
	greeted sync.Map               // wire.NodeID -> wire.Node
	warned  map[wire.NodeID]string // of greet
}

func newGreeter(p *peers) *greeter {
	return &greeter{peers: p, warned: map[wire.NodeID]string{}}
}

func (n *greeter) hello() *hello {
	id := n.cluster.id()
	return &hello{Node: n.self, Cluster: id, Formed: id != "", KeyCheck: n.key.digest(id)}
}

// serveHello answers the greeting of another node.
func (n *greeter) serveHello(ctx context.Context, h *hello) (*helloReply, error) {
	if err := speaksFor(ctx, h.Node.ID); err != nil {
		return nil, err
	}
	return &helloReply{
		Hello: *n.hello(), KnowsCaller: n.cluster.knows(h.Node.ID), Proof: n.key.proof(h.Node.ID, n.self.ID, h.Challenge), Lost: n.cluster.lost(h.Node.ID),
	}, nil
}

// speaksFor refuses a caller that claims to be another node.
func speaksFor(ctx context.Context, named wire.NodeID) error {
	if caller, ok := peer.Caller(ctx); ok && caller != named {
		return fmt.Errorf("node %s speaks in the name of node %s", caller, named)
	}
	return nil
}

// sameKey tells whether the answer to a greeting proves that the other node has this node's
// master key. A node whose program gives no proof is trusted by its digest during a rolling
// upgrade: if it is a member already, or if this node is none and could not admit anyone.
func (n *greeter) sameKey(other wire.NodeID, challenge []byte, got *helloReply) bool {
	if len(got.Proof) > 0 {
		return hmac.Equal(got.Proof, n.key.proof(n.self.ID, other, challenge))
	}
	joins := n.cluster.id() == "" && len(n.cfg.InitMembers) == 0
	return (n.cluster.knows(other) || joins) && hmac.Equal([]byte(got.Hello.KeyCheck), []byte(n.key.digest(got.Hello.Cluster)))
}

// greet greets every node that gossip finds, until ctx ends.
func (n *greeter) greet(ctx context.Context) {
	wait := greetMin
	var present presence
	for {
		present.look(n.peers)
		if wait = min(2*wait, greetMax); n.greetAll(ctx) {
			wait = greetMin
		}
		rest := wait
		if wait == greetMax {
			rest = await.Until(wait)
		}
		t := time.NewTimer(rest)
		select {
		case <-ctx.Done():
		case <-n.gossip.Changed():
			wait = greetMin
		case <-t.C:
		}
		t.Stop()
		if ctx.Err() != nil {
			return
		}
	}
}

// stranger is a node that does not fit, and the reason.
type stranger struct {
	node wire.Node
	why  string
}

// greetAll greets the nodes that are not known yet. It returns whether it found one that
// fits.
func (n *greeter) greetAll(ctx context.Context) (found bool) {
	var keys, clusters, outdated []stranger
	others := 0
	for _, d := range n.gossip.Members() {
		if d.ID == n.self.ID {
			continue
		}
		others++
		if known, ok := n.greeted.Load(d.ID); ok && known == d {
			continue
		}
		if n.cluster.lost(d.ID) {
			// Do not greet it; it learns this from the answer to its own greeting.
			n.refuse(stranger{d, "this cluster was recovered without it: start it with an empty data folder"})
			continue
		}
		gctx, cancel := context.WithTimeout(ctx, greetTime)
		greeting := n.hello()
		greeting.Challenge = newChallenge()
		got, err := peer.Call[hello, helloReply](gctx, n.link, d.ID, methodHello, greeting)
		cancel()
		if err != nil || got.Hello.Node.ID != d.ID {
			continue // not up yet, or another node has its address; greeted again later
		}
		mine, theirs := n.cluster.id(), got.Hello.Cluster
		switch {
		case got.Lost && mine != theirs && time.Since(n.begun) < newFor && n.sameKey(d.ID, greeting.Challenge, got):
			n.fail(leftBehind(n.cfg.Name, n.folder.Path, mine, theirs, d))
			return found
		case mine != "" && theirs != "" && mine != theirs:
			clusters = append(clusters, stranger{d, "it belongs to another cluster, " + theirs})
		case len(got.Proof) == 0 && mine != "" && !n.cluster.knows(d.ID):
			outdated = append(outdated, stranger{d, "its program is too old to prove the --master-key: let it join with the program of this node"})
		case !n.sameKey(d.ID, greeting.Challenge, got):
			keys = append(keys, stranger{d, "its --master-key differs"})
		case len(got.Proof) > 0 || n.cluster.knows(d.ID):
			n.greeted.Store(d.ID, d)
			found = true
		}
	}
	for _, s := range slices.Concat(clusters, keys, outdated) {
		n.refuse(s)
	}
	if time.Since(n.begun) > newFor {
		return found
	}
	others = max(others, len(n.cfg.InitMembers)-1)
	switch {
	case 2*len(keys) > others:
		n.fail(fmt.Errorf("--master-key differs from that of %s: start this node with the key of the others (to change the key, stop all nodes and start them with the new one)",
			names(keys)))
	case 2*len(clusters) > others && len(n.cfg.Join) > 0:
		n.fail(fmt.Errorf("data folder %s belongs to cluster %s, but --join leads to another cluster (%s): leave --join out, or use another, empty --db-path to join that one",
			n.folder.Path, n.cluster.id(), names(clusters)))
	}
	return found
}

// refuse warns once that a node does not fit.
func (n *greeter) refuse(s stranger) {
	n.greeted.Delete(s.node.ID)
	if n.warned[s.node.ID] != s.why {
		n.warned[s.node.ID] = s.why
		n.log.Warn("refused a node", "name", s.node.Name, "address", s.node.PeerAddr, "reason", s.why)
	}
}

func leftBehind(name, folder, from, to string, by wire.Node) error {
	return fmt.Errorf("this node (%s) belongs to cluster %s, which was recovered without it as cluster %s (now on %s at %s): data folder %s stays out for good; keep it aside if you miss documents, and start this node with an empty folder: it joins by itself",
		name, from, to, by.Name, by.PeerAddr, folder)
}

func names(list []stranger) string {
	var out []string
	for _, s := range list {
		out = append(out, s.node.Name+" at "+s.node.PeerAddr)
	}
	return strings.Join(out, ", ")
}

// nominees are the nodes that the leader may admit: gossip sees them and they were found to
// fit.
func (n *greeter) nominees() []wire.Node {
	var out []wire.Node
	for _, d := range n.gossip.Members() {
		if known, ok := n.greeted.Load(d.ID); d.ID == n.self.ID || ok && known == d {
			out = append(out, d)
		}
	}
	return out
}

// presence logs each node that comes or goes, because an operator looks for that first. It
// belongs to one goroutine.
type presence struct {
	alive map[wire.NodeID]wire.Node // without this node
}

// look compares the nodes that gossip sees now with those it saw before.
func (p *presence) look(n *peers) {
	now := map[wire.NodeID]wire.Node{}
	for _, d := range n.gossip.Members() {
		if d.ID == n.self.ID {
			continue
		}
		now[d.ID] = d
		if _, known := p.alive[d.ID]; !known {
			n.log.Info("a node is there", "name", d.Name, "nodes", d.PeerAddr, "http", d.HTTPAddr)
		}
	}
	for id, d := range p.alive {
		if _, there := now[id]; !there {
			n.log.Warn("a node does not answer any more", "name", d.Name, "nodes", d.PeerAddr, "left", len(now)+1)
		}
	}
	p.alive = now
}
