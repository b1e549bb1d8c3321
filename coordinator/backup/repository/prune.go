package repository

import (
	"context"
	"errors"
	"fmt"
	"time"

	"shoal/coordinator/backup/bucket"
)

// Policy tells which snapshots to keep: the newest Last ones, and the newest of each of the
// last Days days (UTC).
type Policy struct{ Last, Days int }

const (
	// grace is how long a dropped snapshot keeps its chunks. Restores and writers that rely on
	// it have ended by then.
	grace = 24 * time.Hour
	// sweepAfter is the age of the oldest dropped snapshot at which chunks are swept, about
	// once a day.
	sweepAfter = 2 * grace
)

// Pruned counts the deletions of Prune.
type Pruned struct {
	Snapshots, Chunks int
	Bytes             int64
}

// Prune drops the cluster's snapshots that the policy does not keep, but never the newest one.
// From time to time it deletes chunks that no snapshot of any cluster names.
func (r *Repository) Prune(ctx context.Context, cluster string, keep Policy, now time.Time) (p Pruned, err error) {
	list, err := r.Snapshots(ctx)
	if err != nil {
		return p, err
	}
	var own []Entry
	for _, e := range list {
		if e.Cluster == cluster {
			own = append(own, e)
		}
	}
	for _, e := range keep.dropped(own, now) {
		if err := r.drop(ctx, e.Name, now); err != nil {
			return p, fmt.Errorf("drop snapshot %s: %w", e.Name, err)
		}
		p.Snapshots++
	}
	return p, r.sweep(ctx, now, &p)
}

// dropped lists the snapshots that are not kept. list is in ascending order.
func (k Policy) dropped(list []Entry, now time.Time) (out []Entry) {
	first := now.UTC().Truncate(24*time.Hour).AddDate(0, 0, -k.Days+1)
	for i, e := range list {
		left := len(list) - i
		if left <= max(k.Last, 1) {
			break
		}
		day := e.Taken.UTC().Truncate(24 * time.Hour)
		lastOfDay := !list[i+1].Taken.UTC().Truncate(24 * time.Hour).Equal(day)
		if k.Days > 0 && lastOfDay && !day.Before(first) {
			continue
		}
		out = append(out, e)
	}
	return out
}

// drop moves a manifest away. Its new name contains the time, by the caller's clock.
func (r *Repository) drop(ctx context.Context, name string, now time.Time) error {
	content, err := r.bucket.Get(ctx, folderSnapshots+name, maxManifest)
	if errors.Is(err, bucket.ErrNotFound) {
		return nil // another leader dropped it
	}
	if err != nil {
		return err
	}
	if err := r.bucket.Put(ctx, folderDropped+nameOf(name, now), content); err != nil {
		return err
	}
	return r.bucket.Delete(ctx, folderSnapshots+name)
}

// sweep deletes chunks that are at least a day old and that no manifest names, neither of a
// snapshot nor of one dropped less than a day ago.
func (r *Repository) sweep(ctx context.Context, now time.Time, p *Pruned) error {
	dropped, err := r.entries(ctx, folderDropped)
	if err != nil || len(dropped) == 0 || now.Sub(dropped[0].Taken) < sweepAfter {
		return err
	}
	named := map[Hash]bool{}
	var gone []string
	for _, e := range dropped {
		if now.Sub(e.Taken) >= grace {
			gone = append(gone, folderDropped+e.Name)
			continue
		}
		if err := r.mark(ctx, folderDropped+e.Name, named); err != nil {
			return err
		}
	}
	kept, err := r.Snapshots(ctx)
	if err != nil {
		return err
	}
	for _, e := range kept {
		if err := r.mark(ctx, folderSnapshots+e.Name, named); err != nil {
			return err
		}
	}
	for o, err := range r.bucket.List(ctx, FolderChunks) {
		if err != nil {
			return err
		}
		h, ok := hashOf(o.Name)
		if !ok || named[h] || now.Sub(o.Written) < grace {
			continue
		}
		if err := r.bucket.Delete(ctx, o.Name); err != nil {
			return err
		}
		p.Chunks++
		p.Bytes += o.Bytes
	}
	for _, name := range gone {
		if err := r.bucket.Delete(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// mark records the chunks of a manifest. An unreadable manifest ends the sweep, because the
// chunks that it names are unknown.
func (r *Repository) mark(ctx context.Context, object string, named map[Hash]bool) error {
	m, err := r.manifest(ctx, object)
	if err != nil {
		return fmt.Errorf("nothing is deleted from %s: %w", r, err)
	}
	for _, s := range m.Streams {
		for _, h := range s.Chunks {
			named[h] = true
		}
	}
	return nil
}
