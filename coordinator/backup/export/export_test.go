package export

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"

	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/settings"
	"shoal/coordinator"
	"shoal/coordinator/task"
	"shoal/wire"
)

// indexes is a catalogue that only answers for its indexes.
type indexes struct {
	coordinator.Catalog
	list []*wire.Index
}

func (c indexes) Indexes() []*wire.Index { return c.list }

// library is the exporter's source of documents.
type library struct{ documents map[string][]string }

func (l library) Scan(_ context.Context, x *wire.Index, filter []byte, visit func([]byte) error) (uint64, error) {
	n := uint64(0)
	for _, doc := range l.documents[x.UID] {
		if filter != nil && string(filter) == `"bad"` {
			return 0, apierr.New(apierr.CodeInvalidDocumentFilter, "not filterable")
		}
		if filter != nil && !strings.Contains(doc, strings.Trim(string(filter), `"`)) {
			continue
		}
		if err := visit([]byte(doc)); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// target is the other instance.
type target struct {
	t        *testing.T
	indexes  map[string]bool
	requests []string
	lines    map[string][]string
	failures []int // statuses answered before anything succeeds
	broken   error
}

func (r *target) Send(_ context.Context, method, url string, headers []decode.Entry[string], body []byte, _ int64) (int, []byte, error) {
	if r.broken != nil {
		return 0, nil, r.broken
	}
	path, ok := strings.CutPrefix(url, "http://other:7700")
	if !ok {
		r.t.Errorf("url %s", url)
	}
	have := map[string]string{}
	for _, h := range headers {
		have[h.Name] = h.Value
	}
	if have["Authorization"] != "Bearer secret" {
		return 403, []byte(`{"message":"The provided API key is invalid.","code":"invalid_api_key","type":"auth","link":"L"}`), nil
	}
	if len(r.failures) > 0 {
		status := r.failures[0]
		r.failures = r.failures[1:]
		return status, []byte("busy"), nil
	}
	r.requests = append(r.requests, method+" "+path)
	uid, rest, _ := strings.Cut(strings.TrimPrefix(path, "/indexes/"), "/")
	switch {
	case method == "GET" && !r.indexes[uid]:
		return 404, []byte(`{"message":"no","code":"index_not_found","type":"invalid_request","link":"L"}`), nil
	case method == "POST" && path == "/indexes":
		var b struct{ UID, PrimaryKey string }
		if err := json.Unmarshal(body, &b); err != nil {
			r.t.Error(err)
		}
		r.indexes[b.UID] = true
		r.requests[len(r.requests)-1] += " " + b.UID + " " + b.PrimaryKey
		return 202, nil, nil
	case rest == "settings" && !json.Valid(body):
		r.t.Errorf("settings %s", body)
	case rest == "documents":
		if have["Content-Type"] != "application/x-ndjson" || have["Content-Encoding"] != "gzip" {
			r.t.Errorf("headers %v", have)
		}
		z, err := gzip.NewReader(bytes.NewReader(body))
		if err != nil {
			r.t.Fatal(err)
		}
		text, err := io.ReadAll(z)
		if err != nil {
			r.t.Fatal(err)
		}
		if strings.Contains(rest, "\n\n") || !bytes.HasSuffix(text, []byte("\n")) {
			r.t.Errorf("body %q", text)
		}
		r.requests[len(r.requests)-1] += fmt.Sprint(" ", len(text))
		r.lines[uid] = append(r.lines[uid], strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")...)
	}
	return 202, nil, nil
}

func newExport(t *testing.T) (*Exporter, *target) {
	id := "id"
	current, err := json.Marshal(settings.Default())
	if err != nil {
		t.Fatal(err)
	}
	index := func(uid string) *wire.Index { return &wire.Index{UID: uid, PrimaryKey: &id, Settings: current} }
	other := &target{t: t, indexes: map[string]bool{}, lines: map[string][]string{}}
	docs := library{map[string][]string{"books": nil, "logs": {`{"id":9}`}, "movies": {`{"id":1,"a":"x"}`, "{\"id\":2,\n\"a\":\"y\"}", `{"id":3,"a":"x"}`}}}
	return New(Config{
		Catalog: func() coordinator.Catalog {
			return indexes{list: []*wire.Index{index("books"), index("logs"), index("movies")}}
		},
		Documents: docs, Features: func() settings.Features { return settings.Features{ChatCompletions: true} }, Out: other,
		Progress: slog.New(slog.NewTextHandler(io.Discard, nil)), pause: func(context.Context, int) error { return nil },
	}), other
}

func exportTask(url, key, indexes string, size uint64) *wire.Task {
	body := &task.ExportBody{URL: url, APIKey: &key, Indexes: json.RawMessage(indexes)}
	if size > 0 {
		body.PayloadSize = &size
	}
	return task.NewExport(body, nil)
}

func TestExport(t *testing.T) {
	e, other := newExport(t)
	other.indexes["books"] = true
	other.failures = []int{503, 429, 500}
	got, err := e.Export(t.Context(), exportTask("http://other:7700/", "secret", `{"movies*":{"filter":"x","overrideSettings":false},"b*":{"overrideSettings":true}}`, 40))
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"books":{"filter":null,"overrideSettings":true,"matchedDocuments":0},"movies":{"filter":"x","overrideSettings":false,"matchedDocuments":2}}`; string(got) != want {
		t.Errorf("details %s", got)
	}
	want := "GET /indexes/books, PATCH /indexes/books/settings, GET /indexes/movies, POST /indexes movies id, PATCH /indexes/movies/settings, POST /indexes/movies/documents 34"
	if have := strings.Join(other.requests, ", "); have != want {
		t.Errorf("requests %s", have)
	}
}

// No request exceeds the payload size, except one with a single document.
func TestPayloadSize(t *testing.T) {
	for size, want := range map[uint64]string{1: "17 18 17", 35: "35 17", 36: "35 17", 52: "52", 0: "52"} {
		e, other := newExport(t)
		if _, err := e.Export(t.Context(), exportTask("http://other:7700", "secret", `{"movies":{}}`, size)); err != nil {
			t.Fatal(err)
		}
		sizes := ""
		for _, r := range other.requests {
			if _, n, ok := strings.Cut(r, "documents "); ok {
				sizes += n + " "
			}
		}
		if strings.TrimSpace(sizes) != want || strings.Join(other.lines["movies"], "") != `{"id":1,"a":"x"}{"id":2, "a":"y"}{"id":3,"a":"x"}` {
			t.Errorf("size %d: %s, %v", size, sizes, other.lines)
		}
	}
}

func TestExportFailures(t *testing.T) {
	for name, c := range map[string]struct {
		task   *wire.Task
		broken error
		want   string
	}{
		"refused key": {task: exportTask("http://other:7700", "wrong", `{"*":{}}`, 0),
			want: "Failed to export documents to remote server invalid_api_key (auth): The provided API key is invalid. <L>"},
		"no url": {task: exportTask("", "secret", `{"*":{}}`, 0),
			want: "Failed to export documents to remote server remote_could_not_send_request (system): `` is not a URL of an instance <https://docs.meilisearch.com/errors#remote_could_not_send_request>"},
		"forbidden address": {task: exportTask("http://10.0.0.1", "secret", `{"*":{}}`, 0), broken: fmt.Errorf("dial: %w", forbidden{}),
			want: "Failed to export documents to remote server remote_could_not_send_request (system): dial: private <https://docs.meilisearch.com/errors#remote_could_not_send_request>"},
		"bad filter": {task: exportTask("http://other:7700", "secret", `{"movies":{"filter":"bad"}}`, 0), want: "Index `movies`: not filterable"},
	} {
		e, other := newExport(t)
		other.broken = c.broken
		_, err := e.Export(t.Context(), c.task)
		var refused *apierr.Error
		if !errors.As(err, &refused) || refused.Message != c.want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

type forbidden struct{}

func (forbidden) Error() string   { return "private" }
func (forbidden) Forbidden() bool { return true }

// A canceled export ends at once, whatever the other instance does.
func TestExportEndsWithContext(t *testing.T) {
	e, other := newExport(t)
	other.broken = errors.New("connection refused")
	ctx, stop := context.WithCancel(t.Context())
	e.cfg.pause = func(context.Context, int) error { stop(); return nil }
	if _, err := e.Export(ctx, exportTask("http://other:7700", "secret", `{"*":{}}`, 0)); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
