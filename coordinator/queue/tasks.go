package queue

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"time"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/jsonvalue"
	"shoal/coordinator"
	"shoal/coordinator/task"
	"shoal/wire"
)

// Tasks answers the routes of tasks and batches. Safe for concurrent use; it
// starts no goroutines.
type Tasks struct {
	log    coordinator.Log
	writer *Writer
	blobs  coordinator.Blobs
	// Progress asks the leader for the public "progress" objects of running batches, by uid.
	// Batches that the leader does not work on are missing. Set it before use, or leave it nil.
	Progress func(ctx context.Context, batches []uint32) map[uint32][]byte
}

// NewTasks returns the lists over the log; writer enqueues tasks for them.
func NewTasks(log coordinator.Log, writer *Writer, blobs coordinator.Blobs) *Tasks {
	return &Tasks{log: log, writer: writer, blobs: blobs}
}

// StatusNames are the public statuses by wire.Status.
var StatusNames = [...]string{
	wire.Enqueued: "enqueued", wire.Processing: "processing", wire.Succeeded: "succeeded",
	wire.Failed: "failed", wire.Canceled: "canceled",
}

// Kinds returns the types by which lists can be filtered, in the order of error texts.
func (s *Tasks) Kinds() []wire.Kind { return task.Kinds() }

// visibleWithin bounds how long the answer about a finished task waits until every node shows
// its effect. After that the task is shown as still running.
const visibleWithin = 250 * time.Millisecond

// PublicTask returns the public view of a record (spec tasks-auth-ops-api 2.1).
func PublicTask(t *wire.Task) *api.Task {
	view := &api.Task{
		UID: t.UID, BatchUID: t.Batch, IndexUID: t.IndexUID, Type: string(t.Kind), CanceledBy: t.CanceledBy,
		EnqueuedAt: t.EnqueuedAt, StartedAt: t.StartedAt, FinishedAt: t.FinishedAt, CustomMetadata: t.Metadata,
	}
	if int(t.Status) < len(StatusNames) {
		view.Status = StatusNames[t.Status]
	}
	if len(t.Details) > 0 {
		view.Details = t.Details
	}
	if t.Error != nil {
		code, _ := apierr.CodeByName(t.Error.Code)
		view.Error = apierr.New(code, t.Error.Message)
	}
	return view
}

// visibleTask is PublicTask, except that it shows a finished task as running while some node
// does not show its effect yet.
func (s *Tasks) visibleTask(t *wire.Task) *api.Task {
	view := PublicTask(t)
	if t.FinishedAt != 0 && !s.log.Visible(t.UID) {
		view.Status, view.FinishedAt, view.Error, view.CanceledBy = StatusNames[wire.Processing], 0, nil, nil
	}
	return view
}

// visibleBatch is the record, except that a finished batch is still running while some node does
// not show its effect yet.
func (s *Tasks) visibleBatch(b *wire.Batch) *wire.Batch {
	if b.FinishedAt == 0 || len(b.Tasks) == 0 || s.log.Visible(b.Tasks[0]) {
		return b
	}
	running := *b
	running.FinishedAt = 0
	return &running
}

// Tasks lists one page. Like in the reference, tasks that the caller may not see are removed
// after the page is cut.
func (s *Tasks) Tasks(ctx context.Context, q *wire.TaskQuery) (*api.TaskPage, error) {
	if err := s.ready(ctx); err != nil {
		return nil, err
	}
	found, total, err := s.log.Tasks(onePastPage(q))
	if err != nil {
		return nil, err
	}
	page := &api.TaskPage{Total: total, Limit: uint32(q.Limit)}
	if len(found) > q.Limit {
		page.Next = &found[q.Limit].UID
		found = found[:q.Limit]
	}
	for _, t := range found {
		page.Results = append(page.Results, *s.visibleTask(t))
	}
	if len(found) > 0 {
		page.From = &found[0].UID
	}
	return page, nil
}

// ready waits until this node knows what any node has shown. The log selects by how a task ended.
// So a list waits until each end may be shown: of some statuses, a hidden one would be missing among
// the running tasks, and stand as running among those that have ended.
func (s *Tasks) ready(ctx context.Context) error {
	err := s.log.Barrier(ctx)
	if err == nil {
		s.await(ctx, s.log.Settled())
	}
	return err
}

