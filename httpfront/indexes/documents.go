package indexes

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
	"shoal/api/parameter"
	"shoal/api/payload"
	"shoal/api/settings"
	"shoal/httpfront/openapi"
	"shoal/httpfront/routing"
	"shoal/query/filter"
)

// DocumentRoutes are the rows of documents.
func (h *Handlers) DocumentRoutes() []routing.Route {
	const documents = "/indexes/{index_uid}/documents"
	return []routing.Route{
		{Method: "GET", Pattern: documents, Actions: []string{"documents.get"}, Serve: h.serveDocuments, OnIndex: true, Query: documentsParameters},
		{Method: "POST", Pattern: documents, Actions: []string{"documents.add"}, Serve: h.serveReplaceDocuments, OnIndex: true, Leased: true, Enqueues: true, Upload: true, Query: uploadParameters, Schema: documentSchema},
		{Method: "PUT", Pattern: documents, Actions: []string{"documents.add"}, Serve: h.serveUpdateDocuments, OnIndex: true, Leased: true, Enqueues: true, Upload: true, Query: uploadParameters, Schema: documentSchema},
		{Method: "DELETE", Pattern: documents, Actions: []string{"documents.delete"}, Serve: h.serveClearDocuments, OnIndex: true, Leased: true, Enqueues: true, Query: routing.MetadataParameters},
		{Method: "POST", Pattern: documents + "/delete-batch", Actions: []string{"documents.delete"}, Serve: h.serveDeleteBatch, OnIndex: true, Leased: true, Enqueues: true, Query: routing.MetadataParameters, Schema: idsSchema},
		{Method: "POST", Pattern: documents + "/delete", Actions: []string{"documents.delete"}, Serve: h.serveDeleteByFilter, OnIndex: true, Leased: true, Enqueues: true, Query: routing.MetadataParameters, Body: deleteByFilterFields},
		{Method: "POST", Pattern: documents + "/edit", Actions: []string{"documents.*"}, Serve: h.serveEditDocuments, OnIndex: true, Leased: true, Enqueues: true, Query: routing.MetadataParameters, Body: editionFields},
		{Method: "POST", Pattern: documents + "/fetch", Actions: []string{"documents.get"}, Serve: h.serveFetchDocuments, OnIndex: true, Body: documentsFields},
		{Method: "GET", Pattern: documents + "/{document_id}", Actions: []string{"documents.get"}, Serve: h.serveDocument, OnIndex: true, Query: documentParameters},
		{Method: "DELETE", Pattern: documents + "/{document_id}", Actions: []string{"documents.delete"}, Serve: h.serveDeleteDocument, OnIndex: true, Leased: true, Enqueues: true, Query: routing.MetadataParameters},
	}
}

// documentsQuery is a request for a list of documents before its ids are checked.
type documentsQuery struct {
	api.DocumentsRequest
	ids        []jsonvalue.Value
	filter     json.RawMessage
	useNetwork bool
}

// documentsParameters are the parameters of GET /documents, documentsFields the members of
// POST /documents/fetch (spec write-api 9.3).
var documentsParameters = decode.NewObject(
	decode.Plain("offset", apierr.CodeInvalidDocumentOffset, decode.QueryUint, func(q *documentsQuery) *uint64 { return &q.Offset }),
	decode.Plain("limit", apierr.CodeInvalidDocumentLimit, decode.QueryUint, func(q *documentsQuery) *uint64 { return &q.Limit }),
	decode.Plain("fields", apierr.CodeInvalidDocumentFields, decode.QueryStarList(decode.String), func(q *documentsQuery) *[]string { return &q.Fields }),
	decode.Plain("retrieveVectors", apierr.CodeInvalidDocumentRetrieveVectors, decode.QueryBool, func(q *documentsQuery) *bool { return &q.RetrieveVectors }),
	decode.Plain("ids", apierr.CodeInvalidDocumentIDs, decode.QueryList(decode.Any), func(q *documentsQuery) *[]jsonvalue.Value { return &q.ids }),
	decode.Plain("filter", apierr.CodeInvalidDocumentFilter, parameter.QueryFilter, func(q *documentsQuery) *json.RawMessage { return &q.filter }),
	decode.Plain("sort", apierr.CodeInvalidDocumentSort, parameter.QuerySort, func(q *documentsQuery) *[]string { return &q.Sort }),
	decode.Plain("useNetwork", apierr.CodeInvalidDocumentUseNetwork, neverNetwork, func(q *documentsQuery) *bool { return &q.useNetwork }),
)

