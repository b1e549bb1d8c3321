package node

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"shoal/node/folder"
	"shoal/node/gossip"
	"shoal/node/peer"
	"shoal/wire"
	"shoal/wire/beat"
)

// A secret that is not random has two forms, and programs before
// peer.StretchedSince know one only. This node finds out whether its cluster has
// such programs, and shows the form that is easier to guess no longer than that
// (docs/adr/0010).

const (
	// closeAfter is how long the older form is still believed when all members know
	// the newer one: not all hear of it at the same time.
	closeAfter = time.Minute
	// stanceEvery is how often the members that only gossip sees are looked at.
	stanceEvery = time.Second
)

// firstStance is that of a start: a folder that an older program may have run on
// belongs to a cluster that may still have such programs.
func (n *Node) firstStance() error {
	_, err := n.on.Files.Stat(n.dir(folder.FileStretched))
	switch {
	case err == nil || !n.folder.Used:
		return nil
	case !errors.Is(err, fs.ErrNotExist):
		return n.folder.Fault(folder.FileStretched, err)
	}
	n.secret.Take(peer.Open, peer.Mixed)
	return nil
}

// followStance makes gossip use what the stance says, from now on.
func (n *Node) followStance(g *gossip.Gossip) {
	follow := func(peer.Stance) {
		if err := g.Use(n.secret.GossipKeys()); err != nil {
			n.fail(err)
		}
	}
	n.secret.OnStance(follow)
	follow(n.secret.Stance())
}

// otherForm changes to the other form of the secret, when there is one: a node that
// knows the secret did not understand this one.
func (n *Node) otherForm() bool {
	return n.secret.Take(peer.Open, peer.Mixed) || n.secret.Take(peer.Mixed, peer.Open)
}

// keepStance follows the programs of the members until ctx ends.
func (n *Node) keepStance(ctx context.Context) {
	var settled time.Time // since when all are known to be new
	told := ""
	for ctx.Err() == nil {
		changed := n.group.Changed()
		switch older, all := n.outdated(); {
		case len(older) > 0:
			settled = time.Time{}
			n.secret.Take(peer.Open, peer.Mixed)
			n.secret.Take(peer.Closed, peer.Mixed)
			if names := strings.Join(older, ", "); told != names && n.secret.Stance() == peer.Mixed {
				told = names
				n.log.Warn("some members run an older program, which knows the cluster's secret unstretched only: it is shown in that form, too, until they are upgraded or removed", "members", names)
			}
		case all && settled.IsZero():
			settled = time.Now()
			n.secret.Take(peer.Mixed, peer.Open)
			if err := n.rememberStretched(); err != nil {
				n.log.Warn("the next start shows the cluster's secret unstretched for a moment", "error", err)
			}
			if told != "" {
				told = ""
				n.log.Info("all members know the stretched form of the cluster's secret: the other one is not shown any more")
			}
		case all && time.Since(settled) > closeAfter:
			n.secret.Take(peer.Open, peer.Closed)
		}
		t := time.NewTimer(beat.Until(stanceEvery))
		select {
		case <-changed:
		case <-t.C:
		case <-ctx.Done():
		}
		t.Stop()
	}
}

// outdated names the members, and the nodes that are there, whose programs know the
// older form of the secret only. all tells that there are none and that the catalogue
// is not one of before this start: it lists this node with this program.
func (n *Node) outdated() (names []string, all bool) {
	nodes := map[wire.NodeID]string{}
	look := func(d wire.Node) {
		if d.Version < peer.StretchedSince {
			nodes[d.ID] = cmp.Or(d.Name, string(d.ID))
		}
	}
	for _, d := range n.group.Catalog().Nodes() {
		look(*d)
		all = all || d.ID == n.self.ID && d.Version == n.self.Version
	}
	for _, d := range n.gossip.Members() {
		look(d)
	}
	for _, name := range nodes {
		names = append(names, name)
	}
	slices.Sort(names)
	return names, all && len(names) == 0
}

// rememberStretched makes later starts begin with the stretched form.
func (n *Node) rememberStretched() error {
	if _, err := n.on.Files.Stat(n.dir(folder.FileStretched)); err == nil {
		return nil
	}
	return n.on.Files.WriteFile(n.dir(folder.FileStretched), []byte("all members know the stretched form of the cluster's secret\n"))
}

// clusterSecret is the secret of the configuration, else the one that this node's
// folder keeps.
func (n *Node) clusterSecret() (*peer.Secret, error) {
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
