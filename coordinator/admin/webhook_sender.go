package admin

import (
	"bytes"
	"compress/gzip"
	"context"
	"log/slog"
	"time"

	"golang.org/x/sync/errgroup"

	"shoal/api"
	"shoal/api/decode"
	"shoal/coordinator"
	"shoal/coordinator/queue"
	"shoal/wire"
)

// webhookTimeout bounds one delivery. There is no retry (spec tasks-auth-ops-api
// 10.11).
const webhookTimeout = 30 * time.Second

// WebhookSender posts finished batches to the webhooks, on the leader only. After a change of
// leader a delivery may be lost or repeated.
type WebhookSender struct {
	log    coordinator.Log
	hooks  *Webhooks
	out    coordinator.Outbound
	faults *slog.Logger
}

// webhookBatches bounds the batches that are delivered concurrently, so that a webhook that
// does not answer delays its own batch only.
const webhookBatches = 32

// NewWebhookSender returns a sender; Run does the work.
func NewWebhookSender(log coordinator.Log, hooks *Webhooks, out coordinator.Outbound, faults *slog.Logger) *WebhookSender {
	return &WebhookSender{log: log, hooks: hooks, out: out, faults: faults}
}

// Run sends until ctx ends and waits for current deliveries. Each batch goes to the webhooks in
// order of their uuids.
func (s *WebhookSender) Run(ctx context.Context) {
	var deliveries errgroup.Group
	deliveries.SetLimit(webhookBatches)
	// A delivery has no error to return: failures are logged.
	defer func() { _ = deliveries.Wait() }()
	var seen *batchWatch
	for ctx.Err() == nil {
		changed := s.log.Changed()
		finished, err := s.look(&seen)
		if err != nil {
			s.faults.Warn("webhook: reading batches", "error", err)
		}
		if len(s.hooks.Webhooks()) == 0 {
			finished = nil
		}
		for _, batch := range finished {
			deliveries.Go(func() error {
				s.send(ctx, batch)
				return nil
			})
		}
		select {
		case <-ctx.Done():
		case <-changed:
		}
	}
}

// look returns the batches that have finished since the last call in this term. It returns none
// on a node that does not lead. It also skips batches from a dump, a snapshot or a followed
// cluster, because they were reported where they ran.
func (s *WebhookSender) look(seen **batchWatch) (finished []*wire.Batch, err error) {
	if _, leading := s.log.Leading(); !leading || coordinator.Imports(s.log.Catalog()) {
		*seen = nil
		return nil, nil
	}
	if *seen == nil {
		*seen, err = watchBatches(s.log)
		return nil, err
	}
	return (*seen).advance()
}

// batchWatch determines which batches finish. Batches of different indexes do not finish in the
// order of their uids.
type batchWatch struct {
	log     coordinator.Log
	running []uint32 // seen, not finished yet
	next    uint32   // the first uid not seen yet
}

// watchBatches begins with the batches that run now.
func watchBatches(log coordinator.Log) (*batchWatch, error) {
	w := &batchWatch{log: log}
	newest, _, err := log.Batches(&wire.TaskQuery{Limit: 1})
	if err != nil {
		return nil, err
	}
	if len(newest) > 0 {
		w.next = newest[0].UID + 1
	}
	running, _, err := log.Batches(&wire.TaskQuery{Limit: -1, Statuses: []wire.Status{wire.Processing}})
	if err != nil {
		return nil, err
	}
	for _, b := range running {
		if b.UID < w.next {
			w.running = append(w.running, b.UID)
		}
	}
	return w, nil
}

// batchesAtOnce is the number of records per read.
const batchesAtOnce = 256

// advance returns the batches that have finished since the last call.
func (w *batchWatch) advance() (finished []*wire.Batch, err error) {
	var running []uint32
	look := func(b *wire.Batch) {
		if b.FinishedAt == 0 {
			running = append(running, b.UID)
			return
		}
		finished = append(finished, b)
	}
	for _, uid := range w.running {
		b, ok, err := w.log.Batch(uid)
		if err != nil {
			return nil, err
		}
		if ok { // otherwise it was aborted
			look(b)
		}
	}
	next := w.next
	for {
		from := next
		page, _, err := w.log.Batches(&wire.TaskQuery{From: &from, Limit: batchesAtOnce, Reverse: true})
		if err != nil {
			return nil, err
		}
		for _, b := range page {
			look(b)
			next = b.UID + 1
		}
		if len(page) < batchesAtOnce {
			break
		}
	}
	w.running, w.next = running, next
	return finished, nil
}

// send posts one batch once every node shows its effect, because the receiver may ask any node.
func (s *WebhookSender) send(ctx context.Context, batch *wire.Batch) {
	if len(batch.Tasks) > 0 && !s.awaitVisible(ctx, batch.Tasks[0]) {
		return
	}
	body, err := s.lines(batch)
	if err != nil {
		s.faults.Warn("webhook: sending a batch", "batch", batch.UID, "error", err)
		return
	}
	for _, hook := range s.hooks.Webhooks() {
		s.post(ctx, &hook, body)
	}
}

func (s *WebhookSender) awaitVisible(ctx context.Context, uid uint32) bool {
	for {
		changed := s.log.Changed()
		if s.log.Visible(uid) {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-changed:
		}
	}
}

// lines returns the tasks of a batch as gzipped NDJSON.
func (s *WebhookSender) lines(batch *wire.Batch) ([]byte, error) {
	var body bytes.Buffer
	w := gzip.NewWriter(&body)
	for _, uid := range batch.Tasks {
		t, ok, err := s.log.Task(uid)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue // deleted meanwhile
		}
		if _, err := w.Write(append(queue.PublicTask(t).AppendJSON(nil), '\n')); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return body.Bytes(), nil
}

func (s *WebhookSender) post(ctx context.Context, hook *api.Webhook, body []byte) {
	ctx, cancel := context.WithTimeout(ctx, webhookTimeout)
	defer cancel()
	headers := append([]decode.Entry[string]{
		{Name: "Content-Encoding", Value: "gzip"},
		{Name: "Content-Type", Value: "application/x-ndjson"},
		{Name: "Accept-Encoding", Value: "gzip"},
	}, hook.Headers...)
	status, _, err := s.out.Post(ctx, hook.URL, headers, body, 0)
	if err != nil || status >= 400 {
		s.faults.Warn("webhook: delivery failed", "webhook", hook.UUID, "status", status, "error", err)
	}
}
