package api

// Task is one task as clients see it (spec tasks-auth-ops-api 2.1). Times are
// UnixNano, 0 for null.
type Task struct {
	UID        uint32
	BatchUID   *uint32
	IndexUID   *string
	Status     string
	Type       string
	CanceledBy *uint32
	// Details is the JSON object to show; nil when the kind has none.
	Details        []byte
	Error          *Error
	EnqueuedAt     int64
	StartedAt      int64
	FinishedAt     int64
	CustomMetadata *string
}

// TaskSummary is the answer to a request that enqueued a task (spec
// tasks-auth-ops-api 2.2).
type TaskSummary struct {
	TaskUID        uint32
	IndexUID       *string
	Type           string
	EnqueuedAt     int64
	CustomMetadata *string
}

// TaskPage is one page of a list of tasks; BatchPage of batches.
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

// Batch is one batch as clients see it (spec tasks-auth-ops-api 5.2). Progress,
// Details and Stats are JSON values; a nil Progress is null, nil Details and
// Stats are empty objects.
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
	o := object{buf: dst}
	o.count("uid", uint64(t.UID))
	o.nullableCount("batchUid", t.BatchUID)
	o.nullableText("indexUid", t.IndexUID)
	o.text("status", t.Status)
	o.text("type", t.Type)
	o.nullableCount("canceledBy", t.CanceledBy)
	if t.Details != nil {
		o.raw("details", t.Details)
	}
	if t.Error == nil {
		o.null("error")
	} else {
		o.member("error")
		o.buf = t.Error.AppendJSON(o.buf)
	}
	o.duration("duration", t.StartedAt, t.FinishedAt)
	o.time("enqueuedAt", t.EnqueuedAt)
	o.time("startedAt", t.StartedAt)
	o.time("finishedAt", t.FinishedAt)
	o.optionalText("customMetadata", t.CustomMetadata)
	return o.end()
}

// AppendJSON appends the summary; the status of a fresh task is enqueued.
func (t *TaskSummary) AppendJSON(dst []byte) []byte {
	o := object{buf: dst}
	o.count("taskUid", uint64(t.TaskUID))
	o.nullableText("indexUid", t.IndexUID)
	o.text("status", "enqueued")
	o.text("type", t.Type)
	o.time("enqueuedAt", t.EnqueuedAt)
	o.optionalText("customMetadata", t.CustomMetadata)
	return o.end()
}

// AppendJSON appends the batch.
func (b *Batch) AppendJSON(dst []byte) []byte {
	o := object{buf: dst}
	o.count("uid", uint64(b.UID))
	o.rawOr("progress", b.Progress, "null")
	o.rawOr("details", b.Details, "{}")
	o.rawOr("stats", b.Stats, "{}")
	o.duration("duration", b.StartedAt, b.FinishedAt)
	o.time("startedAt", b.StartedAt)
	o.time("finishedAt", b.FinishedAt)
	o.text("batchStrategy", b.Strategy)
	return o.end()
}

// AppendJSON appends the page.
func (p *TaskPage) AppendJSON(dst []byte) []byte {
	o := object{buf: dst}
	o.member("results")
	o.buf = append(o.buf, '[')
	for i := range p.Results {
		if i > 0 {
			o.buf = append(o.buf, ',')
		}
		o.buf = p.Results[i].AppendJSON(o.buf)
	}
	o.buf = append(o.buf, ']')
	return endPage(&o, p.Total, p.Limit, p.From, p.Next)
}

// AppendJSON appends the page.
func (p *BatchPage) AppendJSON(dst []byte) []byte {
	o := object{buf: dst}
	o.member("results")
	o.buf = append(o.buf, '[')
	for i := range p.Results {
		if i > 0 {
			o.buf = append(o.buf, ',')
		}
		o.buf = p.Results[i].AppendJSON(o.buf)
	}
	o.buf = append(o.buf, ']')
	return endPage(&o, p.Total, p.Limit, p.From, p.Next)
}

// endPage writes what stands behind the results of a page.
func endPage(o *object, total uint64, limit uint32, from, next *uint32) []byte {
	o.count("total", total)
	o.count("limit", uint64(limit))
	o.nullableCount("from", from)
	o.nullableCount("next", next)
	return o.end()
}
