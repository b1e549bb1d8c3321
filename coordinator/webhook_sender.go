package coordinator

import (
	"bytes"
	"compress/gzip"
	"context"
	"log/slog"
	"time"

	"shoal/api"
	"shoal/wire"
)

// Outbound sends HTTP requests to the outside; node joins it with the HTTP
// front's client. headers override the client's own.
type Outbound interface {
	// Post sends body to url and returns the status and at most limit bytes of
	// the answer. err means that no answer came.
	Post(ctx context.Context, url string, headers []api.Entry[string], body []byte, limit int64) (status int, answer []byte, err error)
}

// webhookTimeout bounds one delivery. There is no retry (spec tasks-auth-ops
// 10.11).
const webhookTimeout = 30 * time.Second

// WebhookSender posts finished batches to the webhooks, on the leader only.
// After a change of leader a delivery may be lost or come twice.
type WebhookSender struct {
	log    Log
	hooks  *Webhooks
	out    Outbound
	faults *slog.Logger
}

// NewWebhookSender returns a sender; Run does the work.
func NewWebhookSender(log Log, hooks *Webhooks, out Outbound, faults *slog.Logger) *WebhookSender {
	return &WebhookSender{log: log, hooks: hooks, out: out, faults: faults}
}

// Run sends until ctx ends. Batches go out in order, each to the webhooks in
// order of their uuids.
func (s *WebhookSender) Run(ctx context.Context) {
	var next uint32 // the first batch that was not sent
	leading := false
	for ctx.Err() == nil {
		changed := s.log.Changed()
		_, now := s.log.Leading()
		if now && !leading {
			next = s.afterNewest()
		}
		leading = now
		if leading && len(s.hooks.Webhooks()) > 0 {
			next = s.sendFrom(ctx, next)
		} else if leading {
			next = s.afterNewest()
		}
		select {
		case <-ctx.Done():
		case <-changed:
		}
	}
}

// afterNewest is the uid after the newest finished batch.
func (s *WebhookSender) afterNewest() uint32 {
	page, _, err := s.log.Batches(&wire.TaskQuery{Limit: 1})
	if err != nil || len(page) == 0 {
		return 0
	}
	if page[0].FinishedAt == 0 {
		return page[0].UID
	}
	return page[0].UID + 1
}

// sendFrom sends the finished batches from uid on and returns the first that is
// not finished.
func (s *WebhookSender) sendFrom(ctx context.Context, uid uint32) uint32 {
	for ctx.Err() == nil {
		page, _, err := s.log.Batches(&wire.TaskQuery{From: &uid, Limit: 1, Reverse: true})
		if err != nil {
			s.faults.Warn("webhook: reading batches", "error", err)
			return uid
		}
		if len(page) == 0 || page[0].FinishedAt == 0 {
			return uid
		}
		if err := s.send(ctx, page[0]); err != nil {
			s.faults.Warn("webhook: sending a batch", "batch", page[0].UID, "error", err)
		}
		uid = page[0].UID + 1
	}
	return uid
}

// send posts the tasks of one batch: gzipped NDJSON.
func (s *WebhookSender) send(ctx context.Context, batch *wire.Batch) error {
	var body bytes.Buffer
	w := gzip.NewWriter(&body)
	for _, uid := range batch.Tasks {
		t, ok, err := s.log.Task(uid)
		if err != nil {
			return err
		}
		if !ok {
			continue // deleted meanwhile
		}
		if _, err := w.Write(append(publicTask(t).AppendJSON(nil), '\n')); err != nil {
			return err
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	for _, hook := range s.hooks.Webhooks() {
		s.post(ctx, &hook, body.Bytes())
	}
	return nil
}

func (s *WebhookSender) post(ctx context.Context, hook *api.Webhook, body []byte) {
	ctx, cancel := context.WithTimeout(ctx, webhookTimeout)
	defer cancel()
	headers := append([]api.Entry[string]{
		{Name: "Content-Encoding", Value: "gzip"},
		{Name: "Content-Type", Value: "application/x-ndjson"},
		{Name: "Accept-Encoding", Value: "gzip"},
	}, hook.Headers...)
	status, _, err := s.out.Post(ctx, hook.URL, headers, body, 0)
	if err != nil || status >= 400 {
		s.faults.Warn("webhook: delivery failed", "webhook", hook.UUID, "status", status, "error", err)
	}
}
