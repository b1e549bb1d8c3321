package snapshot

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
	"time"

	"shoal/coordinator"
	"shoal/coordinator/backup/repository"
	"shoal/coordinator/backup/restore"
	"shoal/wire"
)

// refresher updates a cluster that serves searches to a newer snapshot of another cluster. It
// copies changed indexes beside those that serve, under numbers of this cluster, and renames
// all of them in one log entry.
type refresher struct {
	restorer
	repo     *repository.Repository
	manifest *repository.Manifest
	state    coordinator.StandbyState
	// fresh maps the names of the indexes to copy to their fingerprints.
	fresh  map[string]string
	copied int
}

// run does one round. After a failure the next round begins again, and the present indexes keep
// serving.
func (r *refresher) run(ctx context.Context, e repository.Entry) error {
	if err := r.dropHalf(ctx); err != nil {
		return err
	}
	if err := r.walk(ctx, "catalogue", func(_ string, in io.Reader) error { return r.plan(in) }); err != nil {
		return err
	}
	// Damage, and indexes that some node could not search, must be found before anything
	// changes.
	if err := r.words(ctx, r.record.Indexes); err != nil {
		return err
	}
	if err := r.known(ctx, &r.record); err != nil {
		return err
	}
	if err := r.repo.Verify(ctx, r.needed()); err != nil {
		return err
	}
	if err := r.create(ctx); err != nil {
		return err
	}
	if err := r.walk(ctx, "shards", func(name string, in io.Reader) error { return r.shard(ctx, name, in) }); err != nil {
		return err
	}
	if len(r.destinations) > 0 {
		return damaged("it lacks %d shards", len(r.destinations))
	}
	if err := r.awaitCopies(ctx); err != nil {
		return err
	}
	if err := r.Keys(ctx, r.record.Keys, r.record.Values); err != nil {
		return err
	}
	if err := r.show(ctx); err != nil {
		return err
	}
	if err := r.walk(ctx, "payloads tasks batches", func(name string, in io.Reader) error { return r.take(ctx, name, in) }); err != nil {
		return err
	}
	if !r.queue {
		return damaged("it lacks the queue")
	}
	r.state, _ = coordinator.Standby(r.Log.Catalog()) // an operator may have asked for the promotion
	r.state.Cluster, r.state.Snapshot, r.state.Taken = e.Cluster, e.Name, e.Taken.UnixNano()
	return r.save(ctx)
}

func (r *refresher) save(ctx context.Context, changes ...wire.Change) error {
	change, err := coordinator.StandbyChange(&r.state)
	if err != nil {
		return err
	}
	return r.Once(ctx, append(changes, change)...)
}

// walk visits the streams of the given kinds.
func (r *refresher) walk(ctx context.Context, kinds string, visit func(string, io.Reader) error) error {
	return r.repo.Walk(ctx, r.manifest, func(name string, in io.Reader) error {
		kind, _, _ := strings.Cut(name, "/")
		if !strings.Contains(" "+kinds+" ", " "+kind+" ") {
			return nil
		}
		if err := visit(name, in); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	})
}

// dropHalf removes the copies of an interrupted round.
func (r *refresher) dropHalf(ctx context.Context) error {
	var changes []wire.Change
	for _, x := range r.Log.Catalog().Indexes() {
		if coordinator.BeingCopied(x.UID) {
			changes = append(changes, wire.Change{DropIndex: &x.ID})
		}
	}
	return r.Update(ctx, changes...)
}

// plan determines the indexes that changed.
func (r *refresher) plan(in io.Reader) error {
	data, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	if err := wire.Unmarshal(data, &r.record); err != nil {
		return damaged("%w", err)
	}
	r.fresh = map[string]string{}
	for _, x := range r.record.Indexes {
		print, err := fingerprint(x)
		if err != nil {
			return err
		}
		if _, here := r.Log.Catalog().Index(x.UID); !here || r.state.Indexes[x.UID] != print {
			r.fresh[x.UID] = print
		}
	}
	return nil
}

// fingerprint identifies the content of an index of the other cluster: equal fingerprints mean
// equal content.
func fingerprint(x *wire.Index) (string, error) {
	x = x.Clone()
	x.ReplicaGoal, x.Wide = 0, false
	for i := range x.Shards {
		x.Shards[i].Replicas = nil
	}
	x.Next, x.ShardGoal = nil, 0
	data, err := wire.Marshal(x)
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16]), err
}