var documentsFields = decode.NewObject(
	decode.Plain("offset", apierr.CodeInvalidDocumentOffset, decode.Uint, func(q *documentsQuery) *uint64 { return &q.Offset }),
	decode.Plain("limit", apierr.CodeInvalidDocumentLimit, decode.Uint, func(q *documentsQuery) *uint64 { return &q.Limit }),
	decode.Nullable("fields", apierr.CodeInvalidDocumentFields, decode.Strings, func(q *documentsQuery) *[]string { return &q.Fields }),
	decode.Plain("retrieveVectors", apierr.CodeInvalidDocumentRetrieveVectors, decode.Bool, func(q *documentsQuery) *bool { return &q.RetrieveVectors }),
	decode.Nullable("ids", apierr.CodeInvalidDocumentIDs, decode.List(decode.Any), func(q *documentsQuery) *[]jsonvalue.Value { return &q.ids }),
	decode.Nullable("filter", apierr.CodeInvalidDocumentFilter, decode.JSON, func(q *documentsQuery) *json.RawMessage { return &q.filter }),
	decode.Nullable("sort", apierr.CodeInvalidDocumentSort, decode.Strings, func(q *documentsQuery) *[]string { return &q.Sort }),
	decode.Nullable("useNetwork", apierr.CodeInvalidDocumentUseNetwork, decode.Bool, func(q *documentsQuery) *bool { return &q.useNetwork }),
)

// neverNetwork refuses the parameter useNetwork of the query string, which the reference
// cannot read (spec write-api 9.1).
func neverNetwork(at *decode.Loc, v *jsonvalue.Value) (bool, *apierr.Error) {
	return false, at.WrongType(v, jsonvalue.KindString)
}

func newDocumentsQuery() documentsQuery {
	return documentsQuery{DocumentsRequest: api.DocumentsRequest{Limit: 20}}
}

func (h *Handlers) serveDocuments(x *routing.Exchange) error {
	q := newDocumentsQuery()
	if err := routing.ReadQuery(x, documentsParameters, &q); err != nil {
		return err
	}
	return h.listDocuments(x, &q)
}

func (h *Handlers) serveFetchDocuments(x *routing.Exchange) error {
	q := newDocumentsQuery()
	if err := routing.ReadBody(x, documentsFields, &q); err != nil {
		return err
	}
	return h.listDocuments(x, &q)
}

func (h *Handlers) listDocuments(x *routing.Exchange, q *documentsQuery) error {
	uid, err := x.IndexUID()
	if err != nil {
		return err
	}
	features := x.Features()
	if q.useNetwork && !features.Network {
		return apierr.FeatureNotEnabled("passing `useNetwork` in a documents query", "network", 805)
	}
	if q.ids != nil {
		if q.IDs, err = documentIDs(q.ids); err != nil {
			return err
		}
	}
	q.Filter = q.filter
	if !features.DisableDocumentsFetchQueue {
		if err := x.Admit(); err != nil {
			return err
		}
	}
	found, err := h.Documents.Documents(x.Context(), uid, &q.DocumentsRequest)
	if err != nil {
		return err
	}
	each := func(dst []byte, i int) []byte { return append(dst, found.Documents[i]...) }
	return x.Respond(http.StatusOK, api.AppendPage(x.Buffer(), len(found.Documents), each, q.Offset, q.Limit, found.Total))
}

