package httpfront

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"shoal/api/jsonvalue"
	"shoal/api/settings"
)

// The recorded refusals of the reference on these routes, answer by answer.
func TestRecordedRefusals(t *testing.T) {
	checked := 0
	for _, area := range []string{"index", "settings", "documents", "swap_indexes"} {
		for _, c := range recordings(t, "api-"+area+".json.gz") {
			checked += c.compare(t)
		}
	}
	if checked < 50 {
		t.Errorf("only %d recorded answers were compared", checked)
	}
}

type recording struct {
	Name    string
	Servers []struct{ Env map[string]string }
	Steps   []struct {
		Method, URL string
		Headers     [][2]string
		Body        *struct{ Text *string }
		Status      int
		Response    json.RawMessage
	}
}

func recordings(t *testing.T, name string) []recording {
	t.Helper()
	packed, err := os.ReadFile("../../shared/conformance/transcripts/" + name)
	if err != nil {
		t.Skip("the recorded transcripts are not here: ", err)
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	var all []recording
	if err := json.NewDecoder(r).Decode(&all); err != nil {
		t.Fatal(err)
	}
	return all
}

// compare sends the steps of a case and checks those that the front refuses by itself.
func (c *recording) compare(t *testing.T) (checked int) {
	if len(c.Servers) != 1 || c.Servers[0].Env["MEILI_MASTER_KEY"] != "" {
		return 0
	}
	store := &fakeStore{settings: map[string]*settings.Settings{}}
	s := store.front(settings.Features{})
	for _, step := range c.Steps {
		if step.Body != nil && step.Body.Text == nil {
			continue
		}
		body := ""
		if step.Body != nil {
			body = *step.Body.Text
		}
		var want struct{ Message, Code string }
		if step.Status != 400 && step.Status != 415 || json.Unmarshal(step.Response, &want) != nil {
			if step.URL == "/experimental-features" {
				send(s, step.Method, step.URL, body)
			}
			continue
		}
		u, err := url.Parse(step.URL)
		if err != nil || !frontRefuses(want.Message) {
			continue
		}
		if !ours(patternOf(step.Method, u.EscapedPath())) {
			continue
		}
		headers := []string{"Content-Type: "}
		for _, h := range step.Headers {
			headers = append(headers, http.CanonicalHeaderKey(h[0])+": "+h[1])
		}
		w := send(s, step.Method, u.Path+"?"+u.RawQuery, body, headers...)
		var got struct{ Message, Code string }
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != step.Status || got != want {
			t.Errorf("%s: %s %s %.200s:\n got %d %s %s\nwant %d %s %s", c.Name, step.Method, step.URL, body, w.Code, got.Code, got.Message, step.Status, want.Code, want.Message)
		}
		checked++
	}
	return checked
}

// ours tells the routes of this file from those of searches.
// patternOf is the pattern of the row that answers, "" for none. Rows without
// parameters come first.
func patternOf(method, path string) (found string) {
	segments := strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
	least := len(segments) + 1
	for _, r := range table() {
		parts := strings.FieldsFunc(r.Pattern, func(r rune) bool { return r == '/' })
		if r.Method != method || len(parts) != len(segments) {
			continue
		}
		parameters, same := 0, true
		for i, p := range parts {
			if p[0] == '{' {
				parameters++
			} else {
				same = same && p == segments[i]
			}
		}
		if same && parameters < least {
			found, least = r.Pattern, parameters
		}
	}
	return found
}

func ours(pattern string) bool {
	for _, part := range []string{"/documents", "/settings", "/swap-indexes", "/fields"} {
		if strings.Contains(pattern, part) {
			return true
		}
	}
	return pattern == "/indexes" || pattern == "/indexes/{index_uid}"
}

// frontRefuses excludes refusals that need the index, and duplicate swaps.
func frontRefuses(message string) bool {
	for _, part := range []string{"is not filterable", "is not sortable", "not found", "declared only once", "sort parameter", "sort expression", "geo parameter", "_geo", "was expecting", "Was expecting", "Invalid syntax for the filter"} {
		if strings.Contains(message, part) {
			return false
		}
	}
	return true
}

// Recorded answers of GET on settings after recorded changes, member order
// included.
func TestRecordedSettings(t *testing.T) {
	checked := 0
	for _, file := range []string{"api-settings", "api-search", "api-documents", "api-vector", "api-index", "lifecycle"} {
		for _, c := range recordings(t, file+".json.gz") {
			checked += c.compareSettings(t)
		}
	}
	if checked < 30 {
		t.Errorf("only %d recorded settings were compared", checked)
	}
}

func (c *recording) compareSettings(t *testing.T) (checked int) {
	if len(c.Servers) != 1 || c.Servers[0].Env["MEILI_MASTER_KEY"] != "" {
		return 0
	}
	store := &fakeStore{settings: map[string]*settings.Settings{}}
	s := store.front(settings.Features{})
	for _, step := range c.Steps {
		if step.Body != nil && step.Body.Text == nil {
			continue
		}
		body, settings := "", strings.Contains(step.URL, "/settings")
		if step.Body != nil {
			body = *step.Body.Text
		}
		switch {
		case step.Method == "GET" && settings && step.Status == 200:
			want, err := jsonvalue.Parse(step.Response)
			if err != nil {
				t.Fatal(err)
			}
			if w := send(s, "GET", step.URL, ""); w.Body.String() != want.JSON() {
				t.Errorf("%s: GET %s:\n got %s\nwant %s", c.Name, step.URL, w.Body, want.JSON())
			}
			checked++
		case step.Status == 200 && step.URL == "/experimental-features",
			step.Status == 202 && (settings || step.URL == "/indexes"):
			if w := send(s, step.Method, step.URL, body); w.Code != step.Status {
				t.Errorf("%s: %s %s: %d %s", c.Name, step.Method, step.URL, w.Code, w.Body)
			}
		case step.Status == 202 && strings.HasSuffix(step.URL, "/documents"):
			store.make(strings.Split(step.URL, "/")[2])
		}
	}
	return checked
}
