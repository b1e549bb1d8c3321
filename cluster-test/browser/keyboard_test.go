package browser

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	clustertest "shoal/cluster-test"
)

// controls are the elements of the page that a keyboard must reach.
const controls = `[...document.querySelectorAll('a[href], button:not(:disabled), input:not([type=radio]), select, textarea, summary')].filter((e) => e.checkVisibility())`

// stocked opens the console of one node that holds an index of films with an alias, and a task
// that failed.
func stocked(t *testing.T) (*clustertest.Cluster, *tab) {
	t.Helper()
	c, b := openConsole(t, 1)
	n := c.Nodes[0]
	var films []map[string]any
	for i := range 240 {
		films = append(films, map[string]any{"id": i, "title": fmt.Sprintf("Voyage %d", i), "genre": []string{"Drama", "Comedy", "Crime"}[i%3], "actor": fmt.Sprintf("Actor %03d", i), "year": 1950 + i%80})
	}
	feature(t, n, "dynamicSearchRules")
	for _, r := range []struct {
		method, path, status string
		body                 any
	}{
		{"PATCH", "/indexes/films/settings", "succeeded", map[string]any{"filterableAttributes": []string{"genre", "actor", "year"}, "sortableAttributes": []string{"year"}}},
		{"POST", "/indexes/films/documents", "succeeded", films},
		{"DELETE", "/indexes/none", "failed", nil},
		{"PATCH", "/dynamic-search-rules/ships_first", "succeeded", map[string]any{"conditions": map[string]any{"query": map[string]any{"words": "ship"}}, "actions": []any{map[string]any{"selector": map[string]any{"indexUid": "films", "id": "7"}, "action": map[string]any{"type": "pin", "position": 0}}}}},
	} {
		uid, err := n.Enqueue(t.Context(), r.method, r.path, r.body)
		if err != nil {
			t.Fatal(err)
		}
		if status, err := n.Wait(t.Context(), uid); status != r.status {
			t.Fatalf("%s %s: %s, %v", r.method, r.path, status, err)
		}
	}
	if status, answer, err := n.Do(t.Context(), "PUT", "/cluster/aliases/pictures", map[string]any{"index": "films"}); err != nil || status != http.StatusOK {
		t.Fatalf("alias: %d %s %v", status, answer, err)
	}
	b.enter(masterKey)
	b.sees("hits in")
	return c, b
}

// feature switches an experimental feature on.
func feature(t *testing.T, n *clustertest.Node, name string) {
	t.Helper()
	if status, answer, err := n.Do(t.Context(), "PATCH", "/experimental-features", map[string]any{name: true}); err != nil || status != http.StatusOK {
		t.Fatalf("feature %s: %d %s %v", name, status, answer, err)
	}
}

// tabTo presses Tab until an element that a script tells has the focus.
func (b *tab) tabTo(what, script string) {
	b.t.Helper()
	for range 150 {
		b.do("press Tab", chromedp.KeyEvent("\t"))
		if b.evaluate(what, `((e) => `+script+`)(document.activeElement)`) == "true" {
			return
		}
	}
	b.t.Fatalf("Tab does not reach %s; the focus is on %s", what, b.evaluate("the focus", `document.activeElement.outerHTML.slice(0, 200)`))
}

// redrawn waits until the part that is open has asked the cluster twice more.
func (b *tab) redrawn() {
	b.t.Helper()
	b.evaluate("count requests", `performance.clearResourceTimings(), 0`)
	b.becomes("two more redraws", `performance.getEntriesByType('resource').filter((e) => /[/](cluster[/]status|tasks[?].*)$/.test(e.name)).length > 2`, "true")
}

// parts are addresses of all parts, each with a text by which it is known to be drawn.
var parts = map[string]string{
	"search/films?f.genre=Drama&min.year=1960": "Clear all filters", "indexes": "Swap two", "indexes/films": "Show the difference",
	"indexes/films/documents?page=2": "page 2 of 12", "indexes/films/documents/7": "Voyage 7", "analytics": "Count the texts", "tasks": "Forget ended tasks", "tasks?status=failed": "Index `none` not found", "tasks/0": "settingsUpdate", "cluster": "Drain",
	"cluster/history": "A sample a minute", "cluster/slow": "No slow request", "cluster/log": "a new cluster begins", "rules": "ships_first", "rules/ships_first": "Add a pin", "rules?new&index=films&id=7&words=ship": "Remove the pin", "keys": "Default Search API Key", "requests": "Send",
}

