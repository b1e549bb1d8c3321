package chat

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/jsonvalue"
)

var ids = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

const answer = `{"content":"Heat."}`

func TestAConversationSearchesAndReportsIt(t *testing.T) {
	m := newModel(t, says(searches(`{"index_uid":"films","q":"heist","filter":""}`)...), says(delta(answer, "null"), delta(`{}`, `"stop"`), `{"choices":[],"usage":{"total_tokens":9}}`))
	d := &desk{}
	got := talk(t, workspace(api.ChatOpenAI, m.URL+"/v1/"), d, request(t, all), Limits{})
	chunk := func(name, arguments string) string {
		return `{"id":"c1","choices":[{"index":0,"delta":{"content":null,"function_call":null,"tool_calls":[{"index":0,"id":"UUID","type":"function","function":{"name":"` + name +
			`","arguments":` + string(jsonvalue.AppendString(nil, arguments)) + `}}],"role":"assistant","refusal":null},"finish_reason":null,"logprobs":null}],"created":7,"model":"m-1","service_tier":null,"system_fingerprint":null,"object":"chat.completion.chunk","usage":null}`
	}
	called := `{"role":"assistant","tool_calls":[{"id":"call-1","type":"function","function":{"name":"_meiliSearchInIndex","arguments":"{\"index_uid\":\"films\",\"q\":\"heist\",\"filter\":\"\"}"}}]}`
	found := `{"role":"tool","content":"title: Heat\n\ntitle: Ran\n","tool_call_id":"call-1"}`
	want := []string{
		chunk("_meiliSearchProgress", `{"call_id":"call-1","function_name":"_meiliSearchInIndex","function_arguments":"{\"index_uid\":\"films\",\"q\":\"heist\",\"filter\":\"\"}"}`),
		chunk("_meiliAppendConversationMessage", called),
		chunk("_meiliSearchSources", `{"call_id":"call-1","sources":[{"id":1,"title":"Heat"},{"id":2,"title":"Ran"}]}`),
		chunk("_meiliAppendConversationMessage", found),
		delta(answer, "null"), delta(`{}`, `"stop"`), "[DONE]",
	}
	if got != strings.Join(want, "\n")+"\n" {
		t.Errorf("%s", got)
	}
	if len(d.asked) != 1 || d.asked[0] != "films heist -" {
		t.Errorf("searched %q", d.asked)
	}
	first := `{"messages":[{"role":"system","content":"be good"},{"role":"user","content":"What about heists?"}],"model":"gpt-4o-mini","temperature":0.5,"tools":[{"type":"function","function":{"name":"_meiliSearchInIndex",` +
		`"description":"searches\n\n - films: films of all times\n\n","parameters":{"type":"object","properties":{"index_uid":{"type":"string","enum":["films"],"description":"where"},"q":{"type":"string","description":"words"},` +
		`"filter":{"type":"string","description":"filters\n## Facet distributions of the films index\ngenre: Drama, Crime.\n\n"}},"required":["index_uid","q","filter"],"additionalProperties":false},"strict":true}}],"stream":true,"stream_options":{"include_usage":true}}`
	if m.asked[0] != first {
		t.Errorf("asked first %s", m.asked[0])
	}
	if !strings.Contains(m.asked[1], `"What about heists?"},`+called+`,`+found+`],"model"`) {
		t.Errorf("asked then %s", m.asked[1])
	}
	if m.paths[0] != "/v1/chat/completions" || m.header.Get("Authorization") != "Bearer secret" {
		t.Errorf("%s %v", m.paths[0], m.header)
	}
}

func TestSearchesAreReportedOnlyOnRequest(t *testing.T) {
	m := newModel(t, says(searches(`{"index_uid":"films","q":"x"}`)...), says(delta(answer, `"stop"`)))
	if got := talk(t, workspace(api.ChatVLLM, m.URL), &desk{}, request(t, ""), Limits{}); got != delta(answer, `"stop"`)+"\n[DONE]\n" {
		t.Error(got)
	}
	if strings.Contains(m.asked[0], "stream_options") {
		t.Error("stream_options for a source that does not know it")
	}
}

// hold keeps the connection open until the client leaves.
func hold(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

func begin(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "text/event-stream")
	fmt.Fprint(w, text)
	w.(http.Flusher).Flush()
}

