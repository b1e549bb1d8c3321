package restore

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/google/uuid"

	"shoal/coordinator"
	"shoal/coordinator/admin"
	"shoal/wire"
)

// ErrNotEmpty: the cluster holds indexes or tasks, so it cannot import.
var ErrNotEmpty = errors.New("the cluster is not empty")

// undoWithin bounds the undo after a failure.
const undoWithin = 2 * time.Minute

// changesAtOnce bounds the changes in one log entry.
const changesAtOnce = 64

// Session is one restoration.
type Session struct {
	log   coordinator.Log
	round string
	next  wire.Restore
	size  int
	// numbered: indexes have fixed numbers (RunNumbered).
	numbered bool
}

// Run does a restoration: Begin, then work, then Undo if work failed. The error includes a
// failure of Undo.
func Run(ctx context.Context, log coordinator.Log, progress *slog.Logger, work func(*Session) error) error {
	s, err := Begin(ctx, log, progress)
	if err != nil {
		return err
	}
	return s.do(ctx, work)
}

// RunNumbered is Run for indexes with fixed numbers. The log assigns each number once, so
// indexes of an earlier attempt stay: work finds them in the catalogue and continues with them.
// When work fails after it created an index, nothing is undone; the same command must be run
// again.
func RunNumbered(ctx context.Context, log coordinator.Log, progress *slog.Logger, work func(*Session) error) error {
	s := &Session{log: log, round: uuid.NewString(), numbered: true}
	if err := s.begin(ctx, progress); err != nil {
		return err
	}
	return s.do(ctx, work)
}

// do runs work and undoes it on failure.
func (s *Session) do(ctx context.Context, work func(*Session) error) error {
	err := work(s)
	if err == nil || s.numbered && len(s.log.Catalog().Indexes()) > 0 {
		return err
	}
	back, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoWithin)
	defer cancel()
	if undo := s.Undo(back); undo != nil {
		return errors.Join(err, fmt.Errorf("undoing what was restored: %w", undo))
	}
	return err
}

// Begin starts a restoration. Errors: ErrNotEmpty, those of ctx and of the log.
func Begin(ctx context.Context, log coordinator.Log, progress *slog.Logger) (*Session, error) {
	s := &Session{log: log, round: uuid.NewString()}
	return s, s.begin(ctx, progress)
}

func (s *Session) begin(ctx context.Context, progress *slog.Logger) error {
	if err := s.await(ctx); err != nil {
		return err
	}
	c := s.log.Catalog()
	switch phase := coordinator.Importing(c); {
	case phase != coordinator.ImportDocuments && phase != coordinator.ImportQueue:
		if _, any := c.LastTask(); any || len(c.Indexes()) > 0 {
			return ErrNotEmpty
		}
	case s.numbered:
		progress.Warn("an earlier import was interrupted and goes on")
		if err := s.ClearQueue(ctx); err != nil {
			return fmt.Errorf("undoing the queue of an interrupted import: %w", err)
		}
	default:
		progress.Warn("an earlier import was interrupted and is undone")
		if err := s.Undo(ctx); err != nil {
			return fmt.Errorf("undoing an interrupted import: %w", err)
		}
	}
	return s.Update(ctx, coordinator.ImportChange(s.round, coordinator.ImportDocuments))
}

// await waits until there is a leader and a node that can hold data.
func (s *Session) await(ctx context.Context) error {
	for {
		changed := s.log.Changed()
		err := s.log.Barrier(ctx)
		if err == nil && hasDataNode(s.log.Catalog()) {
			return nil
		}
		if err != nil && !errors.Is(err, wire.ErrNoLeader) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func hasDataNode(c coordinator.Catalog) bool {
	for _, n := range c.Nodes() {
		if n.Data {
			return true
		}
	}
	return false
}

// Update proposes catalogue changes, in several entries if they are many.
func (s *Session) Update(ctx context.Context, changes ...wire.Change) error {
	for len(changes) > 0 {
		n := min(len(changes), changesAtOnce)
		res, err := coordinator.Propose(ctx, s.log, &wire.Update{Changes: changes[:n]})
		if err == nil && res.Fenced {
			err = errors.New("the catalogue refuses a change: something else writes to the cluster")
		}
		if err != nil {
			return err
		}
		changes = changes[n:]
	}
	return nil
}

// Finish stores keys and other values, drops all other keys, and ends the restoration: enqueued
// tasks begin to run.
func (s *Session) Finish(ctx context.Context, keys []*wire.Key, changes ...wire.Change) error {
	changes = append(changes, s.keyChanges(keys)...)
	return s.Update(ctx, append(changes, coordinator.ImportChange(s.round, coordinator.ImportDone))...)
}

// keyChanges store keys and drop all others.
func (s *Session) keyChanges(keys []*wire.Key) (changes []wire.Change) {
	wanted := make(map[string]bool, len(keys))
	for _, k := range keys {
		wanted[k.UID] = true
		changes = append(changes, wire.Change{PutKey: k})
	}
	for _, k := range s.log.Catalog().Keys() {
		if !wanted[k.UID] {
			changes = append(changes, wire.Change{DropKey: &k.UID})
		}
	}
	return changes
}

// Undo empties the cluster: it removes tasks, indexes, keys and values, and creates new default
// keys.
func (s *Session) Undo(ctx context.Context) error {
	if err := s.ClearQueue(ctx); err != nil {
		return err
	}
	c := s.log.Catalog()
	var changes []wire.Change
	for _, x := range c.Indexes() {
		changes = append(changes, wire.Change{DropIndex: &x.ID})
	}
	for _, k := range c.Keys() {
		changes = append(changes, wire.Change{DropKey: &k.UID})
	}
	for _, name := range RestorableValues {
		if _, ok := c.Value(name); ok {
			changes = append(changes, wire.Change{PutValue: &wire.Value{Name: name}})
		}
	}
	if err := s.Update(ctx, append(changes, coordinator.ImportChange(s.round, coordinator.ImportNone))...); err != nil {
		return err
	}
	return admin.NewKeys(s.log).EnsureDefaults(ctx)
}

// ClearQueue removes all tasks and batches, finished or not, and resets their numbers. No batch
// starts until Finish.
func (s *Session) ClearQueue(ctx context.Context) error {
	s.next, s.size = wire.Restore{}, 0
	if err := s.Update(ctx, coordinator.ImportChange(s.round, coordinator.ImportQueue)); err != nil {
		return err
	}
	if err := s.cancelAll(ctx); err != nil {
		return err
	}
	uids, err := s.log.TaskUIDs(&wire.TaskQuery{})
	if err != nil {
		return err
	}
	if len(uids) > 0 {
		set := roaring.BitmapOf(uids...)
		set.RunOptimize()
		data, err := set.ToBytes()
		if err != nil {
			return err
		}
		if err := s.Update(ctx, wire.Change{DeleteTasks: &wire.DeleteTasks{Bitmap: data}}); err != nil {
			return err
		}
	}
	return ProposeRestore(ctx, s.log, &wire.Restore{Reset: true})
}

// cancelAll cancels all enqueued and running tasks.
func (s *Session) cancelAll(ctx context.Context) error {
	pending := s.log.Pending()
	for len(pending) > 0 {
		n := min(len(pending), 1<<14)
		uids := make([]uint32, n)
		for i, t := range pending[:n] {
			uids[i] = t.UID
		}
		if err := s.Update(ctx, wire.Change{CancelTasks: &wire.CancelTasks{UIDs: uids}}); err != nil {
			return err
		}
		pending = pending[n:]
	}
	return nil
}
