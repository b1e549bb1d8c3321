package consensus

import (
	"context"
	"fmt"
	"slices"

	"shoal/consensus/entry"
	"shoal/wire"
)

// ErrOlderProgram: the log is written for a newer program than this one.
var ErrOlderProgram = entry.ErrOlderProgram

// ErrUnknownEntry: the log holds an entry that this program does not understand.
var ErrUnknownEntry = entry.ErrUnknown

// The log has one version (wire.ValueProgram), which only increases. Reading what the
// members know at the moment would not suffice: a node could join, or a member return to
// an older program, between that reading and the entry for the newer program. The leader
// raises the version and admits nodes one after the other, and only in its own term, so
// the log knows which came first. All others read the version from the log.

// spoken tells whether the programs of all members know a version, for as long as the
// log lasts. more are nodes that are about to be described.
func (g *Group) spoken(version int, more ...wire.Node) bool {
	if recorded := g.Catalog().Program(); recorded > 0 {
		return recorded >= version
	}
	return g.least(more...) >= version
}

// least is the version that the programs of all members know. A member that the catalogue
// does not describe yet may have any program: the first entries of a new cluster come
// before all descriptions.
func (g *Group) least(more ...wire.Node) int {
	nodes := g.Catalog().Nodes()
	described := make(map[wire.NodeID]bool, len(nodes)+len(more))
	for _, n := range nodes {
		described[n.ID] = true
	}
	for i := range more {
		described[more[i].ID] = true
		nodes = slices.DeleteFunc(slices.Clone(nodes), func(n *wire.Node) bool { return n.ID == more[i].ID })
		nodes = append(nodes, &more[i])
	}
	for _, s := range g.raft.servers() {
		if !described[wire.NodeID(s.ID)] {
			return 0
		}
	}
	return wire.LeastSpoken(nodes)
}

// raise records the version that all members know if the log says less. It returns false
// if it should have done so and could not. The caller holds changes.
func (m *membership) raise(ctx context.Context) bool {
	recorded := m.g.Catalog().Program()
	version := min(max(m.g.least(), 1), wire.Version)
	if version <= recorded {
		return true
	}
	m.raised = max(m.raised, version) // it may get into the log even if the proposal seems to fail
	_, err := m.g.propose(ctx, &wire.Command{Update: &wire.Update{Changes: []wire.Change{{PutValue: wire.ProgramValue(version)}}}}, true)
	if err != nil {
		m.g.log.Warn("the version of the log was not raised", "version", version, "error", err)
		return false
	}
	m.g.log.Info("the version of the log changed", "was", recorded, "is", version)
	return true
}

// outdated says why a node stays out whose program does not know everything that the log
// may hold; "" if it knows.
func (m *membership) outdated(n *wire.Node) string {
	version := max(m.g.Catalog().Program(), m.raised)
	if n.Version >= version || version == 1 { // version 1 added nothing that any program lacks
		return ""
	}
	return fmt.Sprintf("its program is older than the log of the cluster and would end at it (it knows version %d of what nodes say to each other, the log is of version %d): stop it, and start the program there that the other nodes run", n.Version, version)
}
