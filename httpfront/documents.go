package httpfront

import (
	"encoding/json"
	"net/http"
	"strconv"

	"shoal/api"
	"shoal/api/payload"
	"shoal/query/filter"
)

// documentsQuery is a list of documents as sent, before its ids are checked.
type documentsQuery struct {
	api.DocumentsRequest
	ids        []api.Value
	filter     json.RawMessage
	useNetwork bool
}

// documentsParameters is the form of GET /documents; documentsFields that of
// POST /documents/fetch (spec write-api 9.3).
var documentsParameters = api.NewObject(
	api.Plain("offset", api.CodeInvalidDocumentOffset, api.QueryUint, func(q *documentsQuery) *uint64 { return &q.Offset }),
	api.Plain("limit", api.CodeInvalidDocumentLimit, api.QueryUint, func(q *documentsQuery) *uint64 { return &q.Limit }),
	api.Plain("fields", api.CodeInvalidDocumentFields, api.QueryStarList(api.String), func(q *documentsQuery) *[]string { return &q.Fields }),
	api.Plain("retrieveVectors", api.CodeInvalidDocumentRetrieveVectors, api.QueryBool, func(q *documentsQuery) *bool { return &q.RetrieveVectors }),
	api.Plain("ids", api.CodeInvalidDocumentIDs, api.QueryList(api.Any), func(q *documentsQuery) *[]api.Value { return &q.ids }),
	api.Plain("filter", api.CodeInvalidDocumentFilter, queryFilter, func(q *documentsQuery) *json.RawMessage { return &q.filter }),
	api.Plain("sort", api.CodeInvalidDocumentSort, querySort, func(q *documentsQuery) *[]string { return &q.Sort }),
	api.Plain("useNetwork", api.CodeInvalidDocumentUseNetwork, neverNetwork, func(q *documentsQuery) *bool { return &q.useNetwork }),
)

var documentsFields = api.NewObject(
	api.Plain("offset", api.CodeInvalidDocumentOffset, api.Uint, func(q *documentsQuery) *uint64 { return &q.Offset }),
	api.Plain("limit", api.CodeInvalidDocumentLimit, api.Uint, func(q *documentsQuery) *uint64 { return &q.Limit }),
	api.Nullable("fields", api.CodeInvalidDocumentFields, api.Strings, func(q *documentsQuery) *[]string { return &q.Fields }),
	api.Plain("retrieveVectors", api.CodeInvalidDocumentRetrieveVectors, api.Bool, func(q *documentsQuery) *bool { return &q.RetrieveVectors }),
	api.Nullable("ids", api.CodeInvalidDocumentIDs, api.List(api.Any), func(q *documentsQuery) *[]api.Value { return &q.ids }),
	api.Nullable("filter", api.CodeInvalidDocumentFilter, rawValue, func(q *documentsQuery) *json.RawMessage { return &q.filter }),
	api.Nullable("sort", api.CodeInvalidDocumentSort, api.Strings, func(q *documentsQuery) *[]string { return &q.Sort }),
	api.Nullable("useNetwork", api.CodeInvalidDocumentUseNetwork, api.Bool, func(q *documentsQuery) *bool { return &q.useNetwork }),
)

func rawValue(_ *api.Loc, v *api.Value) (json.RawMessage, *api.Error) { return v.AppendJSON(nil), nil }

// neverNetwork refuses the parameter useNetwork of the query string, which the
// reference cannot read (spec write-api 9.1).
func neverNetwork(at *api.Loc, v *api.Value) (bool, *api.Error) {
	return false, at.WrongType(v, api.KindString)
}

func newDocumentsQuery() documentsQuery {
	return documentsQuery{DocumentsRequest: api.DocumentsRequest{Limit: 20}}
}

func serveDocuments(x *exchange) error {
	q := newDocumentsQuery()
	if err := readQuery(x, documentsParameters, &q); err != nil {
		return err
	}
	return x.listDocuments(&q)
}

func serveFetchDocuments(x *exchange) error {
	q := newDocumentsQuery()
	if err := readBody(x, documentsFields, &q); err != nil {
		return err
	}
	return x.listDocuments(&q)
}

func (x *exchange) listDocuments(q *documentsQuery) error {
	uid, err := x.indexUID()
	if err != nil {
		return err
	}
	features := x.features()
	if q.useNetwork && !features.Network {
		return api.FeatureNotEnabled("passing `useNetwork` in a documents query", "network", 805)
	}
	if q.ids != nil {
		if q.IDs, err = documentIDs(q.ids); err != nil {
			return err
		}
	}
	q.Filter = q.filter
	if !features.DisableDocumentsFetchQueue {
		if err := x.admit(); err != nil {
			return err
		}
	}
	found, err := x.server.ports.Documents.Documents(x.context(), uid, &q.DocumentsRequest)
	if err != nil {
		return err
	}
	each := func(dst []byte, i int) []byte { return append(dst, found.Documents[i]...) }
	return x.respond(http.StatusOK, api.AppendPage(x.body[:0], len(found.Documents), each, q.Offset, q.Limit, found.Total))
}

