package search

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/jsonvalue"
	"shoal/api/settings"
	"shoal/embed/prompt"
	"shoal/httpfront/auth"
	"shoal/httpfront/openapi"
	"shoal/httpfront/routing"
	"shoal/query"
)

// Completions holds conversations between clients and language models.
type Completions interface {
	// Begin checks a request; its errors become ordinary answers. run then sends the events
	// of the conversation. It fails only if the client has left.
	Begin(ctx context.Context, workspace string, r *api.ChatRequest, desk api.ChatDesk) (run func(ctx context.Context, send func(event []byte) error) error, err error)
}

// serveChatCompletion answers with a stream of events (spec search-api 16).
func (h *Handlers) serveChatCompletion(x *routing.Exchange) error {
	body, err := x.JSONBody()
	if err != nil {
		return err
	}
	v, err := routing.ParseBody(body, routing.BodyTreeRoom)
	if err != nil {
		return err
	}
	request, fault := api.ParseChatRequest(body, &v)
	if fault != nil {
		return fault
	}
	if err := chatGate("using the /chats chat completions route")(x.Features()); err != nil {
		return err
	}
	run, err := h.Completions.Begin(x.Context(), x.Param(0), request, &chatDesk{x, h})
	if err != nil {
		return err
	}
	// An error means that the client has left.
	_ = run(x.Context(), x.Events().Send)
	return nil
}

// chatDesk is what a conversation may do on behalf of the caller of a request.
type chatDesk struct {
	x *routing.Exchange
	h *Handlers
}

const (
	// chatIndexes bounds the indexes that a model is told of.
	chatIndexes = 200
	// chatFacetValues bounds the values of each facet that a model is told of.
	chatFacetValues = 10
)

// Indexes implements api.ChatDesk.
func (d *chatDesk) Indexes(ctx context.Context) ([]api.ChatIndex, error) {
	page, _, err := d.h.Indexes.Indexes(ctx, d.x.Auth.Indexes(), 0, chatIndexes)
	if err != nil {
		return nil, err
	}
	var list []api.ChatIndex
	for i := range page {
		uid := page[i].UID
		if !d.x.Auth.Allows(uid) {
			continue
		}
		settings, err := d.h.Indexes.IndexSettings(ctx, uid)
		if err != nil {
			return nil, err
		}
		facets, err := d.facets(ctx, uid, settings)
		if err != nil {
			return nil, err
		}
		list = append(list, api.ChatIndex{UID: uid, Description: settings.ChatDescription(), Facets: facets})
	}
	return list, nil
}

// facets lists the most frequent values of the filterable attributes in documents that the
// caller may see. Of a facet with more values than the index lists, it considers only the
// listed ones.
func (d *chatDesk) facets(ctx context.Context, uid string, settings *settings.Settings) (string, error) {
	if len(settings.Filterable) == 0 {
		return "", nil
	}
	r := api.NewSearchRequest()
	r.Limit, r.Facets = 0, []string{"*"}
	found, err := d.search(ctx, uid, r)
	if err != nil || found.Facets == nil {
		return "", err
	}
	var text strings.Builder
	for _, f := range found.Facets.Distribution {
		values := slices.Clone(f.Values)
		slices.SortStableFunc(values, func(a, b api.FacetValue) int { return cmp.Compare(b.Count, a.Count) })
		text.WriteString(f.Field + ": ")
		for i, v := range values[:min(chatFacetValues, len(values))] {
			if i > 0 {
				text.WriteString(", ")
			}
			text.WriteString(v.Value)
		}
		if len(values) > 0 {
			text.WriteByte('.')
		}
		text.WriteByte('\n')
	}
	return text.String(), nil
}

// search waits for a place in the search queue and searches.
func (d *chatDesk) search(ctx context.Context, uid string, r *api.SearchRequest) (*api.SearchResponse, error) {
	place, err := d.x.Enter(ctx)
	if err != nil {
		return nil, err
	}
	defer place.Leave()
	r.Filter = d.x.Auth.Restrict(uid, r.Filter)
	found, err := d.h.Search.Search(ctx, uid, r)
	if err == nil {
		// A model is told of fewer hits than an answer holds.
		api.CloseMore(found.More)
		d.x.Metrics().Searched(found.Degraded)
	}
	return found, err
}

// Search implements api.ChatDesk. It finds only documents that the caller could find by a
// search.
func (d *chatDesk) Search(ctx context.Context, uid string, q, filter *string) (*api.ChatFound, error) {
	found, err := d.find(ctx, uid, q, filter)
	var known *apierr.Error
	if err == nil || ctx.Err() != nil || errors.As(err, &known) {
		return found, err
	}
	return nil, d.x.ClientError(err)
}

func (d *chatDesk) find(ctx context.Context, uid string, q, filter *string) (*api.ChatFound, error) {
	if !d.x.Auth.May("search") || !d.x.Auth.Allows(uid) {
		return nil, auth.ErrInvalidKey
	}
	settings, err := d.h.Indexes.IndexSettings(ctx, uid)
	if err != nil {
		return nil, err
	}
	r := api.NewChatSearch(settings)
	r.Q = q
	if filter != nil {
		if r.Filter, err = json.Marshal(*filter); err != nil {
			return nil, err
		}
	}
	found, err := d.search(ctx, uid, r)
	var refused *apierr.Error
	if errors.As(err, &refused) && strings.HasPrefix(refused.Code.Name, "invalid_search") {
		return &api.ChatFound{Text: refused.Message}, nil // the model can correct its request
	}
	if err != nil {
		return nil, err
	}
	out := &api.ChatFound{}
	for i := range found.Hits {
		out.Documents = append(out.Documents, found.Hits[i].Document)
	}
	out.Text, err = documentTexts(ctx, settings, out.Documents)
	return out, err
}

// documentTexts renders documents by the index's template for chats, one below the other.
// It leaves out documents that the template cannot render.
func documentTexts(ctx context.Context, settings *settings.Settings, documents [][]byte) (string, error) {
	template, err := prompt.Parse(settings.ChatTemplate())
	if err != nil {
		return "", apierr.New(apierr.CodeInvalidChatSettingDocumentTemplate, "user error: cannot parse template: "+err.Error())
	}
	limit := settings.ChatTextBytes()
	texts := make([]string, 0, len(documents))
	for _, raw := range documents {
		doc, err := jsonvalue.Parse(raw)
		if err != nil {
			return "", err
		}
		text, err := template.Document(ctx, &doc, query.NewWeights(settings).Searches)
		if err != nil {
			return "", apierr.New(apierr.CodeInvalidChatSettingDocumentTemplate, "user error: missing field in document: "+err.Error())
		}
		if len(text) > limit {
			text = strings.ToValidUTF8(text[:limit], "")
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, "\n"), nil
}

// conversationSchema describes the members that every conversation has.
func conversationSchema() jsonvalue.Value {
	return jsonvalue.ObjectValue(openapi.Named("type", jsonvalue.StringValue("object")),
		openapi.Named("properties", jsonvalue.ObjectValue(openapi.Named("model", openapi.StringSchema), openapi.Named("messages", openapi.ArraySchema(openapi.AnyObject())), openapi.Named("stream", jsonvalue.ObjectValue(openapi.Named("type", jsonvalue.StringValue("boolean")))))),
		openapi.Named("required", jsonvalue.ArrayOfStrings([]string{"model", "messages"})))
}
