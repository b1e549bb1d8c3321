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

// The log is of one version (wire.ValueProgram), which only goes up. Reading what the
// members know now would not do: a node could join, or a member go back to an older
// program, after that was read and before what was written for the newer one is in the
// log. The leader raises the version and lets nodes in, one after the other and in its own
// term only, so the log knows which came first; everybody else reads what it says.

// spoken tells whether the programs of all members know a version, for as long as the
// log lasts. more are nodes as they are about to be described.
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
	for _, s := range g.servers() {
		if !described[wire.NodeID(s.ID)] {
			return 0
		}
	}
	return wire.LeastSpoken(nodes)
}

// raise records the version that all members know if the log says less. It returns false
// if it should have done so and could not. The caller holds changes.
func (g *Group) raise(ctx context.Context, b *leaseTable) bool {
	recorded := g.Catalog().Program()
	version := min(max(g.least(), 1), wire.Version)
	if version <= recorded {
		return true
	}
	b.raised = max(b.raised, version) // it may come into the log although nobody says so
	_, err := g.propose(ctx, &wire.Command{Update: &wire.Update{Changes: []wire.Change{{PutValue: wire.ProgramValue(version)}}}}, true)
	if err != nil {
		g.log.Warn("the version of the log was not raised", "version", version, "error", err)
		return false
	}
	g.log.Info("the log is of another version", "was", recorded, "is", version)
	return true
}

// outdated says why a node whose program does not know what the log may hold stays out;
// "" when it does.
func (g *Group) outdated(b *leaseTable, n *wire.Node) string {
	version := max(g.Catalog().Program(), b.raised)
	if n.Version >= version || version == 1 { // the first one brought nothing that somebody lacks
		return ""
	}
	return fmt.Sprintf("its program is older than the log of the cluster and would end at it (it knows version %d of what nodes say to each other, the log is of version %d): stop it, and start the program there that the other nodes run", n.Version, version)
}
