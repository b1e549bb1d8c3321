package browser

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// tab is one page of a headless browser. What its scripts complain of fails the
// test.
type tab struct {
	t   *testing.T
	ctx context.Context

	mu     sync.Mutex
	faults []string
}

// openTab starts a browser of its own, which ends with the test.
func openTab(t *testing.T) *tab {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			path = p
			break
		}
	}
	if path == "" {
		t.Skip("no Chromium is installed: install the package chromium to test the console")
	}
	limited, stop := context.WithTimeout(context.Background(), 3*time.Minute)
	t.Cleanup(stop)
	browser, closeBrowser := chromedp.NewExecAllocator(limited,
		chromedp.ExecPath(path), chromedp.Headless, chromedp.NoFirstRun, chromedp.NoSandbox, chromedp.UserDataDir(t.TempDir()),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-sync", true), chromedp.WindowSize(1280, 900))
	t.Cleanup(closeBrowser)
	b := &tab{t: t}
	ctx, closeTab := chromedp.NewContext(browser, chromedp.WithListener(func(event any) {
		if e, ok := event.(*runtime.EventExceptionThrown); ok {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.faults = append(b.faults, fmt.Sprintf("%+v", e.ExceptionDetails))
		}
	}))
	t.Cleanup(closeTab)
	b.ctx = ctx
	t.Cleanup(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, f := range b.faults {
			t.Errorf("a script of the page failed: %s", f)
		}
	})
	return b
}

// do runs steps, each within 20 seconds.
func (b *tab) do(what string, steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	for _, step := range steps {
		ctx, cancel := context.WithTimeout(b.ctx, 20*time.Second)
		err := chromedp.Do(ctx, step)
		cancel()
		if err != nil {
			b.t.Fatalf("%s: %v\nthe page shows:\n%s", what, err, b.text())
		}
	}
}

// first opens the browser, which needs a context that lives on.
func (b *tab) first(url string) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, chromedp.Navigate(url)); err != nil {
		b.t.Fatal(err)
	}
}

// text is what a person could read on the page.
func (b *tab) text() string {
	ctx, cancel := context.WithTimeout(b.ctx, 5*time.Second)
	defer cancel()
	text, err := chromedp.Run(ctx, chromedp.Evaluate[string](`document.body.innerText`))
	if err != nil {
		return "nothing: " + err.Error()
	}
	return text
}

// sees waits until the page shows all the texts.
func (b *tab) sees(texts ...string) {
	b.t.Helper()
	until := time.Now().Add(20 * time.Second)
	for {
		shown, missing := b.text(), ""
		for _, want := range texts {
			if !strings.Contains(shown, want) {
				missing = want
				break
			}
		}
		if missing == "" {
			return
		}
		if time.Now().After(until) {
			b.t.Fatalf("the page does not show %q but:\n%s", missing, shown)
		}
		select {
		case <-b.ctx.Done():
			b.t.Fatal(b.ctx.Err())
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// soonTells waits until the head line tells a state of the cluster, which it does within
// two seconds.
func (b *tab) soonTells(state string) {
	b.t.Helper()
	begun := time.Now()
	b.sees(state)
	took := time.Since(begun)
	if b.t.Logf("the head line says %q after %s", state, took.Round(time.Millisecond)); took > 2*time.Second {
		b.t.Errorf("the head line says %q only after %s", state, took)
	}
}

// goTo opens a part of the console.
func (b *tab) goTo(part string) {
	b.t.Helper()
	b.evaluate("open "+part, `location.hash = "#/`+part+`"`)
}

// evaluate runs a script and returns what it ends with, as a text.
func (b *tab) evaluate(what, script string) string {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, 20*time.Second)
	defer cancel()
	got, err := chromedp.Run(ctx, chromedp.Evaluate[any](script))
	if err != nil {
		b.t.Fatalf("%s: %v\nthe page shows:\n%s", what, err, b.text())
	}
	return fmt.Sprint(got)
}

// evaluateLater is evaluate for a script that ends with a promise.
func (b *tab) evaluateLater(what, script string) string {
	b.t.Helper()
	b.evaluate(what, `window.ended = null, Promise.resolve(`+script+`).then((got) => { ended = [String(got)]; }, (error) => { ended = ['failed: ' + error]; }), 0`)
	b.becomes(what, `ended !== null`, "true")
	return b.evaluate(what, `ended[0]`)
}

// becomes waits until a script ends with a text: parts of the page are drawn one after
// the other.
func (b *tab) becomes(what, script, want string) {
	b.t.Helper()
	for until := time.Now().Add(20 * time.Second); ; {
		got := b.evaluate(what, script)
		if got == want {
			return
		}
		if time.Now().After(until) {
			b.t.Fatalf("%s is %q, want %q; the page shows:\n%s", what, got, want, b.text())
		}
		select {
		case <-b.ctx.Done():
			b.t.Fatal(b.ctx.Err())
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// press clicks the button of that label.
func (b *tab) press(label string) {
	b.t.Helper()
	b.do("press "+label, chromedp.Click(chromedp.Search(`//button[normalize-space()="`+label+`"]`), chromedp.NodeVisible))
}

// pictures keeps what the page shows now, in light and dark and in two widths, in
// the folder that SHOAL_PICTURES names.
func (b *tab) pictures(name string) {
	b.t.Helper()
	folder := os.Getenv("SHOAL_PICTURES")
	for _, scheme := range []string{"light", "dark"} {
		for _, width := range []int64{1280, 390} {
			b.do("picture of "+name, appearance(scheme), chromedp.EmulateViewport(width, 900))
			if b.evaluate("width of "+name, `document.documentElement.scrollWidth > innerWidth`) == "true" {
				b.t.Errorf("%s: the page is wider than a window of %d", name, width)
			}
			if folder == "" {
				continue
			}
			png, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
			if err != nil {
				b.t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("%s-%s-%d.png", name, scheme, width)), png, 0o644); err != nil {
				b.t.Fatal(err)
			}
		}
	}
	b.do("usual width", chromedp.EmulateViewport(1280, 900))
}

// appearance makes the page believe that its user prefers light or dark.
func appearance(scheme string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
		return err
	})
}
