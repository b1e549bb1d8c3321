package browser

import (
	"testing"

	"github.com/chromedp/chromedp"
)

// asked counts the requests of the page for tasks from now on.
const asked = `window.asks = 0, window.usual ??= fetch, window.fetch = (path, options) => { if (/^\/(tasks|batches)\?/.test(path)) asks += 1; return usual(path, options); }, 0`

// redrawnTwice waits until the times of the list have gone on twice.
func (b *tab) redrawnTwice() {
	b.t.Helper()
	b.evaluate("note the times", `window.times = new Set(), 0`)
	b.becomes("times that were shown", `(times.add(document.querySelector('td time').textContent), times.size > 2)`, "true")
}

func TestTasksAreFollowedByStreamsAndNothingIsAskedWhileNothingChanges(t *testing.T) {
	c, b := stocked(t)
	feature(t, c.Nodes[0], "tasksStreamingRoute")
	b.evaluate("count requests", asked)
	b.goTo("tasks")
	b.sees("documentAdditionOrUpdate")
	b.redrawnTwice() // the streams are open: each of them has asked once more
	b.evaluate("count requests", asked)
	b.redrawnTwice()
	if got := b.evaluate("requests", `asks`); got != "0" {
		t.Errorf("the page asked %s times while nothing changed", got)
	}
	task, err := c.Nodes[0].Enqueue(t.Context(), "POST", "/indexes", map[string]any{"uid": "told_by_a_stream"})
	if err != nil {
		t.Fatal(err)
	}
	b.sees("told_by_a_stream", "indexCreation")
	if status, err := c.Nodes[0].Wait(t.Context(), task); err != nil || status != "succeeded" {
		t.Fatalf("index: %s, %v", status, err)
	}
	b.becomes("the state of the newest task", `document.querySelector('tbody tr td:nth-child(4)').textContent`, "succeeded")
	b.becomes("errors", faults, "0")
}

func TestTheFilterOfTasksIsInTheAddress(t *testing.T) {
	_, b := stocked(t)
	b.goTo("tasks?status=failed&index=none")
	b.becomes("rows", `[...document.querySelectorAll('tbody tr')].map((r) => r.children[1].textContent).join(' ')`, "indexDeletion")
	b.becomes("the filter", `document.querySelector('select[aria-label=Status]').value + ' ' + document.querySelector('input[aria-label=Index]').value`, "failed none")
	b.tabTo("the status", `e.ariaLabel === 'Status'`)
	b.do("choose by keyboard", chromedp.KeyEvent("any"))
	b.becomes("the address", `location.hash`, "#/tasks?index=none")
	b.evaluate("go back", `history.back()`)
	b.becomes("the address", `location.hash`, "#/tasks?status=failed&index=none")
	b.becomes("the filter", `document.querySelector('select[aria-label=Status]').value`, "failed")
	b.do("load the page anew", chromedp.Reload())
	b.becomes("rows", `[...document.querySelectorAll('tbody tr')].map((r) => r.children[1].textContent).join(' ')`, "indexDeletion")
	b.goTo("tasks?status=%22%3E&from=-1")
	b.sees("documentAdditionOrUpdate")
	b.becomes("errors", faults, "0")
}
