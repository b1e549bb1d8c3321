package lease

import (
	"context"
	"log/slog"
	"time"

	"github.com/hashicorp/raft"

	"shoal/consensus/fsm"
	"shoal/wire"
)

// ShortSince is the first wire.Version whose programs grant and keep leases of
// Config.Length.
const ShortSince = 8

// Config is what a Table needs of its node and of its term.
type Config struct {
	Node wire.NodeID
	// Length is how long a lease lasts. FormerLength is the same for programs before
	// ShortSince. Times that tell how slow a node is are parts of FormerLength.
	Length, FormerLength time.Duration
	// Heartbeat is how long a follower waits for its leader.
	Heartbeat time.Duration

	Clock   Clock
	FSM     *fsm.FSM
	Own     *Own                 // the lease of this node
	Servers func() []raft.Server // of the group
	// Tell tells a node the watermark. If nil, nobody is told.
	Tell func(ctx context.Context, node wire.NodeID, watermark int64) error
	// Begin runs a goroutine.
	Begin    func(func())
	Observer Observer // may be nil
	Log      *slog.Logger

	Term uint64
	// Predecessor is the former leader, if that was another node.
	Predecessor wire.NodeID
	// Program is the wire.Version that the programs of all members know.
	Program int
	// Configured returns when the last change of the voters was applied, by Clock.
	Configured func() int64
}
