package browser

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// meanings is an embedder that knows two meanings: ships, and all else.
func meanings(t *testing.T) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var texts []string
		if err := json.NewDecoder(r.Body).Decode(&texts); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		vectors := make([][]int, len(texts))
		for i, text := range texts {
			vectors[i] = []int{0, 1}
			if strings.Contains(text, "vessel") || strings.Contains(text, "ship") {
				vectors[i] = []int{1, 0}
			}
		}
		if err := json.NewEncoder(w).Encode(vectors); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func TestASliderMixesWordsAndMeaningAndTellsWhichFoundAHit(t *testing.T) {
	c, b := openConsole(t, 1, "SHOAL_EXPERIMENTAL_ALLOWED_IP_NETWORKS=127.0.0.0/8")
	n := c.Nodes[0]
	for _, r := range []struct {
		method, path string
		body         any
	}{
		{"PATCH", "/indexes/books/settings", map[string]any{"embedders": map[string]any{"sea": map[string]any{
			"source": "rest", "url": meanings(t).URL, "dimensions": 2, "documentTemplate": "{{doc.title}}",
			"request": []string{"{{text}}", "{{..}}"}, "response": []string{"{{embedding}}", "{{..}}"},
		}}}},
		{"POST", "/indexes/books/documents", []map[string]any{{"id": 1, "title": "An old ship"}, {"id": 2, "title": "The vessel of the queen"}, {"id": 3, "title": "A garden"}}},
	} {
		uid, err := n.Enqueue(t.Context(), r.method, r.path, r.body)
		if err != nil {
			t.Fatal(err)
		}
		if status, err := n.Wait(t.Context(), uid); status != "succeeded" {
			t.Fatalf("%s %s: %s, %v", r.method, r.path, status, err)
		}
	}
	b.enter(masterKey)
	b.do("search", chromedp.SendKeys(`main input[type=search]`, "vessel"))
	b.sees("1 hit in", "The vessel of the queen")
	b.evaluate("focus the slider", `document.querySelector('input[type=range]').focus(), 0`)
	b.do("more meaning, by keyboard", chromedp.KeyEvent(kb.End))
	b.becomes("the address", `location.hash`, "#/search/books?q=vessel&embedder=sea&ratio=1")
	b.becomes("the hits", `[...document.querySelectorAll('#hits h2')].map((e) => e.textContent).join(', ')`, "1. An old ship, 2. The vessel of the queen, 3. A garden")
	b.sees("found by meaning")
	b.press("Why here?")
	b.sees("meaning", "similarity: 1")
	b.press("Close")
	b.goTo("search/books?q=vessel&embedder=sea&ratio=0.3")
	b.becomes("what found each", `[...document.querySelectorAll('#hits .tag')].map((e) => e.textContent).join(', ')`, "found by words, found by meaning, found by meaning")
}
