package node

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"shoal/api/apierr"
	"shoal/coordinator"
	"shoal/coordinator/backup/restore"
	"shoal/coordinator/backup/snapshot"
	"shoal/wire"
)

// standby makes this node's cluster follow another one, until it is promoted.
type standby struct{ *work }

// Follows tells whether the cluster follows another one, or is about to.
func (n standby) Follows() bool {
	s, known := coordinator.Standby(n.group.Catalog())
	return known && !s.Promoted || !known && n.cfg.Follow != ""
}

// follow makes the cluster follow the snapshots of another one while this node leads.
func (n standby) follow(ctx context.Context) {
	from, err := n.cfg.Storage.Place(n.cfg.Follow)
	if err != nil {
		n.fail(fmt.Errorf("--follow: %w", err))
		return
	}
	err = snapshot.NewStandby(snapshot.StandbyConfig{
		Repository: from, Every: n.cfg.FollowEvery, RestoreConfig: n.restoring(n.log.With("component", "standby")),
	}).Run(ctx)
	if errors.Is(err, restore.ErrNotEmpty) {
		err = fmt.Errorf("%w: only an empty cluster can follow another one (--follow); start all nodes with empty folders, or without it", err)
	}
	if err != nil && ctx.Err() == nil {
		n.fail(err)
	}
}

// await waits until this cluster follows no other. It returns false if ctx ends first.
func (n standby) await(ctx context.Context) bool {
	for {
		changed := n.group.Changed()
		if !n.Follows() {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-changed:
		}
	}
}

// standbyStatus describes the following of another cluster in the status.
type standbyStatus struct {
	From     string     `json:"from"`
	Cluster  string     `json:"cluster,omitempty"`
	Snapshot string     `json:"snapshot,omitempty"`
	Taken    *time.Time `json:"taken,omitempty"`
	Promoted bool       `json:"promoted"`
}

func (n standby) status() *standbyStatus {
	s, ok := coordinator.Standby(n.group.Catalog())
	if !ok {
		return nil
	}
	out := &standbyStatus{From: s.From, Cluster: s.Cluster, Snapshot: s.Snapshot, Promoted: s.Promoted}
	if s.Taken != 0 {
		at := time.Unix(0, s.Taken).UTC()
		out.Taken = &at
	}
	return out
}

// promotedWithin is how long a request for promotion waits. Afterwards the promotion
// continues by itself.
const promotedWithin = 20 * time.Second

// Promote asks the leader to end following, and waits for it.
func (n standby) Promote(ctx context.Context) (json.RawMessage, error) {
	if err := n.group.Barrier(ctx); err != nil {
		return nil, err
	}
	s, ok := coordinator.Standby(n.group.Catalog())
	if !ok {
		return nil, apierr.NoStandby()
	}
	if !s.Wanted && !s.Promoted {
		s.Wanted = true
		change, err := coordinator.StandbyChange(&s)
		if err != nil {
			return nil, err
		}
		if _, err := coordinator.Propose(ctx, n.raft, &wire.Update{Changes: []wire.Change{change}}); err != nil {
			return nil, err
		}
	}
	wait, cancel := context.WithTimeout(ctx, promotedWithin)
	defer cancel()
	for wait.Err() == nil {
		changed := n.group.Changed()
		if coordinator.Follows(n.group.Catalog()) {
			select {
			case <-changed:
			case <-wait.Done():
			}
			continue
		}
		break
	}
	return json.Marshal(n.status())
}
