package dump

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/google/uuid"

	"shoal/api/payload"
	"shoal/coordinator"
	"shoal/wire"
)

// ErrNotEmpty: the cluster holds indexes or tasks, so no dump can be read in.
var ErrNotEmpty = errors.New("the cluster is not empty")

// ImportConfig is what Import works with. Placement must be the scheduler's.
type ImportConfig struct {
	Log       coordinator.Log
	Writer    *coordinator.Writer
	Placement coordinator.Placement
	Progress  *slog.Logger
}

// uploadsAhead is how many pieces of documents are staged before the oldest one
// must be indexed.
const uploadsAhead = 4

// undoWithin bounds the way back after a failure.
const undoWithin = 2 * time.Minute

// Import reads a dump into an empty cluster, before it serves. The scheduler must
// run on the leader. The file is verified whole first: a damaged dump (ErrDamaged)
// changes nothing. A later failure is undone: the cluster is empty again. What a
// stopped import left behind (coordinator.Importing) is undone before anything
// else. Progress is logged.
//
// Enqueued tasks of the dump begin to run when Import returns. Not taken over are
// dynamic search rules and chat settings; network.self and network.leader become
// null.
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
	m := &importer{ImportConfig: cfg, contents: c, file: file, round: uuid.NewString()}
	if err := m.prepare(ctx); err != nil {
		return err
	}
	if err := m.run(ctx); err != nil {
		back, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoWithin)
		defer cancel()
		return errors.Join(fmt.Errorf("dump %s: %w", file, err), m.undo(back))
	}
	cfg.Progress.Info("dump imported", "file", file, "indexes", len(c.indexes()), "tasks", c.tasks, "keys", len(c.keys), "took", time.Since(begun))
	return nil
}

// importer is one import on its way.
type importer struct {
	ImportConfig
	*contents
	file    string
	round   string
	staging []uint32 // tasks of uploads that may not be finished
	uploads map[uint32]staged
}

