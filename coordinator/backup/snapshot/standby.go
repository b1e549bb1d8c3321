package snapshot

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"shoal/coordinator"
	"shoal/coordinator/backup/bucket"
	"shoal/coordinator/backup/repository"
	"shoal/coordinator/backup/restore"
)

// StandbyConfig configures a Standby.
type StandbyConfig struct {
	RestoreConfig
	Repository *repository.Repository
	// Every is the interval at which it looks for a newer snapshot.
	Every time.Duration
}

// Standby makes this cluster follow another one by its snapshots, from the leader, until it is
// promoted. Meanwhile searches are answered and batches do not run.
type Standby struct{ cfg StandbyConfig }

// NewStandby returns a Standby; Run runs it.
func NewStandby(cfg StandbyConfig) *Standby {
	if cfg.Progress == nil {
		cfg.Progress = slog.Default()
	}
	return &Standby{cfg: cfg}
}

// Run follows while this node leads, until ctx ends or the cluster is promoted.
// restore.ErrNotEmpty means that the cluster cannot be a standby.
func (s *Standby) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		changed := s.cfg.Log.Changed()
		state, known := coordinator.Standby(s.cfg.Log.Catalog())
		if known && state.Promoted {
			return nil
		}
		wait := s.cfg.Every
		if _, leads := s.cfg.Log.Leading(); leads {
			promoted, err := s.round(ctx)
			switch {
			case promoted:
				return nil
			case errors.Is(err, restore.ErrNotEmpty):
				return err
			case ctx.Err() != nil:
				return ctx.Err()
			case err != nil:
				s.cfg.Progress.Warn("the newest snapshot was not followed", "error", err)
			}
		}
		if !s.rest(ctx, changed, wait) {
			break
		}
	}
	return ctx.Err()
}

// rest waits until the next round. It returns earlier when this node becomes the leader or an
// operator asks for the promotion.
func (s *Standby) rest(ctx context.Context, changed <-chan struct{}, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	_, led := s.cfg.Log.Leading()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-t.C:
			return true
		case <-changed:
			changed = s.cfg.Log.Changed()
			_, leads := s.cfg.Log.Leading()
			if state, _ := coordinator.Standby(s.cfg.Log.Catalog()); state.Wanted || leads && !led {
				return true
			}
		}
	}
}

// round restores a newer snapshot if there is one, then promotes the cluster if asked.
func (s *Standby) round(ctx context.Context) (promoted bool, err error) {
	session, err := restore.Follow(ctx, s.cfg.Log, s.cfg.Repository.String(), s.cfg.Progress)
	if err != nil {
		return false, err
	}
	err = s.follow(ctx, session)
	state, _ := coordinator.Standby(s.cfg.Log.Catalog())
	if !state.Wanted || ctx.Err() != nil {
		return false, err
	}
	if err != nil {
		s.cfg.Progress.Warn("promoted without the newest snapshot", "error", err)
	}
	if err := session.Promote(ctx, state); err != nil {
		return false, fmt.Errorf("promote: %w", err)
	}
	s.cfg.Progress.Info("this cluster no longer follows another one and accepts writes", "snapshot", state.Snapshot)
	return true, nil
}

// follow restores the newest snapshot if this cluster does not have it yet.
func (s *Standby) follow(ctx context.Context, session *restore.Session) error {
	state, _ := coordinator.Standby(s.cfg.Log.Catalog())
	own := s.cfg.Log.Catalog().ClusterID()
	e, err := s.cfg.Repository.Newest(ctx, func(e repository.Entry) bool {
		return e.Cluster != own && (state.Cluster == "" || e.Cluster == state.Cluster)
	})
	if errors.Is(err, bucket.ErrNotFound) && state.Snapshot == "" {
		return nil // the other cluster has not taken one yet
	}
	if err != nil || e.Name == state.Snapshot {
		return err
	}
	m, err := s.cfg.Repository.Read(ctx, e.Name)
	if err != nil {
		return err
	}
	begun := time.Now()
	state.Cluster = e.Cluster
	r := &refresher{
		restorer: restorer{RestoreConfig: s.cfg.RestoreConfig, Session: session, destinations: map[string]destination{}, delivered: map[string]bool{}, payloads: payloads{}},
		repo:     s.cfg.Repository, manifest: m, state: state,
	}
	if err := r.run(ctx, e); err != nil {
		return fmt.Errorf("snapshot %s of %s: %w", e.Name, s.cfg.Repository, err)
	}
	s.cfg.Progress.Info("followed a snapshot", "name", e.Name, "indexes", len(r.record.Indexes), "copied", r.copied, "took", time.Since(begun))
	return nil
}
