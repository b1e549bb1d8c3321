package browser

import (
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	clustertest "shoal/cluster-test"
)

// found tells what an index or alias finds, as the API says it.
func found(t *testing.T, n *clustertest.Node, name, title string) bool {
	t.Helper()
	status, answer, err := n.Do(t.Context(), "POST", "/indexes/"+name+"/search", map[string]any{"q": "voyage"})
	if err != nil {
		t.Fatal(err)
	}
	return status == http.StatusOK && strings.Contains(string(answer), title)
}

// aliases is a script for the rows of the list of aliases.
const aliases = `[...document.querySelectorAll('section[aria-label=Aliases] tbody tr')].map((e) => e.textContent).join(' ')`

func TestAnAliasIsMadeTurnedAndDeletedByKeyboard(t *testing.T) {
	c, b := stocked(t)
	n := c.Nodes[0]
	change(t, n, "POST", "/indexes/newer/documents", `[{"id":1,"title":"Voyage of the newer index"}]`)
	b.goTo("indexes")
	b.sees("An alias is a second name of an index.")
	b.pressByKey("New alias")
	b.sees("Make it")
	b.do("name it", chromedp.KeyEvent("catalogue"))
	b.tabTo("the choice of the index", `e.name === 'index'`)
	b.do("choose it", chromedp.KeyEvent("films"))
	b.pressByKey("Make it")
	b.becomes("the alias", aliases, "cataloguefilmsTurnDelete picturesfilmsTurnDelete")
	if !found(t, n, "catalogue", "Voyage 0") {
		t.Error("the alias is not in force")
	}
	b.pictures("aliases")

	// A name that is taken is not turned by mistake.
	b.pressByKey("New alias")
	b.sees("Make it")
	b.do("name it", chromedp.KeyEvent("catalogue"))
	b.pressByKey("Make it")
	b.sees("There is an alias catalogue already")
	b.pressByKey("Cancel")

	b.tabTo("Turn", `e.getAttribute('aria-label') === 'Turn catalogue'`)
	b.do("press Enter", chromedp.KeyEvent("\r"))
	b.sees("It names films now.")
	b.tabTo("the choice of the index", `e.name === 'index'`)
	b.do("choose the other one", chromedp.KeyEvent("newer"))
	b.pressByKey("Turn it")
	b.becomes("the alias", aliases, "cataloguenewerTurnDelete picturesfilmsTurnDelete")
	if !found(t, n, "catalogue", "Voyage of the newer index") {
		t.Error("the turn is not in force")
	}

	// Somebody else turns it while the dialog is open: that is not overwritten.
	b.tabTo("Turn", `e.getAttribute('aria-label') === 'Turn catalogue'`)
	b.do("press Enter", chromedp.KeyEvent("\r"))
	b.sees("It names newer now.")
	if status, answer, err := n.Do(t.Context(), "PUT", "/cluster/aliases/catalogue", map[string]any{"index": "films"}); err != nil || status != http.StatusOK {
		t.Fatalf("%d %s %v", status, answer, err)
	}
	b.pressByKey("Turn it")
	b.sees("alias_points_elsewhere")
	b.pressByKey("Cancel")

	b.tabTo("Delete", `e.getAttribute('aria-label') === 'Delete catalogue'`)
	b.do("press Enter", chromedp.KeyEvent("\r"))
	b.sees("Requests that name catalogue are refused from now on.")
	b.pressByKey("Delete it")
	b.becomes("the aliases", aliases, "picturesfilmsTurnDelete")
	if found(t, n, "catalogue", "") || !found(t, n, "films", "Voyage 0") {
		t.Error("the alias is still in force, or its index is gone")
	}
	b.becomes("errors", faults, "0")
}

func TestTheAttributeOfExpiryIsSetAndTakenBackInTheForm(t *testing.T) {
	c, b := stocked(t)
	n := c.Nodes[0]
	change(t, n, "PATCH", "/indexes/films/settings", `{"filterableAttributes":["genre","actor","year","until"]}`)
	has := func(want string) {
		t.Helper()
		status, answer, err := n.Do(t.Context(), "GET", "/indexes/films/settings", nil)
		if err != nil || status != http.StatusOK || strings.Contains(string(answer), `"expiryAttribute":"until"`) != (want != "") {
			t.Errorf("want %q: %d %s %v", want, status, answer, err)
		}
	}
	b.goTo("indexes/films")
	b.sees("Documents expire at the time in this field")
	field := `e.tagName === 'INPUT' && e.closest('label')?.textContent.startsWith('Documents expire')`
	b.tabTo("the field", field)
	b.do("name the attribute", chromedp.KeyEvent("until"))
	b.pressByKey("Show the difference and save")
	b.sees("- null", `+ "until"`)
	b.pressByKey("Save")
	b.sees("The settings are in force.")
	has("until")
	b.becomes("the field", `[...document.querySelectorAll('label.stack input')].map((e) => e.value).join()`, "until")
	b.tabTo("the field", field)
	b.do("empty it", chromedp.KeyEvent("\b\b\b\b\b"))
	b.pressByKey("Show the difference and save")
	b.sees(`- "until"`, "+ the default")
	b.pressByKey("Save")
	b.becomes("the field", `[...document.querySelectorAll('label.stack input')].map((e) => e.value).join()`, "")
	b.becomes("the dialog", `document.querySelectorAll('dialog').length`, "0")
	has("")
}