// documentIDs checks a list of ids; the error names the position.
func documentIDs(values []api.Value) ([]string, error) {
	ids := make([]string, 0, len(values))
	for i := range values {
		id, err := payload.IDOf(&values[i])
		if err != nil {
			return nil, api.NewError(api.CodeInvalidDocumentIDs, "In `.ids["+strconv.Itoa(i)+"]`: "+err.Message)
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// documentQuery is the form of GET /documents/{id}.
type documentQuery struct {
	fields     []string
	vectors    bool
	useNetwork bool
}

var documentParameters = api.NewObject(
	api.Plain("fields", api.CodeInvalidDocumentFields, api.QueryStarList(api.String), func(q *documentQuery) *[]string { return &q.fields }),
	api.Plain("retrieveVectors", api.CodeInvalidDocumentRetrieveVectors, api.QueryBool, func(q *documentQuery) *bool { return &q.vectors }),
	api.Plain("useNetwork", api.CodeInvalidDocumentUseNetwork, neverNetwork, func(q *documentQuery) *bool { return &q.useNetwork }),
)

func serveDocument(x *exchange) error {
	var q documentQuery
	if err := readQuery(x, documentParameters, &q); err != nil {
		return err
	}
	uid, err := x.indexUID()
	if err != nil {
		return err
	}
	doc, err := x.server.ports.Documents.Document(x.context(), uid, x.param(1), q.fields, q.vectors)
	if err != nil {
		return err
	}
	return x.respond(http.StatusOK, append(x.body[:0], doc...))
}

// metadataParameters is the query of routes that take nothing but a note for the
// task.
var metadataParameters = api.NewObject(
	api.Optional("customMetadata", api.CodeInvalidIndexCustomMetadata, api.String, func(m **string) **string { return m }),
)

// deletion reads what the deletions have in common.
func (x *exchange) deletion() (uid string, metadata *string, err error) {
	if err := readQuery(x, metadataParameters, &metadata); err != nil {
		return "", nil, err
	}
	uid, err = x.indexUID()
	return uid, metadata, err
}

func serveDeleteDocument(x *exchange) error {
	uid, metadata, err := x.deletion()
	if err != nil {
		return err
	}
	return x.enqueued(http.StatusAccepted)(x.server.ports.Writes.DeleteDocuments(x.context(), uid, []string{x.param(1)}, metadata))
}

func serveClearDocuments(x *exchange) error {
	uid, metadata, err := x.deletion()
	if err != nil {
		return err
	}
	return x.enqueued(http.StatusAccepted)(x.server.ports.Writes.ClearDocuments(x.context(), uid, metadata))
}

// serveDeleteBatch takes an array of anything: strings are ids, other values
// stand for their JSON text.
func serveDeleteBatch(x *exchange) error {
	data, err := x.jsonBody()
	if err != nil {
		return err
	}
	if text, wrong := payload.NotAKind(data, '[', "a sequence"); wrong {
		return api.NewError(api.CodeBadRequest, "Json deserialize error: "+text)
	}
	v, err := parseBody(data, bodyTreeRoom)
	if err != nil {
		return err
	}
	uid, metadata, err := x.deletion()
	if err != nil {
		return err
	}
	ids := make([]string, 0, v.Len())
	for i := range v.Members() {
		id := &v.Members()[i].Value
		if id.Kind() == api.KindString {
			ids = append(ids, id.String())
		} else {
			ids = append(ids, id.JSON())
		}
	}
	return x.enqueued(http.StatusAccepted)(x.server.ports.Writes.DeleteDocuments(x.context(), uid, ids, metadata))
}

var deleteByFilterFields = api.NewObject(
	api.Plain("filter", api.CodeInvalidDocumentFilter, api.Any, func(v *api.Value) *api.Value { return v }).Required(api.CodeMissingDocumentFilter),
)

func serveDeleteByFilter(x *exchange) error {
	var filter api.Value
	if err := readBody(x, deleteByFilterFields, &filter); err != nil {
		return err
	}
	uid, metadata, err := x.deletion()
	if err != nil {
		return err
	}
	if filter.IsNull() {
		return api.NewError(api.CodeInvalidDocumentFilter, api.FilterTextType("String, Array", "null"))
	}
	empty, refused := checkWriteFilter(x, &filter)
	if refused != nil {
		return refused
	}
	if empty {
		return api.EmptyFilterForbidden()
	}
	return x.enqueued(http.StatusAccepted)(x.server.ports.Writes.DeleteByFilter(x.context(), uid, filter.AppendJSON(nil), metadata))
}

// checkWriteFilter refuses a filter of wrong syntax or of operators that are off
// or not possible in writes; empty tells that it filters nothing, which writes
// forbid.
func checkWriteFilter(x *exchange, v *api.Value) (empty bool, _ *api.Error) {
	parsed, err := filter.ParseFilterValue(v)
	if err != nil {
		return false, err.API(api.CodeInvalidDocumentFilter)
	}
	if parsed == nil {
		return true, nil
	}
	f := x.features()
	gates := filter.Gates{ContainsFilter: f.ContainsFilter, ForeignKeys: f.ForeignKeys, Network: f.Network, Multimodal: f.Multimodal}
	if err := parsed.CheckGates(gates); err != nil {
		return false, err.API(api.CodeInvalidDocumentFilter)
	}
	if err := parsed.RefuseForeign(); err != nil {
		return false, err.API(api.CodeInvalidDocumentFilter)
	}
	return false, nil
}
