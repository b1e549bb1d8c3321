package task

import (
	"encoding/json"
	"fmt"

	"shoal/wire"
)

// Addition is the body of a documentAdditionOrUpdate task; its payload is the
// staged form.
type Addition struct {
	// Update merges top-level members into stored documents; otherwise documents
	// are replaced.
	Update       bool    `json:"update,omitempty"`
	PrimaryKey   *string `json:"primaryKey,omitempty"`
	SkipCreation bool    `json:"skipCreation,omitempty"`
	// CreateIndex is the right of the key, at enqueue time, to create the index.
	CreateIndex bool     `json:"createIndex,omitempty"`
	Manifest    Manifest `json:"manifest"`
	// Lines: the payload was NDJSON (shown with line breaks).
	Lines bool `json:"lines,omitempty"`
}

// Manifest is what ingest learned about a payload, so that the leader can plan a batch without
// reading the payload.
type Manifest struct {
	Documents uint64 `json:"documents"`
	// Key is the primary key from which the ids in the staged frames were read; nil when none
	// could be assumed. Distinct and Failure hold for this key.
	Key      *string       `json:"key,omitempty"`
	Distinct uint64        `json:"distinct,omitempty"`
	Failure  *wire.Failure `json:"failure,omitempty"`
	// Fault describes the first value that is well-formed but unreadable. It fails the whole
	// batch (spec write-api 6.8).
	Fault string `json:"fault,omitempty"`
	// Truncated fails the task: the upload ended inside its last record.
	Truncated *wire.Failure `json:"truncated,omitempty"`
	// First holds the top-level names of the first document in payload order. Inference uses
	// only them.
	First []string `json:"first,omitempty"`
	// Fields are all top-level names in first-seen order, Nested the dotted names below them.
	// Long: there were too many to list, and the payload must be scanned for them.
	Fields []string `json:"fields,omitempty"`
	Nested []string `json:"nested,omitempty"`
	Long   bool     `json:"long,omitempty"`
	// Repeats: an object inside a document has a name twice. The last value counts, so there
	// may be nothing below a name in Nested.
	Repeats bool `json:"repeats,omitempty"`
}

// NewAddition makes the task of an upload.
func NewAddition(uid string, body *Addition, payload wire.Payload, metadata *string) *wire.Task {
	t := onIndex(DocumentAddition, uid, body, metadata)
	t.Payload = payload
	t.Details = fmt.Appendf(nil, `{"receivedDocuments":%d,"indexedDocuments":null}`, body.Manifest.Documents)
	return t
}

// Deletion is the body of a documentDeletion task. For a deletion by ids, the payload is the
// list as wire.Marshal([]string) and Count its length.
type Deletion struct {
	Form   DeletionForm    `json:"form"`
	Count  uint64          `json:"count,omitempty"`
	Filter json.RawMessage `json:"filter,omitempty"`
	// Expiry is the attribute by which the documents have expired. The task does nothing if the
	// index has another one by then, or none.
	Expiry *string `json:"expiry,omitempty"`
}

// DeletionForm distinguishes the routes that delete documents.
type DeletionForm string

// Forms.
const (
	ByIDs    DeletionForm = "ids"
	ByFilter DeletionForm = "filter"
	All      DeletionForm = "all"
)

func deletionShape(t *wire.Task) Shape {
	var d Deletion
	if json.Unmarshal(t.Body, &d) != nil {
		return DeleteIDs
	}
	switch d.Form {
	case ByFilter:
		return DeleteFilter
	case All:
		return Clear
	}
	return DeleteIDs
}

// NewDeletion makes the task of a deletion by ids; payload holds them.
func NewDeletion(uid string, count int, payload wire.Payload, metadata *string) *wire.Task {
	t := onIndex(DocumentDeletion, uid, &Deletion{Form: ByIDs, Count: uint64(count)}, metadata)
	t.Payload = payload
	t.Details = fmt.Appendf(nil, `{"providedIds":%d,"deletedDocuments":null,"originalFilter":null}`, count)
	return t
}

// NewFilterDeletion makes the task of a deletion by filter, given as compact
// JSON.
func NewFilterDeletion(uid string, filter []byte, metadata *string) *wire.Task {
	t := onIndex(DocumentDeletion, uid, &Deletion{Form: ByFilter, Filter: filter}, metadata)
	t.Details = fmt.Appendf(nil, `{"providedIds":0,"deletedDocuments":null,"originalFilter":%s}`, quoted(string(filter)))
	return t
}

// Expired is the custom metadata of tasks that delete documents that have expired.
const Expired = "expired"

// NewExpiry makes the task that deletes the documents that have expired by an attribute, given
// as a filter in compact JSON.
func NewExpiry(uid, attribute string, filter []byte, metadata *string) *wire.Task {
	t := NewFilterDeletion(uid, filter, metadata)
	t.Body = encode(&Deletion{Form: ByFilter, Filter: filter, Expiry: &attribute})
	return t
}

// NewClear makes the task that deletes all documents.
func NewClear(uid string, metadata *string) *wire.Task {
	t := onIndex(DocumentDeletion, uid, &Deletion{Form: All}, metadata)
	t.Details = []byte(`{"deletedDocuments":null}`)
	return t
}

// Edition is the body of a documentEdition task.
type Edition struct {
	Function string          `json:"function"`
	Context  json.RawMessage `json:"context,omitempty"`
	Filter   json.RawMessage `json:"filter,omitempty"`
}

// NewEdition makes the task of an edit by function; Context and Filter are
// compact JSON or nil.
func NewEdition(uid string, body *Edition, metadata *string) *wire.Task {
	t := onIndex(DocumentEdition, uid, body, metadata)
	filter, context := []byte("null"), []byte("null")
	if body.Filter != nil {
		filter = quoted(string(body.Filter))
	}
	if body.Context != nil {
		context = body.Context
	}
	t.Details = fmt.Appendf(nil, `{"editedDocuments":null,"deletedDocuments":null,"originalFilter":%s,"context":%s,"function":%s}`,
		filter, context, quoted(body.Function))
	return t
}

// onIndex returns a new task that names one index.
func onIndex(kind wire.Kind, uid string, body any, metadata *string) *wire.Task {
	return &wire.Task{Kind: kind, IndexUID: &uid, Indexes: []string{uid}, Body: encode(body), Metadata: metadata}
}

// Decode reads the body of a task.
func Decode[T any](t *wire.Task) (*T, error) {
	body := new(T)
	if len(t.Body) == 0 {
		return body, nil
	}
	if err := json.Unmarshal(t.Body, body); err != nil {
		return nil, fmt.Errorf("task %d (%s): body: %w", t.UID, t.Kind, err)
	}
	return body, nil
}
