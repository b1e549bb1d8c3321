package export

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"time"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
	"shoal/api/settings"
	"shoal/coordinator"
	"shoal/coordinator/task"
	"shoal/wire"
	"shoal/wire/await"
)

// Sender sends HTTP requests to the outside, through the HTTP client that node provides, which
// refuses private addresses.
type Sender interface {
	// Send sends body and returns the status and at most limit bytes of the answer. err means
	// that no usable answer came.
	Send(ctx context.Context, method, url string, headers []decode.Entry[string], body []byte, limit int64) (status int, answer []byte, err error)
}

// Documents reads all documents of an index: documents.Documents.
type Documents interface {
	Scan(ctx context.Context, x *wire.Index, filter []byte, visit func(doc []byte) error) (matched uint64, err error)
}

// Config configures an Exporter.
type Config struct {
	Catalog   func() coordinator.Catalog
	Documents Documents
	Features  func() settings.Features // currently enabled
	Out       Sender
	// PayloadLimit is this instance's own limit of a request body in bytes. An export without a
	// payload size stays below it.
	PayloadLimit int64
	// Retry bounds the retries of one request while the other side is not ready; 0 means 15
	// minutes.
	Retry    time.Duration
	Progress *slog.Logger

	pause func(ctx context.Context, attempt int) error // tests do not wait
}

// Sizes of requests without a payload size.
const (
	defaultRoom  = 1 << 20
	leastPayload = 20 << 20
)

// Exporter runs export tasks. Its Export is coordinator.Jobs.Export.
type Exporter struct{ cfg Config }

// New returns an Exporter.
func New(cfg Config) *Exporter {
	if cfg.Retry == 0 {
		cfg.Retry = 15 * time.Minute
	}
	if cfg.Progress == nil {
		cfg.Progress = slog.Default()
	}
	if cfg.pause == nil {
		cfg.pause = pause
	}
	return &Exporter{cfg}
}

// choice is the part of a task about one pattern.
type choice struct {
	Filter           json.RawMessage `json:"filter"`
	OverrideSettings bool            `json:"overrideSettings"`
}

// shown is the part of the details about one index.
type shown struct {
	choice
	MatchedDocuments uint64 `json:"matchedDocuments"`
}

// Export sends the matching indexes and returns the "indexes" object of the details: by index
// uid, with the number of documents. Errors are *apierr.Error or those of ctx.
func (e *Exporter) Export(ctx context.Context, t *wire.Task) (indexes []byte, err error) {
	body, err := task.Decode[task.ExportBody](t)
	if err != nil {
		return nil, err
	}
	patterns := map[string]choice{}
	if err := json.Unmarshal(body.Indexes, &patterns); err != nil {
		return nil, fmt.Errorf("export: indexes: %w", err)
	}
	r, err := newRemote(e, body)
	if err != nil {
		return nil, failed(err)
	}
	details := []byte{'{'}
	for _, x := range e.cfg.Catalog().Indexes() {
		c, ok := matching(patterns, x.UID)
		if !ok {
			continue
		}
		begun := time.Now()
		n, err := e.index(ctx, r, x, c)
		if err != nil {
			return nil, err
		}
		e.cfg.Progress.Info("index exported", "index", x.UID, "documents", n, "took", time.Since(begun))
		if len(details) > 1 {
			details = append(details, ',')
		}
		if c.Filter == nil {
			c.Filter = json.RawMessage("null")
		}
		entry, err := json.Marshal(shown{c, n})
		if err != nil {
			return nil, err
		}
		details = append(append(jsonvalue.AppendString(details, x.UID), ':'), entry...)
	}
	return append(details, '}'), nil
}

// matching finds the choice for an index: that of the first matching pattern, by name.
func matching(patterns map[string]choice, uid string) (choice, bool) {
	for _, p := range slices.Sorted(maps.Keys(patterns)) {
		if api.MatchesIndex([]string{p}, uid) {
			return patterns[p], true
		}
	}
	return choice{}, false
}

// index sends one index: the index itself, its settings if the index is new there or they must
// be overridden, and its documents.
func (e *Exporter) index(ctx context.Context, r *remote, x *wire.Index, c choice) (uint64, error) {
	fresh, err := r.ensure(ctx, x)
	if err != nil {
		return 0, err
	}
	if fresh || c.OverrideSettings {
		if err := r.send(ctx, http.MethodPatch, "/indexes/"+x.UID+"/settings", jsonBody, e.settings(x)); err != nil {
			return 0, failed(err)
		}
	}
	filter := []byte(c.Filter)
	if string(filter) == "null" {
		filter = nil
	}
	p := newParcel(r, x.UID)
	n, err := e.cfg.Documents.Scan(ctx, x, filter, func(doc []byte) error { return p.add(ctx, doc) })
	if err == nil {
		err = p.flush(ctx)
	}
	var refused *apierr.Error
	if errors.As(err, &refused) { // of the filter
		return 0, apierr.InIndex(x.UID, refused)
	}
	return n, failed(err)
}

// settings returns the settings of the index with their secrets. It omits experimental ones
// that were never set, because the other side might refuse them.
func (e *Exporter) settings(x *wire.Index) []byte {
	s := x.DecodedSettings()
	on := e.cfg.Features()
	on.ForeignKeys = on.ForeignKeys && s.ForeignKeys != nil
	on.ChatCompletions = on.ChatCompletions && s.Chat != nil
	return settings.AppendClear(nil, s, on)
}

// pause waits longer after each attempt, at most 20 seconds.
func pause(ctx context.Context, attempt int) error {
	return await.Sleep(ctx, min(100*time.Millisecond<<min(attempt, 16), 20*time.Second))
}
