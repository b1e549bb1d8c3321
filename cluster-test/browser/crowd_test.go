package browser

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"shoal/cluster-test/rig"
)

// The console is open on each of three nodes while they die one after the other and come
// back: each page that has a node tells the truth, each page without one says so, and all
// go on by themselves.
func TestTheConsoleOfEachNodeTellsWhileTheyDieOneByOne(t *testing.T) {
	c := rig.New(t, 3)
	rig.Start(t, c)
	var tabs []*tab
	for _, n := range c.Nodes {
		b := openTab(t)
		b.first("http://" + n.HTTP + "/#/cluster")
		b.sees("3 nodes", "serving")
		tabs = append(tabs, b)
	}
	c.Nodes[0].Kill()
	for _, b := range tabs[1:] {
		b.soonTells("n1 does not answer")
	}
	tabs[0].soonTells("no answer")
	c.Nodes[1].Kill()
	tabs[2].soonTells("writes are refused: 1 of 3 voters answer")
	tabs[1].soonTells("no answer")
	tabs[2].goTo("indexes")
	tabs[2].sees("There is no index yet.") // what needs no leader goes on
	tabs[2].goTo("cluster")
	c.Nodes[2].Kill()
	for _, b := range tabs {
		b.soonTells("no answer")
	}
	for _, n := range c.Nodes {
		if err := n.Start(c); err != nil {
			t.Fatal(err)
		}
	}
	for i, b := range tabs {
		b.sees("● serving")
		b.becomes("nodes that are up", `[...document.querySelectorAll('.nodes .tag')].filter((e) => e.textContent === 'up').length`, "3")
		b.becomes("errors", `document.querySelectorAll('main .fault').length`, "0")
		t.Logf("the page of n%d has gone on", i+1)
	}
}

func TestAThousandIndexesAreFoundInEveryPart(t *testing.T) {
	c, b := stocked(t)
	n := c.Nodes[0]
	var last uint32
	for i := range 999 {
		task, err := n.Enqueue(t.Context(), "POST", "/indexes", map[string]any{"uid": fmt.Sprintf("shelf_%03d", i)})
		if err != nil {
			t.Fatal(err)
		}
		last = task
	}
	if status, err := n.Wait(t.Context(), last); err != nil || status != "succeeded" {
		t.Fatalf("indexes: %s, %v", status, err)
	}
	begun := time.Now()
	b.goTo("indexes")
	b.sees("800 more are not shown")
	t.Logf("the list is there after %s", time.Since(begun).Round(time.Millisecond))
	b.tabTo("the filter", `e.ariaLabel === 'Filter by name'`)
	b.do("type", chromedp.KeyEvent("shelf_99"))
	b.becomes("rows", `[...document.querySelectorAll('tbody th a')].map((a) => a.textContent).join(' ')`, "shelf_990 shelf_991 shelf_992 shelf_993 shelf_994 shelf_995 shelf_996 shelf_997 shelf_998")
	begun = time.Now()
	b.goTo("cluster")
	b.sees("800 more indexes are not drawn")
	t.Logf("the map is there after %s", time.Since(begun).Round(time.Millisecond))
	b.goTo("search/films")
	b.sees("240 hits in")
	b.tabTo("the index", `e.ariaLabel === 'Index'`)
	b.do("type another one", chromedp.KeyEvent("shelf_998\r"))
	b.sees("Nothing matches.")
	b.becomes("the address", `location.hash`, "#/search/shelf_998")

	// A key of one of them sees that one.
	b.use(makeKey(t, n, []string{"search"}, []string{"films"}))
	b.goTo("search")
	b.sees("240 hits in")
	b.becomes("offered indexes", `[...document.querySelectorAll('select[aria-label=Index] option')].map((e) => e.textContent).join(' ')`, "films")
	if status, answer, err := n.Do(t.Context(), "GET", "/indexes?limit=1", nil); err != nil || status != http.StatusOK {
		t.Errorf("%d %s %v", status, answer, err)
	}
}
