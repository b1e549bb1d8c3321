package consensus

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/hashicorp/raft"
	"golang.org/x/sync/errgroup"

	"shoal/consensus/fsm"
	"shoal/consensus/raftlog"
	"shoal/consensus/state"
	"shoal/wire"
)

// memory has the newest entry that each other node has reported as applied to this process.
// Such an entry stays in that node's log for ever, so a log that ends before it is an older
// copy.
type memory struct {
	cfg     *Config
	log     *slog.Logger
	fsm     *fsm.FSM
	mu      sync.Mutex
	applied map[wire.NodeID]uint64
}

func newMemory(cfg *Config, f *fsm.FSM, log *slog.Logger) *memory {
	return &memory{cfg: cfg, log: log, fsm: f, applied: map[wire.NodeID]uint64{}}
}

func (m *memory) note(node wire.NodeID, applied uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.applied[node] = max(m.applied[node], applied)
}

func (m *memory) of(node wire.NodeID) uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.applied[node]
}

// recallTimeout bounds the question that a node asks before it starts. A member that does
// not answer may hang, so the start continues without its answer.
const recallTimeout = 500 * time.Millisecond

// recollect asks all members at once what they remember of this node. It refuses to start
// with a log older than that, or while another process with this node's id runs. It runs
// before raft, so before this node votes or acknowledges anything.
func (m *memory) recollect(ctx context.Context, logs *raftlog.Store, snaps *state.Snapshots) error {
	if m.cfg.Call == nil {
		return nil
	}
	last, others, err := m.recorded(logs, snaps)
	if err != nil || last == 0 { // 0 means that it has never reported anything
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, recallTimeout)
	defer cancel()
	var work errgroup.Group
	work.Go(func() error { return m.alone(ctx, m.peerAddr(m.cfg.NodeID)) })
	for id := range others {
		work.Go(func() error {
			reply, err := m.cfg.Call(ctx, id, &Request{Recall: &m.cfg.NodeID})
			if err != nil {
				m.log.Debug("a member was not asked what it remembers of this node", "node", id, "error", err)
				return nil
			}
			if reply.Index > last {
				return forgot(nameOf(m.fsm.Catalog.Load(), id), reply.Index, last)
			}
			return m.alone(ctx, reply.At)
		})
	}
	return work.Wait()
}

// TwinError: another process with this node's id runs at the address.
type TwinError struct{ Addr string }

func (e *TwinError) Error() string { return "this node already runs at " + e.Addr }

// alone fails if another process with this node's id answers at the address.
func (m *memory) alone(ctx context.Context, addr string) error {
	if addr == "" || m.cfg.Twin == nil || !m.cfg.Twin(ctx, addr) {
		return nil
	}
	return &TwinError{addr}
}

// peerAddr is a member's address in the catalogue, "" for none.
func (m *memory) peerAddr(id wire.NodeID) string {
	if n, ok := m.fsm.Catalog.Load().Node(id); ok {
		return n.PeerAddr
	}
	return ""
}

// recorded returns the newest entry of this node's log, 0 for none, and the other members
// known to its folder. The state alone does not suffice, because it is written later than
// the log, and may be empty in a young cluster.
func (m *memory) recorded(logs *raftlog.Store, snaps *state.Snapshots) (last uint64, others map[wire.NodeID]bool, err error) {
	records, err := snaps.Records()
	if err != nil {
		return 0, nil, err
	}
	others = map[wire.NodeID]bool{}
	note := func(c raft.Configuration) {
		for _, s := range c.Servers {
			others[wire.NodeID(s.ID)] = true
		}
	}
	if len(records) > 0 {
		last = records[0].Index
		note(records[0].Configuration)
	}
	for _, n := range m.fsm.Catalog.Load().Nodes() {
		others[n.ID] = true
	}
	first, err := logs.FirstIndex()
	if err != nil {
		return 0, nil, fmt.Errorf("read the log: %w", err)
	}
	end, err := logs.LastIndex()
	if err != nil {
		return 0, nil, fmt.Errorf("read the log: %w", err)
	}
	// A log that received the leader's snapshot has a gap that ends where the snapshot
	// does.
	for at := max(first, last+1); at <= end && first > 0; at++ {
		var l raft.Log
		if err := logs.GetLog(at, &l); err != nil {
			return 0, nil, fmt.Errorf("read entry %d of the log: %w", at, err)
		}
		if l.Type == raft.LogConfiguration {
			note(raft.DecodeConfiguration(l.Data))
		}
	}
	delete(others, m.cfg.NodeID)
	return max(last, end), others, nil
}

// forgot is the error for a node whose log is older than its own reports.
func forgot(witness string, applied, last uint64) error {
	return fmt.Errorf("%w: the log of this node ends at entry %d, and %s has heard from it that it applied entry %d: this is an older copy of the folder, or its disk has lost what was synced",
		ErrForked, last, witness, applied)
}
