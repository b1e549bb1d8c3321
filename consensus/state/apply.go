package state

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"shoal/consensus/entry"
	"shoal/wire"
)

// Logged is one committed entry as the log delivers it.
type Logged struct {
	Index, Term uint64
	Data        []byte
}

// ErrForked says that this node has applied entries that differ from those of the cluster.
var ErrForked = errors.New("the log of the cluster and what this node has applied are two histories")

// ApplyAll applies a run of entries and makes their effects visible together. For entries
// that are already in the state the result is nil. After an error the machine must stop;
// the state is as before the run. ErrForked: an entry arrives again and differs from the
// one that was applied.
func (m *Machine) ApplyAll(entries []Logged) ([]*wire.Result, error) {
	results := make([]*wire.Result, len(entries))
	x := m.begin()
	defer x.batch.Close()
	done := false
	for i, e := range entries {
		if e.Index <= x.f.Applied {
			if e.Index == x.f.Applied && e.Term != x.f.Term {
				return nil, fmt.Errorf("%w: entry %d was applied with term %d and comes again with term %d", ErrForked, e.Index, x.f.Term, e.Term)
			}
			continue
		}
		cmd, visible, err := entry.Decode(e.Data)
		if err != nil {
			return nil, fmt.Errorf("entry %d: %w", e.Index, err)
		}
		results[i], err = x.apply(e.Index, e.Term, cmd)
		if err != nil {
			return nil, fmt.Errorf("entry %d: %w", e.Index, err)
		}
		x.f.Visible = max(x.f.Visible, min(visible, x.f.LastAt))
		x.mark(e.Data)
		done = true
	}
	if !done {
		return results, nil
	}
	if err := x.finish(); err != nil {
		return results, err
	}
	x.tell()
	return results, nil
}

// apply applies one entry.
func (x *txn) apply(index, term uint64, cmd *wire.Command) (*wire.Result, error) {
	x.index, x.term = index, term
	x.at = max(cmd.At, x.f.LastAt+1)
	res := &wire.Result{Index: index}
	var err error
	switch {
	case cmd.Enqueue != nil:
		err = x.enqueue(cmd.Enqueue, res)
	case cmd.Start != nil:
		err = x.start(cmd.Start, res)
	case len(cmd.Commit) > 0:
		for i := range cmd.Commit {
			if err = x.commit(&cmd.Commit[i], res); err != nil {
				break
			}
		}
	case cmd.Update != nil:
		err = x.update(cmd.Update, res)
	case cmd.Delete != nil:
		err = x.deleteTasks(cmd.Delete, res)
	case cmd.Restore != nil:
		err = x.restore(cmd.Restore, res)
	case cmd.Epoch != nil:
		x.f.StageEpoch = max(x.f.StageEpoch, cmd.Epoch.StageEpoch)
		x.f.MinStageEpoch = max(x.f.MinStageEpoch, cmd.Epoch.MinStageEpoch)
	default:
		err = entry.ErrUnknown
	}
	if err != nil {
		return nil, err
	}
	x.f.Applied, x.f.Term, x.f.LastAt = index, term, x.at
	return res, nil
}

// enqueue accepts a task. A task's uid is the number of tasks accepted before it.
func (x *txn) enqueue(e *wire.Enqueue, res *wire.Result) error {
	t := e.Task
	t.Status, t.Batch, t.CanceledBy, t.Error = wire.Enqueued, nil, nil, nil
	t.EnqueuedAt, t.StartedAt, t.FinishedAt = x.at, 0, 0
	if e.RequestID != "" {
		if r, seen := x.s.requests.byID[e.RequestID]; seen && r.Task != nil {
			t.UID, t.EnqueuedAt = *r.Task, r.At
			if stored, there, err := x.task(t.UID); err != nil {
				return err
			} else if there { // its alias may point elsewhere by now
				t.IndexUID, t.Indexes = stored.IndexUID, stored.Indexes
			}
			res.Task = &t
			return nil
		}
	}
	if t.Payload.Blob != nil && e.StageEpoch < x.f.MinStageEpoch {
		res.Restage = true
		return nil
	}
	if e.Aliases {
		renameTask(&t, x.meta.uidOf)
	}
	if x.f.Tasks > math.MaxUint32 {
		res.Fenced = true // 2^32 tasks: no uid is left
		return nil
	}
	t.UID = uint32(x.f.Tasks)
	x.f.Tasks++
	if err := x.put(&t); err != nil {
		return err
	}
	res.Task = &t
	if e.RequestID == "" {
		return nil
	}
	uid := t.UID
	return x.s.requests.remember(&x.f, x.batch, &request{ID: e.RequestID, At: x.at, Task: &uid})
}

