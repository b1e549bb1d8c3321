package indexes

import (
	"errors"
	"strconv"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/jsonvalue"
	"shoal/api/settings"
	"shoal/embed/prompt"
	"shoal/query"
)

// input is the document or search that a template is rendered with.
type input struct {
	document *jsonvalue.Value
	// searchable tells which fields of an index's document are searched. It is nil for
	// other documents.
	searchable func(name string) bool
	q          *string
	media      *jsonvalue.Value
}

// render renders the compiled template.
func (r *rendering) render(i *api.RenderInput) (jsonvalue.Value, error) {
	var settings *settings.Settings
	if i.IndexUID != nil {
		var err error
		if settings, err = r.settingsOf(*i.IndexUID); err != nil {
			return jsonvalue.Value{}, inStage("Cannot open index `"+*i.IndexUID+"`: ", err)
		}
	}
	in, err := r.fetchInput(i, settings)
	if err != nil {
		return jsonvalue.Value{}, inStage("error while fetching input: ", err)
	}
	out, err := r.renderWith(in)
	if gone := r.Context().Err(); gone != nil {
		return jsonvalue.Value{}, gone
	}
	if err != nil {
		return jsonvalue.Value{}, apierr.New(apierr.CodeTemplateRenderingError, "error while rendering template: "+err.Error())
	}
	return out, nil
}

var errSearchTemplate = errors.New("cannot render a document template with a search query")

func (r *rendering) renderWith(in *input) (jsonvalue.Value, error) {
	switch {
	case r.json != nil && in.document != nil:
		return r.json.Document(r.Context(), in.document)
	case r.json != nil:
		return r.json.Search(r.Context(), in.q, in.media)
	case in.document == nil:
		return jsonvalue.Value{}, errSearchTemplate
	}
	text, err := r.text.Document(r.Context(), in.document, in.searchable)
	if errors.Is(err, prompt.ErrBudget) {
		return jsonvalue.Value{}, errors.New("user error: " + err.Error())
	}
	if err != nil {
		return jsonvalue.Value{}, errors.New("user error: missing field in document: " + err.Error())
	}
	return jsonvalue.StringValue(text), nil
}

// fetchInput reads the document or search. settings are those of the index that the input
// names, or nil.
func (r *rendering) fetchInput(i *api.RenderInput, settings *settings.Settings) (*input, error) {
	if i.Kind == api.RenderInlineSearch && !r.Features().Multimodal {
		return nil, apierr.FeatureNotEnabled("rendering search", "multimodal", 846)
	}
	index, id := member{"indexUid", i.IndexUID != nil, true}, member{"id", i.ID != nil, true}
	inline := member{"inline", i.Inline != nil, false}
	if i.Kind == api.RenderIndexDocument {
		if err := check(i.Kind, invalidInput, index, id, inline); err != nil {
			return nil, err
		}
		return r.fetchDocument(*i.IndexUID, *i.ID, settings)
	}
	index.name, index.required, id.required, inline.required = "index_uid", false, false, true
	if err := check(i.Kind, invalidInput, index, id, inline); err != nil {
		return nil, err
	}
	if i.Kind == api.RenderInlineDocument {
		if i.Inline.Kind() != jsonvalue.KindObject {
			return nil, invalidInput("parsing inline document: " + notMap(i.Inline) + "\n  - Note: the inline document must be a JSON map")
		}
		return &input{document: i.Inline}, nil
	}
	return inlineSearch(i.Inline)
}

func inlineSearch(v *jsonvalue.Value) (*input, error) {
	if v.Kind() != jsonvalue.KindObject {
		return nil, invalidInput("parsing inline search: " + notMap(v) + "\n  - Note: the inline search query must be a JSON map containing `q` and/or `media`")
	}
	in := &input{media: v.Get("media")}
	if q := v.Get("q"); q != nil {
		if q.Kind() != jsonvalue.KindString {
			return nil, invalidInput("`q` is not a string")
		}
		text := q.String()
		in.q = &text
	}
	return in, nil
}

func (r *rendering) fetchDocument(uid, id string, settings *settings.Settings) (*input, error) {
	raw, err := r.h.Documents.Document(r.Context(), uid, id, nil, false)
	var client *apierr.Error
	if errors.As(err, &client) && client.Code.Name == apierr.CodeDocumentNotFound.Name {
		return nil, apierr.New(apierr.CodeRenderDocumentNotFound, "document `"+id+"` not found in `"+uid+"`")
	}
	if err != nil {
		return nil, err
	}
	doc, err := jsonvalue.Parse(raw)
	if err != nil {
		return nil, err
	}
	return &input{document: &doc, searchable: query.NewWeights(settings).Searches}, nil
}

// notMap is the reference's text about a value that should be an object.
func notMap(v *jsonvalue.Value) string {
	text := v.JSON()
	found := ""
	switch v.Kind() {
	case jsonvalue.KindBool:
		found = "boolean `" + text + "`"
	case jsonvalue.KindPositive, jsonvalue.KindNegative:
		found = "integer `" + text + "`"
	case jsonvalue.KindFloat:
		found = "floating point `" + text + "`"
	case jsonvalue.KindString:
		found = "string " + strconv.Quote(v.String())
	case jsonvalue.KindArray:
		return "invalid type: sequence, expected a map at line 1 column 0"
	default:
		found = "null"
	}
	return "invalid type: " + found + ", expected a map at line 1 column " + strconv.Itoa(len(text))
}
