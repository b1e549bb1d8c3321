package report

import (
	"context"
	"sync"
	"time"

	"shoal/consensus"
	"shoal/httpfront"
	"shoal/node/config"
	"shoal/node/observe"
	"shoal/node/peer"
	"shoal/node/poll"
	"shoal/node/view"
	"shoal/shard"
	"shoal/wire"
)

// Config holds the parts of a node that know something about it.
type Config struct {
	Self    wire.Node
	Options *config.Config
	Cores   int
	Begun   time.Time // when the process began
	Logs    *observe.Logs
	Host    *shard.Host
	Group   *consensus.Group
	Front   *httpfront.Server
	Disk    *view.Disk
	// Payloads is the folder of staged payloads.
	Payloads string
	// Awaits is what the start of the node last waited for.
	Awaits func() string
}

// Reports answers about this node and asks the others. Safe for concurrent use.
type Reports struct {
	Config
	history history
	// verifying is held while this node reads all its data.
	verifying sync.Mutex

	activities    poll.Question[activityRequest, activity]
	histories     poll.Question[historyRequest, historyReply]
	slow          poll.Question[slowRequest, slowReply]
	lines         poll.Question[linesRequest, linesReply]
	archives      poll.Question[debugRequest, debugReply]
	verifications poll.Question[verifyRequest, verifyReply]
}

// Open makes this node answer the questions of other members.
func Open(c Config, m *poll.Members, s *peer.Server) *Reports {
	r := &Reports{Config: c}
	r.activities = poll.NewQuestion(m, s, "cluster.activity", r.serveActivity)
	r.histories = poll.NewQuestion(m, s, "cluster.history", r.serveHistory)
	r.slow = poll.NewQuestion(m, s, "cluster.slow", r.serveSlow)
	r.lines = poll.NewQuestion(m, s, "cluster.log", r.serveLines)
	r.archives = poll.NewQuestion(m, s, "cluster.debug", r.serveDebug)
	r.verifications = poll.NewQuestion(m, s, "cluster.verify", r.serveVerify)
	return r
}

// Free asks members how many bytes their disks have left. The result has nil for those that
// do not answer in time.
func (r *Reports) Free(ctx context.Context, nodes []*wire.Node) []*uint64 {
	left := make([]*uint64, len(nodes))
	for i, a := range r.activities.Each(ctx, poll.Within, nodes, &activityRequest{}) {
		if a != nil {
			left[i] = &a.DiskFree
		}
	}
	return left
}