// update changes the catalogue outside of any batch.
func (x *txn) update(u *wire.Update, res *wire.Result) error {
	if u.RequestID != "" {
		if r, seen := x.s.requests.byID[u.RequestID]; seen && r.Task == nil {
			res.Indexes, res.Fenced, res.At = r.Indexes, r.Fenced, r.At
			return nil
		}
	}
	res.At = x.at
	scope := &scope{l: newLayer(x.meta), at: x.at}
	ok := x.guarded(x.meta, u.Guards) && x.compared(u)
	for i := range u.Changes {
		if !ok {
			break
		}
		var err error
		if ok, err = scope.change(&u.Changes[i]); err != nil {
			return err
		}
	}
	if ok {
		if err := x.accept(scope, AllTasks, nil, res); err != nil {
			return err
		}
		res.Indexes = scope.created
		x.lastAwaited = x.at
	}
	res.Fenced = !ok
	if u.RequestID == "" {
		return nil
	}
	return x.s.requests.remember(&x.f, x.batch,
		&request{ID: u.RequestID, At: x.at, Indexes: res.Indexes, Fenced: res.Fenced})
}

func (x *txn) guarded(meta metadata, guards []wire.Guard) bool {
	for _, g := range guards {
		ix, ok := meta.IndexByID(g.IndexID)
		if !ok || !g.Holds(ix) {
			return false
		}
	}
	return true
}

func (x *txn) compared(u *wire.Update) bool {
	if want := u.CompareValue; want != nil {
		have, _ := x.meta.Value(want.Name)
		if !sameJSON(have.JSON, want.JSON) {
			return false
		}
	}
	if u.AbsentKey != nil {
		if _, taken := x.meta.Key(*u.AbsentKey); taken {
			return false
		}
	}
	return true
}

// accept makes the changes of an accepted Commit or Update part of the run: the
// catalogue, the history of older tasks, cancelations and deletions.
func (x *txn) accept(sc *scope, bound uint64, in *wire.Batch, res *wire.Result) error {
	sc.l.mergeInto(x.meta)
	for _, r := range sc.renames {
		r.Bound = bound
		if err := x.rename(r); err != nil {
			return err
		}
	}
	for _, c := range sc.cancels {
		if err := x.cancel(c, in); err != nil {
			return err
		}
	}
	for _, d := range sc.deletes {
		if err := x.deleteTasks(d, res); err != nil {
			return err
		}
	}
	return nil
}

// rename records a rename and rewrites the unfinished tasks it concerns; records
// of finished tasks are brought up to date when they are read.
func (x *txn) rename(r rename) error {
	x.renames, x.hist = append(x.renames, r), nil
	x.f.NextRename++
	concerned := func(t *wire.Task) bool {
		return t != nil && unfinished(t) && uint64(t.UID) < r.Bound &&
			(named(t, r.From) || r.Swap && named(t, r.To))
	}
	var uids []uint32
	for _, t := range x.s.Queue.Pending {
		if _, edited := x.tasks[t.UID]; !edited && concerned(t) {
			uids = append(uids, t.UID)
		}
	}
	for uid, e := range x.tasks {
		if concerned(e.now) {
			uids = append(uids, uid)
		}
	}
	slices.Sort(uids)
	for _, uid := range uids {
		t, ok, err := x.task(uid)
		if err != nil {
			return err
		}
		if ok {
			if err := x.put(t); err != nil {
				return err
			}
		}
	}
	return nil
}
