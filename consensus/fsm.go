package consensus

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"

	"github.com/cockroachdb/pebble/v2"
	"github.com/hashicorp/raft"

	"shoal/consensus/state"
	"shoal/wire/await"
)

// fsm connects the machine to raft: it owns the store, takes snapshots of it and
// replaces it. Raft calls Apply, Snapshot and Restore from one goroutine.
type fsm struct {
	*state.Machine
	stores  state.Stores
	snaps   *state.Snapshots
	number  int // number of the current state folder
	log     *slog.Logger
	applied *await.Signal // fired after every change of the state
	// configured, if not nil, is called for every applied change of the members.
	configured func()
	// reached, if not nil, is the newest entry that this node has applied. It may be ahead
	// of the state.
	reached func() uint64
	// observer, if not nil, is told of what is applied.
	observer Observer

	stopped struct {
		sync.Mutex
		why error // nil while the machine runs
	}
}

var _ raft.BatchingFSM = (*fsm)(nil)

// openFSM opens the store. If the store has lost writes that the newest snapshot has, which
// raft would not deliver again, it restores that snapshot first.
func openFSM(st state.Stores, snaps *state.Snapshots, log *slog.Logger) (*fsm, error) {
	db, number, err := st.Open()
	if err != nil {
		return nil, err
	}
	m, err := state.OpenMachine(db)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	f := &fsm{Machine: m, stores: st, snaps: snaps, number: number, log: log, applied: await.NewSignal()}
	records, err := snaps.Records()
	if err != nil {
		return nil, errors.Join(err, f.close())
	}
	if len(records) > 0 && records[0].Applied > m.State.Figures.Applied {
		log.Warn("the state is older than the newest snapshot: restoring it",
			"applied", m.State.Figures.Applied, "snapshot", records[0].Applied)
		_, stream, err := snaps.Open(records[0].ID)
		if err == nil {
			err = errors.Join(f.Restore(stream), stream.Close())
		}
		if err != nil {
			return nil, errors.Join(err, f.close())
		}
	}
	return f, nil
}

// close closes the store. The machine must not be used afterwards.
func (f *fsm) close() error { return f.State.DB.Close() }

// failure is the reason why the machine has stopped, nil while it runs.
func (f *fsm) failure() error {
	f.stopped.Lock()
	defer f.stopped.Unlock()
	return f.stopped.why
}

// stop makes the machine refuse everything from now on and ends the node, because an entry
// that cannot be applied must not be skipped.
func (f *fsm) stop(err error) {
	f.stopped.Lock()
	first := f.stopped.why == nil
	if first {
		f.stopped.why = err
	}
	f.stopped.Unlock()
	if first {
		f.log.Error("the log cannot be applied: stopping this node", "error", err)
		f.stores.Fatal(err)
	}
}

// Apply implements raft.FSM.
func (f *fsm) Apply(l *raft.Log) any { return f.ApplyBatch([]*raft.Log{l})[0] }

// ApplyBatch implements raft.BatchingFSM. Each response is a *wire.Result or an error;
// raft's own entries get nil.
func (f *fsm) ApplyBatch(logs []*raft.Log) []any {
	responses := make([]any, len(logs))
	err := f.failure()
	var results []any
	if err == nil {
		results, err = f.applyCommands(logs)
	}
	for i := range logs {
		if err != nil {
			responses[i] = err
		} else {
			responses[i] = results[i]
		}
	}
	return responses
}

