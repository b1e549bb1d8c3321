package consensus

import (
	"context"
	"slices"
	"strings"
	"time"

	"shoal/wire"
	"shoal/wire/await"
)

// membership decides, for one term of this node as the leader, who is in the group.
type membership struct {
	g      *Group
	votes  votes
	raised int // the version of the log that this term has asked for; guarded by Group.changes
}

// tend maintains the membership on the leader. At every interval it makes at most one
// change, the most urgent one. Gossip nominates, the log decides (architecture 3): a node
// is admitted without a vote after it answered a ping, and gets a vote once it keeps up
// (see package voters).
func (m *membership) tend(ctx context.Context) {
	tick := time.NewTimer(await.Until(m.g.cfg.Membership.Interval))
	defer tick.Stop()
	for {
		m.tendOnce(ctx)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			tick.Reset(await.Until(m.g.cfg.Membership.Interval))
		}
	}
}

func (m *membership) tendOnce(ctx context.Context) {
	m.g.changes.Lock()
	defer m.g.changes.Unlock()
	if m.g.cfg.Nominees == nil {
		m.raise(ctx)
		return
	}
	nominees := m.g.cfg.Nominees()
	slices.SortFunc(nominees, func(x, y wire.Node) int { return strings.Compare(string(x.ID), string(y.ID)) })
	if m.expel(ctx) && m.describeMembers(ctx, nominees) && m.raise(ctx) && m.admit(ctx, nominees) {
		m.votes.tend(ctx)
	}
}

// answers is the leader's own probe of a node.
func (m *membership) answers(ctx context.Context, id wire.NodeID) bool {
	if m.g.cfg.Call == nil {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	reply, err := m.g.cfg.Call(ctx, id, &Request{Ping: true})
	return err == nil && reply.Node == id
}

// describeMembers updates the catalogue's nodes to what gossip says of them. It leaves the
// draining mark alone, which is an operator's decision. It returns false if it had a
// change to propose and could not.
func (m *membership) describeMembers(ctx context.Context, nominees []wire.Node) bool {
	members := slices.DeleteFunc(slices.Clone(nominees), func(n wire.Node) bool { return !m.g.raft.member(n.ID) })
	return m.describe(ctx, members...) == nil
}

// describe writes a node into the catalogue, unless it was removed meanwhile. It
// inherits the mark of being drained from the node whose place it took.
func (m *membership) describe(ctx context.Context, nodes ...wire.Node) error {
	out := m.g.removed.list()
	dictionaries, zones, disks := m.g.spoken(wire.DictionariesSince, nodes...), m.g.spoken(wire.ZonesSince, nodes...), m.g.spoken(wire.WideSince, nodes...)
	marks := m.g.spoken(wire.DrainingSince, nodes...)
	var changes []wire.Change
	for _, n := range nodes {
		if _, gone := out.byID[n.ID]; gone {
			continue
		}
		known, ok := m.g.Catalog().Node(n.ID)
		switch {
		case ok:
			n.Draining = known.Draining
		default:
			n.Draining = out.drained(n.ID)
		}
		if !dictionaries {
			n.Dictionaries = 0 // an older program would stop at the field
		}
		if !zones {
			n.Zone = ""
		}
		if !disks {
			n.Disk = 0
		}
		if !ok || *known != n {
			changes = append(changes, wire.Change{PutNode: &n, KeepDraining: marks})
		}
	}
	if len(changes) == 0 {
		return nil
	}
	return m.g.update(ctx, out.guard(), changes)
}
