package embed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
	"shoal/api/settings"
)

// server counts and answers the calls of a pool.
type server struct {
	*httptest.Server
	pool   *Pool
	mu     sync.Mutex
	bodies []string
	auth   []string
	pauses []time.Duration
	now    time.Time     // passes by pauses alone
	after  time.Duration // of each answer
	answer func(call int, body map[string]any) (status int, answer string)
}

func newServer(t *testing.T, answer func(call int, body map[string]any) (int, string)) *server {
	s := &server{answer: answer}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		var body map[string]any
		if err := json.Unmarshal(raw, &body); err != nil {
			body = map[string]any{"text": strings.Trim(string(raw), `"`)}
		}
		s.mu.Lock()
		call := len(s.bodies)
		s.bodies, s.auth = append(s.bodies, string(raw)), append(s.auth, r.Header.Get("Authorization")+r.Header.Get("X-Own"))
		status, out := s.answer(call, body)
		s.mu.Unlock()
		w.WriteHeader(status)
		_, _ = io.WriteString(w, out)
	}))
	t.Cleanup(s.Close)
	s.pool = NewPool(Config{
		Post: func(ctx context.Context, url string, headers []decode.Entry[string], body []byte, limit int64) (api.Reply, error) {
			r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(string(body)))
			if err != nil {
				return api.Reply{}, err
			}
			for _, h := range headers {
				r.Header.Set(h.Name, h.Value)
			}
			resp, err := s.Client().Do(r)
			if err != nil {
				return api.Reply{}, err
			}
			defer func() { _ = resp.Body.Close() }()
			out, err := io.ReadAll(io.LimitReader(resp.Body, limit))
			return api.Reply{Status: resp.StatusCode, Body: out, RetryAfter: s.after}, err
		},
		Now: func() time.Time { return s.now },
		Sleep: func(_ context.Context, d time.Duration) bool {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.pauses = append(s.pauses, d)
			s.now = s.now.Add(d)
			return true
		},
		CachedQueries: 2, OpenAIKey: "env-key",
	})
	return s
}

func (s *server) calls() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.bodies)
}

