package console

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

func answer(t *testing.T, method, path, accept string) (*httptest.ResponseRecorder, bool) {
	t.Helper()
	c, err := New()
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest(method, path, nil)
	r.Header.Set("Accept", accept)
	w := httptest.NewRecorder()
	return w, c.Answer(w, r)
}

func TestOnlyBrowsersGetThePage(t *testing.T) {
	for _, c := range []struct {
		method, path, accept string
		page                 bool
	}{
		{"GET", "/", "text/html,application/xhtml+xml,*/*;q=0.8", true},
		{"HEAD", "/", "text/html", true},
		{"GET", "/", "*/*", false},
		{"GET", "/", "", false},
		{"GET", "/", "application/json", false},
		{"GET", "/", "text/html;q=0, application/json", false},
		{"POST", "/", "text/html", false},
		{"GET", "/indexes", "text/html", false},
		{"GET", "/console/app.js", "", true},
		{"GET", "/console/", "", true},
		{"DELETE", "/console/app.js", "", false},
	} {
		if _, got := answer(t, c.method, c.path, c.accept); got != c.page {
			t.Errorf("%s %s with Accept %q: the page answered = %v, want %v", c.method, c.path, c.accept, got, c.page)
		}
	}
}

func TestThePageMayLoadOnlyItsOwnFiles(t *testing.T) {
	w, _ := answer(t, "GET", "/", "text/html")
	if got := w.Header().Get("Content-Security-Policy"); !strings.Contains(got, "default-src 'none'; script-src 'self'") {
		t.Errorf("Content-Security-Policy is %q", got)
	}
	if got := w.Header().Get("Content-Type"); got != "text/html; charset=utf-8" {
		t.Errorf("Content-Type is %q", got)
	}
}

func TestUnknownFilesOfThePageAreNotFound(t *testing.T) {
	for _, path := range []string{"/console/none.js", "/console/../doc.go", "/console/assets/app.js", "/console/%2e%2e/console.go"} {
		w, ok := answer(t, "GET", path, "")
		if ok && w.Code != http.StatusNotFound {
			t.Errorf("GET %s answered %d, want 404", path, w.Code)
		}
	}
}

func TestAKnownTagIsNotSentAgain(t *testing.T) {
	w, _ := answer(t, "GET", "/console/app.js", "")
	c, err := New()
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest("GET", "/console/app.js", nil)
	r.Header.Set("If-None-Match", w.Header().Get("ETag"))
	again := httptest.NewRecorder()
	c.Answer(again, r)
	if again.Code != http.StatusNotModified || again.Body.Len() != 0 {
		t.Errorf("the same tag answered %d with %d bytes, want 304 with none", again.Code, again.Body.Len())
	}
}

// Every file that the page names must be there, with a type, or a browser shows a
// blank page.
func TestEveryNamedFileIsEmbedded(t *testing.T) {
	c, err := New()
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile(`(?:/console/|from '\./)([a-z]+\.(?:js|css|svg))`)
	for name, f := range c.files {
		if f.kind == "" {
			t.Errorf("%s has no content type", name)
		}
		for _, m := range named.FindAllSubmatch(f.content, -1) {
			if _, ok := c.files[string(m[1])]; !ok {
				t.Errorf("%s names %s, which is not there", name, m[1])
			}
		}
	}
}

// Text of documents must never be read as HTML.
func TestScriptsNeverParseHTML(t *testing.T) {
	c, err := New()
	if err != nil {
		t.Fatal(err)
	}
	for name, f := range c.files {
		for _, bad := range []string{"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"} {
			if strings.Contains(string(f.content), bad) {
				t.Errorf("%s uses %s", name, bad)
			}
		}
	}
}
