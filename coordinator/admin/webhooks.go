package admin

import (
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/coordinator"
)

// Webhooks stores the webhooks for finished tasks (spec tasks-auth-ops-api 10.11). Safe for
// concurrent use.
type Webhooks struct {
	stored sharedValue[WebhookList]
	// command is the webhook from this node's options, nil for none.
	command *api.Webhook
}

// WebhookList is the stored form, sorted by uuid.
type WebhookList struct {
	Hooks []StoredWebhook `json:"hooks"`
}

// StoredWebhook is one element of the stored list.
type StoredWebhook struct {
	UUID    string         `json:"uuid"`
	URL     string         `json:"url"`
	Headers []storedHeader `json:"headers"`
}

type storedHeader struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// NewWebhooks returns the webhooks of the cluster. url and authorization are start options; an
// empty url means none.
func NewWebhooks(log coordinator.Log, url, authorization string) *Webhooks {
	w := &Webhooks{stored: sharedValue[WebhookList]{log: log, name: "webhooks", fresh: func() *WebhookList { return &WebhookList{} }}}
	if url != "" {
		w.command = &api.Webhook{UUID: uuid.Nil.String(), URL: url}
		if authorization != "" {
			w.command.Headers = []decode.Entry[string]{{Name: "Authorization", Value: authorization}}
		}
	}
	return w
}

// Webhooks lists all webhooks by uuid, header values in clear.
func (w *Webhooks) Webhooks() []api.Webhook {
	var all []api.Webhook
	if w.command != nil {
		all = append(all, *w.command)
	}
	for _, hook := range w.stored.get().Hooks {
		all = append(all, hook.public())
	}
	return all
}

func (s *StoredWebhook) public() api.Webhook {
	hook := api.Webhook{UUID: s.UUID, Editable: true, URL: s.URL}
	for _, h := range s.Headers {
		hook.Headers = append(hook.Headers, decode.Entry[string]{Name: h.Name, Value: h.Value})
	}
	return hook
}

// CreateWebhook stores a new webhook. A null header value becomes an empty one.
func (w *Webhooks) CreateWebhook(ctx context.Context, p *api.WebhookPatch) (*api.Webhook, error) {
	hook := StoredWebhook{UUID: uuid.NewString(), URL: p.URL.Value}
	for _, h := range p.Headers.Value {
		value := ""
		if h.Value != nil {
			value = *h.Value
		}
		hook.SetHeader(h.Name, &value)
	}
	if len(hook.Headers) > apierr.MaxWebhookHeaders {
		return nil, apierr.TooManyWebhookHeaders(hook.UUID)
	}
	_, err := w.stored.change(ctx, func(old *WebhookList) (*WebhookList, error) {
		if len(old.Hooks) >= apierr.MaxWebhooks {
			return nil, apierr.TooManyWebhooks()
		}
		next := &WebhookList{Hooks: append(slices.Clone(old.Hooks), hook)}
		slices.SortFunc(next.Hooks, func(a, b StoredWebhook) int { return strings.Compare(a.UUID, b.UUID) })
		return next, nil
	})
	if err != nil {
		return nil, err
	}
	created := hook.public()
	return &created, nil
}

// UpdateWebhook changes a webhook. It replaces the url and merges headers; a null header is
// removed, null headers remove all.
func (w *Webhooks) UpdateWebhook(ctx context.Context, id string, p *api.WebhookPatch) (*api.Webhook, error) {
	var updated api.Webhook
	err := w.edit(ctx, id, func(hooks []StoredWebhook, at int) ([]StoredWebhook, error) {
		hook := hooks[at]
		hook.URL = p.URL.Or(hook.URL)
		hook.Headers = slices.Clone(hook.Headers)
		if p.Headers.IsNull() {
			hook.Headers = nil
		}
		for _, h := range p.Headers.Value {
			hook.SetHeader(h.Name, h.Value)
		}
		if len(hook.Headers) > apierr.MaxWebhookHeaders {
			return nil, apierr.TooManyWebhookHeaders(id)
		}
		hooks[at] = hook
		updated = hook.public()
		return hooks, nil
	})
	if err != nil {
		return nil, err
	}
	return &updated, nil
}

// DeleteWebhook removes a webhook.
func (w *Webhooks) DeleteWebhook(ctx context.Context, id string) error {
	return w.edit(ctx, id, func(hooks []StoredWebhook, at int) ([]StoredWebhook, error) {
		return slices.Delete(hooks, at, at+1), nil
	})
}

// edit changes a copy of the list at the webhook with the given uuid.
func (w *Webhooks) edit(ctx context.Context, id string, change func(hooks []StoredWebhook, at int) ([]StoredWebhook, error)) error {
	if id == uuid.Nil.String() { // the one of the command line, even if there is none
		return apierr.ImmutableWebhook(id)
	}
	_, err := w.stored.change(ctx, func(old *WebhookList) (*WebhookList, error) {
		at := slices.IndexFunc(old.Hooks, func(h StoredWebhook) bool { return h.UUID == id })
		if at < 0 {
			return nil, apierr.WebhookNotFound(id)
		}
		hooks, err := change(slices.Clone(old.Hooks), at)
		return &WebhookList{Hooks: hooks}, err
	})
	return err
}

// SetHeader sets a header, or removes it when value is nil. Headers stay sorted by name.
func (s *StoredWebhook) SetHeader(name string, value *string) {
	at, found := slices.BinarySearchFunc(s.Headers, name, func(h storedHeader, n string) int { return strings.Compare(h.Name, n) })
	switch {
	case value == nil && found:
		s.Headers = slices.Delete(s.Headers, at, at+1)
	case value != nil && found:
		s.Headers[at].Value = *value
	case value != nil:
		s.Headers = slices.Insert(s.Headers, at, storedHeader{Name: name, Value: *value})
	}
}