// needed returns the part of the snapshot that this round reads.
func (r *refresher) needed() *repository.Manifest {
	wanted := map[string]bool{}
	for _, x := range r.record.Indexes {
		for i := range x.Shards {
			if r.fresh[x.UID] != "" {
				wanted[shardName(x, &x.Shards[i])] = true
			}
		}
	}
	part := &repository.Manifest{}
	for _, s := range r.manifest.Streams {
		if wanted[s.Name] || !strings.HasPrefix(s.Name, "shards/") {
			part.Streams = append(part.Streams, s)
		}
	}
	return part
}

// create creates the changed indexes beside those that serve.
func (r *refresher) create(ctx context.Context) error {
	for _, x := range r.record.Indexes {
		if r.fresh[x.UID] == "" {
			continue
		}
		next := restore.ReplacedIndex(r.Placement, r.Log.Catalog(), x)
		next.ID, next.UID = 0, string(coordinator.CopiedPrefix)+x.UID
		if err := r.Once(ctx, wire.Change{PutIndex: next}); err != nil {
			return fmt.Errorf("index %s: %w", x.UID, err)
		}
		made, ok := r.Log.Catalog().Index(next.UID)
		if !ok {
			return fmt.Errorf("index %s: %w", x.UID, wire.ErrUnavailable)
		}
		for i := range x.Shards {
			s := &x.Shards[i]
			if !stored(x, s) {
				continue
			}
			to := made.ShardNumbered(s.Number)
			if to == nil || len(to.Replicas) == 0 {
				return fmt.Errorf("index %s: no node can hold data", x.UID)
			}
			r.destinations[shardName(x, s)] = destination{made, s.Number, r.first(to)}
		}
	}
	return nil
}

// shard delivers a shard of a changed index.
func (r *refresher) shard(ctx context.Context, name string, in io.Reader) error {
	if _, wanted := r.destinations[name]; !wanted {
		return nil
	}
	r.copied++
	return r.restorer.shard(ctx, name, in)
}

// copiesWithin bounds the wait for healthy copies. allCopiesWithin also covers nodes that have not
// answered yet, because right after a start none have.
const (
	copiesWithin    = 5 * time.Minute
	allCopiesWithin = 15 * time.Second
)

// awaitCopies waits until every copy of the new indexes on an answering node is in sync, so that the
// loss of a node costs no more than before. The wait is bounded, because a copy may be slow.
func (r *refresher) awaitCopies(ctx context.Context) error {
	wait, cancel := context.WithTimeout(ctx, copiesWithin)
	defer cancel()
	for begin := time.Now(); wait.Err() == nil; {
		changed := r.Log.Changed()
		if !r.lacking(time.Since(begin) < allCopiesWithin) {
			return nil
		}
		select {
		case <-changed:
		case <-time.After(time.Second): // a node may have stopped answering
		case <-wait.Done():
		}
	}
	return ctx.Err()
}

// lacking tells whether a copy is not in sync yet, on all nodes or on those that answer.
func (r *refresher) lacking(all bool) bool {
	for _, x := range r.Log.Catalog().Indexes() {
		if !coordinator.BeingCopied(x.UID) {
			continue
		}
		for i := range x.Shards {
			for _, c := range x.Shards[i].Replicas {
				if c.State != wire.InSync && (all || r.Alive == nil || r.Alive(c.Node)) {
					return true
				}
			}
		}
	}
	return false
}

// show renames the new indexes to replace the old ones, and drops those that the other cluster
// has dropped.
func (r *refresher) show(ctx context.Context) error {
	var changes []wire.Change
	catalog := r.Log.Catalog()
	known := map[string]string{}
	for _, x := range r.record.Indexes {
		known[x.UID] = r.state.Indexes[x.UID]
		if print := r.fresh[x.UID]; print != "" {
			known[x.UID] = print
		}
	}
	for _, a := range catalog.Aliases() { // an index may take its name
		changes = append(changes, wire.Change{PutAlias: &wire.AliasChange{Name: a.Name}})
	}
	for _, x := range catalog.Indexes() {
		if _, stays := known[x.UID]; !coordinator.BeingCopied(x.UID) && (!stays || r.fresh[x.UID] != "") {
			changes = append(changes, wire.Change{DropIndex: &x.ID})
		}
	}
	for _, x := range r.record.Indexes {
		if r.fresh[x.UID] == "" {
			continue
		}
		made, ok := catalog.Index(string(coordinator.CopiedPrefix) + x.UID)
		if !ok {
			return fmt.Errorf("index %s: its copy is gone", x.UID)
		}
		changes = append(changes, wire.Change{RenameIndex: &wire.Rename{IndexID: made.ID, UID: x.UID}})
	}
	changes = append(changes, restore.AliasChanges(r.record.Aliases)...)
	r.state, _ = coordinator.Standby(catalog)
	r.state.Indexes = known
	return r.save(ctx, changes...)
}