func TestAModelThatFailsEndsTheStreamWithAnError(t *testing.T) {
	limits := Limits{Silence: 500 * time.Millisecond, Whole: 10 * time.Second, RoundBytes: 4 << 10, Rounds: 3, Searches: 2}
	event := func(kind, code, message string) string {
		return `{"event_id":"UUID","type":"error","error":{"type":"` + kind + `","code":` + code + `,"message":"` + message + `","param":null,"event_id":null}}` + "\n"
	}
	ask := searches(`{"index_uid":"films","q":"x"}`)
	for _, c := range []struct {
		name  string
		round round
		want  string
	}{
		{"it sends nothing at all", hold, event("transport_error", "null", "the model sent nothing for too long")},
		{"it stops in the middle", func(w http.ResponseWriter, r *http.Request) {
			begin(w, "data: "+delta(answer, "null")+"\n\n")
			hold(w, r)
		}, delta(answer, "null") + "\n" + event("transport_error", "null", "the model sent nothing for too long")},
		{"it is slow but talks", func(w http.ResponseWriter, r *http.Request) {
			for range 6 {
				begin(w, ": still thinking\n\n")
				select {
				case <-time.After(100 * time.Millisecond):
				case <-r.Context().Done():
				}
			}
			begin(w, "data: "+delta(answer, `"stop"`)+"\n\ndata: [DONE]\n\n")
		}, delta(answer, `"stop"`) + "\n"},
		{"it hangs up", func(w http.ResponseWriter, _ *http.Request) { begin(w, "data: "+delta(answer, "null")+"\n\n") },
			delta(answer, "null") + "\n" + event("stream_ended", "null", "Stream ended")},
		{"it refuses the key", answers(401, "application/json", `{"error":{"message":"no such key","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}`),
			event("invalid_request_error", `"invalid_api_key"`, "no such key")},
		{"it refuses in another form", answers(429, "application/json", `{"object":"error","message":"too much","type":"capacity","param":null,"code":3505}`), event("capacity", `"3505"`, "too much")},
		{"it refuses in the stream", says(`{"error":{"message":"overloaded","type":"server_error"}}`), event("server_error", "null", "overloaded")},
		{"a proxy answers", answers(502, "text/html", "<html>bad gateway</html>"), event("reqwest_error", "null", "error decoding response body")},
		{"it answers in one piece", answers(200, "application/json", `{"choices":[]}`), event("reqwest_error", "null", "error decoding response body")},
		{"it says what is no JSON", says(`{"choices":`), `"type":"json_deserialize_error","code":"internal"`},
		{"it says what is no object", says(`[]`), event("json_deserialize_error", `"internal"`, "the event is no object")},
		{"it talks without end", func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				begin(w, "data: "+delta(answer, "null")+"\n\n")
			}
		}, event("transport_error", "null", "the model said more than fits")},
		{"a line has no end", func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				begin(w, "data: "+strings.Repeat("x", 1000))
			}
		}, event("transport_error", "null", "the model said more than fits")},
		{"it searches without end", says(ask...), ""},
		{"it searches too much at once", says(delta(`{"tool_calls":[{"index":0},{"index":1},{"index":2},{"index":3}]}`, "null")),
			event("transport_error", "null", "the model asked for more searches than there may be, or for none that can be read")},
		{"it calls what there is not", says(delta(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"rm","arguments":"{}"}}]}`, `"tool_calls"`)), ""},
		{"nothing but the end", says(), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m := newModel(t, c.round)
			got := talk(t, workspace(api.ChatMistral, m.URL), &desk{}, request(t, ""), limits)
			if !strings.HasSuffix(got, "[DONE]\n") {
				t.Errorf("no end: %.300s", got)
			}
			if whole := c.want + "[DONE]\n"; got != whole && (len(c.want) == 0 || !strings.Contains(got, c.want)) {
				t.Errorf("got %.600s\nwant %s", got, whole)
			}
			m.mu.Lock()
			defer m.mu.Unlock()
			if len(m.asked) > 3 {
				t.Errorf("asked %d times", len(m.asked))
			}
		})
	}
}

func TestAFailedSearchIsReportedToClientAndModel(t *testing.T) {
	m := newModel(t, says(searches(`{"index_uid":"secrets","q":"x"}`)...), says(delta(answer, `"stop"`)))
	got := talk(t, workspace(api.ChatOpenAI, m.URL), &desk{}, request(t, ""), Limits{})
	if !strings.HasPrefix(got, "{\"event_id\":\"UUID\",\"type\":\"error\",\"error\":{\"type\":\"response_error\",\"code\":\"index_not_found\",\"message\":\"Index `secrets` not found.\"") {
		t.Error(got)
	}
	if !strings.Contains(m.asked[1], "the search tool call failed with Index `secrets` not found.") {
		t.Error(m.asked[1])
	}
	m = newModel(t, says(searches(`{"q":`)...), says(delta(answer, `"stop"`)))
	if got := talk(t, workspace(api.ChatOpenAI, m.URL), &desk{}, request(t, ""), Limits{}); got != delta(answer, `"stop"`)+"\n[DONE]\n" {
		t.Error(got)
	}
}

func TestAConversationEndsWhenItsClientLeaves(t *testing.T) {
	left := make(chan struct{})
	m := newModel(t, func(w http.ResponseWriter, r *http.Request) {
		begin(w, "data: "+delta(answer, "null")+"\n\n")
		<-r.Context().Done()
		close(left)
	})
	run, err := New(workspace(api.ChatOpenAI, m.URL), out{}, Limits{}, nil).Begin(t.Context(), "desk", request(t, ""), &desk{})
	if err != nil {
		t.Fatal(err)
	}
	gone := errors.New("gone")
	if err := run(t.Context(), func([]byte) error { return gone }); !errors.Is(err, gone) {
		t.Error(err)
	}
	select {
	case <-left:
	case <-time.After(10 * time.Second):
		t.Error("the model still talks")
	}
	m = newModel(t, hold)
	if run, err = New(workspace(api.ChatOpenAI, m.URL), out{}, Limits{}, nil).Begin(t.Context(), "desk", request(t, ""), &desk{}); err != nil {
		t.Fatal(err)
	}
	ctx, leave := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer leave()
	if err := run(ctx, func([]byte) error { return nil }); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

func TestAConversationRefusesInvalidRequests(t *testing.T) {
	c := New(workspace(api.ChatOpenAI, "http://127.0.0.1:9"), out{}, Limits{}, nil)
	for more, want := range map[string]string{
		`,"n":2`:          "unimplemented_multi_choice_chat_completions: You tried to specify n = 2 but only single choices are supported (n = 1).",
		`,"stream":false`: "unimplemented_non_streaming_chat_completions: Non-streamed chat completions is not implemented",
		`,"tools":[{"type":"function","function":{"name":"rm"}}]`:                  "unimplemented_external_function_calling: rm: External functions are not supported yet.",
		`,"tools":[{"type":"function","function":{"name":"_meiliSearchInIndex"}}]`: "bad_request: _meiliSearchInIndex function is already defined.",
	} {
		_, err := c.Begin(t.Context(), "desk", request(t, more), &desk{})
		var fault *apierr.Error
		if !errors.As(err, &fault) || fault.Code.Name+": "+fault.Message != want {
			t.Errorf("%s: %v", more, err)
		}
	}
	if _, err := c.Begin(t.Context(), "none", request(t, ""), &desk{}); err == nil || err.Error() != "Chat `none` not found" {
		t.Error(err)
	}
}

func TestTheSourceChoosesTheEndpoint(t *testing.T) {
	deployment, version, org := "my model", "2024-10-21", "o"
	s := workspace(api.ChatAzureOpenAI, "https://x.example/")["desk"]
	s.DeploymentID, s.APIVersion, s.OrgID = &deployment, &version, &org
	address, headers := endpoint(s)
	if address != "https://x.example/openai/deployments/my%20model/chat/completions?api-version=2024-10-21" || fmt.Sprint(headers) != "[{Content-Type application/json} {Accept text/event-stream} {api-key secret}]" {
		t.Error(address, headers)
	}
	s.Source, s.BaseURL = api.ChatOpenAI, nil
	address, headers = endpoint(s)
	if address != "https://api.openai.com/v1/chat/completions" || fmt.Sprint(headers[2:]) != "[{Authorization Bearer secret} {OpenAI-Organization o}]" {
		t.Error(address, headers)
	}
	for model, want := range map[string]string{"gpt-4o": "system", "gpt-4o-mini": "system", "gpt-5": "developer", "gpt-41": "developer", "o3": "developer"} {
		if got := systemRole(api.ChatOpenAI, model); got != want {
			t.Errorf("%s: %s", model, got)
		}
	}
	if systemRole(api.ChatMistral, "o3") != "system" {
		t.Error("mistral")
	}
}
