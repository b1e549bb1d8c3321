package consensus

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"shoal/consensus/state"
	"shoal/wire"
)

// memory is what this process has heard of other nodes: the newest entry that each said it
// had applied. Such an entry is in the log of that node for good, so a log that ends before
// it is an older one.
type memory struct {
	mu      sync.Mutex
	applied map[wire.NodeID]uint64
}

func (m *memory) note(node wire.NodeID, applied uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.applied == nil {
		m.applied = map[wire.NodeID]uint64{}
	}
	m.applied[node] = max(m.applied[node], applied)
}

func (m *memory) of(node wire.NodeID) uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.applied[node]
}

// recallTimeout bounds the question that a node asks before it starts. A member that does
// not answer it may hang, so the start goes on without its answer.
const recallTimeout = 500 * time.Millisecond

// recollect asks the members, all at once, what they remember of this node, and refuses to
// start with a log that is older than that. It runs before raft does, so before this node
// votes or acknowledges anything.
func (g *Group) recollect(snaps *state.Snapshots) error {
	if g.cfg.Call == nil {
		return nil
	}
	last, err := g.logs.LastIndex()
	if err != nil {
		return fmt.Errorf("read the log: %w", err)
	}
	records, err := snaps.Records()
	if err != nil {
		return err
	}
	if len(records) > 0 {
		last = max(last, records[0].Index)
	}
	if last == 0 {
		return nil // it has never said anything
	}
	ctx, cancel := context.WithTimeout(g.ctx, recallTimeout)
	defer cancel()
	var work errgroup.Group
	for _, n := range g.Catalog().Nodes() {
		if n.ID == g.cfg.NodeID {
			continue
		}
		work.Go(func() error {
			reply, err := g.cfg.Call(ctx, n.ID, &Request{Recall: &g.cfg.NodeID})
			if err != nil {
				g.log.Debug("a member was not asked what it remembers of this node", "node", n.ID, "error", err)
				return nil
			}
			if reply.Index > last {
				return forgot(g.nameOf(n.ID), reply.Index, last)
			}
			return nil
		})
	}
	return work.Wait()
}

// forgot is the error of a node whose log is older than what it once said.
func forgot(witness string, applied, last uint64) error {
	return fmt.Errorf("%w: the log of this node ends at entry %d, and %s has heard from it that it applied entry %d: this is an older copy of the folder, or its disk has lost what was synced",
		ErrForked, last, witness, applied)
}
