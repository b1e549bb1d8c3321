package embedding

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	clustertest "shoal/cluster-test"
)

// An embedder that fails fails the tasks that need it, with its reason, and nothing else.
// When it is well again the same documents are taken.
func TestBadDaysOfAnEmbedderFailTheirTaskOnly(t *testing.T) {
	c := start(t, 1, "SHOAL_EXPERIMENTAL_REST_EMBEDDER_TIMEOUT_SECONDS=1", "SHOAL_EXPERIMENTAL_REST_EMBEDDER_MAX_RETRY_DURATION_SECONDS=1")
	s, n := newServer(t), c.Nodes[0]
	must(t, n, "PATCH", "/indexes/docs/settings", s.embedder(2, ""))
	must(t, n, "POST", "/indexes/docs/documents", documents(0, 25))
	before := hits(t, n, "aabb")
	for _, day := range []struct {
		name   string
		answer func(w http.ResponseWriter, r *http.Request, texts []string) bool
		want   string
	}{
		{"other dimensions", func(w http.ResponseWriter, _ *http.Request, texts []string) bool {
			reply(w, texts, 3)
			return true
		}, "was expecting embeddings of dimension `2`, got embeddings of dimensions `3`"},
		{"half of the answers", func(w http.ResponseWriter, _ *http.Request, texts []string) bool {
			reply(w, texts[:len(texts)/2], 2)
			return true
		}, "expected a response containing 10 embeddings, got only 5"},
		{"numbers beyond the range", func(w http.ResponseWriter, _ *http.Request, texts []string) bool {
			_, err := w.Write([]byte("[" + strings.TrimSuffix(strings.Repeat("[1e39,1],", len(texts)), ",") + "]"))
			return err == nil
		}, "is out of range, expected f32"},
		{"an hour's pause", func(w http.ResponseWriter, _ *http.Request, _ []string) bool {
			w.Header().Set("Retry-After", "3600")
			http.Error(w, "", http.StatusTooManyRequests)
			return true
		}, "sent too many requests to embedding server"},
		{"a text that it refuses", func(w http.ResponseWriter, _ *http.Request, texts []string) bool {
			refused := strings.Contains(strings.Join(texts, " "), " 107")
			if refused {
				http.Error(w, "too long", http.StatusBadRequest)
			}
			return refused
		}, "While embedding document `107` for embedder `e`: user error: sent a bad request"},
		{"no answer, ever", func(_ http.ResponseWriter, r *http.Request, _ []string) bool {
			<-r.Context().Done() // until the caller gives up
			return true
		}, "could not reach embedding server"},
	} {
		s.answers(day.answer)
		if failure := do(t, n, "POST", "/indexes/docs/documents", documents(100, 25)); !strings.Contains(failure, day.want) {
			t.Errorf("%s: %q, want %q", day.name, failure, day.want)
		}
		s.answers(nil)
		if got := hits(t, n, "aabb"); got != before {
			t.Errorf("%s: a search finds %s, before %s", day.name, got, before)
		}
		must(t, n, "POST", "/indexes/docs/documents", documents(200, 1))
		must(t, n, "POST", "/indexes/docs/documents/delete-batch", []int{200})
	}
	must(t, n, "POST", "/indexes/docs/documents", documents(100, 25))
}

// A slow embedder delays its task, which shows how far it is and why it waits.
func TestATaskShowsHowFarItsVectorsAre(t *testing.T) {
	c := start(t, 2)
	s, n := newServer(t), c.Nodes[0]
	must(t, n, "PATCH", "/indexes/docs/settings", s.embedder(2, ""))
	var down atomic.Bool
	down.Store(true)
	s.answers(func(w http.ResponseWriter, _ *http.Request, _ []string) bool {
		if down.Load() {
			http.Error(w, "", http.StatusServiceUnavailable)
			return true
		}
		return false
	})
	uid, err := n.Enqueue(t.Context(), "POST", "/indexes/docs/documents", documents(0, 45))
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range c.Nodes {
		shows(t, o, `{"currentStep":"embedding documents","finished":0,"total":45},{"currentStep":"waiting: an embedder: runtime error: received internal error HTTP 503 from embedding server"`)
	}
	down.Store(false)
	if status, err := n.Wait(t.Context(), uid); status != "succeeded" {
		t.Fatal(status, err)
	}
	var page struct {
		Results []struct {
			Stats struct {
				EmbedderRequests struct {
					Total, Failed int
					LastError     string
				}
			}
		}
	}
	_, b, err := n.Do(t.Context(), "GET", "/batches?limit=1", nil)
	if err != nil || json.Unmarshal(b, &page) != nil || len(page.Results) != 1 {
		t.Fatalf("%s %v", b, err)
	}
	if got := page.Results[0].Stats.EmbedderRequests; got.Failed < 1 || got.Total != got.Failed+5 || !strings.Contains(got.LastError, "HTTP 503") {
		t.Errorf("calls %+v, want five that were answered", got)
	}
}

// shows waits until the progress of the running batch contains a text.
func shows(t *testing.T, n *clustertest.Node, text string) {
	t.Helper()
	end := time.Now().Add(30 * time.Second)
	for {
		_, b, err := n.Do(t.Context(), "GET", "/batches?statuses=processing", nil)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(b), text) {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%s shows %s, want %s", n.Name, b, text)
		}
		select {
		case <-t.Context().Done():
			t.Fatal("the test ends")
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// While documents are embedded by another model, searches find what they found: query and
// documents are of the former model. Then both are of the new one, which swaps the letters
// of documents.
func TestQueriesDuringARebuildToAnotherModelAreOfTheFormerOne(t *testing.T) {
	const query = "aaaaaabb"
	c := start(t, 1)
	s, n := newServer(t), c.Nodes[0]
	next := newServer(t)
	must(t, n, "PATCH", "/indexes/docs/settings", s.embedder(2, ""))
	must(t, n, "POST", "/indexes/docs/documents", documents(0, 120))
	before := hits(t, n, query)
	begun, release := make(chan struct{}, 100), make(chan struct{})
	next.answers(func(w http.ResponseWriter, _ *http.Request, texts []string) bool {
		begun <- struct{}{}
		<-release
		if texts[0] != query {
			for i, text := range texts {
				texts[i] = strings.NewReplacer("a", "b", "b", "a").Replace(text)
			}
		}
		reply(w, texts, 6)
		return true
	})
	uid, err := n.Enqueue(t.Context(), "PATCH", "/indexes/docs/settings", next.embedder(6, "/other"))
	if err != nil {
		t.Fatal(err)
	}
	<-begun
	for range 20 {
		if got := hits(t, n, query); got != before {
			t.Errorf("during the rebuild a search finds %s, before %s", got, before)
		}
	}
	if next.counts()[query] != 0 {
		t.Error("a query was embedded by the model that is not in effect yet")
	}
	close(release)
	if status, err := n.Wait(t.Context(), uid); status != "succeeded" {
		t.Fatal(status, err)
	}
	asked := s.counts()[query]
	if after := hits(t, n, query); after == before {
		t.Errorf("after the rebuild a search finds %s, as before", after)
	}
	if next.counts()[query] != 1 || s.counts()[query] != asked {
		t.Error("the query was not embedded by the new model")
	}
}
