package indexes

import (
	"errors"
	"net/http"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
	"shoal/api/settings"
	"shoal/embed/prompt"
	"shoal/httpfront/routing"
)

// RenderRoutes is the row for rendering templates.
func (h *Handlers) RenderRoutes() []routing.Route {
	return []routing.Route{
		{Method: "POST", Pattern: "/render-template", Actions: []string{"settings.get", "documents.get"}, Serve: h.serveRenderTemplate, Body: api.RenderFields},
	}
}

// serveRenderTemplate renders a template with a document or a search (spec search-api 15).
// Its checks are in the reference's order.
func (h *Handlers) serveRenderTemplate(x *routing.Exchange) error {
	var body api.RenderRequest
	if err := routing.ReadBody(x, api.RenderFields, &body); err != nil {
		return err
	}
	if err := renderGate(x.Features()); err != nil {
		return err
	}
	r := &rendering{Exchange: x, h: h}
	if err := r.fetchTemplate(&body.Template); err != nil {
		return inStage("error while fetching template: ", err)
	}
	out := r.shown.AppendJSON(append(x.Buffer(), `{"template":`...))
	out = append(out, `,"rendered":`...)
	if body.Input == nil {
		return x.Respond(http.StatusOK, append(out, "null}"...))
	}
	rendered, err := r.render(body.Input)
	if err != nil {
		return err
	}
	return x.Respond(http.StatusOK, append(rendered.AppendJSON(out), '}'))
}

func renderGate(f settings.Features) *apierr.Error {
	if f.RenderRoute {
		return nil
	}
	return apierr.FeatureNotEnabled("calling the /render-template route", "render_route", 888)
}

// inStage names the stage before a client error.
func inStage(stage string, err error) error {
	var client *apierr.Error
	if errors.As(err, &client) {
		return apierr.New(client.Code, stage+client.Message)
	}
	return err
}

// rendering is one request of this kind.
type rendering struct {
	*routing.Exchange
	h *Handlers
	// shown is the template as written. Its compiled form is in text or json.
	shown jsonvalue.Value
	text  *prompt.Template
	json  *prompt.JSON
}

func invalidTemplate(text string) *apierr.Error {
	return apierr.New(apierr.CodeInvalidRenderTemplate, text)
}
func invalidInput(text string) *apierr.Error { return apierr.New(apierr.CodeInvalidRenderInput, text) }

// member is one member of a template or input. Its kind either requires or forbids it.
type member struct {
	name     string
	given    bool
	required bool
}

// check refuses the first member that is missing or forbidden.
func check(kind string, refuse func(string) *apierr.Error, list ...member) error {
	for _, p := range list {
		switch {
		case p.given && !p.required:
			return refuse("parameter `" + p.name + "` disallowed for kind `" + kind + "`")
		case !p.given && p.required:
			return refuse("parameter `" + p.name + "` missing for kind `" + kind + "`")
		}
	}
	return nil
}

// fetchTemplate finds the template and compiles it.
func (r *rendering) fetchTemplate(t *api.RenderTemplate) error {
	if err := r.gateTemplate(t.Kind); err != nil {
		return err
	}
	index, embedder := member{"index_uid", t.IndexUID != nil, true}, member{"embedder", t.Embedder != nil, true}
	fragment, inline := member{"fragment", t.Fragment != nil, true}, member{"inline", t.Inline != nil, true}
	limit := member{"document_template_max_bytes", t.MaxBytes != nil, false}
	not := func(p member) member { p.required = false; return p }
	var err error
	switch t.Kind {
	case api.RenderDocumentTemplate:
		err = check(t.Kind, invalidTemplate, not(fragment), not(inline), index, embedder)
	case api.RenderChatTemplate:
		err = check(t.Kind, invalidTemplate, index, not(embedder), not(fragment), not(inline))
	case api.RenderIndexingFragment, api.RenderSearchFragment:
		err = check(t.Kind, invalidTemplate, index, embedder, fragment, not(inline), limit)
	case api.RenderInlineDocumentTemplate:
		err = check(t.Kind, invalidTemplate, not(index), not(embedder), not(fragment), inline)
	default:
		err = check(t.Kind, invalidTemplate, not(index), not(embedder), not(fragment), inline, limit)
	}
	if err != nil {
		return err
	}
	if t.Inline != nil {
		return r.compileInline(t)
	}
	settings, err := r.settingsOf(*t.IndexUID)
	if err != nil {
		return inStage("cannot open index `"+*t.IndexUID+"`: ", err)
	}
	return r.compileStored(t, settings)
}