func (f *fsm) applyCommands(logs []*raft.Log) ([]any, error) {
	entries := make([]state.Logged, 0, len(logs))
	for _, l := range logs {
		// After a start raft delivers entries again that were applied before.
		if l.Type == raft.LogConfiguration && l.Index > f.State.Figures.Applied && f.configured != nil {
			f.configured()
		}
		if l.Type == raft.LogCommand {
			entries = append(entries, state.Logged{Index: l.Index, Term: l.Term, Data: l.Data})
		}
	}
	applied, err := f.Machine.ApplyAll(entries)
	if err != nil {
		f.stop(err)
		return nil, err
	}
	out, next := make([]any, len(logs)), 0
	for i, l := range logs {
		if l.Type == raft.LogCommand {
			if applied[next] != nil {
				out[i] = applied[next]
			}
			next++
		}
	}
	if f.observer != nil {
		f.observer.Applied(logs, out)
	}
	f.applied.Fire()
	return out, nil
}

// Snapshot implements raft.FSM: a checkpoint, a matter of milliseconds.
func (f *fsm) Snapshot() (raft.FSMSnapshot, error) {
	if err := f.failure(); err != nil {
		return nil, err
	}
	s := &checkpoint{store: f.snaps, dir: f.snaps.Tmp(), applied: f.State.Figures.Applied}
	// Flushing the WAL also makes the live store durable up to here, so that raft can start
	// without restoring (see openFSM).
	if err := f.State.DB.Checkpoint(s.dir, pebble.WithFlushedWAL()); err != nil {
		return nil, fmt.Errorf("checkpoint: %w", err)
	}
	return s, nil
}

// Restore implements raft.FSM. The stream becomes the next state folder, which then
// replaces the current one. Raft closes the stream.
func (f *fsm) Restore(stream io.ReadCloser) error {
	if err := f.failure(); err != nil {
		return err
	}
	next := f.number + 1
	dir := f.stores.Path(next)
	if err := f.stores.FS.RemoveAll(dir); err != nil {
		return err
	}
	if _, err := state.Unpack(f.stores.FS, dir, stream); err != nil {
		return errors.Join(err, f.stores.FS.RemoveAll(dir))
	}
	db, err := f.stores.OpenNumber(next)
	if err != nil {
		return errors.Join(err, f.stores.FS.RemoveAll(dir))
	}
	s, c, err := state.LoadState(db)
	was := f.State.Figures.Applied
	if f.reached != nil {
		was = f.reached()
	}
	if err == nil && s.Figures.Applied < was {
		err = fmt.Errorf("%w: the leader's snapshot ends at entry %d, and this node has applied entry %d", state.ErrForked, s.Figures.Applied, was)
		f.stop(err)
	}
	if err == nil {
		err = f.stores.SetCurrent(next)
	}
	if err != nil {
		return errors.Join(err, db.Close(), f.stores.FS.RemoveAll(dir))
	}
	old := f.Machine.Swap(s, c)
	oldDir := f.stores.Path(f.number)
	f.number = next
	if f.configured != nil {
		f.configured() // the snapshot may contain such a change
	}
	if f.observer != nil {
		f.observer.Opened(s.Figures.Applied)
	}
	f.applied.Fire()
	return errors.Join(old.Close(), f.stores.FS.RemoveAll(oldDir))
}

// checkpoint is a snapshot that was taken but not stored yet.
type checkpoint struct {
	store   *state.Snapshots
	dir     string
	applied uint64
	adopted bool
}

// Persist implements raft.FSMSnapshot.
func (c *checkpoint) Persist(out raft.SnapshotSink) error {
	err := c.fill(out)
	if err != nil {
		return errors.Join(err, out.Cancel())
	}
	return out.Close()
}

func (c *checkpoint) fill(out raft.SnapshotSink) error {
	if k, ok := out.(*state.Sink); ok && k.Store == c.store {
		c.adopted = true
		return k.Adopt(c.dir, c.applied)
	}
	a, err := state.OpenArchive(c.store.FS, c.dir, c.applied)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, a)
	return errors.Join(err, a.Close())
}

// Release implements raft.FSMSnapshot.
func (c *checkpoint) Release() {
	if c.adopted {
		return
	}
	if err := c.store.FS.RemoveAll(c.dir); err != nil {
		c.store.Log.Warn("remove unused checkpoint", "error", err)
	}
}
