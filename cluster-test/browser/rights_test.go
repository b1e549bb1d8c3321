package browser

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"shoal/api"
	clustertest "shoal/cluster-test"
)

// makeKey makes an API key for some actions and indexes.
func makeKey(t *testing.T, n *clustertest.Node, actions, indexes []string) string {
	t.Helper()
	status, answer, err := n.Do(t.Context(), "POST", "/keys", map[string]any{"actions": actions, "indexes": indexes, "expiresAt": nil})
	var made struct{ Key string }
	if err != nil || status != http.StatusCreated || json.Unmarshal(answer, &made) != nil {
		t.Fatalf("key: %d %s %v", status, answer, err)
	}
	return made.Key
}

// use exchanges the key of the tab.
func (b *tab) use(key string) {
	b.t.Helper()
	b.press("Key")
	b.enter(key)
	b.becomes("the dialog", `document.querySelectorAll('dialog').length`, "0")
}

// Scripts for the parts that are offered, and for errors that are shown.
const (
	offered = `[...document.querySelectorAll('#parts a')].map((a) => a.textContent).join(' ')`
	faults  = `document.querySelectorAll('.fault, .toast.bad').length`
)

func TestConsoleShowsWhatAKeyMayDoAndNothingElse(t *testing.T) {
	c, b := stocked(t)
	n := c.Nodes[0]
	b.becomes("parts of the master key", offered, "Search Analytics Indexes Rules Tasks Cluster Keys Requests")

	// A key of one index: that index is searched, with its facets.
	b.use(makeKey(t, n, []string{"search"}, []string{"films"}))
	b.becomes("parts of a search key", offered, "Search Requests")
	b.sees("240 hits in", "serving")
	b.tick("genre", "Drama")
	b.sees("80 hits in")
	b.do("sort", chromedp.SetValue(`input[aria-label=Sort]`, "year:desc"))
	b.evaluate("tell the page", `document.querySelector('input[aria-label=Sort]').dispatchEvent(new Event('change')), 0`)
	b.becomes("the newest film", `document.querySelector('#hits h2')?.textContent`, "1. Voyage 159")
	b.press("Why here?")
	b.sees("Why this hit is here")
	b.press("Close")
	b.goTo("keys")
	b.sees("This key may do only this: search (films).")
	b.becomes("errors", faults, "0")

	// A key of all indexes that may not list them: the name is typed.
	b.use(makeKey(t, n, []string{"search"}, []string{"*"}))
	b.goTo("search")
	b.sees("Type the name of one.")
	b.do("type the name", chromedp.SendKeys(`input[aria-label=Index]`, "films"), chromedp.KeyEvent("\r"))
	b.sees("240 hits in")
	b.becomes("errors", faults, "0")

	// A key of an index without facets, whose settings it may not see.
	task, err := n.Enqueue(t.Context(), "POST", "/indexes/plain/documents", []map[string]any{{"id": 1, "title": "A plain text"}})
	if err != nil {
		t.Fatal(err)
	}
	if status, err := n.Wait(t.Context(), task); status != "succeeded" {
		t.Fatalf("documents: %s, %v", status, err)
	}
	b.goTo("search")
	b.use(makeKey(t, n, []string{"search"}, []string{"plain"}))
	b.sees("1 hit in", "A plain text", "No field of this index")
	b.becomes("errors", faults, "0")

	// A key that may look only: nothing is offered that it may not change.
	b.use(makeKey(t, n, []string{"indexes.get", "settings.get", "stats.get", "tasks.get"}, []string{"films"}))
	b.becomes("parts of a key that looks", offered, "Indexes Tasks Requests")
	b.goTo("indexes")
	b.sees("films", "240")
	b.becomes("buttons", `document.querySelectorAll('main button').length`, "0")
	b.goTo("indexes/films")
	b.sees("Searched fields")
	b.becomes("buttons", `document.querySelectorAll('main button').length`, "0")
	b.goTo("tasks")
	b.sees("documentAdditionOrUpdate")
	b.becomes("errors", faults, "0")
}

// The console offered no action of dynamic search rules, of webhooks and of chats.
func TestANewKeyCanHoldEveryAction(t *testing.T) {
	_, b := stocked(t)
	b.goTo("keys")
	b.press("New key")
	b.sees("Expires")
	offered := strings.Fields(b.evaluate("the actions", `[...document.querySelectorAll('dialog [name=action]')].map((e) => e.value).join(' ')`))
	slices.Sort(offered)
	if all := slices.Sorted(slices.Values(api.Actions)); !slices.Equal(offered, all) {
		t.Errorf("the dialog offers %v, want %v", offered, all)
	}
}
