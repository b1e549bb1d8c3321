package fsm

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

// Observer hears of what is applied. Its methods are called from the goroutine that applies.
// They must neither block nor call the FSM, and keep no slice that they are given.
type Observer interface {
	// Opened: the state has applied everything up to an entry. It was opened, or a snapshot
	// of the leader took its place.
	Opened(applied uint64)
	// Applied: entries were applied. Results has one element for each: a *wire.Result, or
	// nil for what changes no state or was in it already.
	Applied(logs []*raft.Log, results []any)
}

// FSM connects the machine to raft: it owns the store, takes snapshots of it and
// replaces it. Raft calls Apply, Snapshot and Restore from one goroutine.
type FSM struct {
	*state.Machine
	stores  state.Stores
	snaps   *state.Snapshots
	number  int // number of the current state folder
	log     *slog.Logger
	Applied *await.Signal // fired after every change of the state
	// Configured, if not nil, is called for every applied change of the members.
	Configured func()
	// Reached, if not nil, is the newest entry that this node has applied. It may be ahead
	// of the state.
	Reached func() uint64
	// Observer, if not nil, is told of what is applied.
	Observer Observer

	stopped struct {
		sync.Mutex
		why error // nil while the machine runs
	}
}

var _ raft.BatchingFSM = (*FSM)(nil)

// Open opens the store. If the store has lost writes that the newest snapshot has, which
// raft would not deliver again, it restores that snapshot first.
func Open(st state.Stores, snaps *state.Snapshots, log *slog.Logger) (*FSM, error) {
	db, number, err := st.Open()
	if err != nil {
		return nil, err
	}
	m, err := state.OpenMachine(db)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	f := &FSM{Machine: m, stores: st, snaps: snaps, number: number, log: log, Applied: await.NewSignal()}
	records, err := snaps.Records()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if len(records) > 0 && records[0].Applied > m.State.Figures.Applied {
		log.Warn("the state is older than the newest snapshot: restoring it",
			"applied", m.State.Figures.Applied, "snapshot", records[0].Applied)
		_, stream, err := snaps.Open(records[0].ID)
		if err == nil {
			err = errors.Join(f.Restore(stream), stream.Close())
		}
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
	}
	return f, nil
}

// Close closes the store. The machine must not be used afterwards.
func (f *FSM) Close() error { return f.State.DB.Close() }

// Generation is the number of the current state folder. It is 1 until a snapshot is restored.
// Only the goroutine that restores may call it while raft runs.
func (f *FSM) Generation() int { return f.number }

// Failure is the reason why the machine has stopped, nil while it runs.
func (f *FSM) Failure() error {
	f.stopped.Lock()
	defer f.stopped.Unlock()
	return f.stopped.why
}

// Stop makes the machine refuse everything from now on and ends the node, because an entry
// that cannot be applied must not be skipped.
func (f *FSM) Stop(err error) {
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
func (f *FSM) Apply(l *raft.Log) any { return f.ApplyBatch([]*raft.Log{l})[0] }

// ApplyBatch implements raft.BatchingFSM. Each response is a *wire.Result or an error;
// raft's own entries get nil.
func (f *FSM) ApplyBatch(logs []*raft.Log) []any {
	responses := make([]any, len(logs))
	err := f.Failure()
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

func (f *FSM) applyCommands(logs []*raft.Log) ([]any, error) {
	entries := make([]state.Logged, 0, len(logs))
	for _, l := range logs {
		// After a start raft delivers entries again that were applied before.
		if l.Type == raft.LogConfiguration && l.Index > f.State.Figures.Applied && f.Configured != nil {
			f.Configured()
		}
		if l.Type == raft.LogCommand {
			entries = append(entries, state.Logged{Index: l.Index, Term: l.Term, Data: l.Data})
		}
	}
	applied, err := f.Machine.ApplyAll(entries)
	if err != nil {
		f.Stop(err)
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
	if f.Observer != nil {
		f.Observer.Applied(logs, out)
	}
	f.Applied.Fire()
	return out, nil
}

// Snapshot implements raft.FSM: a checkpoint, a matter of milliseconds.
func (f *FSM) Snapshot() (raft.FSMSnapshot, error) {
	if err := f.Failure(); err != nil {
		return nil, err
	}
	s := &checkpoint{store: f.snaps, dir: f.snaps.Tmp(), applied: f.State.Figures.Applied}
	// Flushing the WAL also makes the live store durable up to here, so that raft can start
	// without restoring (see Open).
	if err := f.State.DB.Checkpoint(s.dir, pebble.WithFlushedWAL()); err != nil {
		return nil, fmt.Errorf("checkpoint: %w", err)
	}
	return s, nil
}

// Restore implements raft.FSM. The stream becomes the next state folder, which then
// replaces the current one. Raft closes the stream.
func (f *FSM) Restore(stream io.ReadCloser) error {
	if err := f.Failure(); err != nil {
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
	if f.Reached != nil {
		was = f.Reached()
	}
	if err == nil && s.Figures.Applied < was {
		err = fmt.Errorf("%w: the leader's snapshot ends at entry %d, and this node has applied entry %d", state.ErrForked, s.Figures.Applied, was)
		f.Stop(err)
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
	if f.Configured != nil {
		f.Configured() // the snapshot may contain such a change
	}
	if f.Observer != nil {
		f.Observer.Opened(s.Figures.Applied)
	}
	f.Applied.Fire()
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
