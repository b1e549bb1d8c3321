package restore

import (
	"context"
	"errors"
	"log/slog"

	"github.com/google/uuid"

	"shoal/coordinator"
	"shoal/wire"
)

// Follow opens a session of a standby: an import without end, so that no batch runs. It returns
// ErrNotEmpty when the cluster holds anything that it did not copy as a standby.
func Follow(ctx context.Context, log coordinator.Log, from string, progress *slog.Logger) (*Session, error) {
	s := &Session{log: log, round: uuid.NewString(), numbered: true}
	if err := s.await(ctx); err != nil {
		return nil, err
	}
	c := log.Catalog()
	if _, known := coordinator.Standby(c); known {
		return s, nil
	}
	if _, any := c.LastTask(); any || len(c.Indexes()) > 0 {
		return nil, ErrNotEmpty
	}
	change, err := coordinator.StandbyChange(&coordinator.StandbyState{From: from})
	if err != nil {
		return nil, err
	}
	progress.Info("this cluster follows another one by its snapshots", "from", from)
	return s, s.Update(ctx, change, coordinator.ImportChange(s.round, coordinator.ImportQueue))
}

// Once proposes changes in one log entry, so that all become visible at once.
func (s *Session) Once(ctx context.Context, changes ...wire.Change) error {
	res, err := coordinator.Propose(ctx, s.log, &wire.Update{Changes: changes})
	if err == nil && res.Fenced {
		err = errors.New("the catalogue refuses a change: something else writes to the cluster")
	}
	return err
}

// Promote ends the session of a standby. The cluster accepts writes, and enqueued tasks run.
func (s *Session) Promote(ctx context.Context, state coordinator.StandbyState) error {
	state.Wanted, state.Promoted = false, true
	change, err := coordinator.StandbyChange(&state)
	if err != nil {
		return err
	}
	return s.Once(ctx, change, coordinator.ImportChange(s.round, coordinator.ImportDone))
}

// Keys stores the keys and values of another cluster and drops all other keys.
func (s *Session) Keys(ctx context.Context, keys []*wire.Key, values []wire.Value) error {
	changes := s.keyChanges(keys)
	given := map[string]bool{}
	for i := range values {
		given[values[i].Name] = true
		changes = append(changes, wire.Change{PutValue: &values[i]})
	}
	for _, name := range RestorableValues {
		if _, ok := s.log.Catalog().Value(name); ok && !given[name] {
			changes = append(changes, wire.Change{PutValue: &wire.Value{Name: name}})
		}
	}
	return s.Update(ctx, changes...)
}
