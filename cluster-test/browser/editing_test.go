package browser

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	clustertest "shoal/cluster-test"
)

// change makes a change that is a task and waits until it is in effect. body is JSON.
func change(t *testing.T, n *clustertest.Node, method, path, body string) {
	t.Helper()
	task, err := n.Enqueue(t.Context(), method, path, json.RawMessage(body))
	if err != nil {
		t.Fatal(err)
	}
	if status, err := n.Wait(t.Context(), task); err != nil || status != "succeeded" {
		t.Fatalf("%s %s: %s, %v", method, path, status, err)
	}
}

// add puts documents into films and waits until they are there.
func add(t *testing.T, n *clustertest.Node, documents string) {
	t.Helper()
	change(t, n, "POST", "/indexes/films/documents", documents)
}

// pressByKey moves to the button of that label by Tab and presses it.
func (b *tab) pressByKey(label string) {
	b.t.Helper()
	b.tabTo(label, `e.textContent.trim() === '`+label+`'`)
	b.do("press Enter", chromedp.KeyEvent("\r"))
}

// exchange replaces a part of the text that has the focus, as if it had been typed.
func (b *tab) exchange(old, text string) {
	b.t.Helper()
	if got := b.evaluate("edit", `(() => { const at = document.querySelector('dialog textarea'), from = at.value.indexOf('`+old+`'); at.setRangeText('`+text+`', from, from + `+quote(old)+`.length); return from >= 0; })()`); got != "true" {
		b.t.Fatalf("the text does not hold %s but:\n%s", old, b.evaluate("the text", `document.querySelector('dialog textarea').value`))
	}
}

func quote(s string) string { b, _ := json.Marshal(s); return string(b) } //nolint:errchkjson // a string can be written

// JSON.parse made 9007199254740992 of this id: a link led to another document, and saving
// would have changed every large number.
func TestLargeNumbersOfADocumentSurviveShowingAndEditing(t *testing.T) {
	c, b := stocked(t)
	n := c.Nodes[0]
	const id = "9007199254740993"
	add(t, n, `[{"id":`+id+`,"title":"Exactly","actor":"Exactly","price":12345678901234567890,"ratio":0.1,"list":[1e2,{"deep":-9007199254740993}],"none":{},"empty":[]}]`)

	b.goTo("search/films?q=exactly")
	b.sees("12345678901234567890")
	b.press("As JSON")
	b.sees(`"price": 12345678901234567890`)
	b.press("Close")
	b.goTo("indexes/films/documents?filter=" + "actor%20=%20Exactly")
	b.becomes("the link", `document.querySelector('.document a')?.textContent ?? ''`, id)
	b.goTo("indexes/films/documents/" + id)
	b.sees("12345678901234567890", "Exactly")
	b.pressByKey("Edit")
	b.sees("It is replaced by what stands here")
	if got := b.evaluate("the text", `document.querySelector('dialog textarea').value`); !strings.Contains(got, "\n      \"deep\": -9007199254740993\n") || !strings.Contains(got, `"none": {}`) || !strings.Contains(got, "    100.0,\n") {
		t.Errorf("the text to edit is\n%s", got)
	}
	b.pictures("edit")
	b.exchange(`"title": "Exactly"`, `"title": "Precisely"`)
	b.pressByKey("Save")
	b.sees("Document "+id+" is saved.", "Precisely")
	_, answer, err := n.Do(t.Context(), "GET", "/indexes/films/documents/"+id, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"id":` + id, `"price":12345678901234567890`, `"deep":-9007199254740993`, `"title":"Precisely"`} {
		if !strings.Contains(string(answer), want) {
			t.Errorf("the saved document has no %s: %s", want, answer)
		}
	}
	b.goTo("requests")
	b.do("path", chromedp.SetValue(`input[aria-label=Path]`, "/indexes/films/documents/"+id))
	b.press("Send")
	b.sees(`"price": 12345678901234567890`)
}

func TestAnEditedDocumentIsNeverLostOrTakenForAnother(t *testing.T) {
	c, b := stocked(t)
	n := c.Nodes[0]
	b.goTo("indexes/films/documents/7")
	b.sees("Voyage 7")
	b.press("Edit")
	b.sees("It is replaced by what stands here")
	b.exchange(`"id": 7`, `"id": 8`)
	b.press("Save")
	b.sees("id must stay 7")
	b.exchange(`"id": 8`, `"id": 7,,`)
	b.press("Save")
	b.sees("This is no JSON")
	b.exchange(`"id": 7,,`, `"id": 7`)
	add(t, n, `[{"id":7,"title":"Voyage of somebody else"}]`)
	b.press("Save")
	b.sees("Somebody else has changed this document meanwhile")
	b.press("Cancel")
	b.becomes("the dialog", `document.querySelectorAll('dialog').length`, "0")

	// Vectors that a client gave are part of the document.
	change(t, n, "PATCH", "/indexes/near/settings", `{"embedders":{"own":{"source":"userProvided","dimensions":2}}}`)
	change(t, n, "POST", "/indexes/near/documents", `[{"id":7,"title":"Near","_vectors":{"own":[0.5,0.25]}}]`)
	b.goTo("indexes/near/documents/7")
	b.sees("Near")
	b.press("Edit")
	b.sees("It is replaced by what stands here")
	b.exchange(`"Near"`, `"Far"`)
	b.press("Save")
	b.sees("Document 7 is saved.")
	status, answer, err := n.Do(t.Context(), "GET", "/indexes/near/documents/7?retrieveVectors=true", nil)
	if err != nil || status != http.StatusOK || !strings.Contains(string(answer), `"Far"`) || !strings.Contains(string(answer), `[0.5,0.25]`) {
		t.Errorf("after an edit the document is %d %s %v, want its vector, too", status, answer, err)
	}
}

func TestAPinIsMadeFromAHitByKeyboard(t *testing.T) {
	_, b := stocked(t)
	b.goTo("search/films?q=voyage&f.actor=Actor%20123")
	b.sees("1 hit in")
	b.pressByKey("Pin")
	b.sees("New rule")
	b.becomes("the pinned document", `document.querySelector('[name=id]').value + ' ' + document.querySelector('[name=words]').value`, "123 voyage")
	b.tabTo("the name", `e.name === 'uid'`)
	b.do("name it", chromedp.KeyEvent("voyage_123"))
	b.pressByKey("Add a pin")
	b.do("second document", chromedp.KeyEvent("77"))
	b.pictures("rule")
	b.pressByKey("Save")
	b.sees("The rule voyage_123 is in force.", "the query has the words “voyage”", "123 at 1, 77 at 2")
	b.goTo("search/films?q=voyage")
	b.becomes("the first hits", `[...document.querySelectorAll('#hits h2')].slice(0, 2).map((e) => e.textContent).join(', ')`, "1. Voyage 123, 2. Voyage 77")

	// The form leaves what it has no field for.
	b.goTo("rules/voyage_123")
	b.sees("Add a pin")
	b.do("describe it", chromedp.SendKeys(`[name=description]`, "for the fair"))
	b.press("Save")
	b.sees("for the fair", "123 at 1, 77 at 2")
	b.goTo("rules/voyage_123")
	b.sees("Add a pin")
	b.pressByKey("Delete")
	b.pressByKey("Delete it")
	b.sees("The rule voyage_123 is deleted.")
	b.goTo("search/films?q=voyage")
	b.becomes("the first hit", `document.querySelector('#hits h2')?.textContent`, "1. Voyage 0")
}
