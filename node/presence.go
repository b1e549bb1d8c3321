package node

import "shoal/wire"

// presence logs who comes and goes, once for each time: it is what an operator
// looks for first. It belongs to one goroutine.
type presence struct {
	alive map[wire.NodeID]wire.Node // without this node
}

// look compares what gossip sees now with what it saw before.
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
