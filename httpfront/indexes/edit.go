package indexes

import (
	"encoding/json"
	"net/http"

	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
	"shoal/httpfront/routing"
	"shoal/query/script"
)

// edition is the body of POST /documents/edit (spec write-api 11).
type edition struct {
	filter, context *jsonvalue.Value
	function        string
}

var editionFields = decode.NewObject(
	decode.Optional("filter", apierr.CodeInvalidDocumentFilter, decode.Any, func(e *edition) **jsonvalue.Value { return &e.filter }),
	decode.Optional("context", apierr.CodeInvalidDocumentEditionContext, decode.Any, func(e *edition) **jsonvalue.Value { return &e.context }),
	decode.Plain("function", apierr.CodeInvalidDocumentEditionFunctionFilter, decode.String, func(e *edition) *string { return &e.function }).Required(apierr.CodeMissingDocumentEditionFunction),
)

// serveEditDocuments enqueues an edit by function. As in the reference, the function must
// compile first, then the filter must be well-formed.
func (h *Handlers) serveEditDocuments(x *routing.Exchange) error {
	var body edition
	metadata, err := routing.ReadMetadataAndBody(x, editionFields, &body)
	if err != nil {
		return err
	}
	if !x.Features().EditDocumentsByFunction {
		return apierr.FeatureNotEnabled("Using the documents edit route", "edit documents by function", 762)
	}
	uid, err := x.IndexUID()
	if err != nil {
		return err
	}
	if _, err := script.Compile(body.function); err != nil {
		return apierr.New(apierr.CodeBadRequest, err.Error())
	}
	var filter, contextObject json.RawMessage
	if body.filter != nil {
		empty, refused := checkWriteFilter(x, body.filter)
		if refused != nil {
			return apierr.InIndex(uid, refused)
		}
		if empty {
			return apierr.EmptyFilterForbidden()
		}
		filter = body.filter.AppendJSON(nil)
	}
	if body.context != nil {
		if body.context.Kind() != jsonvalue.KindObject {
			return apierr.New(apierr.CodeInvalidDocumentEditionContext, "The context must be an object")
		}
		contextObject = body.context.AppendJSON(nil)
	}
	return x.Enqueued(http.StatusAccepted)(h.Writes.EditDocuments(x.Context(), uid, body.function, contextObject, filter, metadata))
}
