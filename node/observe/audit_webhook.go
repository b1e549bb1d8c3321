package observe

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"shoal/api/decode"
	"shoal/httpfront"
	"shoal/wire/await"
)

// Bounds of the webhook of the audit log.
const (
	// auditWaiting is how many lines may wait for the webhook, of about 1.5 KiB at most each.
	auditWaiting = 10_000
	// auditTogether is how many lines one call sends.
	auditTogether = 500
	// auditCall bounds one call, auditPause the pause after a failed one. auditLast bounds the
	// last call of a node that stops.
	auditCall  = 30 * time.Second
	auditPause = time.Minute
	auditLast  = 3 * time.Second
)

// PostFunc sends a body to a URL and returns the status and at most limit bytes of the answer.
type PostFunc func(ctx context.Context, url string, headers []decode.Entry[string], body []byte, limit int64) (status int, answer []byte, err error)

// AuditWebhook sends the lines of the audit log to an HTTP server, several in a body, in order. A
// call that fails is repeated; a line may come twice. While the server is away a bounded number of
// lines waits, and further ones are lost and counted. Safe for concurrent use.
type AuditWebhook struct {
	url, node string
	post      PostFunc
	log       *slog.Logger
	now       func() time.Time
	lines     chan []byte
	lost      atomic.Uint64
	told      atomic.Bool // the loss is logged, and no call has succeeded since
}

// NewAuditWebhook returns a webhook; Run does the work.
func NewAuditWebhook(url, node string, post PostFunc, log *slog.Logger) *AuditWebhook {
	return &AuditWebhook{url: url, node: node, post: post, log: log, now: time.Now, lines: make(chan []byte, auditWaiting)}
}

// Lost is the number of lines that were not delivered. A nil webhook has lost none.
func (w *AuditWebhook) Lost() uint64 {
	if w == nil {
		return 0
	}
	return w.lost.Load()
}

// Write adds a change, which is already accepted. It does not wait for the server.
func (w *AuditWebhook) Write(c httpfront.Change) {
	text, err := json.Marshal(lineOf(w.now(), w.node, c))
	if err != nil {
		w.lose(1, err)
		return
	}
	select {
	case w.lines <- append(text, '\n'):
	default:
		w.lose(1, nil)
	}
}

// lose counts lines that will not be delivered.
func (w *AuditWebhook) lose(n int, err error) {
	w.lost.Add(uint64(n))
	if !w.told.Swap(true) {
		w.log.Error("changes do not reach --audit-webhook and are lost to it; look at its server, --audit-log=FILE keeps them too", "error", err)
	}
}

// Run sends until ctx ends. Then it makes one more call for the lines that wait.
func (w *AuditWebhook) Run(ctx context.Context) {
	for {
		select {
		case first := <-w.lines:
			body, n := w.gather(first, auditTogether)
			if w.deliver(ctx, body, n) {
				continue
			}
			w.finish(ctx, body, n)
			return
		case <-ctx.Done():
			w.finish(ctx, nil, 0)
			return
		}
	}
}

// gather joins a line and those that wait, most of them at most.
func (w *AuditWebhook) gather(first []byte, most int) (body []byte, n int) {
	body, n = first, 1
	for n < most {
		select {
		case next := <-w.lines:
			body, n = append(body, next...), n+1
		default:
			return body, n
		}
	}
	return body, n
}

// deliver sends lines until the server has taken or refused them. It returns false when ctx ends
// before.
func (w *AuditWebhook) deliver(ctx context.Context, body []byte, n int) bool {
	for pause := time.Second; ; pause = min(2*pause, auditPause) {
		if w.send(ctx, auditCall, body, n) {
			return true
		}
		if await.Sleep(ctx, pause) != nil {
			return false
		}
	}
}

// send makes one call. It returns true unless the call must be repeated.
func (w *AuditWebhook) send(ctx context.Context, within time.Duration, body []byte, n int) bool {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	status, _, err := w.post(ctx, w.url, []decode.Entry[string]{{Name: "Content-Type", Value: "application/x-ndjson"}}, body, 0)
	switch {
	case err != nil || status >= 500 || status == http.StatusRequestTimeout || status == http.StatusTooManyRequests:
		return false
	case status >= 300:
		w.lose(n, errRefused(status))
		return true
	}
	w.told.Store(false)
	return true
}

// errRefused is the status of a server that refuses lines for good.
type errRefused int

func (e errRefused) Error() string { return http.StatusText(int(e)) }

// finish makes one last call for what is left.
func (w *AuditWebhook) finish(ctx context.Context, body []byte, n int) {
	select {
	case next := <-w.lines:
		rest, more := w.gather(next, auditWaiting)
		body, n = bytes.Join([][]byte{body, rest}, nil), n+more
	default:
	}
	if n > 0 && !w.send(context.WithoutCancel(ctx), auditLast, body, n) {
		w.lose(n, ctx.Err())
	}
}
