package view

import (
	"context"
	"slices"
	"sync"
	"time"

	"shoal/coordinator/placement"
	"shoal/httpfront"
	"shoal/node/observe"
	"shoal/node/peer"
	"shoal/node/poll"
	"shoal/shard"
	"shoal/wire"
)

// Config holds the sources of a Cluster.
type Config struct {
	Name    string // of this node
	Members *poll.Members
	Host    *shard.Host
	Disk    *Disk // of this node
	// Displaced tells whether the data folder of this node was removed or replaced.
	Displaced func() bool
	Backup    *observe.Backup
	// SnapshotEvery is the time between snapshots, 0 for none.
	SnapshotEvery time.Duration
	// CertificateEnds is the expiry of the certificate for clients, nil without one.
	CertificateEnds *time.Time
}

// Cluster is a node's view of its cluster. Safe for concurrent use.
type Cluster struct {
	Config
	leads  leadership
	front  *httpfront.Server
	damage poll.Question[damageRequest, damageReply]
}

// New returns a view without warnings. Call Serve before Now.
func New(c Config) *Cluster { return &Cluster{Config: c} }

// Serve makes this node tell its warnings, also to other members. Some are about the answers
// of the front.
func (c *Cluster) Serve(front *httpfront.Server, s *peer.Server) {
	c.front = front
	c.damage = poll.NewQuestion(c.Members, s, "shard.damage", c.serveDamage)
}

// Now is what this node sees of its cluster now: it asks all members at once for a sign of
// life. It takes at most peer.SignWithin plus poll.LeaderWithin, and that long only while a
// member hangs.
func (c *Cluster) Now(ctx context.Context) *placement.View {
	group := c.Members.Group
	fresh, _ := group.Lease() // read before the catalogue, because it vouches for later reads
	cat := group.Catalog()
	v := &placement.View{Catalog: cat, Fresh: fresh, Voters: group.Stats().Voters, Votes: cat.Votes()}
	v.Answers = c.answering(ctx, cat.Nodes(), v.Voters)
	if id, ok := group.Leader(); ok && v.Answers[id] {
		v.Leader = id
	}
	if tasks := group.Pending(); len(tasks) > 0 {
		v.Waited = group.Now().Sub(time.Unix(0, tasks[0].EnqueuedAt))
	}
	v.Damage, v.Told = c.ask(ctx, v.Answers)
	return v
}

// answering asks members and voters for signs of life and returns which ones answered. A new
// cluster has voters that the catalogue does not list yet.
func (c *Cluster) answering(ctx context.Context, members []*wire.Node, voters []wire.NodeID) map[wire.NodeID]bool {
	ids := slices.Clone(voters)
	for _, d := range members {
		if !slices.Contains(voters, d.ID) {
			ids = append(ids, d.ID)
		}
	}
	answers := make([]bool, len(ids))
	var asking sync.WaitGroup
	for i, id := range ids {
		asking.Go(func() { answers[i] = id == c.Members.Self || c.Members.Link.Answers(ctx, id) })
	}
	asking.Wait()
	found := make(map[wire.NodeID]bool, len(ids))
	for i, id := range ids {
		found[id] = answers[i]
	}
	return found
}