// prepare waits until the cluster can be written to and makes sure that it is
// empty.
func (m *importer) prepare(ctx context.Context) error {
	for {
		changed := m.Log.Changed()
		err := m.Log.Barrier(ctx)
		if err == nil && hasDataNode(m.Log.Catalog()) {
			break
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
	c := m.Log.Catalog()
	switch coordinator.Importing(c) {
	case coordinator.ImportDocuments, coordinator.ImportQueue:
		m.Progress.Warn("an earlier import was interrupted and is undone")
		return m.undo(ctx)
	}
	if _, any := c.LastTask(); any || len(c.Indexes()) > 0 {
		return ErrNotEmpty
	}
	return nil
}

func hasDataNode(c coordinator.Catalog) bool {
	for _, n := range c.Nodes() {
		if n.Data {
			return true
		}
	}
	return false
}

func (m *importer) run(ctx context.Context) error {
	if err := m.update(ctx, coordinator.ImportChange(m.round, coordinator.ImportDocuments)); err != nil {
		return err
	}
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

// update proposes catalogue changes.
func (m *importer) update(ctx context.Context, changes ...wire.Change) error {
	res, err := coordinator.ProposeUpdate(ctx, m.Log, &wire.Update{Changes: changes})
	if err == nil && res.Fenced {
		err = errors.New("the catalogue refuses a change: something else writes to the cluster")
	}
	return err
}

func (m *importer) createIndexes(ctx context.Context) error {
	for _, x := range m.indexes() {
		size := coordinator.Size{Bytes: x.bytes, Documents: x.documents}
		record := coordinator.RestoredIndex(m.Placement, m.Log.Catalog(), x.UID, x.PrimaryKey, x.settings, size)
		record.CreatedAt, record.UpdatedAt = int64(x.CreatedAt), int64(x.UpdatedAt)
		if err := m.update(ctx, wire.Change{PutIndex: record}); err != nil {
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
		accepted, err := m.Writer.AddDocuments(ctx, &coordinator.Upload{
			IndexUID: x.UID, Format: payload.NDJSON, PrimaryKey: x.PrimaryKey, Body: piece,
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

// dateIndexes gives the indexes the dates of the dump; the uploads changed one of
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
		if err := m.update(ctx, wire.Change{PutIndex: next}); err != nil {
			return fmt.Errorf("index %s: %w", x.UID, err)
		}
	}
	return nil
}

// changesAtOnce bounds one entry of the log.
const changesAtOnce = 256

// finish puts keys and values in place, and says that the import is done.
func (m *importer) finish(ctx context.Context) error {
	restored := coordinator.Restored{InstanceUID: m.instanceUID, Features: m.features, Network: m.network, Webhooks: m.webhooks}
	if m.network != nil {
		m.network.Self, m.network.Leader = nil, nil
	}
	changes, err := restored.Changes()
	if err != nil {
		return err
	}
	wanted := map[string]bool{}
	for _, k := range m.keys {
		wanted[k.UID] = true
		changes = append(changes, wire.Change{PutKey: k})
	}
	for _, k := range m.Log.Catalog().Keys() {
		if !wanted[k.UID] {
			changes = append(changes, wire.Change{DropKey: &k.UID})
		}
	}
	if m.chats > 0 {
		m.Progress.Warn("chat settings of the dump are not taken over", "workspaces", m.chats)
	}
	if len(m.indexes()) < len(m.folders) {
		m.Progress.Warn("dynamic search rules of the dump are not taken over")
	}
	return m.inSteps(ctx, append(changes, coordinator.ImportChange(m.round, coordinator.ImportDone)))
}

func (m *importer) inSteps(ctx context.Context, changes []wire.Change) error {
	for len(changes) > 0 {
		n := min(len(changes), changesAtOnce)
		if err := m.update(ctx, changes[:n]...); err != nil {
			return err
		}
		changes = changes[n:]
	}
	return nil
}

// undo makes the cluster empty again: tasks, indexes, keys and values go.
func (m *importer) undo(ctx context.Context) error {
	m.staging = nil
	if err := m.clearQueue(ctx); err != nil {
		return fmt.Errorf("undoing the import: %w", err)
	}
	c := m.Log.Catalog()
	var changes []wire.Change
	for _, x := range c.Indexes() {
		changes = append(changes, wire.Change{DropIndex: &x.ID})
	}
	for _, k := range c.Keys() {
		changes = append(changes, wire.Change{DropKey: &k.UID})
	}
	for _, name := range []string{"features", "network", "webhooks", "instance", "defaultKeys"} {
		if _, ok := c.Value(name); ok {
			changes = append(changes, wire.Change{PutValue: &wire.Value{Name: name}})
		}
	}
	err := m.inSteps(ctx, append(changes, coordinator.ImportChange(m.round, coordinator.ImportNone)))
	if err == nil {
		err = coordinator.NewKeys(m.Log).EnsureDefaults(ctx)
	}
	if err != nil {
		return fmt.Errorf("undoing the import: %w", err)
	}
	return nil
}

// clearQueue removes every task and lets the numbers begin anew.
func (m *importer) clearQueue(ctx context.Context) error {
	if err := m.update(ctx, coordinator.ImportChange(m.round, coordinator.ImportQueue)); err != nil {
		return err
	}
	if err := m.cancelAll(ctx); err != nil {
		return err
	}
	uids, err := m.Log.TaskUIDs(&wire.TaskQuery{})
	if err != nil {
		return err
	}
	if len(uids) > 0 {
		set, err := bitmapOf(uids)
		if err != nil {
			return err
		}
		if err := m.update(ctx, wire.Change{DeleteTasks: &wire.DeleteTasks{Bitmap: set}}); err != nil {
			return err
		}
	}
	return coordinator.ProposeRestore(ctx, m.Log, &wire.Restore{Reset: true})
}

// cancelAll ends what is enqueued or running.
func (m *importer) cancelAll(ctx context.Context) error {
	pending := m.Log.Pending()
	for len(pending) > 0 {
		n := min(len(pending), 1<<14)
		uids := make([]uint32, n)
		for i, t := range pending[:n] {
			uids[i] = t.UID
		}
		if err := m.update(ctx, wire.Change{CancelTasks: &wire.CancelTasks{UIDs: uids}}); err != nil {
			return err
		}
		pending = pending[n:]
	}
	return nil
}

func bitmapOf(uids []uint32) ([]byte, error) {
	set := roaring.BitmapOf(uids...)
	set.RunOptimize()
	return set.ToBytes()
}
