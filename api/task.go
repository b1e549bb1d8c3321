package api

import (
	"shoal/api/apierr"
	"shoal/api/jsonvalue"
)

// Task is one task as clients see it (spec tasks-auth-ops-api 2.1). Times are
// UnixNano, 0 for null.
type Task struct {
	UID        uint32
	BatchUID   *uint32
	IndexUID   *string
	Status     string
	Type       string
	CanceledBy *uint32
	// Details is the JSON object to show, nil if the kind has none.
	Details        []byte
	Error          *apierr.Error
	EnqueuedAt     int64
	StartedAt      int64
	FinishedAt     int64
	CustomMetadata *string
}

// TaskSummary is the answer to a request that enqueued a task (spec tasks-auth-ops-api
// 2.2).
type TaskSummary struct {
	TaskUID        uint32
	IndexUID       *string
	Type           string
	EnqueuedAt     int64
	CustomMetadata *string
}

// TaskPage is one page of a list of tasks.
type TaskPage struct {
	Results []Task
	Total   uint64
	Limit   uint32
	From    *uint32
	Next    *uint32
}

// BatchPage is one page of a list of batches.
type BatchPage struct {
	Results []Batch
	Total   uint64
	Limit   uint32
	From    *uint32
	Next    *uint32
}

// Batch is one batch as clients see it (spec tasks-auth-ops-api 5.2). Progress, Details and
// Stats are JSON values. A nil Progress is shown as null, nil Details and Stats as empty
// objects.
type Batch struct {
	UID        uint32
	Progress   []byte
	Details    []byte
	Stats      []byte
	StartedAt  int64
	FinishedAt int64
	Strategy   string
}

// AppendJSON appends the task.
func (t *Task) AppendJSON(dst []byte) []byte {
	o := jsonvalue.ObjectWriter{Buf: dst}
	o.Count("uid", uint64(t.UID))
	o.NullableCount("batchUid", t.BatchUID)
	o.NullableText("indexUid", t.IndexUID)
	o.Text("status", t.Status)
	o.Text("type", t.Type)
	o.NullableCount("canceledBy", t.CanceledBy)
	if t.Details != nil {
		o.Raw("details", t.Details)
	}
	if t.Error == nil {
		o.Null("error")
	} else {
		o.Member("error")
		o.Buf = t.Error.AppendJSON(o.Buf)
	}
	o.Duration("duration", t.StartedAt, t.FinishedAt)
	o.Time("enqueuedAt", t.EnqueuedAt)
	o.Time("startedAt", t.StartedAt)
	o.Time("finishedAt", t.FinishedAt)
	o.OptionalText("customMetadata", t.CustomMetadata)
	return o.End()
}

// AppendJSON appends the summary. The status of a new task is enqueued.
func (t *TaskSummary) AppendJSON(dst []byte) []byte {
	o := jsonvalue.ObjectWriter{Buf: dst}
	o.Count("taskUid", uint64(t.TaskUID))
	o.NullableText("indexUid", t.IndexUID)
	o.Text("status", "enqueued")
	o.Text("type", t.Type)
	o.Time("enqueuedAt", t.EnqueuedAt)
	o.OptionalText("customMetadata", t.CustomMetadata)
	return o.End()
}

// AppendJSON appends the batch.
func (b *Batch) AppendJSON(dst []byte) []byte {
	o := jsonvalue.ObjectWriter{Buf: dst}
	o.Count("uid", uint64(b.UID))
	o.RawOr("progress", b.Progress, "null")
	o.RawOr("details", b.Details, "{}")
	o.RawOr("stats", b.Stats, "{}")
	o.Duration("duration", b.StartedAt, b.FinishedAt)
	o.Time("startedAt", b.StartedAt)
	o.Time("finishedAt", b.FinishedAt)
	o.Text("batchStrategy", b.Strategy)
	return o.End()
}

// AppendJSON appends the page.
func (p *TaskPage) AppendJSON(dst []byte) []byte {
	return appendPage(dst, p.Results, (*Task).AppendJSON, p.Total, p.Limit, p.From, p.Next)
}

// AppendJSON appends the page.
func (p *BatchPage) AppendJSON(dst []byte) []byte {
	return appendPage(dst, p.Results, (*Batch).AppendJSON, p.Total, p.Limit, p.From, p.Next)
}

// appendPage appends a page of tasks or of batches, which are ordered by uid.
func appendPage[T any](dst []byte, results []T, each func(*T, []byte) []byte, total uint64, limit uint32, from, next *uint32) []byte {
	o := jsonvalue.ObjectWriter{Buf: dst}
	o.Member("results")
	o.Buf = jsonvalue.AppendList(o.Buf, results, each)
	o.Count("total", total)
	o.Count("limit", uint64(limit))
	o.NullableCount("from", from)
	o.NullableCount("next", next)
	return o.End()
}
