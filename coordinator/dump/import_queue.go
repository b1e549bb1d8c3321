package dump

import (
	"bytes"
	"context"
	"fmt"
	"sort"

	"shoal/api/payload"
	"shoal/coordinator"
	"shoal/coordinator/task"
	"shoal/wire"
)

// restoreBytes is about how much one entry of the log takes of the queue.
const restoreBytes = 256 << 10

// largestRecord is the largest task that fits an entry. The parameters of a
// finished task beyond it are left out: nothing but another dump reads them.
const largestRecord = 1 << 20

// queue replaces the tasks of the import by those of the dump.
func (m *importer) queue(ctx context.Context) error {
	if err := m.clearQueue(ctx); err != nil {
		return err
	}
	if len(m.imports) > 0 {
		if err := m.stageImports(ctx); err != nil {
			return err
		}
	}
	r := &restorer{importer: m}
	if err := m.each(ctx, "tasks/queue.jsonl", func(line []byte) error {
		t, err := readTaskLine(line)
		if err != nil {
			return err
		}
		return r.task(ctx, t)
	}); err != nil {
		return err
	}
	if err := r.flush(ctx); err != nil {
		return err
	}
	if err := m.each(ctx, "batches/queue.jsonl", func(line []byte) error {
		b, err := readBatch(line)
		if err != nil {
			return err
		}
		return r.batch(ctx, b)
	}); err != nil {
		return err
	}
	r.next.NextTask, r.next.NextBatch = m.nextTask, m.nextBatch
	if err := r.flush(ctx); err != nil {
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

// staged is the payload of an unfinished import.
type staged struct {
	body    *task.Addition
	payload wire.Payload
}

// stageImports stages the update files of unfinished imports. The primary key
// they are read under is that of their index, or the task's.
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
	m.uploads = make(map[uint32]staged, len(m.imports))
	return walk(ctx, m.file, func(e *entry) error {
		uid, ok := m.importOf(e.name)
		if !ok {
			return nil
		}
		want := m.imports[uid]
		body, p, err := m.Writer.StageAddition(ctx, &coordinator.Upload{
			IndexUID: indexOf[uid], Format: payload.NDJSON, Update: want.Update,
			PrimaryKey: want.PrimaryKey, CreateIndex: want.CreateIndex, Body: e.r,
		})
		if err != nil {
			return fmt.Errorf("%s: %w", e.name, err)
		}
		m.uploads[uid] = staged{body, p}
		return nil
	})
}

// restorer collects records into entries.
type restorer struct {
	*importer
	next wire.Restore
	size int
}

// emptyPayload is the staged form of an import without documents.
func emptyPayload() (wire.Payload, error) {
	var out bytes.Buffer
	w, err := wire.NewStagedWriter(&out, "", false)
	if err == nil {
		err = w.Close()
	}
	return wire.Payload{Inline: out.Bytes()}, err
}

func (r *restorer) task(ctx context.Context, t *readTask) error {
	if up, ok := r.uploads[t.UID]; ok {
		fresh := task.NewAddition(*t.IndexUID, up.body, up.payload, nil)
		t.Body, t.Payload = fresh.Body, up.payload
	} else if t.documents != nil {
		p, err := emptyPayload()
		if err != nil {
			return err
		}
		t.Payload = p
	}
	if t.content != nil {
		p, err := r.Writer.StageContent(ctx, t.content)
		if err != nil {
			return err
		}
		t.Payload = p
	}
	size := len(t.Body) + len(t.Details) + len(t.Payload.Inline) + 256
	if size > largestRecord && !t.unfinished() {
		size -= len(t.Body)
		t.Body = nil
		if size > largestRecord {
			size -= len(t.Details)
			t.Details = nil
		}
	}
	r.next.Tasks = append(r.next.Tasks, t.Task)
	return r.grown(ctx, size)
}

// batch restores a batch that has tasks; they are the ones that name it.
func (r *restorer) batch(ctx context.Context, b *wire.Batch) error {
	i := sort.Search(len(r.members), func(i int) bool { return r.members[i].batch >= b.UID })
	for ; i < len(r.members) && r.members[i].batch == b.UID; i++ {
		b.Tasks = append(b.Tasks, r.members[i].task)
	}
	if len(b.Tasks) == 0 {
		return nil
	}
	r.next.Batches = append(r.next.Batches, *b)
	return r.grown(ctx, len(b.Details)+len(b.Stats)+len(b.Strategy)+8*len(b.Tasks)+128)
}

func (r *restorer) grown(ctx context.Context, size int) error {
	if r.size += size; r.size < restoreBytes {
		return nil
	}
	return r.flush(ctx)
}

func (r *restorer) flush(ctx context.Context) error {
	sent := r.next
	r.next, r.size = wire.Restore{}, 0
	return coordinator.ProposeRestore(ctx, r.Log, &sent)
}
