package browser

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

// axe is the package that knows the rules of accessible pages.
const axe = "axe-core@4.14.1"

var accessibility = flag.Bool("accessibility", false, "hold the console against the rules of axe-core, which npm fetches (make accessibility)")

// violations is a script that lists the rules which the page breaks, and where.
const violations = `axe.run().then((found) => found.passes.length < 10 ? 'axe had nothing to look at' : found.violations.map((v) => v.id + ': ' + v.help + '\n' +
	v.nodes.slice(0, 3).map((n) => '  ' + n.html.slice(0, 160) + '\n  ' + n.failureSummary.replace(/\s+/g, ' ')).join('\n')).join('\n'))`

func TestNoPartBreaksARuleOfAxe(t *testing.T) {
	if !*accessibility {
		t.Skip("make accessibility runs it: npm fetches axe-core for it")
	}
	rules, err := os.ReadFile(filepath.Join(packages(t, axe), "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	_, b := stocked(t)
	b.evaluate("load axe", string(rules)+";0")
	check := func(what string) {
		for _, scheme := range []string{"light", "dark"} {
			for _, width := range []int64{390, 1280} {
				b.do(what, appearance(scheme), chromedp.EmulateViewport(width, 900))
				b.evaluate("open the filters", `document.querySelector('details.filters')?.setAttribute('open', '')`)
				if broken := b.evaluateLater("axe", violations); broken != "" {
					t.Errorf("%s, %s, %d px:\n%s", what, scheme, width, broken)
				}
			}
		}
	}
	for part, shown := range parts {
		b.goTo(part)
		b.sees(shown)
		check(part)
	}
	for _, d := range []struct{ part, button, shown string }{
		{"search/films?q=voyage", "Why here?", "How the query was read"}, {"keys", "New key", "Expires"}, {"indexes", "New alias", "Make it"}, {"indexes", "Turn", "It names films now"}, {"indexes/films", "Delete", "Type the name"}, {"indexes/films/documents/7", "Edit", "It is replaced by what stands here"}, {"cluster", "Drain", "move to other nodes"},
	} {
		b.goTo(d.part)
		b.becomes("the button "+d.button, `[...document.querySelectorAll('main button')].some((e) => e.textContent === '`+d.button+`')`, "true")
		b.evaluate("press "+d.button, `[...document.querySelectorAll('main button')].find((e) => e.textContent === '`+d.button+`').click()`)
		b.sees(d.shown)
		check("dialog of " + d.button)
		b.evaluate("close", `document.querySelector('dialog').close()`)
	}
}
