package browser

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"
	"text/template"
	"time"

	"github.com/chromedp/chromedp"

	clustertest "shoal/cluster-test"
	"shoal/cluster-test/rig"
	"shoal/cluster-test/robin"
)

// The packages that a page of InstantSearch is made of.
const (
	adapter = "@meilisearch/instant-meilisearch@0.31.3"
	widgets = "instantsearch.js@4.118.1"
)

var (
	instantSearch = flag.Bool("instantsearch", false, "test InstantSearch, whose packages npm fetches (make clients)")
	//go:embed testdata/instantsearch.html
	pageText string
	page     = template.Must(template.New("page").Parse(pageText))
)

// TestInstantSearchOnThreeNodes: a page of another origin searches, refines by a facet
// and pages through one address that gives every request to the next node.
func TestInstantSearchOnThreeNodes(t *testing.T) {
	if !*instantSearch {
		t.Skip("make clients runs it: npm fetches packages for it")
	}
	folder := packages(t, adapter, widgets)
	b := openTab(t)
	const master = "the master key of InstantSearch"
	c := rig.New(t, 3, rig.Shards(3), "SHOAL_MASTER_KEY="+master)
	rig.Start(t, c)
	for _, n := range c.Nodes {
		n.Key = master
	}
	key := shop(t, c.Nodes[0])
	front, err := robin.New(c.Nodes, robin.Between{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := front.Close(); err != nil {
			t.Error(err)
		}
	}()
	site := serve(t, folder, front.URL, key)

	b.first(site)
	b.becomes("hits at first", hitCount, "10")
	b.becomes("the total", `document.querySelector("#stats").innerText`, "120 films")
	b.becomes("genres", genres, "comedy 40, drama 40, western 40")

	b.do("type a query", chromedp.SendKeys(chromedp.CSS("#search input"), "quiet rivver"))
	b.becomes("hits with a typo", titles, "A quiet river 7")
	b.becomes("what is marked", `[...document.querySelectorAll("#hits mark")].map(e => e.innerText).join(" ")`, "quiet river")

	b.do("clear the query", chromedp.Click(chromedp.CSS("#search button[type=reset]")))
	b.becomes("the total again", `document.querySelector("#stats").innerText`, "120 films")
	b.evaluate("choose a genre", `[...document.querySelectorAll("#genre input")].find(e => e.value == "western").click()`)
	b.becomes("the total of a genre", `document.querySelector("#stats").innerText`, "40 films")
	// The other values stay to choose from: the page asks for them without its own filter.
	b.becomes("genres beside the chosen one", genres, "western 40, comedy 40, drama 40")
	b.becomes("hits of the genre", genresOfHits, "western")
	b.evaluate("choose another one, too", `[...document.querySelectorAll("#genre input")].find(e => e.value == "drama").click()`)
	b.becomes("the total of two genres", `document.querySelector("#stats").innerText`, "80 films")

	shown := b.evaluate("the first page", titles)
	for _, number := range []string{"2", "8"} {
		b.evaluate("turn to page "+number, fmt.Sprintf(`[...document.querySelectorAll("#pages a")].find(e => e.innerText == "%s").click()`, number))
		b.becomes("the page", `document.querySelector("#pages .ais-Pagination-item--selected").innerText`, number)
		// The number is marked at once, the hits come with the answer.
		b.becomes("other hits than before on page "+number, fmt.Sprintf("String(%s != %q)", titles, shown), "true")
		b.becomes("hits of page "+number, hitCount, "10")
		shown = b.evaluate("titles", titles)
	}
}

// What the page shows.
const (
	hitCount     = `document.querySelectorAll("#hits article").length`
	titles       = `[...document.querySelectorAll("#hits h2")].map(e => e.innerText).join(", ")`
	genres       = `[...document.querySelectorAll("#genre li")].map(e => e.querySelector(".ais-RefinementList-labelText").innerText + " " + e.querySelector(".ais-RefinementList-count").innerText).join(", ")`
	genresOfHits = `[...new Set([...document.querySelectorAll("#hits p")].map(e => e.innerText))].join(", ")`
)

// packages fetches packages of npm. The test is skipped where there is nothing to fetch
// them with or from.
func packages(t *testing.T, names ...string) (folder string) {
	t.Helper()
	if testing.Short() {
		t.Skip("starts processes")
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Skip("npm is not installed: its packages are what is tested")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	folder = t.TempDir()
	run := func(args ...string) ([]byte, error) {
		cmd := exec.CommandContext(ctx, npm, args...)
		cmd.Dir = folder
		return cmd.CombinedOutput()
	}
	if out, err := run("view", names[0], "version"); err != nil {
		t.Skipf("the registry of npm does not answer: %s", bytes.TrimSpace(out))
	}
	if out, err := run(append([]string{"install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts"}, names...)...); err != nil {
		t.Fatalf("npm install: %v\n%s", err, out)
	}
	return folder
}

// serve is the site that has the page.
func serve(t *testing.T, folder, host, key string) string {
	t.Helper()
	files := http.FileServer(http.Dir(folder))
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/node_modules/") {
			files.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if err := page.Execute(w, map[string]string{"Host": host, "Key": key}); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(site.Close)
	return site.URL
}

// shop makes an index of films, and a key that may search it.
func shop(t *testing.T, n *clustertest.Node) (key string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var docs bytes.Buffer
	for id := range 120 {
		title := fmt.Sprintf("The film number %d", id)
		if id == 7 {
			title = "A quiet river 7"
		}
		fmt.Fprintf(&docs, `{"id":%d,"title":%q,"genre":%q}`+"\n", id, title, [...]string{"drama", "comedy", "western"}[id%3])
	}
	for _, w := range []struct {
		method, path string
		body         any
	}{
		{"PATCH", "/indexes/films/settings", map[string]any{"filterableAttributes": []string{"genre"}}},
		{"POST", "/indexes/films/documents", docs.Bytes()},
	} {
		if err := n.Write(ctx, w.method, w.path, w.body); err != nil {
			t.Fatal(err)
		}
	}
	status, body, err := n.Do(ctx, "POST", "/keys", map[string]any{"actions": []string{"search"}, "indexes": []string{"films"}, "expiresAt": nil})
	var made struct{ Key string }
	if err != nil || status != http.StatusCreated || json.Unmarshal(body, &made) != nil {
		t.Fatalf("a key for the page: %d %s %v", status, body, err)
	}
	return made.Key
}
