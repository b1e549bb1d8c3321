package consensus

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/hashicorp/raft"

	"shoal/consensus/fsm"
	"shoal/consensus/raftlog"
	"shoal/consensus/state"
	"shoal/wire"
)

// Two histories. Applied entries were agreed on and are never taken back, as long as no
// voter forgets what it acknowledged. A voter that forgets (an older copy of its folder was
// restored, or its disk lied about a sync) can elect a leader that lacks acknowledged
// entries, together with voters that never had them. Nothing brings these entries back
// afterwards. So the nodes that notice end before they answer anything that only one of the
// histories has:
//
//   - a node whose applied entries the leader takes back (raftlog.ErrTakenBack), or whose
//     applied entry comes again with another term;
//   - a node whose log ends before its newest applied entry, as recorded in its own folder,
//     or as reported by it to any member. A node asks the members when it starts, before it
//     votes, and does not wait for those that do not answer;
//   - a node and its leader whose running hashes differ at one index, or whose leader's log
//     ends before the node's newest applied entry: both.
//
// Such a node also refuses to start again. An operator decides which history counts, and
// empties the node's folder, or starts a new cluster from it (shoal recover).

// ErrForked: this node's history differs from that of others.
var ErrForked = state.ErrForked

// Forked tells another node that its history differs from the sender's.
type Forked struct {
	Node  wire.NodeID `msgpack:"n"` // the sender
	Index uint64      `msgpack:"i"` // at which the histories differ, or the newest applied
}

// fileForked, in the group's folder, holds the reason why the node must not start again.
const fileForked = "forked"

// histories compares what this node has applied with what its log and other nodes tell.
type histories struct {
	cfg    *Config
	log    *slog.Logger
	life   *lifetime
	fsm    *fsm.FSM
	memory *memory
}

// fatal ends the node. It records that the node has met another history.
func (h *histories) fatal(err error) {
	if errors.Is(err, raftlog.ErrTakenBack) {
		err = fmt.Errorf("%w: %w", ErrForked, err)
	}
	if errors.Is(err, ErrForked) {
		if werr := writeFile(h.cfg.FS, h.cfg.Dir, fileForked, err.Error()); werr != nil {
			h.log.Error("the mark that this node must not start again was not written", "error", werr)
		}
	}
	h.cfg.OnFatal(err)
}

// writeFile durably makes a small file.
func writeFile(fs vfs.FS, dir, name, text string) error {
	f, err := fs.Create(fs.PathJoin(dir, name), vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	_, err = f.Write([]byte(text))
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	d, err := fs.OpenDir(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// forkedBefore returns why an earlier process of this node ended, if the reason was another
// history.
func (h *histories) forkedBefore() error {
	path := h.cfg.path(fileForked)
	if _, err := h.cfg.FS.Stat(path); err != nil {
		return nil //nolint:nilerr // it does not exist, or opening the log next will fail too
	}
	f, err := h.cfg.FS.Open(path)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrForked, err)
	}
	why, err := io.ReadAll(io.LimitReader(f, 4096))
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("%w: %w", ErrForked, err)
	}
	return &forkedEarlier{string(why)}
}

// forkedEarlier is an ErrForked of an earlier process.
type forkedEarlier struct{ why string }

func (e *forkedEarlier) Error() string { return e.why }
func (e *forkedEarlier) Unwrap() error { return ErrForked }

// checkOrder fails if the log of this folder lacks entries that its state has applied: an
// older log was put back, or the disk did not keep what it had synced. had is the newest
// entry that earlier processes had applied.
func (h *histories) checkOrder(logs *raftlog.Store, snaps *state.Snapshots, had uint64) error {
	applied, term := h.fsm.State.Figures.Applied, h.fsm.State.Figures.Term
	records, err := snaps.Records()
	if err != nil {
		return err
	}
	last, err := logs.LastIndex()
	if err != nil {
		return fmt.Errorf("read the log: %w", err)
	}
	end := last
	if len(records) > 0 {
		end = max(end, records[0].Index)
	}
	if end < had {
		return fmt.Errorf("%w: the log ends at entry %d, and entry %d was applied", ErrForked, end, had)
	}
	if applied == 0 || len(records) > 0 && records[0].Applied >= applied {
		return nil
	}
	var l raft.Log
	switch err := logs.GetLog(applied, &l); {
	case last < applied:
		return fmt.Errorf("%w: the log ends at entry %d, and entry %d was applied", ErrForked, last, applied)
	case errors.Is(err, raft.ErrLogNotFound):
		return nil // compacted
	case err != nil:
		return err
	case l.Term != term || l.Type != raft.LogCommand:
		return fmt.Errorf("%w: entry %d was applied with term %d, and is of term %d in the log", ErrForked, applied, term, l.Term)
	}
	return nil
}

// compare ends this node, which leads a term and whose log ends at an entry, and the
// reporting node if their histories differ.
func (h *histories) compare(r *Report, term, last uint64) {
	at := state.Mark{Index: r.Applied, Hash: r.Hash}
	h.memory.note(r.Node, r.Applied)
	switch {
	case h.fsm.Differs(at):
		h.part(r.Node, at.Index, fmt.Errorf("%w: this node and %s have applied different entries up to %d", ErrForked, nameOf(h.fsm.Catalog.Load(), r.Node), at.Index))
	case r.Term == term && r.Applied > last:
		h.part(r.Node, at.Index, fmt.Errorf("%w: %s has applied entry %d, and the log of this node, which leads, ends before it: a voter has forgotten what it acknowledged",
			ErrForked, nameOf(h.fsm.Catalog.Load(), r.Node), at.Index))
	}
}

// part tells another node that the histories differ, and ends this one.
func (h *histories) part(other wire.NodeID, index uint64, why error) {
	h.life.begin(func() {
		if h.cfg.Call != nil && other != "" {
			ctx, cancel := context.WithTimeout(h.life.ctx, time.Second)
			defer cancel()
			if _, err := h.cfg.Call(ctx, other, &Request{Forked: &Forked{Node: h.cfg.NodeID, Index: index}}); err != nil {
				h.log.Warn("a node could not be told that its history differs", "node", other, "error", err)
			}
		}
		h.fsm.Stop(why)
	})
}

// met ends this node because another node says that the histories differ.
func (h *histories) met(f *Forked) {
	h.fsm.Stop(fmt.Errorf("%w: %s has applied other entries up to %d than this node", ErrForked, nameOf(h.fsm.Catalog.Load(), f.Node), f.Index))
}

// recognise compares this node's history with that of the answering leader. If they differ,
// it tells the leader, which may not have seen it: the report that it answers can be of a
// moment before the entry in question was applied here. Both end then. leader and term are
// what Raft knows now, read in this order.
func (h *histories) recognise(reply *Reply, leader wire.NodeID, term uint64) error {
	if at := (state.Mark{Index: reply.Applied, Hash: reply.Hash}); h.fsm.Differs(at) {
		why := fmt.Errorf("%w: this node and the leader have applied different entries up to %d", ErrForked, at.Index)
		h.part(leader, at.Index, why)
		return why
	}
	if leader != "" && term == reply.Term {
		h.memory.note(leader, reply.Applied)
	}
	return nil
}

// nameOf is the name of a node for operators.
func nameOf(c *state.Catalog, id wire.NodeID) string {
	if n, ok := c.Node(id); ok && n.Name != "" {
		return n.Name
	}
	return string(id)
}
