package admin

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
	"shoal/httpfront/auth"
	"shoal/httpfront/routing"
)

// WebhookRoutes are the rows of webhooks.
func (h *Handlers) WebhookRoutes() []routing.Route {
	return []routing.Route{
		{Method: "GET", Pattern: "/webhooks", Actions: []string{"webhooks.get"}, Serve: h.serveWebhooks},
		{Method: "POST", Pattern: "/webhooks", Actions: []string{"webhooks.create"}, Serve: h.serveCreateWebhook, Leased: true, Status: http.StatusCreated, Body: webhookFields},
		{Method: "GET", Pattern: "/webhooks/{uuid}", Actions: []string{"webhooks.get"}, Serve: h.serveWebhook},
		{Method: "PATCH", Pattern: "/webhooks/{uuid}", Actions: []string{"webhooks.update"}, Serve: h.serveUpdateWebhook, Leased: true, Body: webhookFields},
		{Method: "DELETE", Pattern: "/webhooks/{uuid}", Actions: []string{"webhooks.delete"}, Serve: h.serveDeleteWebhook, Leased: true, Status: http.StatusNoContent},
	}
}

var webhookFields = decode.NewObject(
	decode.Immutable[api.WebhookPatch]("uuid", apierr.CodeImmutableWebhookUUID),
	decode.Immutable[api.WebhookPatch]("isEditable", apierr.CodeImmutableWebhookIsEditable),
	decode.Tristate("url", apierr.CodeInvalidWebhookURL, decode.String, func(p *api.WebhookPatch) *decode.Field[string] { return &p.URL }),
	decode.Tristate("headers", apierr.CodeInvalidWebhookHeaders, decode.Map(decode.OrNull(decode.Decoder[string](decode.String))),
		func(p *api.WebhookPatch) *decode.Field[[]decode.Entry[*string]] { return &p.Headers }),
)

// NilUUID is the webhook of the command line.
const NilUUID = "00000000-0000-0000-0000-000000000000"

func (h *Handlers) serveWebhooks(x *routing.Exchange) error {
	buf := append(x.Buffer(), `{"results":[`...)
	for i, hook := range h.Webhooks.Webhooks() {
		if i > 0 {
			buf = append(buf, ',')
		}
		buf = appendWebhook(buf, &hook)
	}
	return x.Respond(http.StatusOK, append(buf, ']', '}'))
}

// appendWebhook appends a webhook and masks the values of authorization headers.
func appendWebhook(buf []byte, hook *api.Webhook) []byte {
	buf = jsonvalue.AppendString(append(buf, `{"uuid":`...), hook.UUID)
	if hook.Editable {
		buf = append(buf, `,"isEditable":true,"url":`...)
	} else {
		buf = append(buf, `,"isEditable":false,"url":`...)
	}
	buf = append(jsonvalue.AppendString(buf, hook.URL), `,"headers":{`...)
	for i, h := range hook.Headers {
		if i > 0 {
			buf = append(buf, ',')
		}
		value := h.Value
		if strings.EqualFold(h.Name, "authorization") {
			value = maskAuthorization(value)
		}
		buf = append(jsonvalue.AppendString(buf, h.Name), ':')
		buf = jsonvalue.AppendString(buf, value)
	}
	return append(buf, '}', '}')
}

func maskAuthorization(value string) string {
	if secret, ok := strings.CutPrefix(value, "Bearer "); ok {
		return "Bearer " + jsonvalue.MaskSecret(secret)
	}
	return jsonvalue.MaskSecret(value)
}

// webhookUUID is the uuid of the path.
func webhookUUID(x *routing.Exchange) (string, error) {
	uid, fault := auth.ParseUUID(x.Param(0))
	if fault != "" {
		return "", apierr.New(apierr.CodeInvalidWebhookUUID, "Invalid UUID: "+fault)
	}
	return uid, nil
}

func (h *Handlers) serveWebhook(x *routing.Exchange) error {
	uid, err := webhookUUID(x)
	if err != nil {
		return err
	}
	for _, hook := range h.Webhooks.Webhooks() {
		if hook.UUID == uid {
			return x.Respond(http.StatusOK, appendWebhook(x.Buffer(), &hook))
		}
	}
	return apierr.WebhookNotFound(uid)
}

