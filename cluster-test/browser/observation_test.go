package browser

import (
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"
)

func TestSlowRequestsTheLogAndTheDayOfEveryNodeAreShown(t *testing.T) {
	c, b := openConsole(t, 3)
	b.enter(masterKey)
	b.sees("There is no index yet")
	n := c.Nodes[1]
	task, err := n.Enqueue(t.Context(), "POST", "/indexes/films/documents", []map[string]any{{"id": 1, "title": "Voyage"}})
	if err != nil {
		t.Fatal(err)
	}
	if status, err := n.Wait(t.Context(), task); err != nil || status != "succeeded" {
		t.Fatalf("documents: %s, %v", status, err)
	}
	b.goTo("cluster")
	b.sees("3 nodes", "The last day")
	b.pressByKey("Slow requests")
	b.sees("No slow request.")
	b.tabTo("the threshold", `e.ariaLabel === 'Note requests'`)
	b.do("choose by keyboard", chromedp.KeyEvent("of 50"))
	b.sees("In force on all nodes")
	if _, answer, err := n.Do(t.Context(), "GET", "/cluster/slow-log", nil); err != nil || string(answer) != `{"thresholdMs":50,"showQuery":false}` {
		t.Fatalf("%s %v", answer, err)
	}
	if status, answer, err := n.Do(t.Context(), "PATCH", "/cluster/slow-log", map[string]any{"thresholdMs": 1, "showQuery": true}); err != nil || status != http.StatusOK {
		t.Fatalf("%d %s %v", status, answer, err)
	}
	// A dump takes longer than a millisecond to ask for, another node notes it.
	for _, r := range [][2]string{{"POST", "/dumps"}, {"POST", "/indexes/films/search"}} {
		if status, answer, err := n.Do(t.Context(), r[0], r[1], map[string]any{}); err != nil || status >= 300 {
			t.Fatalf("%s: %d %s %v", r[1], status, answer, err)
		}
	}
	b.sees("POST /dumps", "n2")
	b.pictures("slow")

	b.goTo("cluster/log?node=n2&contains=slow+request")
	b.sees("slow request")
	b.becomes("the node", `document.querySelector('select[aria-label=Node]').value`, "n2")
	b.tabTo("the filter", `e.ariaLabel === 'Lines that contain'`)
	b.do("type", chromedp.KeyEvent("nowhere"))
	b.sees("No such line.")
	b.becomes("the address", `location.hash`, "#/cluster/log?node=n2&contains=nowhere")
	b.goTo("cluster/log?node=n3")
	b.sees("serving")
	b.pictures("log")

	b.goTo("cluster/history")
	b.sees("Searches a second", "Disk free", "n1", "n2", "n3")
	b.becomes("rows", `document.querySelectorAll('tbody tr').length`, "18")
	b.pictures("history")
	c.Nodes[2].Kill()
	b.goTo("cluster/log?node=n3")
	b.becomes("what is said of a dead node", `document.querySelectorAll('.fault').length`, "1")
}
