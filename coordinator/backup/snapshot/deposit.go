package snapshot

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"time"

	"shoal/api/apierr"
	"shoal/coordinator"
	"shoal/coordinator/backup/bucket"
	"shoal/coordinator/backup/repository"
	"shoal/wire"
)

// Report is the outcome of one snapshot of a repository.
type Report struct {
	// Err is the reason for a failure, or nil.
	Err error
	// Taken is the time of the snapshot's state. Bytes is its size, Sent the bytes sent to the
	// bucket, including a draft.
	Taken       time.Time
	Bytes, Sent int64
	Took        time.Duration
}

// Prepare sends most of a snapshot's content while batches run, so that Snapshot, which blocks
// them, has little left to send. Without a repository it does nothing.
func (t *Taker) Prepare(ctx context.Context) error {
	if t.cfg.Repository == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	at := t.cfg.Now()
	err := t.prepare(ctx, at)
	if err != nil && ctx.Err() == nil {
		t.cfg.Taken(Report{Err: err, Taken: at})
	}
	return err
}

func (t *Taker) prepare(ctx context.Context, at time.Time) error {
	catalog := t.cfg.Log.Catalog()
	w, err := t.cfg.Repository.Begin(ctx, catalog.ClusterID(), at, repository.Basis{Draft: t.draft})
	if err != nil {
		return err
	}
	record, err := t.record(catalog)
	if err == nil {
		err = t.shards(ctx, w, record)
	}
	draft, stopErr := w.Stop()
	if err = errors.Join(err, stopErr); err != nil {
		return err
	}
	if t.draft != nil && t.draft.Cluster == draft.Cluster {
		draft.Sent += t.draft.Sent
	}
	t.draft = draft
	return nil
}

// deposited takes a snapshot into the repository. Afterwards it removes snapshots that need not
// be kept. A failure of that is logged and does not fail the task.
func (t *Taker) deposited(ctx context.Context) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	begun := t.cfg.Now()
	basis := repository.Basis{Draft: t.draft}
	t.draft = nil
	for n := 1; ; n++ {
		m, name, err := t.deposit(ctx, begun, basis)
		switch {
		case err == nil:
			report := Report{Taken: begun, Bytes: m.Bytes, Sent: m.Sent, Took: t.cfg.Now().Sub(begun)}
			if basis.Draft != nil {
				report.Sent += basis.Draft.Sent
			}
			t.cfg.Taken(report)
			t.cfg.Progress.Info("snapshot taken", "name", name, "in", t.cfg.Repository.String(), "bytes", report.Bytes, "sent", report.Sent, "took", report.Took)
			t.prune(ctx, m.Cluster)
			return nil
		case ctx.Err() != nil:
			return err
		case errors.Is(err, repository.ErrLost) && !basis.Nothing:
			basis = repository.Basis{Nothing: true}
			t.cfg.Progress.Warn("the repository lacks chunks; sending everything again", "error", err)
		case errors.Is(err, wire.ErrUnavailable) && n < attempts:
			t.cfg.Progress.Warn("a replica failed during a snapshot; taking it again", "error", err)
		default:
			t.cfg.Taken(Report{Err: err, Taken: begun})
			return refusal(err)
		}
	}
}

func (t *Taker) deposit(ctx context.Context, at time.Time, basis repository.Basis) (*repository.Manifest, string, error) {
	catalog := t.cfg.Log.Catalog()
	w, err := t.cfg.Repository.Begin(ctx, catalog.ClusterID(), at, basis)
	if err != nil {
		return nil, "", err
	}
	if err := t.write(ctx, w, catalog); err != nil {
		_, stopErr := w.Stop()
		if errors.Is(err, stopErr) {
			stopErr = nil
		}
		return nil, "", errors.Join(fmt.Errorf("snapshot: %w", err), stopErr)
	}
	if err := stillLeads(t.cfg.Log); err != nil {
		_, stopErr := w.Stop()
		return nil, "", errors.Join(err, stopErr)
	}
	return w.Finish(ctx)
}

// stillLeads reports an error on a node that does not lead any more. Such a node must not
// finish a snapshot, because batches may have run meanwhile.
func stillLeads(log coordinator.Log) error {
	if _, leads := log.Leading(); !leads {
		return wire.ErrNotLeader
	}
	return nil
}

func (t *Taker) prune(ctx context.Context, cluster string) {
	p, err := t.cfg.Repository.Prune(ctx, cluster, t.cfg.Keep, t.cfg.Now())
	if err != nil && ctx.Err() == nil {
		t.cfg.Progress.Warn("old snapshots were not all removed", "error", err)
	}
	if p.Snapshots > 0 || p.Chunks > 0 {
		t.cfg.Progress.Info("old snapshots removed", "snapshots", p.Snapshots, "chunks", p.Chunks, "bytes", p.Bytes)
	}
}

// refusal returns the error of the task.
func refusal(err error) error {
	switch {
	case errors.Is(err, bucket.ErrFull), errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return apierr.BackupFull(err)
	case errors.Is(err, bucket.ErrDenied), errors.Is(err, bucket.ErrNoBucket), errors.Is(err, fs.ErrPermission):
		return apierr.BackupRefused(err)
	case errors.Is(err, bucket.ErrUnavailable):
		return apierr.BackupUnavailable(err)
	}
	return err
}