// documentIDs checks a list of ids. An error names the position.
func documentIDs(values []jsonvalue.Value) ([]string, error) {
	ids := make([]string, 0, len(values))
	for i := range values {
		id, err := payload.IDOf(&values[i])
		if err != nil {
			return nil, apierr.New(apierr.CodeInvalidDocumentIDs, "In `.ids["+strconv.Itoa(i)+"]`: "+err.Message)
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// documentQuery is the query string of GET /documents/{id}.
type documentQuery struct {
	fields     []string
	vectors    bool
	useNetwork bool
}

var documentParameters = decode.NewObject(
	decode.Plain("fields", apierr.CodeInvalidDocumentFields, decode.QueryStarList(decode.String), func(q *documentQuery) *[]string { return &q.fields }),
	decode.Plain("retrieveVectors", apierr.CodeInvalidDocumentRetrieveVectors, decode.QueryBool, func(q *documentQuery) *bool { return &q.vectors }),
	decode.Plain("useNetwork", apierr.CodeInvalidDocumentUseNetwork, neverNetwork, func(q *documentQuery) *bool { return &q.useNetwork }),
)

func (h *Handlers) serveDocument(x *routing.Exchange) error {
	var q documentQuery
	if err := routing.ReadQuery(x, documentParameters, &q); err != nil {
		return err
	}
	uid, err := x.IndexUID()
	if err != nil {
		return err
	}
	doc, err := h.Documents.Document(x.Context(), uid, x.Param(1), q.fields, q.vectors)
	if err != nil {
		return err
	}
	return x.Respond(http.StatusOK, append(x.Buffer(), doc...))
}

// deletion reads what all deletions have in common.
func deletion(x *routing.Exchange) (uid string, metadata *string, err error) {
	if metadata, err = routing.ReadMetadata(x); err != nil {
		return "", nil, err
	}
	uid, err = x.IndexUID()
	return uid, metadata, err
}

func (h *Handlers) serveDeleteDocument(x *routing.Exchange) error {
	uid, metadata, err := deletion(x)
	if err != nil {
		return err
	}
	return x.Enqueued(http.StatusAccepted)(h.Writes.DeleteDocuments(x.Context(), uid, []string{x.Param(1)}, metadata))
}

func (h *Handlers) serveClearDocuments(x *routing.Exchange) error {
	uid, metadata, err := deletion(x)
	if err != nil {
		return err
	}
	return x.Enqueued(http.StatusAccepted)(h.Writes.ClearDocuments(x.Context(), uid, metadata))
}

// serveDeleteBatch accepts an array of any values. Strings are ids; any other value stands
// for its JSON text.
func (h *Handlers) serveDeleteBatch(x *routing.Exchange) error {
	data, err := x.JSONBody()
	if err != nil {
		return err
	}
	if text, wrong := payload.NotAKind(data, '[', "a sequence"); wrong {
		return apierr.New(apierr.CodeBadRequest, "Json deserialize error: "+text)
	}
	v, err := routing.ParseBody(data, routing.BodyTreeRoom)
	if err != nil {
		return err
	}
	uid, metadata, err := deletion(x)
	if err != nil {
		return err
	}
	ids := make([]string, 0, v.Len())
	for i := range v.Members() {
		id := &v.Members()[i].Value
		if id.Kind() == jsonvalue.KindString {
			ids = append(ids, id.String())
		} else {
			ids = append(ids, id.JSON())
		}
	}
	return x.Enqueued(http.StatusAccepted)(h.Writes.DeleteDocuments(x.Context(), uid, ids, metadata))
}

var deleteByFilterFields = decode.NewObject(
	decode.Plain("filter", apierr.CodeInvalidDocumentFilter, decode.Any, func(v *jsonvalue.Value) *jsonvalue.Value { return v }).Required(apierr.CodeMissingDocumentFilter),
)

func (h *Handlers) serveDeleteByFilter(x *routing.Exchange) error {
	var filter jsonvalue.Value
	metadata, err := routing.ReadMetadataAndBody(x, deleteByFilterFields, &filter)
	if err != nil {
		return err
	}
	uid, err := x.IndexUID()
	if err != nil {
		return err
	}
	if filter.IsNull() {
		return apierr.New(apierr.CodeInvalidDocumentFilter, apierr.FilterTextType("String, Array", "null"))
	}
	empty, refused := checkWriteFilter(x, &filter)
	if refused != nil {
		return refused
	}
	if empty {
		return apierr.EmptyFilterForbidden()
	}
	return x.Enqueued(http.StatusAccepted)(h.Writes.DeleteByFilter(x.Context(), uid, filter.AppendJSON(nil), metadata))
}

// checkWriteFilter refuses a filter with wrong syntax, or with operators that are off or
// impossible in writes. empty tells that it filters nothing, which writes forbid.
func checkWriteFilter(x *routing.Exchange, v *jsonvalue.Value) (empty bool, _ *apierr.Error) {
	parsed, err := filter.ParseFilterValue(v)
	if err != nil {
		return false, err.API(apierr.CodeInvalidDocumentFilter)
	}
	if parsed == nil {
		return true, nil
	}
	if err := parsed.CheckGates(filter.GatesOf(x.Features())); err != nil {
		return false, err.API(apierr.CodeInvalidDocumentFilter)
	}
	if err := parsed.RefuseForeign(); err != nil {
		return false, err.API(apierr.CodeInvalidDocumentFilter)
	}
	return false, nil
}

// Documents reads documents.
type Documents interface {
	// Documents lists documents. It checks, in the order of spec write-api 9.3: syntax of
	// sort, index, filter, sort attributes. The codes are invalid_document_filter and
	// invalid_document_sort.
	Documents(ctx context.Context, uid string, r *api.DocumentsRequest) (*api.DocumentsPage, error)
	// Document returns one document as a JSON object, or apierr.DocumentNotFound. fields
	// are as in api.DocumentsRequest.
	Document(ctx context.Context, uid, id string, fields []string, vectors bool) ([]byte, error)
}

// Writes enqueue one task each. Index uids must be valid; the task checks whether the index
// exists.
type Writes interface {
	// AddDocuments reads the upload to its end. Malformed content enqueues nothing.
	AddDocuments(ctx context.Context, up *payload.Upload) (*api.TaskSummary, error)
	// DeleteDocuments takes ids as text, valid or not.
	DeleteDocuments(ctx context.Context, uid string, ids []string, metadata *string) (*api.TaskSummary, error)
	// DeleteByFilter takes a non-empty filter with correct syntax.
	DeleteByFilter(ctx context.Context, uid string, filter []byte, metadata *string) (*api.TaskSummary, error)
	ClearDocuments(ctx context.Context, uid string, metadata *string) (*api.TaskSummary, error)
	EditDocuments(ctx context.Context, uid, function string, contextObject, filter json.RawMessage, metadata *string) (*api.TaskSummary, error)

	CreateIndex(ctx context.Context, uid string, primaryKey *string) (*api.TaskSummary, error)
	UpdateIndex(ctx context.Context, uid string, primaryKey, newUID *string) (*api.TaskSummary, error)
	DeleteIndex(ctx context.Context, uid string) (*api.TaskSummary, error)
	CompactIndex(ctx context.Context, uid string) (*api.TaskSummary, error)
	// SwapIndexes refuses a name that appears twice.
	SwapIndexes(ctx context.Context, swaps []api.SwapPair) (*api.TaskSummary, error)
	// UpdateSettings takes a checked patch. deletion: the request came from a DELETE route.
	// createIndex: the caller may create the index.
	UpdateSettings(ctx context.Context, uid string, patch *settings.Patch, deletion, createIndex bool) (*api.TaskSummary, error)
}

// documentSchema describes one document.
func documentSchema() jsonvalue.Value { return openapi.AnyObject() }

// idsSchema describes a list of document ids.
func idsSchema() jsonvalue.Value {
	return openapi.ArraySchema(jsonvalue.ObjectValue(openapi.Named("type", jsonvalue.ArrayOfStrings([]string{"string", "integer"}))))
}
