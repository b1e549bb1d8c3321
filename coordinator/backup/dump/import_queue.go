package dump

import (
	"bytes"
	"context"
	"fmt"
	"sort"

	"shoal/api/payload"
	"shoal/coordinator/task"
	"shoal/wire"
	"shoal/wire/staged"
)

// queue replaces the tasks of the import by those of the dump.
func (m *importer) queue(ctx context.Context) error {
	if err := m.ClearQueue(ctx); err != nil {
		return err
	}
	if len(m.imports) > 0 {
		if err := m.stageImports(ctx); err != nil {
			return err
		}
	}
	if err := m.each(ctx, "tasks/queue.jsonl", func(line []byte) error {
		t, err := readTaskLine(line)
		if err != nil {
			return err
		}
		return m.restoreTask(ctx, t)
	}); err != nil {
		return err
	}
	if err := m.Flush(ctx); err != nil {
		return err
	}
	if err := m.each(ctx, "batches/queue.jsonl", func(line []byte) error {
		b, err := readBatch(line)
		if err != nil {
			return err
		}
		return m.restoreBatch(ctx, b)
	}); err != nil {
		return err
	}
	m.Numbers(m.nextTask, m.nextBatch)
	if err := m.Flush(ctx); err != nil {
		return err
	}
	m.Progress.Info("queue restored", "tasks", m.tasks, "enqueued imports", len(m.imports))
	return nil
}

// each calls visit with the lines of one file of the archive.
func (m *importer) each(ctx context.Context, name string, visit func([]byte) error) error {
	return walk(ctx, m.file, func(e *entry) error {
		if e.name != name {
			return nil
		}
		return e.lines(visit)
	})
}

// waitingUpload is the payload of an unfinished import.
type waitingUpload struct {
	body    *task.Addition
	payload wire.Payload
}

// stageImports stages the update files of unfinished imports, under the primary key of their
// index or of the task.
func (m *importer) stageImports(ctx context.Context) error {
	indexOf := map[uint32]string{}
	if err := m.each(ctx, "tasks/queue.jsonl", func(line []byte) error {
		t, err := readTaskLine(line)
		if err == nil && m.imports[t.UID] != nil {
			indexOf[t.UID] = *t.IndexUID
		}
		return err
	}); err != nil {
		return err
	}
	m.uploads = make(map[uint32]waitingUpload, len(m.imports))
	return walk(ctx, m.file, func(e *entry) error {
		uid, ok := m.importOf(e.name)
		if !ok {
			return nil
		}
		want := m.imports[uid]
		body, p, err := m.Writer.StageAddition(ctx, &payload.Upload{
			IndexUID: indexOf[uid], Format: payload.NDJSON, Update: want.Update,
			PrimaryKey: want.PrimaryKey, CreateIndex: want.CreateIndex, Body: e.r,
		})
		if err != nil {
			return fmt.Errorf("%s: %w", e.name, err)
		}
		m.uploads[uid] = waitingUpload{body, p}
		return nil
	})
}

// emptyPayload returns the staged form of an import without documents.
func emptyPayload() (wire.Payload, error) {
	var out bytes.Buffer
	w, err := staged.NewWriter(&out, "", false)
	if err == nil {
		err = w.Close()
	}
	return wire.Payload{Inline: out.Bytes()}, err
}

func (m *importer) restoreTask(ctx context.Context, t *readTask) error {
	if up, ok := m.uploads[t.UID]; ok {
		t.Body, t.Payload = task.NewAddition(*t.IndexUID, up.body, up.payload, nil).Body, up.payload
	} else if t.documents != nil {
		p, err := emptyPayload()
		if err != nil {
			return err
		}
		t.Payload = p
	}
	if t.content != nil {
		p, err := m.Writer.StageContent(ctx, t.content)
		if err != nil {
			return err
		}
		t.Payload = p
	}
	return m.Task(ctx, &t.Task)
}

// restoreBatch restores a batch with the tasks that name it. It skips a batch without tasks.
func (m *importer) restoreBatch(ctx context.Context, b *wire.Batch) error {
	i := sort.Search(len(m.members), func(i int) bool { return m.members[i].batch >= b.UID })
	for ; i < len(m.members) && m.members[i].batch == b.UID; i++ {
		b.Tasks = append(b.Tasks, m.members[i].task)
	}
	if len(b.Tasks) == 0 {
		return nil
	}
	return m.Batch(ctx, b)
}
