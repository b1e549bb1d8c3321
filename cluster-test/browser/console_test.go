package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	clustertest "shoal/cluster-test"
	"shoal/cluster-test/rig"
)

const masterKey = "a master key for the console"

// films is a small file as a user would drop it on an index.
func films(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	for i := range 120 {
		fmt.Fprintf(&b, `{"id":%d,"title":"The Voyage of Ship %d","genre":%q,"year":%d,"plot":"A crew crosses the sea <b>alone</b> and returns."}`+"\n", i, i, []string{"Drama", "Adventure", "Comedy"}[i%3], 1950+i%60)
	}
	path := filepath.Join(t.TempDir(), "films.ndjson")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func openConsole(t *testing.T, nodes int, env ...string) (*clustertest.Cluster, *tab) {
	t.Helper()
	c := rig.New(t, nodes, append(env, "SHOAL_MASTER_KEY="+masterKey, "SHOAL_DUMP_DIR="+t.TempDir())...)
	for _, n := range c.Nodes {
		n.Key = masterKey
	}
	b := openTab(t)
	rig.Start(t, c)
	b.first("http://" + c.Nodes[0].HTTP + "/")
	return c, b
}

// enter types a key into the dialog that asks for it.
func (b *tab) enter(key string) {
	b.t.Helper()
	b.do("enter the key", chromedp.WaitVisible(`dialog input[name=key]`), chromedp.SetValue(`dialog input[name=key]`, key))
	b.press("Use it")
}

func TestConsoleFromAnEmptyClusterToAHit(t *testing.T) {
	c, b := openConsole(t, 3)

	b.sees("The master key, or any key of this cluster")
	b.enter("not the key")
	b.sees("The provided API key is invalid")
	b.enter(masterKey)
	b.sees("There is no index yet", "serving")

	b.goTo("indexes")
	b.press("New index")
	b.do("name the index", chromedp.SendKeys(`dialog input[name=uid]`, "films"))
	b.press("Create")
	b.do("open the index", chromedp.Click(chromedp.Search(`//a[text()="films"]`)))
	b.sees("Drop a JSON, NDJSON or CSV file here")
	b.do("choose a file", chromedp.SetUploadFiles(`input[type=file]`, []string{films(t)}))
	b.sees("120 documents indexed", "Fields (5)")
	b.do("filter by genre and year", chromedp.SetValue(chromedp.Search(`//label[contains(., "Fields for filters")]/textarea`), "genre\nyear"))
	b.evaluate("tell the form", `[...document.querySelectorAll('label.stack textarea')].forEach((a) => a.dispatchEvent(new Event('input')))`)
	b.press("Show the difference and save")
	b.sees(`+ ["genre","year"]`)
	b.pictures("settings")
	b.press("Save")
	b.sees("The settings are in force.")
	b.pictures("indexes")

	b.goTo("search/films")
	b.do("search", chromedp.SendKeys(`input[type=search]`, "voyge"))
	b.sees("hits in", "The Voyage of Ship 0", "Adventure")
	b.do("filter", chromedp.Click(chromedp.Search(`//label[contains(., "Comedy")]/input`)))
	b.sees("40 hits in")
	// The part that was typed is marked.
	b.becomes("the first mark", `document.querySelector('#hits mark')?.textContent ?? ''`, "Voyag")
	if bold := b.evaluate("text stays text", `document.querySelectorAll('#hits dd b').length`); bold != "0" {
		t.Errorf("HTML of a document was read as HTML")
	}
	b.pictures("search")
	b.press("Why here?")
	b.sees("Why this hit is here", "typo", "How the query was read")
	b.pictures("why")
	b.press("Close")

	b.goTo("tasks")
	b.sees("documentAdditionOrUpdate", "120 of 120 documents", "settingsUpdate")
	b.pictures("tasks")

	b.goTo("analytics")
	b.press("Count the texts")
	b.sees("From now on the texts of queries are counted.", "Forget the texts")
	b.becomes("the note", `document.querySelectorAll('.toast').length`, "0")
	for i, q := range []string{"voyage", "ship", "voyage", "submarine", "voyage", "ship"} {
		if status, answer, err := c.Nodes[i%3].Do(t.Context(), "POST", "/indexes/films/search", map[string]any{"q": q}); err != nil || status != 200 {
			t.Fatalf("search: %d %s %v", status, answer, err)
		}
	}
	b.press("Refresh")
	b.sees("Most frequent queries", "Queries without results", "submarine")
	b.pictures("analytics")

	b.goTo("keys")
	b.sees("Default Search API Key")
	b.pictures("keys")

	b.goTo("requests")
	b.press("Send")
	b.sees("answered", `"uid": "films"`, "curl -X GET")
	b.pictures("requests")

	b.goTo("cluster")
	b.sees("serving", "3 nodes", "films shard 0")
	c.Nodes[2].Kill()
	b.soonTells("n3 does not answer")
	b.pictures("cluster")
	b.goTo("search/films")
	b.do("search without a quorum", chromedp.SendKeys(`input[type=search]`, "ship"))
	c.Nodes[1].Kill()
	b.soonTells("writes are refused: 1 of 3 voters answer")
	c.Nodes[0].Kill()
	b.sees("no answer")
}
