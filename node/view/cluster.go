package view

import (
	"context"
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
	Backup  *observe.Backup
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
	v := &placement.View{Catalog: cat, Fresh: fresh, Answers: c.answering(ctx, cat.Nodes()), Voters: group.Stats().Voters, Votes: cat.Votes()}
	if id, ok := group.Leader(); ok && v.Answers[id] {
		v.Leader = id
	}
	if tasks := group.Pending(); len(tasks) > 0 {
		v.Waited = group.Now().Sub(time.Unix(0, tasks[0].EnqueuedAt))
	}
	v.Damage, v.Told = c.ask(ctx, v.Answers)
	return v
}

// answering asks nodes for signs of life and returns which ones answered.
func (c *Cluster) answering(ctx context.Context, nodes []*wire.Node) map[wire.NodeID]bool {
	answers := make([]bool, len(nodes))
	var asking sync.WaitGroup
	for i, d := range nodes {
		asking.Go(func() { answers[i] = d.ID == c.Members.Self || c.Members.Link.Answers(ctx, d.ID) })
	}
	asking.Wait()
	found := make(map[wire.NodeID]bool, len(nodes))
	for i, d := range nodes {
		found[d.ID] = answers[i]
	}
	return found
}
