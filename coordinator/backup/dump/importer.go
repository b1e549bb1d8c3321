package dump

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"time"

	"shoal/api/payload"
	"shoal/api/settings"
	"shoal/coordinator"
	"shoal/coordinator/backup/restore"
	"shoal/coordinator/placement"
	"shoal/coordinator/queue"
	"shoal/wire"
)

// ImportConfig configures Import. Placement must be the scheduler's.
type ImportConfig struct {
	Log       coordinator.Log
	Writer    *queue.Writer
	Placement placement.Placement
	Progress  *slog.Logger
}

// uploadsAhead bounds the pieces of documents that are staged but not indexed.
const uploadsAhead = 4

// Import reads a dump into an empty cluster (else restore.ErrNotEmpty) before it serves. The
// scheduler must run on the leader. The whole file is verified first: a damaged dump
// (ErrDamaged) changes nothing. A later failure is undone, and the cluster is empty again.
// Remains of an interrupted import (coordinator.Importing) are undone first. Progress is
// logged.
//
// Enqueued tasks of the dump begin to run when Import returns. network.self and network.leader
// become null.
func Import(ctx context.Context, file string, cfg ImportConfig) error {
	if cfg.Progress == nil {
		cfg.Progress = slog.Default()
	}
	begun := time.Now()
	cfg.Progress.Info("verifying the dump", "file", file)
	c, err := verify(ctx, file)
	if err != nil {
		return fmt.Errorf("dump %s: %w", file, err)
	}
	if err := restore.Run(ctx, cfg.Log, cfg.Progress, func(s *restore.Session) error {
		m := &importer{ImportConfig: cfg, Session: s, contents: c, file: file}
		return m.run(ctx)
	}); err != nil {
		return fmt.Errorf("dump %s: %w", file, err)
	}
	cfg.Progress.Info("dump imported", "file", file, "indexes", len(c.indexes()), "tasks", c.tasks, "keys", len(c.keys), "took", time.Since(begun))
	return nil
}

// importer is one import.
type importer struct {
	ImportConfig
	*restore.Session
	*contents
	file    string
	staging []uint32 // tasks of unfinished uploads
	uploads map[uint32]waitingUpload
}

func (m *importer) run(ctx context.Context) error {
	if err := m.createIndexes(ctx); err != nil {
		return err
	}
	if err := walk(ctx, m.file, func(e *entry) error {
		if x, ok := m.documentsOf(e.name); ok {
			return m.documents(ctx, x, e)
		}
		return nil
	}); err != nil {
		return err
	}
	for len(m.staging) > 0 {
		if err := m.await(ctx); err != nil {
			return err
		}
	}
	if err := m.dateIndexes(ctx); err != nil {
		return err
	}
	if err := m.queue(ctx); err != nil {
		return err
	}
	return m.finish(ctx)
}

func (m *importer) createIndexes(ctx context.Context) error {
	var used []*settings.Settings
	for _, x := range m.indexes() {
		used = append(used, x.settings)
	}
	if err := restore.AwaitSettings(ctx, m.Log, m.Progress, used); err != nil {
		return err
	}
	if len(m.aliases) > 0 {
		if err := restore.AwaitVersion(ctx, m.Log, m.Progress, wire.AliasesSince, restore.ForAliases); err != nil {
			return err
		}
	}
	for _, x := range m.indexes() {
		size := placement.Size{Bytes: x.bytes, Documents: x.documents}
		record := restore.RestoredIndex(m.Placement, m.Log.Catalog(), x.UID, x.PrimaryKey, x.settings, size)
		record.CreatedAt, record.UpdatedAt = int64(x.CreatedAt), int64(x.UpdatedAt)
		if err := m.Update(ctx, wire.Change{PutIndex: record}); err != nil {
			return fmt.Errorf("index %s: %w", x.UID, err)
		}
		m.Progress.Info("index created", "index", x.UID, "documents", x.documents, "shards", len(record.Shards))
	}
	return nil
}

// documents uploads the documents of one index in pieces.
func (m *importer) documents(ctx context.Context, x *indexContents, e *entry) error {
	return e.chunks(func(piece io.Reader) error {
		if len(m.staging) >= uploadsAhead {
			if err := m.await(ctx); err != nil {
				return err
			}
		}
		accepted, err := m.Writer.AddDocuments(ctx, &payload.Upload{
			IndexUID: x.UID, Format: payload.NDJSON, PrimaryKey: x.PrimaryKey, Stored: true, Body: piece,
		})
		if err != nil {
			return err
		}
		m.staging = append(m.staging, accepted.TaskUID)
		return nil
	})
}

// await waits until the oldest upload is indexed.
func (m *importer) await(ctx context.Context) error {
	uid := m.staging[0]
	for {
		changed := m.Log.Changed()
		t, ok, err := m.Log.Task(uid)
		switch {
		case err != nil:
			return err
		case !ok:
			return fmt.Errorf("the upload %d vanished", uid)
		case t.Status == wire.Succeeded:
			m.staging = m.staging[1:]
			m.Progress.Info("documents indexed", "index", *t.IndexUID, "upload", uid, "bytes", t.Payload.RawSize)
			return nil
		case t.Status > wire.Processing && t.Error != nil:
			return fmt.Errorf("documents of index %s: %s", *t.IndexUID, t.Error.Message)
		case t.Status > wire.Processing:
			return fmt.Errorf("the upload %d was canceled", uid)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		}
	}
}

// dateIndexes sets the indexes' dates to those of the dump, because the uploads changed one of
// them.
func (m *importer) dateIndexes(ctx context.Context) error {
	c := m.Log.Catalog()
	for _, x := range m.indexes() {
		now, ok := c.Index(x.UID)
		if !ok {
			return fmt.Errorf("index %s vanished", x.UID)
		}
		next := now.Clone()
		next.CreatedAt, next.UpdatedAt = int64(x.CreatedAt), int64(x.UpdatedAt)
		if err := m.Update(ctx, wire.Change{PutIndex: next}); err != nil {
			return fmt.Errorf("index %s: %w", x.UID, err)
		}
	}
	return nil
}

// finish writes keys and values, and ends the import.
func (m *importer) finish(ctx context.Context) error {
	rules, err := m.restoredRules()
	if err != nil {
		return fmt.Errorf("dynamic search rules: %w", err)
	}
	restored := restore.Restored{InstanceUID: m.instanceUID, Features: m.features, Network: m.network, Webhooks: m.webhooks, Rules: rules, Chats: m.chats}
	if m.network != nil {
		m.network.Self, m.network.Leader = nil, nil
	}
	changes, err := restored.Changes()
	if err != nil {
		return err
	}
	if m.rules == nil && m.strangeRules > 0 {
		m.Progress.Warn("dynamic search rules of the dump are not taken over", "rules", m.strangeRules)
	}
	for _, name := range sortedNames(m.aliases) {
		changes = append(changes, wire.Change{PutAlias: &wire.AliasChange{Name: name, Index: m.aliases[name]}})
	}
	return m.Finish(ctx, m.keys, changes...)
}
