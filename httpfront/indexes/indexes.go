package indexes

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
	"shoal/api/settings"
	"shoal/httpfront/auth"
	"shoal/httpfront/openapi"
	"shoal/httpfront/routing"
)

// IndexRoutes are the rows of indexes.
func (h *Handlers) IndexRoutes() []routing.Route {
	const index = "/indexes/{index_uid}"
	return []routing.Route{
		{Method: "GET", Pattern: "/indexes", Actions: []string{"indexes.get"}, Serve: h.serveIndexes, Query: indexListParameters},
		{Method: "POST", Pattern: "/indexes", Actions: []string{"indexes.create"}, Serve: h.serveCreateIndex, Leased: true, Enqueues: true, Body: indexCreationFields},
		{Method: "GET", Pattern: index, Actions: []string{"indexes.get"}, Serve: h.serveIndex, OnIndex: true},
		{Method: "PATCH", Pattern: index, Actions: []string{"indexes.update"}, Serve: h.serveUpdateIndex, OnIndex: true, Leased: true, Enqueues: true, Body: indexChangeFields},
		{Method: "DELETE", Pattern: index, Actions: []string{"indexes.delete"}, Serve: h.serveDeleteIndex, OnIndex: true, Leased: true, Enqueues: true},
		{Method: "POST", Pattern: index + "/compact", Actions: []string{"indexes.compact"}, Serve: h.serveCompactIndex, OnIndex: true, Leased: true, Enqueues: true, NoBody: true},
		{Method: "POST", Pattern: index + "/fields", Actions: []string{"fields.post"}, Serve: h.serveFields, OnIndex: true, Body: fieldsFields},
		{Method: "POST", Pattern: "/swap-indexes", Actions: []string{"indexes.swap"}, Serve: h.serveSwapIndexes, Leased: true, Enqueues: true, Schema: swapSchema},
	}
}

// page are the parameters of lists cut by offset and limit.
type page struct{ offset, limit uint64 }

func offsetOf[S any](slot func(*S) *page) func(*S) *uint64 {
	return func(s *S) *uint64 { return &slot(s).offset }
}

func limitOf[S any](slot func(*S) *page) func(*S) *uint64 {
	return func(s *S) *uint64 { return &slot(s).limit }
}

func self[S any](s *S) *S { return s }

var indexListParameters = decode.NewObject(
	decode.Plain("offset", apierr.CodeInvalidIndexOffset, decode.QueryUint, offsetOf(self[page])),
	decode.Plain("limit", apierr.CodeInvalidIndexLimit, decode.QueryUint, limitOf(self[page])),
)

func (h *Handlers) serveIndexes(x *routing.Exchange) error {
	p := page{limit: 20}
	if err := routing.ReadQuery(x, indexListParameters, &p); err != nil {
		return err
	}
	list, total, err := h.Indexes.Indexes(x.Context(), x.Auth.Indexes(), p.offset, p.limit)
	if err != nil {
		return err
	}
	each := func(dst []byte, i int) []byte { return list[i].AppendJSON(dst) }
	return x.Respond(http.StatusOK, api.AppendPage(x.Buffer(), len(list), each, p.offset, p.limit, total))
}

func (h *Handlers) serveIndex(x *routing.Exchange) error {
	uid, err := x.IndexUID()
	if err != nil {
		return err
	}
	return x.Show(h.Indexes.Index(x.Context(), uid))
}

// indexCreation is the body of POST /indexes.
type indexCreation struct {
	uid        string
	primaryKey *string
}

var indexCreationFields = decode.NewObject(
	decode.Plain("uid", apierr.CodeInvalidIndexUID, decode.IndexUID, func(b *indexCreation) *string { return &b.uid }).Required(apierr.CodeMissingIndexUID),
	decode.Optional("primaryKey", apierr.CodeInvalidIndexPrimaryKey, decode.String, func(b *indexCreation) **string { return &b.primaryKey }),
)

func (h *Handlers) serveCreateIndex(x *routing.Exchange) error {
	var body indexCreation
	if err := routing.ReadBody(x, indexCreationFields, &body); err != nil {
		return err
	}
	if !x.Auth.Allows(body.uid) {
		return auth.ErrInvalidKey
	}
	return x.Enqueued(http.StatusAccepted)(h.Writes.CreateIndex(x.Context(), body.uid, body.primaryKey))
}

// indexChange is the body of PATCH /indexes/{uid}.
type indexChange struct{ primaryKey, uid *string }

