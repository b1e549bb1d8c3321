package node

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"shoal/node/peer"
	"shoal/wire"
	"shoal/wire/await"
)

const (
	// For newFor after its start a node treats a mismatch with the majority as its own
	// misconfiguration and ends. Later it only avoids the nodes that do not fit.
	newFor = time.Minute
	// Nodes that did not answer are greeted again after acquaintMin, later every
	// acquaintMax.
	acquaintMin = 25 * time.Millisecond
	acquaintMax = time.Second
	// acquaintTime bounds one greeting.
	acquaintTime = 2 * time.Second
)

// acquaint greets every node that gossip finds, until ctx ends. Nodes of another cluster or
// with another master key are never nominated. A node that was just started with wrong
// options learns it here, from the majority.
func (n *Node) acquaint(ctx context.Context) {
	warned := map[wire.NodeID]string{}
	wait := acquaintMin
	var present presence
	for {
		present.look(n)
		if wait = min(2*wait, acquaintMax); n.greetAll(ctx, warned) {
			wait = acquaintMin
		}
		rest := wait
		if wait == acquaintMax {
			rest = await.Until(wait)
		}
		t := time.NewTimer(rest)
		select {
		case <-ctx.Done():
		case <-n.gossip.Changed():
			wait = acquaintMin
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
func (n *Node) greetAll(ctx context.Context, warned map[wire.NodeID]string) (found bool) {
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
		if n.lost(d.ID) {
			n.warnLost(d, warned) // do not greet it; it learns this from the answer to its own greeting
			continue
		}
		gctx, cancel := context.WithTimeout(ctx, acquaintTime)
		greeting := n.hello()
		greeting.Challenge = newChallenge()
		got, err := peer.Call[hello, helloReply](gctx, n.link, d.ID, methodHello, greeting)
		cancel()
		if err != nil || got.Hello.Node.ID != d.ID {
			continue // not up yet, or another node has its address; greeted again later
		}
		mine, theirs := n.cluster(), got.Hello.Cluster
		switch {
		case got.Lost && mine != theirs && time.Since(n.begun) < newFor && n.sameKey(d.ID, greeting.Challenge, got):
			n.fail(leftBehind(n.cfg.Name, n.folder.Path, mine, theirs, d))
			return found
		case mine != "" && theirs != "" && mine != theirs:
			clusters = append(clusters, stranger{d, "it belongs to another cluster, " + theirs})
		case len(got.Proof) == 0 && mine != "" && !n.known(d.ID):
			outdated = append(outdated, stranger{d, "its program is too old to prove the --master-key: let it join with the program of this node"})
		case !n.sameKey(d.ID, greeting.Challenge, got):
			keys = append(keys, stranger{d, "its --master-key differs"})
		case len(got.Proof) > 0 || n.known(d.ID):
			n.greeted.Store(d.ID, d)
			found = true
		}
	}
	for _, s := range slices.Concat(clusters, keys, outdated) {
		n.greeted.Delete(s.node.ID)
		if warned[s.node.ID] != s.why {
			warned[s.node.ID] = s.why
			n.log.Warn("refused a node", "name", s.node.Name, "address", s.node.PeerAddr, "reason", s.why)
		}
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
			n.folder.Path, n.cluster(), names(clusters)))
	}
	return found
}

// warnLost warns once that a node of the cluster before a recovery is running.
func (n *Node) warnLost(d wire.Node, warned map[wire.NodeID]string) {
	n.greeted.Delete(d.ID)
	const why = "this cluster was recovered without it: start it with an empty data folder"
	if warned[d.ID] != why {
		warned[d.ID] = why
		n.log.Warn("refused a node", "name", d.Name, "address", d.PeerAddr, "reason", why)
	}
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
func (n *Node) nominees() []wire.Node {
	var out []wire.Node
	for _, d := range n.gossip.Members() {
		if known, ok := n.greeted.Load(d.ID); d.ID == n.self.ID || ok && known == d {
			out = append(out, d)
		}
	}
	return out
}

// otherSecret is called when most of the addresses to join use another secret.
func (n *Node) otherSecret(addrs []string) {
	if time.Since(n.begun) > newFor {
		n.log.Warn("other nodes use another --cluster-secret: set the same one on all nodes", "addresses", strings.Join(addrs, ","))
		return
	}
	n.fail(fmt.Errorf("--cluster-secret differs from that of the nodes at %s: set the same secret on all nodes", strings.Join(addrs, ", ")))
}

// presence logs each node that comes or goes, because an operator looks for that first. It
// belongs to one goroutine.
type presence struct {
	alive map[wire.NodeID]wire.Node // without this node
}

// look compares the nodes that gossip sees now with those it saw before.
func (p *presence) look(n *Node) {
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
