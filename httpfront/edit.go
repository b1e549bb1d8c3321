package httpfront

import (
	"encoding/json"
	"net/http"

	"shoal/api"
	"shoal/query/script"
)

// edition is the body of POST /documents/edit (spec write-api 11).
type edition struct {
	filter, context *api.Value
	function        string
}

var editionFields = api.NewObject(
	api.Optional("filter", api.CodeInvalidDocumentFilter, api.Any, func(e *edition) **api.Value { return &e.filter }),
	api.Optional("context", api.CodeInvalidDocumentEditionContext, api.Any, func(e *edition) **api.Value { return &e.context }),
	api.Plain("function", api.CodeInvalidDocumentEditionFunctionFilter, api.String, func(e *edition) *string { return &e.function }).Required(api.CodeMissingDocumentEditionFunction),
)

// serveEditDocuments enqueues an edition by function. The order of checks is
// upstream's: the function must compile, then the filter must be well formed.
func serveEditDocuments(x *exchange) error {
	var body edition
	if err := readBody(x, editionFields, &body); err != nil {
		return err
	}
	if !x.features().EditDocumentsByFunction {
		return api.FeatureNotEnabled("Using the documents edit route", "edit documents by function", 762)
	}
	uid, metadata, err := x.deletion()
	if err != nil {
		return err
	}
	if _, err := script.Compile(body.function); err != nil {
		return api.NewError(api.CodeBadRequest, err.Error())
	}
	var filter, contextObject json.RawMessage
	if body.filter != nil {
		empty, refused := checkWriteFilter(x, body.filter)
		if refused != nil {
			return api.InIndex(uid, refused)
		}
		if empty {
			return api.EmptyFilterForbidden()
		}
		filter = body.filter.AppendJSON(nil)
	}
	if body.context != nil {
		if body.context.Kind() != api.KindObject {
			return api.NewError(api.CodeInvalidDocumentEditionContext, "The context must be an object")
		}
		contextObject = body.context.AppendJSON(nil)
	}
	return x.enqueued(http.StatusAccepted)(x.server.ports.Writes.EditDocuments(x.context(), uid, body.function, contextObject, filter, metadata))
}
