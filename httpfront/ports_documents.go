package httpfront

import (
	"context"
	"encoding/json"
	"io"

	"shoal/api"
	"shoal/api/payload"
	"shoal/api/settings"
)

// DocumentPorts are the ports of the routes of indexes, documents and settings.
type DocumentPorts struct {
	Indexes   Indexes
	Documents Documents
	Writes    Writes
}

// Indexes reads the metadata of indexes. Unknown names are apierr.IndexNotFound.
type Indexes interface {
	// Indexes lists the indexes that match the patterns (nil = all), by uid: those
	// of the page, and the number of all.
	Indexes(ctx context.Context, authorized []string, offset, limit uint64) (page []api.Index, total uint64, err error)
	Index(ctx context.Context, uid string) (*api.Index, error)
	// IndexSettings returns the effective settings: shared, not to be modified.
	IndexSettings(ctx context.Context, uid string) (*settings.Settings, error)
	// IndexFields lists the names of the fields met so far in documents, nested
	// ones included ("a.b"), in any order, and the settings in force.
	IndexFields(ctx context.Context, uid string) ([]string, *settings.Settings, error)
}

// Documents reads documents.
type Documents interface {
	// Documents lists documents. Errors in the order of spec write-api 9.3: syntax
	// of sort, index, filter, sort attributes; their code is
	// invalid_document_filter or invalid_document_sort.
	Documents(ctx context.Context, uid string, r *api.DocumentsRequest) (*api.DocumentsPage, error)
	// Document returns one document as a JSON object; apierr.DocumentNotFound when
	// there is none. Fields as in api.DocumentsRequest.
	Document(ctx context.Context, uid, id string, fields []string, vectors bool) ([]byte, error)
}

// Writes enqueue tasks, one each. Index uids are valid; whether the index exists
// is the task's concern.
type Writes interface {
	// AddDocuments reads the upload to its end; malformed content enqueues
	// nothing.
	AddDocuments(ctx context.Context, up *Upload) (*api.TaskSummary, error)
	// DeleteDocuments takes ids as text, valid or not.
	DeleteDocuments(ctx context.Context, uid string, ids []string, metadata *string) (*api.TaskSummary, error)
	// DeleteByFilter takes a filter of correct syntax that is not empty.
	DeleteByFilter(ctx context.Context, uid string, filter []byte, metadata *string) (*api.TaskSummary, error)
	ClearDocuments(ctx context.Context, uid string, metadata *string) (*api.TaskSummary, error)
	EditDocuments(ctx context.Context, uid, function string, contextObject, filter json.RawMessage, metadata *string) (*api.TaskSummary, error)

	CreateIndex(ctx context.Context, uid string, primaryKey *string) (*api.TaskSummary, error)
	UpdateIndex(ctx context.Context, uid string, primaryKey, newUID *string) (*api.TaskSummary, error)
	DeleteIndex(ctx context.Context, uid string) (*api.TaskSummary, error)
	CompactIndex(ctx context.Context, uid string) (*api.TaskSummary, error)
	// SwapIndexes refuses a name that occurs twice.
	SwapIndexes(ctx context.Context, swaps []api.SwapPair) (*api.TaskSummary, error)
	// UpdateSettings takes a checked patch. deletion: the request came from a
	// DELETE route; createIndex: the caller may create the index.
	UpdateSettings(ctx context.Context, uid string, patch *settings.Patch, deletion, createIndex bool) (*api.TaskSummary, error)
}

// Upload is one POST or PUT of documents, its query decoded.
type Upload struct {
	IndexUID  string
	Format    payload.Format
	Delimiter byte // CSV; 0 = comma
	// Update merges into stored documents (PUT), otherwise they are replaced.
	Update       bool
	PrimaryKey   *string
	SkipCreation bool
	// CreateIndex: the caller may create the index.
	CreateIndex bool
	Metadata    *string
	// Body is the decoded content. Its own errors (size limit, truncation) are
	// *apierr.Error and must be returned as they are.
	Body io.Reader
}