// Batches lists one page.
func (s *Tasks) Batches(ctx context.Context, q *wire.TaskQuery) (*api.BatchPage, error) {
	if err := s.ready(ctx); err != nil {
		return nil, err
	}
	found, total, err := s.log.Batches(onePastPage(q))
	if err != nil {
		return nil, err
	}
	page := &api.BatchPage{Total: total, Limit: uint32(q.Limit)}
	if len(found) > q.Limit {
		page.Next = &found[q.Limit].UID
		found = found[:q.Limit]
	}
	page.Results = s.publicBatches(ctx, found)
	if len(found) > 0 {
		page.From = &found[0].UID
	}
	return page, nil
}

// onePastPage requests one record more than the page holds, which begins the next page.
func onePastPage(q *wire.TaskQuery) *wire.TaskQuery {
	more := *q
	if more.Limit < math.MaxInt {
		more.Limit++
	}
	return &more
}

// unknownProgress is shown for a running batch whose progress the leader does not report.
var unknownProgress = []byte(`{"steps":[{"currentStep":"processing tasks","finished":0,"total":2}],"percentage":0.0}`)

// publicBatches returns the views of records, whose list it owns. It asks the leader for the
// progress of running ones.
func (s *Tasks) publicBatches(ctx context.Context, list []*wire.Batch) []api.Batch {
	var running []uint32
	for i, b := range list {
		list[i] = s.visibleBatch(b)
		if b = list[i]; b.FinishedAt == 0 {
			running = append(running, b.UID)
		}
	}
	var known map[uint32][]byte
	if len(running) > 0 && s.Progress != nil {
		known = s.Progress(ctx, running)
	}
	views := make([]api.Batch, len(list))
	for i, b := range list {
		views[i] = publicBatch(b)
		if b.FinishedAt == 0 {
			views[i].Progress = known[b.UID]
			if views[i].Progress == nil {
				views[i].Progress = unknownProgress
			}
		}
	}
	return views
}

func publicBatch(b *wire.Batch) api.Batch {
	view := api.Batch{UID: b.UID, StartedAt: b.StartedAt, FinishedAt: b.FinishedAt, Strategy: b.Strategy}
	if len(b.Details) > 0 {
		view.Details = b.Details
	}
	if len(b.Stats) > 0 {
		view.Stats = b.Stats
	}
	return view
}

// Task returns one task, nil when there is none that the caller may see. If this node does not
// know the uid, it waits for the log, because another node may have acknowledged the task.
func (s *Tasks) Task(ctx context.Context, uid uint32, authorized []string) (*api.Task, error) {
	t, err := s.find(ctx, uid, authorized)
	if t == nil || err != nil {
		return nil, err
	}
	if t.FinishedAt != 0 {
		s.await(ctx, func() bool { return s.log.Visible(uid) })
	}
	return s.visibleTask(t), nil
}

func (s *Tasks) find(ctx context.Context, uid uint32, authorized []string) (*wire.Task, error) {
	t, err := s.read(uid, authorized)
	if t != nil || err != nil {
		return t, err
	}
	if err := s.log.Barrier(ctx); err != nil {
		return nil, err
	}
	return s.read(uid, authorized)
}

func (s *Tasks) read(uid uint32, authorized []string) (*wire.Task, error) {
	if authorized == nil {
		t, ok, err := s.log.Task(uid)
		if !ok || err != nil {
			return nil, err
		}
		return t, nil
	}
	page, _, err := s.log.Tasks(&wire.TaskQuery{UIDs: []uint32{uid}, Limit: 1, Authorized: authorized})
	if err != nil || len(page) == 0 {
		return nil, err
	}
	return page[0], nil
}

