package wire

import "encoding/json"

// Status is the state of a task or batch.
type Status uint8

// Statuses in their public order.
const (
	Enqueued Status = iota
	Processing
	Succeeded
	Failed
	Canceled
)

// Kind is the public type of a task ("documentAdditionOrUpdate", ...). consensus treats it as
// an opaque label; coordinator/task owns the table.
type Kind string

// BlobRef identifies a payload staged outside the log.
type BlobRef struct {
	ID    string   `msgpack:"id"` // hash of the content
	Size  int64    `msgpack:"sz"`
	Nodes []NodeID `msgpack:"n"` // where it was staged (f+1 nodes)
}

// Payload is the content of a task: inline bytes (at most 16 KiB) or a blob.
type Payload struct {
	Inline []byte   `msgpack:"in"`
	Blob   *BlobRef `msgpack:"bl"`
	// RawSize counts the bytes of the decoded content, for batch limits.
	RawSize int64 `msgpack:"rs"`
}

// Task is one record of the task log. Body has the kind's own parameters (JSON, owned by
// coordinator/task). Details is the public "details" object as JSON, ready to serve, nil when
// the kind has none. Times are UnixNano, 0 means null.
type Task struct {
	UID      uint32  `msgpack:"u"`
	Batch    *uint32 `msgpack:"b"`
	IndexUID *string `msgpack:"x"`
	// Indexes lists every index that the task names (swap, dump ...), for filters.
	Indexes    []string        `msgpack:"xs"`
	Kind       Kind            `msgpack:"k"`
	Status     Status          `msgpack:"s"`
	CanceledBy *uint32         `msgpack:"cb"`
	Body       json.RawMessage `msgpack:"bd"`
	Payload    Payload         `msgpack:"p"`
	Details    json.RawMessage `msgpack:"d"`
	Error      *Failure        `msgpack:"e"`
	EnqueuedAt int64           `msgpack:"ea"`
	StartedAt  int64           `msgpack:"sa"`
	FinishedAt int64           `msgpack:"fa"`
	Metadata   *string         `msgpack:"cm"` // customMetadata
}

// Failure is the stored form of an apierr.Error, with the code by name.
type Failure struct {
	Message string `msgpack:"m"`
	Code    string `msgpack:"c"`
}

// Batch is one record of the batch log. Details and Stats are the public JSON
// objects.
type Batch struct {
	UID        uint32          `msgpack:"u"`
	Tasks      []uint32        `msgpack:"t"` // ascending
	Details    json.RawMessage `msgpack:"d"`
	Stats      json.RawMessage `msgpack:"s"`
	Strategy   string          `msgpack:"y"`
	EnqueuedAt [2]int64        `msgpack:"ea"` // earliest, latest of its tasks
	StartedAt  int64           `msgpack:"sa"`
	FinishedAt int64           `msgpack:"fa"`
}

// Moves are changes of status in log order: records as each change left them. They are shared:
// do not modify.
type Moves struct {
	Tasks   []*Task
	Batches []*Batch
	// Lost: the whole state was replaced, and the changes are unknown.
	Lost bool
}

// TaskQuery holds the filters of the task and batch lists. nil slices do not restrict; empty
// non-nil ones match nothing. Dates are exclusive bounds, UnixNano.
type TaskQuery struct {
	UIDs, BatchUIDs, CanceledBy                                                                           []uint32
	Statuses                                                                                              []Status
	Kinds                                                                                                 []Kind
	IndexUIDs                                                                                             []string
	AfterEnqueuedAt, BeforeEnqueuedAt, AfterStartedAt, BeforeStartedAt, AfterFinishedAt, BeforeFinishedAt *int64
	// From is the first uid listed (inclusive); nil means the newest (with Reverse the oldest).
	From    *uint32
	Limit   int
	Reverse bool
	// Authorized restricts to tasks whose index matches one of these patterns; nil means all.
	Authorized []string
}
