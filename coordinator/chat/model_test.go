package chat

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
)

// model is a server with the API of language models. It answers the n-th request with the n-th
// of its rounds and keeps the requests.
type model struct {
	*httptest.Server
	mu     sync.Mutex
	asked  []string
	paths  []string
	header http.Header
}

// round answers one request.
type round func(w http.ResponseWriter, r *http.Request)

func newModel(t *testing.T, rounds ...round) *model {
	m := &model{}
	m.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		m.mu.Lock()
		n := len(m.asked)
		m.asked, m.paths, m.header = append(m.asked, string(body)), append(m.paths, r.URL.String()), r.Header
		m.mu.Unlock()
		rounds[min(n, len(rounds)-1)](w, r)
	}))
	t.Cleanup(func() { m.CloseClientConnections(); m.Close() })
	return m
}

// says streams the events and then the end mark.
func says(events ...string) round {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		for _, e := range events {
			fmt.Fprintf(w, "data: %s\n\n", e)
		}
		fmt.Fprint(w, "data: [DONE]\n\n")
	}
}

// answers sends a reply that is no stream.
func answers(status int, kind, body string) round {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}
}

// delta is an event with a part of an answer.
func delta(delta, reason string) string {
	return `{"id":"c1","object":"chat.completion.chunk","created":7,"model":"m-1","choices":[{"index":0,"delta":` + delta + `,"finish_reason":` + reason + `}]}`
}

// searches returns the events in which the model asks for a search, in two parts.
func searches(arguments string) []string {
	half := len(arguments) / 2
	part := func(s string) string { return string(jsonvalue.AppendString(nil, s)) }
	return []string{
		delta(`{"tool_calls":[{"index":0,"id":"call-1","type":"function","function":{"name":"_meiliSearchInIndex","arguments":`+part(arguments[:half])+`}}]}`, "null"),
		delta(`{"tool_calls":[{"index":0,"function":{"arguments":`+part(arguments[half:])+`}}]}`, "null"),
		delta(`{}`, `"tool_calls"`),
	}
}

// out connects to the servers of the test.
type out struct{}

func (out) Open(ctx context.Context, url string, headers []decode.Entry[string], body []byte) (int, string, io.ReadCloser, error) {
	r, err := http.NewRequestWithContext(ctx, "POST", url, bytes.NewReader(body))
	if err != nil {
		return 0, "", nil, err
	}
	for _, h := range headers {
		r.Header.Set(h.Name, h.Value)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, "", nil, err
	}
	return resp.StatusCode, resp.Header.Get("Content-Type"), resp.Body, nil
}

// desk finds two films.
type desk struct{ asked []string }

func (d *desk) Indexes(context.Context) ([]api.ChatIndex, error) {
	return []api.ChatIndex{{UID: "films", Description: "films of all times", Facets: "genre: Drama, Crime.\n"}}, nil
}

func (d *desk) Search(_ context.Context, uid string, q, filter *string) (*api.ChatFound, error) {
	text := func(s *string) string {
		if s == nil {
			return "-"
		}
		return *s
	}
	d.asked = append(d.asked, uid+" "+text(q)+" "+text(filter))
	if uid != "films" {
		return nil, apierr.IndexNotFound(uid)
	}
	return &api.ChatFound{Documents: [][]byte{[]byte(`{"id":1,"title":"Heat"}`), []byte(`{"id":2,"title":"Ran"}`)}, Text: "title: Heat\n\ntitle: Ran\n"}, nil
}

type spaces map[string]*api.ChatSettings

func (s spaces) Settings(name string) *api.ChatSettings { return s[name] }

// workspace is a workspace whose model is at the given address.
func workspace(source, base string) spaces {
	key := "secret"
	s := api.DefaultChatSettings()
	s.Source, s.BaseURL, s.APIKey = source, &base, &key
	s.Prompts = api.ChatPrompts{System: "be good", SearchDescription: "searches", SearchQParam: "words", SearchFilterParam: "filters", SearchIndexUIDParam: "where"}
	return spaces{"desk": s}
}

const all = `,"tools":[{"type":"function","function":{"name":"_meiliSearchProgress"}},{"type":"function","function":{"name":"_meiliSearchSources"}},{"type":"function","function":{"name":"_meiliAppendConversationMessage"}}]`

// request is a chat completion with additional members.
func request(t *testing.T, more string) *api.ChatRequest {
	t.Helper()
	body := []byte(`{"model":"gpt-4o-mini","stream":true,"temperature":0.5,"messages":[{"role":"user","content":"What about heists?"}]` + more + `}`)
	v, err := jsonvalue.Parse(body)
	if err != nil {
		t.Fatal(err)
	}
	r, fault := api.ParseChatRequest(body, &v)
	if fault != nil {
		t.Fatal(fault)
	}
	return r
}

// talk runs a conversation and returns its events, one per line.
func talk(t *testing.T, s spaces, d api.ChatDesk, r *api.ChatRequest, limits Limits) string {
	t.Helper()
	run, err := New(s, out{}, limits, nil).Begin(t.Context(), "desk", r, d)
	if err != nil {
		t.Fatal(err)
	}
	var events strings.Builder
	if err := run(t.Context(), func(e []byte) error { events.Write(append(e, '\n')); return nil }); err != nil {
		t.Fatal(err)
	}
	return ids.ReplaceAllString(events.String(), "UUID")
}
