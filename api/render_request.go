package api

import (
	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
)

// RenderRequest is the body of POST /render-template (spec search-api 15).
type RenderRequest struct {
	Template RenderTemplate
	Input    *RenderInput
}

// RenderTemplate names the template to render. Kind decides which other members are
// required and which are forbidden.
type RenderTemplate struct {
	Kind                         string
	IndexUID, Embedder, Fragment *string
	Inline                       *jsonvalue.Value
	MaxBytes                     *uint64
}

// RenderInput is the data that the template is rendered with.
type RenderInput struct {
	Kind         string
	IndexUID, ID *string
	Inline       *jsonvalue.Value
}

// Kinds of templates and inputs.
const (
	RenderDocumentTemplate       = "documentTemplate"
	RenderChatTemplate           = "chatDocumentTemplate"
	RenderIndexingFragment       = "indexingFragment"
	RenderSearchFragment         = "searchFragment"
	RenderInlineDocumentTemplate = "inlineDocumentTemplate"
	RenderInlineFragment         = "inlineFragment"

	RenderIndexDocument  = "indexDocument"
	RenderInlineDocument = "inlineDocument"
	RenderInlineSearch   = "inlineSearch"
)

var renderTemplateFields = decode.NewObject(
	decode.Plain("kind", apierr.Code{}, decode.OneOf(RenderDocumentTemplate, RenderChatTemplate, RenderIndexingFragment, RenderSearchFragment,
		RenderInlineDocumentTemplate, RenderInlineFragment), func(t *RenderTemplate) *string { return &t.Kind }).Required(apierr.Code{}),
	decode.Optional("indexUid", apierr.Code{}, decode.IndexUID, func(t *RenderTemplate) **string { return &t.IndexUID }),
	decode.Optional("embedder", apierr.Code{}, decode.String, func(t *RenderTemplate) **string { return &t.Embedder }),
	decode.Optional("fragment", apierr.Code{}, decode.String, func(t *RenderTemplate) **string { return &t.Fragment }),
	decode.Optional("inline", apierr.Code{}, decode.Any, func(t *RenderTemplate) **jsonvalue.Value { return &t.Inline }),
	decode.Optional("documentTemplateMaxBytes", apierr.Code{}, decode.NonZero, func(t *RenderTemplate) **uint64 { return &t.MaxBytes }),
)

var renderInputFields = decode.NewObject(
	decode.Plain("kind", apierr.Code{}, decode.OneOf(RenderIndexDocument, RenderInlineDocument, RenderInlineSearch),
		func(i *RenderInput) *string { return &i.Kind }).Required(apierr.Code{}),
	decode.Optional("indexUid", apierr.Code{}, decode.IndexUID, func(i *RenderInput) **string { return &i.IndexUID }),
	decode.Optional("id", apierr.Code{}, decode.String, func(i *RenderInput) **string { return &i.ID }),
	decode.Optional("inline", apierr.Code{}, decode.Any, func(i *RenderInput) **jsonvalue.Value { return &i.Inline }),
)

// RenderFields is the table of the body of POST /render-template.
var RenderFields = decode.NewObject(
	decode.Plain("template", apierr.CodeInvalidRenderTemplate, renderTemplateFields.Read,
		func(r *RenderRequest) *RenderTemplate { return &r.Template }).Required(apierr.Code{}),
	decode.Optional("input", apierr.CodeInvalidRenderInput, renderInputFields.Read,
		func(r *RenderRequest) **RenderInput { return &r.Input }),
)
