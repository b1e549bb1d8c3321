package api

import (
	"strconv"
	"time"
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

var jsonNull = []byte("null")

func (o *object) null(name string) { o.raw(name, jsonNull) }

func (o *object) optionalCount(name string, value *uint32) {
	if value == nil {
		o.null(name)
		return
	}
	o.count(name, uint64(*value))
}

func (o *object) nullableText(name string, value *string) {
	if value == nil {
		o.null(name)
		return
	}
	o.text(name, *value)
}

func (o *object) time(name string, nanos int64) {
	o.member(name)
	o.buf = AppendTime(o.buf, nanos)
}

func (o *object) duration(name string, started, finished int64) {
	if started == 0 || finished == 0 || finished < started {
		o.null(name)
		return
	}
	o.text(name, ISODuration(time.Duration(finished-started)))
}

// AppendJSON appends the task.
func (t *Task) AppendJSON(dst []byte) []byte {
	o := object{buf: dst}
	o.count("uid", uint64(t.UID))
	o.optionalCount("batchUid", t.BatchUID)
	o.nullableText("indexUid", t.IndexUID)
	o.text("status", t.Status)
	o.text("type", t.Type)
	o.optionalCount("canceledBy", t.CanceledBy)
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
	o.orRaw("progress", b.Progress, "null")
	o.orRaw("details", b.Details, "{}")
	o.orRaw("stats", b.Stats, "{}")
	o.duration("duration", b.StartedAt, b.FinishedAt)
	o.time("startedAt", b.StartedAt)
	o.time("finishedAt", b.FinishedAt)
	o.text("batchStrategy", b.Strategy)
	return o.end()
}

func (o *object) orRaw(name string, value []byte, absent string) {
	if value == nil {
		value = []byte(absent)
	}
	o.raw(name, value)
}

// AppendJSON appends the page.
func (p *TaskPage) AppendJSON(dst []byte) []byte {
	dst = append(dst, `{"results":[`...)
	for i := range p.Results {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = p.Results[i].AppendJSON(dst)
	}
	return appendPageEnd(dst, p.Total, p.Limit, p.From, p.Next)
}

// AppendJSON appends the page.
func (p *BatchPage) AppendJSON(dst []byte) []byte {
	dst = append(dst, `{"results":[`...)
	for i := range p.Results {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = p.Results[i].AppendJSON(dst)
	}
	return appendPageEnd(dst, p.Total, p.Limit, p.From, p.Next)
}

func appendPageEnd(dst []byte, total uint64, limit uint32, from, next *uint32) []byte {
	dst = append(dst, ']')
	o := object{buf: dst, begun: true}
	o.count("total", total)
	o.count("limit", uint64(limit))
	o.optionalCount("from", from)
	o.optionalCount("next", next)
	return o.end()
}

// AppendTime appends a UnixNano as a quoted RFC 3339 date in UTC: up to nine
// digits of fraction, no trailing zeros (spec tasks-auth-ops-api 1.5). 0 is null.
func AppendTime(dst []byte, nanos int64) []byte {
	if nanos == 0 {
		return append(dst, "null"...)
	}
	dst = append(dst, '"')
	dst = time.Unix(0, nanos).UTC().AppendFormat(dst, time.RFC3339Nano)
	return append(dst, '"')
}

// ISODuration writes a duration as tasks show it: seconds with no fraction or 3,
// 6 or 9 digits of it, days apart, never minutes or hours (spec tasks-auth-ops-api
// 2.3).
func ISODuration(d time.Duration) string {
	days, rest := d/(24*time.Hour), d%(24*time.Hour)
	out := []byte{'P'}
	if days != 0 {
		out = append(strconv.AppendInt(out, int64(days), 10), 'D')
		if rest == 0 {
			return string(out)
		}
	}
	seconds, nanos := rest/time.Second, int64(rest%time.Second)
	out = strconv.AppendInt(append(out, 'T'), int64(seconds), 10)
	width := 9
	switch {
	case nanos == 0:
		return string(append(out, 'S'))
	case nanos%1e6 == 0:
		width, nanos = 3, nanos/1e6
	case nanos%1e3 == 0:
		width, nanos = 6, nanos/1e3
	}
	digits := strconv.FormatInt(nanos, 10)
	out = append(out, '.')
	for i := len(digits); i < width; i++ {
		out = append(out, '0')
	}
	return string(append(append(out, digits...), 'S'))
}