// await waits up to visibleWithin for the slowest node, until done.
func (s *Tasks) await(ctx context.Context, done func() bool) {
	if done() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, visibleWithin)
	defer cancel()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for !done() {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Batch returns one batch, nil when there is none that the caller may see.
func (s *Tasks) Batch(ctx context.Context, uid uint32, authorized []string) (*api.Batch, error) {
	q := &wire.TaskQuery{BatchUIDs: []uint32{uid}, Limit: 1, Authorized: authorized}
	page, _, err := s.log.Batches(q)
	if err == nil && len(page) == 0 {
		if err = s.log.Barrier(ctx); err == nil {
			page, _, err = s.log.Batches(q)
		}
	}
	if err != nil || len(page) == 0 {
		return nil, err
	}
	if tasks := page[0].Tasks; page[0].FinishedAt != 0 && len(tasks) > 0 {
		s.await(ctx, func() bool { return s.log.Visible(tasks[0]) })
	}
	return &s.publicBatches(ctx, page)[0], nil
}

// Cancel captures the tasks that match now and enqueues their cancelation.
func (s *Tasks) Cancel(ctx context.Context, q *wire.TaskQuery, originalFilter string) (*api.TaskSummary, error) {
	uids, err := s.capture(ctx, q)
	if err != nil {
		return nil, err
	}
	return s.writer.CancelTasks(ctx, uids, originalFilter)
}

// Delete captures the tasks that match now and enqueues their deletion.
func (s *Tasks) Delete(ctx context.Context, q *wire.TaskQuery, originalFilter string) (*api.TaskSummary, error) {
	uids, err := s.capture(ctx, q)
	if err != nil {
		return nil, err
	}
	return s.writer.DeleteTasks(ctx, uids, originalFilter)
}

func (s *Tasks) capture(ctx context.Context, q *wire.TaskQuery) ([]uint32, error) {
	if err := s.log.Barrier(ctx); err != nil {
		return nil, err
	}
	return s.log.TaskUIDs(q)
}

// Dump enqueues a dump of the cluster.
func (s *Tasks) Dump(ctx context.Context) (*api.TaskSummary, error) {
	return s.writer.Dump(ctx, s.log.Catalog().ClusterID())
}

// Snapshot enqueues a snapshot of the cluster.
func (s *Tasks) Snapshot(ctx context.Context) (*api.TaskSummary, error) {
	return s.writer.Snapshot(ctx)
}

// Export enqueues an export. The details contain the masked key.
func (s *Tasks) Export(ctx context.Context, r *api.ExportRequest) (*api.TaskSummary, error) {
	indexes := []byte{'{'}
	for i, e := range r.Indexes {
		if i > 0 {
			indexes = append(indexes, ',')
		}
		indexes = append(jsonvalue.AppendString(indexes, e.Name), `:{"filter":`...)
		if e.Value.Filter == nil {
			indexes = append(indexes, "null"...)
		} else {
			indexes = append(indexes, e.Value.Filter...)
		}
		indexes = fmt.Appendf(indexes, `,"overrideSettings":%t}`, e.Value.OverrideSettings)
	}
	indexes = append(indexes, '}')
	details := append([]byte(`{"url":`), jsonvalue.AppendString(nil, r.URL)...)
	details = append(details, `,"apiKey":`...)
	if r.APIKey == nil {
		details = append(details, "null"...)
	} else {
		details = jsonvalue.AppendString(details, jsonvalue.MaskSecret(*r.APIKey))
	}
	if r.PayloadSize != nil {
		details = append(details, `,"payloadSize":`...)
		details = jsonvalue.AppendString(details, jsonvalue.HumanSize(int64(min(*r.PayloadSize, math.MaxInt64))))
	}
	details = append(append(append(details, `,"indexes":`...), indexes...), '}')
	body := &task.ExportBody{URL: r.URL, APIKey: r.APIKey, PayloadSize: r.PayloadSize, Indexes: json.RawMessage(indexes)}
	return s.writer.Export(ctx, body, details)
}

// Payload opens the documents of an unfinished addition as NDJSON; nil when the
// task has none.
func (s *Tasks) Payload(ctx context.Context, uid uint32) (io.ReadCloser, error) {
	t, ok, err := s.log.Task(uid)
	if err != nil || !ok || t.Kind != task.DocumentAddition || t.FinishedAt != 0 {
		return nil, err
	}
	return openDocuments(ctx, s.blobs, &t.Payload)
}