func embedder(t *testing.T, definition string) *settings.Embedder {
	t.Helper()
	e, err := settings.ParseEmbedder([]byte(definition))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func texts(list ...string) []jsonvalue.Value {
	out := make([]jsonvalue.Value, len(list))
	for i, s := range list {
		out[i] = jsonvalue.StringValue(s)
	}
	return out
}

// lengths answers with the length of every text as its vector.
func lengths(inputs any) string {
	var out []string
	for _, x := range inputs.([]any) {
		out = append(out, fmt.Sprintf("[%d, 1]", len(x.(string))))
	}
	return strings.Join(out, ",")
}

func TestRestBatches(t *testing.T) {
	s := newServer(t, func(_ int, body map[string]any) (int, string) {
		return 200, `{"out":[` + lengths(body["in"]) + `]}`
	})
	e := embedder(t, `{"source":"rest","url":"`+s.URL+`","apiKey":"k","headers":{"X-Own":"h"},"request":{"in":["{{text}}","{{..}}"],"m":"x"},"response":{"out":["{{embedding}}","{{..}}"]}}`)
	list := make([]string, 23)
	for i := range list {
		list[i] = strings.Repeat("a", i)
	}
	got, err := s.pool.Documents(context.Background(), e, texts(list...), unwatched{})
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range got {
		if len(v) != 2 || v[0] != float32(i) {
			t.Fatalf("vector %d is %v", i, v)
		}
	}
	if s.calls() != 3 || s.auth[0] != "Bearer kh" {
		t.Fatalf("%d calls, %q", s.calls(), s.auth)
	}
	if d, err := s.pool.Probe(context.Background(), e); err != nil || d != 2 {
		t.Fatalf("probe: %d %v", d, err)
	}
}

func TestSources(t *testing.T) {
	for source, c := range map[string]struct{ definition, answer, body string }{
		"rest": {`{"source":"rest","url":"URL","request":"{{text}}","response":"{{embedding}}"}`, `[1,2]`, `"hi"`},
		"openAi": {`{"source":"openAi","url":"URL","model":"text-embedding-3-small","dimensions":2}`,
			`{"data":[{"embedding":[1,2]}]}`, `{"model":"text-embedding-3-small","input":["hi"],"dimensions":2}`},
		"ollama":     {`{"source":"ollama","url":"URL/api/embed","model":"m"}`, `{"embeddings":[[1,2]]}`, `{"model":"m","input":["hi"]}`},
		"ollama one": {`{"source":"ollama","url":"URL/api/embeddings","model":"m"}`, `{"embedding":[1,2]}`, `{"model":"m","prompt":"hi"}`},
	} {
		s := newServer(t, func(int, map[string]any) (int, string) { return 200, c.answer })
		e := embedder(t, strings.ReplaceAll(c.definition, "URL", s.URL))
		got, err := s.pool.Documents(context.Background(), e, texts("hi"), unwatched{})
		if err != nil || fmt.Sprint(got) != "[[1 2]]" || s.bodies[0] != c.body {
			t.Errorf("%s: %v %v %s", source, got, err, s.bodies)
		}
		if source == "openAi" && s.auth[0] != "Bearer env-key" {
			t.Errorf("key %q", s.auth)
		}
	}
}

// An empty key counted as none. The original sends it, except to openAi, where it hides the key of the
// environment.
func TestAnEmptyKeyIsAKey(t *testing.T) {
	for definition, want := range map[string]string{
		`{"source":"rest","url":"URL","request":"{{text}}","response":"{{embedding}}","apiKey":""}`:   "Bearer",
		`{"source":"rest","url":"URL","request":"{{text}}","response":"{{embedding}}"}`:               "",
		`{"source":"openAi","url":"URL","model":"text-embedding-3-small","dimensions":2,"apiKey":""}`: "",
		`{"source":"ollama","url":"URL/api/embeddings","model":"m","apiKey":""}`:                      "Bearer",
	} {
		s := newServer(t, func(int, map[string]any) (int, string) { return 401, "" })
		e := embedder(t, strings.ReplaceAll(definition, "URL", s.URL))
		if _, err := s.pool.Documents(context.Background(), e, texts("hi"), unwatched{}); err == nil || strings.TrimSpace(s.auth[0]) != want {
			t.Errorf("%s: %q, %v", definition, s.auth, err)
		}
	}
}

func TestFailures(t *testing.T) {
	rest := `{"source":"rest","url":"URL","request":{"in":"{{text}}"},"response":{"data":[{"v":"{{embedding}}"}]},"dimensions":2}`
	list := `{"source":"rest","url":"URL","request":{"in":["{{text}}","{{..}}"]},"response":{"data":["{{embedding}}","{{..}}"]}}`
	for _, c := range []struct {
		definition string
		status     int
		answer     string
		calls      int
		want       string
	}{
		{rest, 400, "no", 1, "user error: sent a bad request to embedding server\n  - Hint: check that the `request` in the embedder configuration matches the remote server's API\n  - server replied with `no`"},
		{rest, 401, "no", 1, "user error: could not authenticate against embedding server\n  - server replied with `no`\n  - Hint: Check the `apiKey` parameter in the embedder configuration"},
		{rest, 404, "no", 1, "error: received unexpected HTTP 404 from embedding server\n  - server replied with `no`"},
		{rest, 429, "no", 11, "runtime error: sent too many requests to embedding server\n  - server replied with `no`"},
		{rest, 503, "no", 11, "runtime error: received internal error HTTP 503 from embedding server\n  - server replied with `no`"},
		{rest, 200, "no", 11, "runtime error: error deserializing the response body as JSON:\n  - json: expected ident at line 1 column 2"},
		{rest, 200, `{"data":[{"v":[1,2,3]}]}`, 1, "runtime error: was expecting embeddings of dimension `2`, got embeddings of dimensions `3`"},
		{rest, 200, `{"dta":[]}`, 1, "runtime error: error extracting embeddings from the response:\n  - in `response`, while extracting a single \"{{embedding}}\", configuration expects key \"data\", which is missing in response\n  - Hint: `response` has key `dta`, did you mean `response.dta` in embedder configuration?"},
		{rest, 200, `{"data":{}}`, 1, "runtime error: error extracting embeddings from the response:\n  - in `response.data`, while extracting a single \"{{embedding}}\", configuration expects `data` to be an array with at least 1 item(s) but server sent an object with 0 field(s)"},
		{rest, 200, `{"data":[{"v":["x"]}]}`, 1, "runtime error: error extracting embeddings from the response:\n  - in `response.data[0].v`, while extracting a single \"{{embedding}}\", expected `v` to be an array of numbers, but failed to parse server response:\n  - invalid type: string \"x\", expected f32"},
		{rest, 200, `{"data":[{"v":[1,-1e39]}]}`, 1, "runtime error: error extracting embeddings from the response:\n  - in `response.data[0].v`, while extracting a single \"{{embedding}}\", expected `v` to be an array of numbers, but failed to parse server response:\n  - invalid type: number `-1e+39` is out of range, expected f32"},
		{list, 200, `{"data":[[1],[2]]}`, 1, "runtime error: expected a response containing 1 embeddings, got only 2"},
		{list, 200, `{"data":5}`, 1, "runtime error: error extracting embeddings from the response:\n  - in `response.data`, while extracting the array of \"{{embedding}}\"s, configuration expects `data` to be an array with at least 1 item(s) but server sent 5"},
	} {
		s := newServer(t, func(int, map[string]any) (int, string) { return c.status, c.answer })
		_, err := s.pool.Documents(context.Background(), embedder(t, strings.ReplaceAll(c.definition, "URL", s.URL)), texts("hi"), unwatched{})
		if err == nil || err.Error() != c.want || s.calls() != c.calls {
			t.Errorf("%d %s: %d calls, %v\nwant %s", c.status, c.answer, s.calls(), err, c.want)
		}
		if c.status == 503 {
			for i, d := range s.pauses {
				full := time.Minute
				if i < 5 {
					full = time.Millisecond
					for range i {
						full *= 10
					}
				}
				if d < full/2 || d > full {
					t.Errorf("pause %d is %v", i, d)
				}
			}
		}
	}
}

func TestRetrySucceeds(t *testing.T) {
	s := newServer(t, func(call int, _ map[string]any) (int, string) {
		if call < 3 {
			return 500, ""
		}
		return 200, `[1]`
	})
	e := embedder(t, `{"source":"rest","url":"`+s.URL+`","request":"{{text}}","response":"{{embedding}}"}`)
	if got, err := s.pool.Documents(context.Background(), e, texts("x"), unwatched{}); err != nil || len(got) != 1 || s.calls() != 4 {
		t.Fatalf("%v %v after %d calls", got, err, s.calls())
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.pool.Documents(ctx, e, texts("x"), unwatched{}); !errors.Is(err, context.Canceled) {
		t.Fatalf("a cancelled call ends with %v", err)
	}
}

func TestQueries(t *testing.T) {
	s := newServer(t, func(int, map[string]any) (int, string) { return 200, `[1]` })
	e := embedder(t, `{"source":"rest","url":"`+s.URL+`","request":"{{text}}","response":"{{embedding}}"}`)
	ask := func(q string) {
		t.Helper()
		if v, err := s.pool.Query(context.Background(), e, &q, nil); err != nil || len(v) != 1 {
			t.Fatal(v, err)
		}
	}
	for _, q := range []string{"a", "b", "a", "c", "a", "b"} {
		ask(q)
	}
	if s.calls() != 4 { // a, b, c, and b again
		t.Fatalf("%d calls with room for two queries", s.calls())
	}
	q := "red"
	wantError(t, func() error {
		_, err := s.pool.Query(context.Background(), embedder(t, `{"source":"userProvided","dimensions":2}`), &q, nil)
		return err
	}, "Error while generating embeddings: user error: attempt to embed the following text in a configuration where embeddings must be user provided:\n  - `red`")
	q = strings.Repeat("é", 251)
	wantError(t, func() error {
		_, err := s.pool.Query(context.Background(), embedder(t, `{"source":"userProvided","dimensions":2}`), &q, nil)
		return err
	}, "must be user provided:\n  - `"+strings.Repeat("é", 250)+"`")
	wantError(t, func() error {
		_, err := s.pool.Probe(context.Background(), embedder(t, `{"source":"huggingFace","model":"m"}`))
		return err
	}, "the source `huggingFace` is not available: this server runs no models itself")
	wantError(t, func() error {
		_, err := s.pool.Query(context.Background(), e, nil, json.RawMessage(`{"image":1}`))
		return err
	}, "doesn't have `searchFragments`.")
}

func wantError(t *testing.T, f func() error, want string) {
	t.Helper()
	var client *apierr.Error
	if err := f(); !errors.As(err, &client) || client.Code != apierr.CodeVectorEmbeddingError || !strings.Contains(client.Message, want) {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestFragmentsOfQueries(t *testing.T) {
	s := newServer(t, func(int, map[string]any) (int, string) { return 200, `{"e":[1]}` })
	e := embedder(t, `{"source":"rest","url":"`+s.URL+`","dimensions":1,"request":{"i":"{{fragment}}"},"response":{"e":"{{embedding}}"},
		"indexingFragments":{"t":{"value":{"text":"{{doc.t}}"}}},
		"searchFragments":{"picture":{"value":{"image":"{{media.image}}"}},"words":{"value":{"text":"{{q}}"}}}}`)
	q := "red"
	if _, err := s.pool.Query(context.Background(), e, &q, nil); err != nil || s.bodies[0] != `{"i":{"text":"red"}}` {
		t.Fatal(err, s.bodies)
	}
	if _, err := s.pool.Query(context.Background(), e, nil, json.RawMessage(`{"image":"x.png"}`)); err != nil || s.bodies[1] != `{"i":{"image":"x.png"}}` {
		t.Fatal(err, s.bodies)
	}
	wantError(t, func() error {
		_, err := s.pool.Query(context.Background(), e, &q, json.RawMessage(`{"image":"x.png"}`))
		return err
	}, "Query matches multiple search fragments.\n  - Note: First matched fragment `picture`.\n  - Note: Second matched fragment `words`.")
	wantError(t, func() error {
		_, err := s.pool.Query(context.Background(), e, nil, json.RawMessage(`{"sound":1}`))
		return err
	}, "Query matches no search fragment.\n  - Note: {\"q\":null,\"media\":{\"sound\":1}}")
	wantError(t, func() error {
		_, err := s.pool.Probe(context.Background(), embedder(t, `{"source":"rest","url":"http://x","request":{"i":"{{fragment}}"},"response":{"e":"{{embedding}}"},
			"indexingFragments":{"t":{"value":"{{doc.t}}"}},"searchFragments":{"t":{"value":"{{q}}"}}}`))
		return err
	}, "cannot infer `dimensions` for an embedder using `indexingFragments`.")
}

// Without `dimensions`, an embedder with search fragments only was asked for a vector of a text.
func TestDimensionsOfFragmentsAreNotAskedFor(t *testing.T) {
	s := newServer(t, func(int, map[string]any) (int, string) { return 200, `{"e":[1,2]}` })
	e := embedder(t, `{"source":"rest","url":"`+s.URL+`","request":{"i":"{{fragment}}"},"response":{"e":"{{embedding}}"},"searchFragments":{"q":{"value":"{{q}}"}}}`)
	wantError(t, func() error { _, err := s.pool.Probe(context.Background(), e); return err }, "cannot infer `dimensions` for an embedder using `indexingFragments`.")
	if s.calls() != 0 {
		t.Error("asked")
	}
}

func TestComposite(t *testing.T) {
	vector := `[1,0]`
	s := newServer(t, func(_ int, body map[string]any) (int, string) {
		if body["side"] == "search" {
			return 200, vector
		}
		return 200, `[1,0]`
	})
	half := func(side string) string {
		return `{"source":"rest","url":"` + s.URL + `","request":{"side":"` + side + `","t":"{{text}}"},"response":"{{embedding}}"}`
	}
	e := embedder(t, `{"source":"composite","searchEmbedder":`+half("search")+`,"indexingEmbedder":`+half("index")+`}`)
	if d, err := s.pool.Probe(context.Background(), e); err != nil || d != 2 {
		t.Fatal(d, err)
	}
	q := "x"
	if _, err := s.pool.Query(context.Background(), e, &q, nil); err != nil {
		t.Fatal(err)
	}
	vector = `[0,1]`
	wantError(t, func() error { _, err := s.pool.Probe(context.Background(), e); return err },
		"the embeddings produced at search time and indexing time are not similar enough.\n  - angular distance 0.50\n  - Meilisearch requires a maximum distance of 0.01.")
	// A half whose dimensions are stated as 0 was asked for a vector.
	zero := embedder(t, `{"source":"composite","searchEmbedder":`+half("search")+`,"indexingEmbedder":`+strings.Replace(half("index"), `"url"`, `"dimensions":0,"url"`, 1)+`}`)
	wantError(t, func() error { _, err := s.pool.Probe(context.Background(), zero); return err }, "Search time dimensions: 2\n  - Indexing time dimensions: 0")
	zero = embedder(t, `{"source":"composite","searchEmbedder":{"source":"openAi","model":"text-embedding-3-small","dimensions":0},"indexingEmbedder":`+half("index")+`}`)
	wantError(t, func() error { _, err := s.pool.Probe(context.Background(), zero); return err }, "Search time dimensions: 0\n  - Indexing time dimensions: 2")
	vector = `[0]`
	wantError(t, func() error { _, err := s.pool.Probe(context.Background(), e); return err }, "Search time dimensions: 1\n  - Indexing time dimensions: 2")
}

func FuzzExtract(f *testing.F) {
	f.Add(`{"a":[{"v":"{{embedding}}"},"{{..}}"]}`, `{"a":[{"v":[1,2]}]}`)
	f.Add(`[["{{embedding}}"]]`, `[[[1]]]`)
	f.Fuzz(func(t *testing.T, template, answer string) {
		a, err := jsonvalue.Parse([]byte(template))
		if err != nil {
			t.Skip()
		}
		b, err := jsonvalue.Parse([]byte(answer))
		if err != nil {
			t.Skip()
		}
		if in, ok := newInjection(a, vectorPlaceholder); ok {
			_, _ = in.extract(&b)
			v := in.inject([]jsonvalue.Value{b, a})
			if one := in.inject([]jsonvalue.Value{jsonvalue.ArrayValue(jsonvalue.UintValue(7))}); !in.repeated {
				if got, fault := in.extract(&one); fault != nil || len(got) != 1 || got[0][0] != 7 {
					t.Fatalf("what was injected into %s is not found in %s", template, v.JSON())
				}
			}
		}
	})
}

func TestARetryIsMadeWhenTheServerAsksForIt(t *testing.T) {
	s := newServer(t, func(call int, _ map[string]any) (int, string) {
		if call == 0 {
			return 429, ""
		}
		return 200, `[1]`
	})
	e := embedder(t, `{"source":"rest","url":"`+s.URL+`","request":"{{text}}","response":"{{embedding}}"}`)
	s.after = 7 * time.Second
	if _, err := s.pool.Documents(context.Background(), e, texts("x"), unwatched{}); err != nil || len(s.pauses) != 1 || s.pauses[0] != s.after {
		t.Errorf("%v after pauses of %v", err, s.pauses)
	}
}

func TestAServerThatAsksForAnHourIsNotAskedAgain(t *testing.T) {
	s := newServer(t, func(int, map[string]any) (int, string) { return 503, "" })
	e := embedder(t, `{"source":"rest","url":"`+s.URL+`","request":"{{text}}","response":"{{embedding}}","dimensions":1}`)
	s.after = time.Hour
	if _, err := s.pool.Documents(context.Background(), e, texts("x"), unwatched{}); err == nil || s.calls() != 1 {
		t.Errorf("%v after %d calls", err, s.calls())
	}
}

// While a server is down, an update with many documents holds up its index. So it gives up
// after half a minute, and a small one after minutes.
func TestALargeUpdateGivesUpEarlier(t *testing.T) {
	waited := func(documents int) time.Duration {
		s := newServer(t, func(int, map[string]any) (int, string) { return 503, "" })
		e := embedder(t, `{"source":"rest","url":"`+s.URL+`","request":"{{text}}","response":"{{embedding}}","dimensions":1}`)
		_, err := s.pool.Documents(context.Background(), e, texts(make([]string, documents)...), unwatched{})
		if err == nil {
			t.Error("a server that is down made vectors")
		}
		return s.now.Sub(time.Time{})
	}
	small, large := waited(1), waited(30)
	if small < 2*time.Minute || small > mostPatience {
		t.Errorf("a small update gave up after %v", small)
	}
	// Pauses of 30 calls pass one after the other here, each a minute at most.
	if most := leastPatience + 31*time.Minute; large < leastPatience || large > most {
		t.Errorf("a large update gave up after %v", large)
	}
}

func TestPatienceLastsWhileCallsAreAnswered(t *testing.T) {
	var now time.Time
	p := newPatience(1000, func() time.Time { return now })
	for range 10 {
		now = now.Add(leastPatience - time.Second)
		if p.lost() {
			t.Fatal("it gave up while the server answers")
		}
		p.served()
	}
	if now = now.Add(leastPatience); !p.lost() {
		t.Error("it goes on for ever")
	}
}
