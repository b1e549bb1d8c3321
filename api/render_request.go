package api

// RenderRequest is the body of POST /render-template (spec search-api 15).
type RenderRequest struct {
	Template RenderTemplate
	Input    *RenderInput
}

// RenderTemplate says which template is rendered; Kind decides which of the other
// members must be given and which may not.
type RenderTemplate struct {
	Kind                         string
	IndexUID, Embedder, Fragment *string
	Inline                       *Value
	MaxBytes                     *uint64
}

// RenderInput says what the template is rendered with.
type RenderInput struct {
	Kind         string
	IndexUID, ID *string
	Inline       *Value
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

var renderTemplateFields = NewObject(
	Plain("kind", Code{}, OneOf(RenderDocumentTemplate, RenderChatTemplate, RenderIndexingFragment, RenderSearchFragment,
		RenderInlineDocumentTemplate, RenderInlineFragment), func(t *RenderTemplate) *string { return &t.Kind }).Required(Code{}),
	Optional("indexUid", Code{}, IndexUID, func(t *RenderTemplate) **string { return &t.IndexUID }),
	Optional("embedder", Code{}, String, func(t *RenderTemplate) **string { return &t.Embedder }),
	Optional("fragment", Code{}, String, func(t *RenderTemplate) **string { return &t.Fragment }),
	Optional("inline", Code{}, Any, func(t *RenderTemplate) **Value { return &t.Inline }),
	Optional("documentTemplateMaxBytes", Code{}, NonZero, func(t *RenderTemplate) **uint64 { return &t.MaxBytes }),
)

var renderInputFields = NewObject(
	Plain("kind", Code{}, OneOf(RenderIndexDocument, RenderInlineDocument, RenderInlineSearch),
		func(i *RenderInput) *string { return &i.Kind }).Required(Code{}),
	Optional("indexUid", Code{}, IndexUID, func(i *RenderInput) **string { return &i.IndexUID }),
	Optional("id", Code{}, String, func(i *RenderInput) **string { return &i.ID }),
	Optional("inline", Code{}, Any, func(i *RenderInput) **Value { return &i.Inline }),
)

// RenderFields is the table of the body of POST /render-template.
var RenderFields = NewObject(
	Plain("template", CodeInvalidRenderTemplate, renderTemplateFields.As(func() RenderTemplate { return RenderTemplate{} }),
		func(r *RenderRequest) *RenderTemplate { return &r.Template }).Required(Code{}),
	Optional("input", CodeInvalidRenderInput, renderInputFields.As(func() RenderInput { return RenderInput{} }),
		func(r *RenderRequest) **RenderInput { return &r.Input }),
)
