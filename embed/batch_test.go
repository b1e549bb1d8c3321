package embed

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"shoal/api"
	"shoal/api/decode"
)

const listEmbedder = `{"source":"rest","url":"URL","dimensions":2,"request":{"in":["{{text}}","{{..}}"]},"response":{"out":["{{embedding}}","{{..}}"]}}`

// tally counts what a Watcher is told.
type tally struct {
	mu                     sync.Mutex
	called, failed, paused int
	pausing                int
}

func (c *tally) Called(fault error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.called++
	if fault != nil {
		c.failed++
	}
}

func (c *tally) Waits() (over func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.paused, c.pausing = c.paused+1, c.pausing+1
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.pausing--
	}
}

// sizes are the numbers of texts in the calls of a server, ascending.
func (s *server) sizes() (out []int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, body := range s.bodies {
		out = append(out, strings.Count(body, `","`)+1)
	}
	slices.Sort(out)
	return out
}

func TestLongTextsMakeShortCalls(t *testing.T) {
	s := newServer(t, func(_ int, body map[string]any) (int, string) { return 200, `{"out":[` + lengths(body["in"]) + `]}` })
	list := []string{strings.Repeat("x", 2*bytesPerCall)}
	for i := range 10 {
		list = append(list, strings.Repeat(string(rune('a'+i)), bytesPerCall/2-2))
	}
	for i := range 15 {
		list = append(list, fmt.Sprint(i))
	}
	got, err := s.pool.Documents(context.Background(), embedder(t, strings.Replace(listEmbedder, "URL", s.URL, 1)), texts(list...), unwatched{})
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range got {
		if v[0] != float32(len(list[i])) {
			t.Errorf("text %d has the vector %v", i, v)
		}
	}
	// The longest text alone, the others two by two, then as many as a call may have.
	if sizes := s.sizes(); !slices.Equal(sizes, []int{1, 2, 2, 2, 2, 2, 5, 10}) {
		t.Errorf("calls of %v texts", sizes)
	}
}

func TestEqualTextsAreSentOnce(t *testing.T) {
	s := newServer(t, func(_ int, body map[string]any) (int, string) { return 200, `{"out":[` + lengths(body["in"]) + `]}` })
	var list []string
	for i := range 60 {
		list = append(list, strings.Repeat("x", 1+i%3))
	}
	got, err := s.pool.Documents(context.Background(), embedder(t, strings.Replace(listEmbedder, "URL", s.URL, 1)), texts(list...), unwatched{})
	if err != nil || s.calls() != 1 || s.bodies[0] != `{"in":["x","xx","xxx"]}` {
		t.Fatalf("%v, calls %s", err, s.bodies)
	}
	for i, v := range got {
		if v[0] != float32(1+i%3) {
			t.Errorf("text %d has the vector %v", i, v)
		}
	}
}

// The server refuses calls with a text that it cannot take. The error names that text, so
// that its document can be told from the others.
func TestARefusedTextIsFoundAmongOthers(t *testing.T) {
	for _, status := range []int{400, 413, 422} {
		s := newServer(t, func(_ int, body map[string]any) (int, string) {
			for _, x := range body["in"].([]any) {
				if x == "bad" {
					return status, "too long"
				}
			}
			return 200, `{"out":[` + lengths(body["in"]) + `]}`
		})
		var list []string
		for i := range 25 {
			list = append(list, fmt.Sprint(i))
		}
		list[17] = "bad"
		_, err := s.pool.Documents(context.Background(), embedder(t, strings.Replace(listEmbedder, "URL", s.URL, 1)), texts(list...), unwatched{})
		var fault *Error
		if !errors.As(err, &fault) || fault.Input != 18 || !strings.Contains(fault.Text, "too long") {
			t.Errorf("%d: %+v", status, err)
		}
	}
}

func TestAServerThatRefusesEveryTextBlamesNone(t *testing.T) {
	s := newServer(t, func(int, map[string]any) (int, string) { return 400, "no" })
	list := make([]string, 5000)
	for i := range list {
		list[i] = fmt.Sprint(i)
	}
	_, err := s.pool.Documents(context.Background(), embedder(t, strings.Replace(listEmbedder, "URL", s.URL, 1)), texts(list...), unwatched{})
	var fault *Error
	if !errors.As(err, &fault) || fault.Input != 0 || fault.Fault != UserFault {
		t.Errorf("%+v", err)
	}
	if most := 4 * (parallelism + mostRefused); s.calls() > most {
		t.Errorf("a server that refuses all is called %d times, want %d at most", s.calls(), most)
	}
}

// A server that leaves out a vector of each call: how many it gave of how many is told of the first
// call, and not of its parts.
func TestAServerThatFitsNoCallIsToldOfByTheFirst(t *testing.T) {
	s := newServer(t, func(_ int, body map[string]any) (int, string) {
		return 200, `{"out":[` + lengths(body["in"].([]any)[1:]) + `]}`
	})
	_, err := s.pool.Documents(context.Background(), embedder(t, strings.Replace(listEmbedder, "URL", s.URL, 1)), texts("a", "bb", "ccc"), unwatched{})
	var fault *Error
	if !errors.As(err, &fault) || fault.Input != 0 || !strings.Contains(fault.Text, "containing 3 embeddings, got only 2") {
		t.Errorf("%v", err)
	}
}

