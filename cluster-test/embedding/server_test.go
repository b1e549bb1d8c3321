package embedding

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	clustertest "shoal/cluster-test"
	"shoal/cluster-test/rig"
)

func TestMain(m *testing.M) { os.Exit(rig.Main(m)) }

// server is an embedder that counts the texts that it is asked for.
type server struct {
	*httptest.Server
	mu    sync.Mutex
	asked map[string]int
	// answer replaces the usual answer to texts, unless it returns false.
	answer func(w http.ResponseWriter, r *http.Request, texts []string) bool
}

// newServer returns an embedder of vectors of two numbers, see reply.
func newServer(t *testing.T) *server {
	s := &server{asked: map[string]int{}}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var texts []string
		if err := json.NewDecoder(r.Body).Decode(&texts); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		s.mu.Lock()
		for _, text := range texts {
			s.asked[text]++
		}
		answer := s.answer
		s.mu.Unlock()
		if answer == nil || !answer(w, r, texts) {
			reply(w, texts, 2)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// reply answers with the shares of the letters a and b in each text, repeated to the number
// of dimensions.
func reply(w http.ResponseWriter, texts []string, dimensions int) {
	out := make([][]float64, len(texts))
	for i, text := range texts {
		n := float64(len(text) + 1)
		pair := []float64{(1 + float64(strings.Count(text, "a"))) / n, (1 + float64(strings.Count(text, "b"))) / n}
		for k := range dimensions {
			out[i] = append(out[i], pair[k%2])
		}
	}
	_ = json.NewEncoder(w).Encode(out) // a client that has gone away has no use for it
}

// answers sets how texts are answered from now on.
func (s *server) answers(f func(w http.ResponseWriter, r *http.Request, texts []string) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = f
}

// counts returns how often each text was asked for.
func (s *server) counts() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.asked)
}

// embedder are settings with the server as embedder e. path tells models apart.
func (s *server) embedder(dimensions int, path string) map[string]any {
	return map[string]any{"embedders": map[string]any{"e": map[string]any{
		"source": "rest", "url": s.URL + path, "dimensions": dimensions, "documentTemplate": "{{doc.t}}",
		"request": []string{"{{text}}", "{{..}}"}, "response": []string{"{{embedding}}", "{{..}}"},
	}}}
}

// start runs a cluster that may call the test's servers.
func start(t *testing.T, nodes int, env ...string) *clustertest.Cluster {
	t.Helper()
	c := rig.New(t, nodes, append(env, "SHOAL_EXPERIMENTAL_ALLOWED_IP_NETWORKS=127.0.0.0/8")...)
	rig.Start(t, c)
	return c
}

// do sends a write and returns the text of its task's error, "" if it succeeded.
func do(t *testing.T, n *clustertest.Node, method, path string, body any) (failure string) {
	t.Helper()
	uid, err := n.Enqueue(t.Context(), method, path, body)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	status, err := n.Wait(ctx, uid)
	switch {
	case status == "succeeded":
		return ""
	case status == "":
		t.Fatal(err)
	}
	return err.Error()
}

// must is do for a task that succeeds.
func must(t *testing.T, n *clustertest.Node, method, path string, body any) {
	t.Helper()
	if failure := do(t, n, method, path, body); failure != "" {
		t.Fatalf("%s %s: %s", method, path, failure)
	}
}

// hits are the ids that a search by meaning finds, in order, with their scores.
func hits(t *testing.T, n *clustertest.Node, q string) string {
	t.Helper()
	body := map[string]any{"q": q, "hybrid": map[string]any{"embedder": "e", "semanticRatio": 1}, "attributesToRetrieve": []string{"id"}, "showRankingScore": true, "limit": 5}
	status, b, err := n.Do(t.Context(), "POST", "/indexes/docs/search", body)
	if err != nil || status != http.StatusOK {
		t.Fatalf("%d %s %v", status, b, err)
	}
	var answer struct{ Hits json.RawMessage }
	if err := json.Unmarshal(b, &answer); err != nil {
		t.Fatal(err)
	}
	return string(answer.Hits)
}
