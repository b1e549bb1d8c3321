package task

import (
	"encoding/json"
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"

	"shoal/wire"
)

// Captured is the body of taskCancelation and taskDeletion tasks: the tasks that matched when
// the request was accepted. The set is the payload (a portable roaring bitmap).
type Captured struct {
	Matched uint64 `json:"matched"`
	Query   string `json:"query"` // "?" and the raw query string
}

// EncodeUIDs returns the payload form of a set of task uids.
func EncodeUIDs(uids []uint32) ([]byte, error) {
	set := roaring.BitmapOf(uids...)
	set.RunOptimize()
	return set.ToBytes()
}

// DecodeUIDs reads the form of EncodeUIDs. The uids are ascending.
func DecodeUIDs(data []byte) ([]uint32, error) {
	set := roaring.New()
	if err := set.UnmarshalBinary(data); err != nil {
		return nil, fmt.Errorf("task set: %w", err)
	}
	return set.ToArray(), nil
}

// Empty tells whether a cancelation or deletion captured no task.
func Empty(t *wire.Task) bool {
	c, err := Decode[Captured](t)
	return err == nil && c.Matched == 0
}

// NewCancelation makes the task of POST /tasks/cancel over the captured uids.
func NewCancelation(matched int, query string, payload wire.Payload) *wire.Task {
	return captured(TaskCancelation, "canceledTasks", matched, query, payload)
}

// NewTaskDeletion makes the task of DELETE /tasks over the captured uids.
func NewTaskDeletion(matched int, query string, payload wire.Payload) *wire.Task {
	return captured(TaskDeletion, "deletedTasks", matched, query, payload)
}

func captured(kind wire.Kind, counter string, matched int, query string, payload wire.Payload) *wire.Task {
	return &wire.Task{
		Kind:    kind,
		Body:    encode(&Captured{Matched: uint64(matched), Query: query}),
		Payload: payload,
		Details: fmt.Appendf(nil, `{"matchedTasks":%d,%s:null,"originalFilter":%s}`, matched, quoted(counter), quoted(query)),
	}
}

// Dump is the body of a dumpCreation task: what was captured when the request was accepted.
type Dump struct {
	Keys        []wire.Key `json:"keys,omitempty"`
	InstanceUID string     `json:"instanceUid,omitempty"`
}

// NewDump makes the task of POST /dumps.
func NewDump(body *Dump) *wire.Task {
	return &wire.Task{Kind: DumpCreation, Body: encode(body), Details: []byte(`{"dumpUid":null}`)}
}

// NewSnapshot makes the task of POST /snapshots.
func NewSnapshot() *wire.Task { return &wire.Task{Kind: SnapshotCreation, Body: []byte(`{}`)} }

// ExportBody is the body of an export task.
type ExportBody struct {
	URL         string          `json:"url"`
	APIKey      *string         `json:"apiKey,omitempty"`
	PayloadSize *uint64         `json:"payloadSize,omitempty"`
	Indexes     json.RawMessage `json:"indexes"`
}

// NewExport makes the task of POST /export. details is the public object with a masked key.
func NewExport(body *ExportBody, details []byte) *wire.Task {
	return &wire.Task{Kind: Export, Body: encode(body), Details: details}
}

// NewRulesUpdate makes a dsrUpdate task: body is the stored form of the change,
// details the public object.
func NewRulesUpdate(body json.RawMessage, details []byte, metadata *string) *wire.Task {
	t := onIndex(DynamicRulesUpdate, RulesIndex, body, metadata)
	t.Details = details
	return t
}

// NewRulesClear makes a dsrClear task.
func NewRulesClear(metadata *string) *wire.Task {
	t := onIndex(DynamicRulesClear, RulesIndex, struct{}{}, metadata)
	t.Details = []byte(`{"deletedDocuments":null}`)
	return t
}