func TestAWatcherIsToldOfCallsAndPauses(t *testing.T) {
	s := newServer(t, func(call int, body map[string]any) (int, string) {
		if call < 2 {
			return 503, ""
		}
		return 200, `{"out":[` + lengths(body["in"]) + `]}`
	})
	seen := &tally{}
	if _, err := s.pool.Documents(context.Background(), embedder(t, strings.Replace(listEmbedder, "URL", s.URL, 1)), texts("a", "b"), seen); err != nil {
		t.Fatal(err)
	}
	if seen.called != 3 || seen.failed != 2 || seen.paused != 2 || seen.pausing != 0 {
		t.Errorf("%+v", seen)
	}
}

// Three calls that wait for each other end only if they are made at the same time.
func TestSeveralCallsAreInFlight(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	var together sync.WaitGroup
	together.Add(3)
	pool := NewPool(Config{Post: func(ctx context.Context, _ string, _ []decode.Entry[string], _ []byte, _ int64) (api.Reply, error) {
		together.Done()
		all := make(chan struct{})
		go func() { together.Wait(); close(all) }()
		select {
		case <-all:
			return api.Reply{Status: 200, Body: []byte(`[1]`)}, nil
		case <-ctx.Done():
			return api.Reply{}, ctx.Err()
		}
	}})
	e := embedder(t, `{"source":"rest","url":"http://x","request":"{{text}}","response":"{{embedding}}","dimensions":1}`)
	if _, err := pool.Documents(ctx, e, texts("a", "b", "c"), unwatched{}); err != nil {
		t.Fatal(err)
	}
}

// An embedder may be defined again under the same address and model.
func TestCachedQueriesAreOfTheirDefinition(t *testing.T) {
	for _, c := range []struct{ first, second string }{
		{`{"source":"openAi","url":"URL","model":"text-embedding-3-small","dimensions":2}`, `{"source":"openAi","url":"URL","model":"text-embedding-3-small","dimensions":3}`},
		{`{"source":"rest","url":"URL","dimensions":1,"headers":{"X-Model":"a"},"request":"{{text}}","response":"{{embedding}}"}`,
			`{"source":"rest","url":"URL","dimensions":1,"headers":{"X-Model":"b"},"request":"{{text}}","response":"{{embedding}}"}`},
	} {
		s := newServer(t, func(_ int, body map[string]any) (int, string) {
			if n, ok := body["dimensions"].(float64); ok {
				return 200, `{"data":[{"embedding":[1` + strings.Repeat(",1", int(n)-1) + `]}]}`
			}
			return 200, `[1]`
		})
		q := "red"
		for _, definition := range []string{c.first, c.second, c.first} {
			e := embedder(t, strings.ReplaceAll(definition, "URL", s.URL))
			if v, err := s.pool.Query(t.Context(), e, &q, nil); err != nil || len(v) != e.Dimensions {
				t.Errorf("%s: %v %v", definition, v, err)
			}
		}
		if s.calls() != 2 {
			t.Errorf("%s: %d calls, want one for each definition", c.second, s.calls())
		}
	}
}

// The time of each call is bounded, and so is their number.
func TestAServerThatNeverAnswersIsGivenUp(t *testing.T) {
	called := 0
	pool := NewPool(Config{
		CallTime: time.Millisecond, Sleep: func(context.Context, time.Duration) bool { return true },
		Post: func(ctx context.Context, _ string, _ []decode.Entry[string], _ []byte, _ int64) (api.Reply, error) {
			called++
			<-ctx.Done()
			return api.Reply{}, ctx.Err()
		},
	})
	e := embedder(t, `{"source":"rest","url":"http://x","request":"{{text}}","response":"{{embedding}}","dimensions":1}`)
	_, err := pool.Documents(t.Context(), e, texts("a"), unwatched{})
	var fault *Error
	if !errors.As(err, &fault) || !strings.HasPrefix(fault.Text, "could not reach embedding server") || called != retries+1 {
		t.Errorf("%v after %d calls", err, called)
	}
}

// failure signals the first call that failed.
type failure struct {
	unwatched
	once   sync.Once
	failed chan struct{}
}

func (f *failure) Called(error) { f.once.Do(func() { close(f.failed) }) }

// Symptom: of several failing calls the one that was answered first was reported.
func TestTheFirstBatchThatFailsIsReported(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	watch := &failure{failed: make(chan struct{})}
	pool := NewPool(Config{Post: func(ctx context.Context, _ string, _ []decode.Entry[string], body []byte, _ int64) (api.Reply, error) {
		n := strings.Count(string(body), `","`) + 1
		if n == textsPerCall { // the first batch is answered after the other one failed
			select {
			case <-watch.failed:
			case <-ctx.Done():
				return api.Reply{}, ctx.Err()
			}
		}
		return api.Reply{Status: 200, Body: []byte(`{"out":[` + strings.TrimSuffix(strings.Repeat("[1,2],", n/2), ",") + `]}`)}, nil
	}})
	var list []string
	for i := range textsPerCall + 4 {
		list = append(list, fmt.Sprint("text ", i))
	}
	_, err := pool.Documents(ctx, embedder(t, strings.Replace(listEmbedder, "URL", "http://x", 1)), texts(list...), watch)
	if err == nil || !strings.Contains(err.Error(), "expected a response containing 10 embeddings, got only 5") {
		t.Errorf("error %v", err)
	}
}
