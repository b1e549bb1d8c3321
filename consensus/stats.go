package consensus

import (
	"os"
	"time"

	"github.com/hashicorp/raft"

	"shoal/wire"
)

// Stats are figures for status pages and metrics. Reading them blocks nothing.
type Stats struct {
	State      string // "Leader", "Follower", "Candidate" or "Shutdown"
	Term       uint64
	Leader     wire.NodeID // "" = none known
	LastIndex  uint64      // newest entry in this node's log
	Committed  uint64
	Applied    uint64 // newest entry in the state
	Watermark  int64  // log time up to which ends of tasks are shown, UnixNano
	AppliedAt  int64  // log time of Applied, UnixNano
	Voters     []wire.NodeID
	Nonvoters  []wire.NodeID
	LeaseLeft  time.Duration // 0 = no lease
	SlowestLog time.Duration // longest append to the log since the start
	LogBytes   int64         // size of the log file
	FreeBytes  int64         // free pages inside it
	Tasks      uint64
	Unfinished uint64
	Batches    uint64
	Indexes    int
}

// Stats describes this member of the group.
func (g *Group) Stats() Stats {
	leader, _ := g.Leader()
	s := Stats{
		State: g.raft.State().String(), Term: g.raft.CurrentTerm(), Leader: leader,
		LastIndex: g.raft.LastIndex(), Committed: g.raft.CommitIndex(),
		Applied: g.Catalog().Applied(), Watermark: g.watermark(), AppliedAt: g.fsm.LastAt.Load(),
		SlowestLog: time.Duration(g.logs.Worst.Load()), Indexes: g.Catalog().CountIndexes(),
	}
	for _, server := range g.raft.servers() {
		if server.Suffrage == raft.Voter {
			s.Voters = append(s.Voters, wire.NodeID(server.ID))
		} else {
			s.Nonvoters = append(s.Nonvoters, wire.NodeID(server.ID))
		}
	}
	s.LeaseLeft = g.own.Left()
	if _, ok := g.Leading(); ok && g.raft.soleVoter() {
		s.LeaseLeft = g.cfg.Lease
	}
	if g.logs.Bolt != nil {
		s.FreeBytes = int64(g.logs.Bolt.Stats().FreeAlloc)
		if info, err := os.Stat(g.logs.Path); err == nil {
			s.LogBytes = info.Size()
		}
	}
	g.fsm.Machine.Mu.RLock()
	defer g.fsm.Machine.Mu.RUnlock()
	q := g.fsm.Machine.State.Queue
	s.Tasks, s.Batches = q.Tasks.All.GetCardinality(), q.Batches.All.GetCardinality()
	s.Unfinished = uint64(len(q.Pending))
	return s
}