func (h *Handlers) serveCreateWebhook(x *routing.Exchange) error {
	var patch api.WebhookPatch
	if err := routing.ReadBody(x, webhookFields, &patch); err != nil {
		return err
	}
	fresh := uuid.NewString() // for messages only; the stored webhook gets another uuid
	if len(patch.Headers.Value) > apierr.MaxWebhookHeaders {
		return apierr.TooManyWebhookHeaders(fresh)
	}
	stored := 0
	for _, hook := range h.Webhooks.Webhooks() {
		if hook.Editable {
			stored++
		}
	}
	if stored >= apierr.MaxWebhooks {
		return apierr.TooManyWebhooks()
	}
	if !patch.URL.IsSet() {
		return missingWebhookURL(fresh)
	}
	if err := checkWebhook(fresh, &patch, true); err != nil {
		return err
	}
	hook, err := h.Webhooks.CreateWebhook(x.Context(), &patch)
	if err != nil {
		return err
	}
	return x.Respond(http.StatusCreated, appendWebhook(x.Buffer(), hook))
}

func (h *Handlers) serveUpdateWebhook(x *routing.Exchange) error {
	var patch api.WebhookPatch
	uid, uidErr := webhookUUID(x)
	if err := routing.ReadBody(x, webhookFields, &patch); err != nil {
		return err
	}
	if uidErr != nil {
		return uidErr
	}
	if uid == NilUUID {
		return apierr.ImmutableWebhook(uid)
	}
	if !slices.ContainsFunc(h.Webhooks.Webhooks(), func(h api.Webhook) bool { return h.UUID == uid }) {
		return apierr.WebhookNotFound(uid)
	}
	if patch.URL.IsNull() {
		return missingWebhookURL(uid)
	}
	if err := checkWebhook(uid, &patch, false); err != nil {
		return err
	}
	hook, err := h.Webhooks.UpdateWebhook(x.Context(), uid, &patch)
	if err != nil {
		return err
	}
	return x.Respond(http.StatusOK, appendWebhook(x.Buffer(), hook))
}

func (h *Handlers) serveDeleteWebhook(x *routing.Exchange) error {
	uid, err := webhookUUID(x)
	if err != nil {
		return err
	}
	if uid == NilUUID { // the webhook of the command line, even if there is none
		return apierr.ImmutableWebhook(uid)
	}
	if err := h.Webhooks.DeleteWebhook(x.Context(), uid); err != nil {
		return err
	}
	return x.Empty(http.StatusNoContent)
}

func missingWebhookURL(uid string) *apierr.Error {
	return apierr.New(apierr.CodeInvalidWebhookURL, "The URL for the webhook `"+uid+"` is missing.")
}

// checkWebhook refuses URLs and headers that no request could carry. A header without a
// value is stored empty on creation; on a change it is removed, whatever its name.
func checkWebhook(uid string, patch *api.WebhookPatch, create bool) error {
	if patch.URL.IsSet() && patch.URL.Value == "" {
		return missingWebhookURL(uid)
	}
	for _, h := range patch.Headers.Value {
		if h.Value == nil && !create {
			continue
		}
		if !routing.IsToken(h.Name) {
			return apierr.New(apierr.CodeInvalidWebhookHeaders, "Invalid header name `"+h.Name+"`: invalid HTTP header name")
		}
		if h.Value != nil && !isHeaderValue(*h.Value) {
			return apierr.New(apierr.CodeInvalidWebhookHeaders, "Invalid header value `"+h.Name+"`: failed to parse header value")
		}
	}
	if patch.URL.IsSet() {
		if fault := urlFault(patch.URL.Value); fault != "" {
			return apierr.New(apierr.CodeInvalidWebhookURL, "Invalid URL `"+patch.URL.Value+"`: "+fault)
		}
	}
	return nil
}

// isHeaderValue accepts visible characters, blanks, tabs, and all bytes beyond ASCII.
func isHeaderValue(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}

// Webhooks stores the webhooks. Webhooks lists all of them by uuid. Header values are in
// clear; the front masks them.
type Webhooks interface {
	Webhooks() []api.Webhook
	CreateWebhook(ctx context.Context, p *api.WebhookPatch) (*api.Webhook, error)
	UpdateWebhook(ctx context.Context, uuid string, p *api.WebhookPatch) (*api.Webhook, error)
	DeleteWebhook(ctx context.Context, uuid string) error
}