var indexChangeFields = decode.NewObject(
	decode.Optional("primaryKey", apierr.CodeInvalidIndexPrimaryKey, decode.String, func(b *indexChange) **string { return &b.primaryKey }),
	decode.Optional("uid", apierr.CodeInvalidIndexUID, decode.String, func(b *indexChange) **string { return &b.uid }),
	decode.Immutable[indexChange]("createdAt", apierr.CodeImmutableIndexCreatedAt),
	decode.Immutable[indexChange]("updatedAt", apierr.CodeImmutableIndexUpdatedAt),
)

func (h *Handlers) serveUpdateIndex(x *routing.Exchange) error {
	var body indexChange
	if err := routing.ReadBody(x, indexChangeFields, &body); err != nil {
		return err
	}
	uid, err := x.IndexUID()
	if err != nil {
		return err
	}
	if body.uid != nil && !apierr.ValidIndexUID(*body.uid) {
		return apierr.InvalidIndexUID(*body.uid)
	}
	// The reference forgets this check (spec write-api 18 row 6): a key must not move an
	// index out of its own patterns.
	if body.uid != nil && !x.Auth.Allows(*body.uid) {
		return auth.ErrInvalidKey
	}
	return x.Enqueued(http.StatusAccepted)(h.Writes.UpdateIndex(x.Context(), uid, body.primaryKey, body.uid))
}

func (h *Handlers) serveDeleteIndex(x *routing.Exchange) error {
	uid, err := x.IndexUID()
	if err != nil {
		return err
	}
	return x.Enqueued(http.StatusAccepted)(h.Writes.DeleteIndex(x.Context(), uid))
}

func (h *Handlers) serveCompactIndex(x *routing.Exchange) error {
	uid, err := x.IndexUID()
	if err != nil {
		return err
	}
	return x.Enqueued(http.StatusAccepted)(h.Writes.CompactIndex(x.Context(), uid))
}

// swapElement is one element of POST /swap-indexes as sent.
type swapElement struct {
	indexes []string
	rename  bool
}

var swapFields = decode.NewObject(
	decode.Plain("indexes", apierr.CodeInvalidSwapIndexes, decode.List(decode.IndexUID), func(e *swapElement) *[]string { return &e.indexes }).Required(apierr.CodeMissingSwapIndexes),
	decode.Plain("rename", apierr.CodeInvalidSwapRename, decode.Bool, func(e *swapElement) *bool { return &e.rename }),
)

func decodeSwaps(at *decode.Loc, v *jsonvalue.Value, list *[]swapElement) (err *apierr.Error) {
	*list, err = decode.List(swapFields.Read)(at, v)
	return err
}

func (h *Handlers) serveSwapIndexes(x *routing.Exchange) error {
	var elements []swapElement
	if err := routing.ReadBodyAs(x, apierr.CodeBadRequest, decodeSwaps, &elements); err != nil {
		return err
	}
	swaps := make([]api.SwapPair, 0, len(elements))
	for _, e := range elements {
		if len(e.indexes) != 2 {
			return apierr.New(apierr.CodeInvalidSwapIndexes, "Two indexes must be given for each swap. The list `["+
				quoted(e.indexes)+"]` contains "+strconv.Itoa(len(e.indexes))+" indexes.")
		}
		if !x.Auth.Allows(e.indexes[0]) || !x.Auth.Allows(e.indexes[1]) {
			return auth.ErrInvalidKey
		}
		swaps = append(swaps, api.SwapPair{Indexes: [2]string(e.indexes), Rename: e.rename})
	}
	return x.Enqueued(http.StatusAccepted)(h.Writes.SwapIndexes(x.Context(), swaps))
}

// quoted lists names as "a", "b".
func quoted(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return `"` + strings.Join(names, `", "`) + `"`
}

// Indexes reads the metadata of indexes. For unknown names it returns apierr.IndexNotFound.
type Indexes interface {
	// Indexes lists a page of the indexes that match the patterns (nil = all), by uid, and
	// their total number.
	Indexes(ctx context.Context, authorized []string, offset, limit uint64) (page []api.Index, total uint64, err error)
	Index(ctx context.Context, uid string) (*api.Index, error)
	// IndexSettings returns the effective settings. They are shared and must not be
	// modified.
	IndexSettings(ctx context.Context, uid string) (*settings.Settings, error)
	// IndexFields lists the names of all fields that documents have had so far, nested ones
	// included ("a.b"), in any order, and the settings in force.
	IndexFields(ctx context.Context, uid string) ([]string, *settings.Settings, error)
}

// swapSchema describes a list of swaps.
func swapSchema() jsonvalue.Value {
	return openapi.ArraySchema(openapi.ObjectSchema(swapFields.Describe()))
}
