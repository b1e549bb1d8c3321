package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// cut is a script for what a person cannot see: what lies beside the window, and what an
// element hides until it is scrolled sideways. Fields that are typed in scroll by themselves.
const cut = `[...document.querySelectorAll('body *')].filter((e) => {
	if (!e.checkVisibility() || e.closest('.skip, svg, datalist')) return false;
	const place = e.getBoundingClientRect();
	const hides = getComputedStyle(e).overflowX !== 'visible' && e.scrollWidth > e.clientWidth + 1 && !e.matches('input, textarea, select, progress, meter');
	return place.width > 0 && (place.right > innerWidth + 1 || place.left < -1) || hides;
}).slice(0, 5).map((e) => e.outerHTML.slice(0, 120)).join('\n')`

func TestNothingIsCutInANarrowWindowOrWithLargeText(t *testing.T) {
	c, b := stocked(t)
	n := c.Nodes[0]
	uids := []string{strings.Repeat("films_of_the_world_", 8)}
	for i := range 12 {
		uids = append(uids, fmt.Sprintf("shelf_%d", i))
	}
	var last uint32
	for _, uid := range uids {
		task, err := n.Enqueue(t.Context(), "POST", "/indexes", map[string]any{"uid": uid})
		if err != nil {
			t.Fatal(err)
		}
		last = task
	}
	if status, err := n.Wait(t.Context(), last); err != nil || status != "succeeded" {
		t.Fatalf("indexes: %s, %v", status, err)
	}
	makeKey(t, n, []string{"documents.*", "indexes.*", "tasks.*", "settings.*", "stats.get"}, uids)
	for _, size := range []struct {
		what, text string
		width      int64
	}{{"390 px", "", 390}, {"200 % text", "187.5%", 1280}, {"200 % text at 390 px", "187.5%", 390}} {
		b.do("size", chromedp.EmulateViewport(size.width, 900))
		b.evaluate("text", `document.documentElement.style.fontSize = '`+size.text+`'`)
		for part, shown := range parts {
			b.goTo(part)
			b.evaluate("open the filters", `document.querySelector('details.filters')?.setAttribute('open', '')`)
			b.sees(shown)
			if missed := b.evaluate("what is cut", cut); missed != "" {
				t.Errorf("%s, %s: out of sight are\n%s", part, size.what, missed)
			}
		}
	}
}

func TestListsOfManyIndexesAreFilteredByName(t *testing.T) {
	c, b := stocked(t)
	var last uint32
	for i := range 12 {
		task, err := c.Nodes[0].Enqueue(t.Context(), "POST", "/indexes", map[string]any{"uid": fmt.Sprintf("shelf_%d", i)})
		if err != nil {
			t.Fatal(err)
		}
		last = task
	}
	if status, err := c.Nodes[0].Wait(t.Context(), last); err != nil || status != "succeeded" {
		t.Fatalf("indexes: %s, %v", status, err)
	}
	for part, all := range map[string]string{"indexes": "13", "cluster": "13"} {
		b.goTo(part)
		b.becomes("rows of "+part, `document.querySelectorAll('tbody tr:not([aria-label=Aliases] tr)').length`, all)
		b.do("filter", chromedp.SendKeys(`input[aria-label="Filter by name"]`, "SHELF_1"))
		b.becomes("rows of "+part, `[...document.querySelectorAll('tbody th a')].map((a) => a.textContent).join(' ')`, "shelf_1 shelf_10 shelf_11")
	}
}