func (r *rendering) gateTemplate(kind string) error {
	f := r.Features()
	switch {
	case kind == api.RenderChatTemplate && !f.ChatCompletions:
		return apierr.FeatureNotEnabled("accessing chat settings", "chat completions", 835)
	case (kind == api.RenderIndexingFragment || kind == api.RenderSearchFragment) && !f.Multimodal:
		return apierr.FeatureNotEnabled("accessing fragments", "multimodal", 846)
	case kind == api.RenderInlineFragment && !f.Multimodal:
		return apierr.FeatureNotEnabled("rendering an inline fragment", "multimodal", 846)
	}
	return nil
}

// settingsOf returns the settings of an index that the caller may see.
func (r *rendering) settingsOf(uid string) (*settings.Settings, error) {
	if !r.Auth.Allows(uid) {
		return nil, apierr.IndexNotFound(uid)
	}
	return r.h.Indexes.IndexSettings(r.Context(), uid)
}

func (r *rendering) compileInline(t *api.RenderTemplate) error {
	if t.Kind == api.RenderInlineFragment {
		return r.compileFragment(t.Inline)
	}
	if t.Inline.Kind() != jsonvalue.KindString {
		return invalidTemplate("inline document templates must be strings")
	}
	return r.compileText(t.Inline.String())
}

func (r *rendering) compileText(source string) (err error) {
	r.shown = jsonvalue.StringValue(source)
	if r.text, err = prompt.Parse(source); err != nil {
		return apierr.New(apierr.CodeTemplateParsingError, "user error: cannot parse template: "+err.Error())
	}
	return nil
}

func (r *rendering) compileFragment(v *jsonvalue.Value) (err error) {
	r.shown = *v
	r.json, err = prompt.ParseJSON(v)
	var fault *prompt.ParseError
	if errors.As(err, &fault) && fault.Path != "" {
		return apierr.New(apierr.CodeTemplateParsingError, "in `"+fault.Path+"`, "+err.Error())
	}
	if err != nil {
		return apierr.New(apierr.CodeTemplateParsingError, err.Error())
	}
	return nil
}

// compileStored compiles a template from the settings of an index.
func (r *rendering) compileStored(t *api.RenderTemplate, settings *settings.Settings) error {
	if t.Kind == api.RenderChatTemplate {
		return r.compileText(settings.ChatTemplate())
	}
	uid, name := *t.IndexUID, *t.Embedder
	e, ok, err := settings.Embedder(name)
	if err != nil {
		return err
	}
	missing := func(kind string) error {
		return invalidTemplate("cannot find " + kind + " fragment `" + *t.Fragment + "` for embedder `" + name + "` in index `" + uid + "`")
	}
	switch {
	case !ok && t.Kind == api.RenderSearchFragment:
		return missing("indexing") // as the reference says it
	case !ok:
		return invalidTemplate("cannot find embedder `" + name + "` in index `" + uid + "`")
	}
	about := "embedder `" + name + "` in index `" + uid + "` does not use "
	if t.Kind == api.RenderDocumentTemplate {
		source, ok := documentTemplate(e)
		if !ok {
			return invalidTemplate(about + "a document template.")
		}
		return r.compileText(source)
	}
	indexing, search := fragmentsOf(e)
	if len(indexing) == 0 && len(search) == 0 {
		return invalidTemplate(about + "fragments.")
	}
	list, kind := indexing, "indexing"
	if t.Kind == api.RenderSearchFragment {
		list, kind = search, "search"
	}
	for i := range list {
		if list[i].Name == *t.Fragment {
			return r.compileFragment(&list[i].Value)
		}
	}
	return missing(kind)
}

// documentTemplate returns the template of an embedder, if it has one. Embedders with
// user-provided vectors or fragments do not.
func documentTemplate(e *settings.Embedder) (string, bool) {
	switch {
	case e.Source == "composite" && e.IndexingEmbedder != nil:
		return documentTemplate(e.IndexingEmbedder)
	case e.Source == "composite", e.Source == "userProvided", len(e.IndexingFragments)+len(e.SearchFragments) > 0:
		return "", false
	}
	return e.DocumentTemplate, true
}

func fragmentsOf(e *settings.Embedder) (indexing, search []decode.Entry[jsonvalue.Value]) {
	if e.Source != "composite" {
		return e.IndexingFragments, e.SearchFragments
	}
	if e.IndexingEmbedder != nil {
		indexing = e.IndexingEmbedder.IndexingFragments
	}
	if e.SearchEmbedder != nil {
		search = e.SearchEmbedder.SearchFragments
	}
	return indexing, search
}
