package consensus

import (
	"context"
	"errors"
	"time"

	"github.com/hashicorp/raft"

	"shoal/consensus/raftlog"
	"shoal/text/dictionary"
	"shoal/wire"
)

// Verdict is what the leader tells a node about its membership. One member is set.
type Verdict struct {
	// Removed: the node was taken out for good and must end.
	Removed *wire.Removal `msgpack:"r"`
	// Taken is the member that runs under the name of a node which is not let in.
	Taken *wire.Node `msgpack:"t"`
	// Waits is why a node is not let in yet.
	Waits string `msgpack:"w"`
}

// tell sends a node its verdict and does not wait. A node that misses the verdict gets it
// again as long as gossip sees the node.
func (g *Group) tell(id wire.NodeID, v *Verdict) {
	if g.cfg.Call == nil {
		return
	}
	g.begin(func() {
		ctx, cancel := context.WithTimeout(g.ctx, time.Second)
		defer cancel()
		if _, err := g.cfg.Call(ctx, id, &Request{Verdict: v}); err != nil {
			g.log.Debug("a node was not told about its membership", "node", id, "error", err)
		}
	})
}

// judged hands a verdict to the owner of this node. A member ends only after its removal;
// a verdict about another node of its name does not concern it.
func (g *Group) judged(v *Verdict) error {
	switch {
	case v.Removed != nil && v.Removed.ID == g.cfg.NodeID:
	case v.Removed == nil && (v.Taken != nil || v.Waits != ""):
		if g.raft.member(g.cfg.NodeID) {
			return nil
		}
	default:
		return errNoVerdict
	}
	if g.cfg.Told != nil {
		g.cfg.Told(v)
	}
	return nil
}

// errNoVerdict: the verdict says nothing that this version knows.
var errNoVerdict = errors.New("a verdict that this version does not know")

// admit lets in the first nominee that is not a member, that answers, and whose name is
// free. A node that comes back under its name with a new folder takes the place of its
// former self once that one is gone. It returns false when it made a change.
func (m *membership) admit(ctx context.Context, nominees []wire.Node) bool {
	for _, n := range nominees {
		if r, out := m.g.Removed(n.ID); out {
			m.g.tell(n.ID, &Verdict{Removed: &r})
			continue
		}
		if m.g.raft.member(n.ID) || !m.answers(ctx, n.ID) {
			continue
		}
		if why := m.outdated(&n); why != "" {
			m.g.tell(n.ID, &Verdict{Waits: why})
			continue
		}
		if missing := wire.NeededDictionaries(m.g.Catalog().Indexes()) &^ n.Dictionaries; missing != 0 {
			m.g.tell(n.ID, &Verdict{Waits: "indexes of the cluster are cut by a dictionary that this node does not have (" + missing.String() + "): " + dictionary.Remedy})
			continue
		}
		former := m.former(&n)
		if former != nil {
			if why := m.stays(ctx, former, &n); why != nil {
				m.g.tell(n.ID, why)
				continue
			}
			one := wire.Removal{ID: former.ID, Name: former.Name, At: time.Now().UnixNano(), By: n.ID, Draining: former.Draining}
			err := m.strike(ctx, one, 0)
			m.g.log.Info("a node came back with a new data folder: its former identity is removed for good", "name", n.Name, "node", n.ID, "was", former.ID, "error", err)
			return false
		}
		// It is described first: a member without a name could not be replaced.
		err := m.describe(ctx, n)
		if err == nil {
			err = m.g.raft.await(ctx, func() raft.Future { return m.g.raft.AddNonvoter(raft.ServerID(n.ID), raftlog.AddressOf(n.ID), 0, 0) })
		}
		m.g.log.Info("node joins", "node", n.ID, "name", n.Name, "error", err)
		return false
	}
	return true
}

// former is the member that has the name of a newcomer.
func (m *membership) former(n *wire.Node) *wire.Node {
	for _, d := range m.g.Catalog().Nodes() {
		if d.Name == n.Name && d.ID != n.ID {
			return d
		}
	}
	return nil
}

// stays says why a member keeps its name against a newcomer, or returns nil when the
// member is gone. At the newcomer's own address the member cannot run any more. At
// another address it may only be cut off, so it must have been silent for a while and
// hold no only copy.
func (m *membership) stays(ctx context.Context, d, n *wire.Node) *Verdict {
	if m.answers(ctx, d.ID) {
		return &Verdict{Taken: d}
	}
	if !m.votes.electorate().Spares(d.ID) {
		return &Verdict{Waits: "the node that had this name at " + d.PeerAddr + " has a vote, and the vote of another lost node is not replaced yet: " +
			"this ends once a node that may vote has caught up; start one if there is none"}
	}
	if d.PeerAddr == n.PeerAddr {
		return nil
	}
	if m.votes.silence(d.ID) < m.g.cfg.Membership.ReplaceAfter {
		return &Verdict{Waits: "the node that had this name at " + d.PeerAddr + " may come back within seconds"}
	}
	member := func(id wire.NodeID) bool { _, ok := m.g.Catalog().Node(id); return ok }
	if only := wire.OnlyHolder(m.g.Catalog().Indexes(), d.ID, member); len(only) > 0 {
		return &Verdict{Waits: "the node that had this name at " + d.PeerAddr + " holds the only copy of index " + only[0] +
			": start it again, or remove it (DELETE /cluster/nodes/" + string(d.ID) + "?force=true)"}
	}
	return nil
}