func TestTabReachesEveryControlOfEveryPart(t *testing.T) {
	_, b := stocked(t)
	for part, shown := range parts {
		b.goTo(part)
		b.sees(shown)
		b.evaluate("forget what was reached", `window.reached = new Set(), document.querySelector('.skip').focus(), reached.add(document.activeElement), 0`)
		live, waited := part == "cluster" || part == "tasks", false
		for range 400 {
			b.do("press Tab", chromedp.KeyEvent("\t"))
			if live && !waited && b.evaluate("the focus", `document.activeElement.matches('main *')`) == "true" {
				b.redrawn() // in the middle of the way
				waited = true
			}
			if b.evaluate("the focus", `(document.activeElement !== document.body && reached.add(document.activeElement), document.activeElement.className === 'skip' || document.activeElement === document.body)`) == "true" {
				break
			}
		}
		if missed := b.evaluate("what was missed", controls+`.filter((e) => !reached.has(e)).map((e) => e.outerHTML.slice(0, 80)).join('\n')`); missed != "" {
			t.Errorf("%s: Tab does not reach\n%s", part, missed)
		}
	}
}

func TestARedrawKeepsTheFocusAndASelectedText(t *testing.T) {
	_, b := stocked(t)
	b.goTo("cluster")
	b.sees("Drain")
	b.tabTo("Drain", `e.textContent === 'Drain'`)
	b.evaluate("note the focus", `window.noted = document.activeElement, 0`)
	b.redrawn()
	if b.evaluate("the focus", `document.activeElement === noted && noted.isConnected`) != "true" {
		t.Errorf("a redraw of the part Cluster took the focus from Drain")
	}
	b.do("press Enter", chromedp.KeyEvent("\r"))
	b.sees("move to other nodes")
	b.press("Cancel")

	b.goTo("tasks")
	b.sees("Index `none` not found")
	b.evaluate("select the error", `getSelection().selectAllChildren(document.querySelector('td span.bad')), 0`)
	b.redrawn()
	if got := b.evaluate("the selection", `getSelection().toString()`); !strings.Contains(got, "Index `none` not found") {
		t.Errorf("after a redraw of the part Tasks %q is selected, want the error of a task", got)
	}
}

func TestTheFocusFollowsLinksAndStaysOnABox(t *testing.T) {
	_, b := stocked(t)
	b.evaluate("move to a filter", `[...document.querySelectorAll('.facet label')].find((l) => l.textContent.startsWith('Drama')).querySelector('input').focus(), 0`)
	b.do("tick the filter", chromedp.KeyEvent(" "))
	b.sees("80 hits in")
	if b.evaluate("the focus", `document.activeElement.checked && document.activeElement.closest('label').textContent.startsWith('Drama')`) != "true" {
		t.Errorf("ticking a box took the focus from it")
	}
	b.goTo("indexes")
	b.sees("Primary key")
	b.evaluate("follow a link", `[...document.querySelectorAll('main a')].find((a) => a.textContent === 'films').focus(), 0`)
	b.do("press Enter", chromedp.KeyEvent("\r"))
	b.sees("Show the difference")
	if got := b.evaluate("the focus", `document.activeElement.id`); got != "main" {
		t.Errorf("after a link the focus is on %q, want the content", got)
	}
	b.evaluate("move to the first link", `document.querySelector('.skip').focus(), 0`)
	b.do("press Enter", chromedp.KeyEvent("\r"))
	b.sees("Show the difference")
	if got := b.evaluate("the focus", `document.activeElement.id + ' ' + location.hash`); got != "main #/indexes/films" {
		t.Errorf("skipping to the content leads to %q, want the content of the part that is shown", got)
	}
}

func TestAnAddressWithALonePercentSignShowsThePart(t *testing.T) {
	_, b := stocked(t)
	b.goTo("search/100%")
	b.sees("`100%` is not a valid index uid")
}
