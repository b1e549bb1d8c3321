package ctl

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// fakeCluster accepts documents like a node: by id, one task per upload.
type fakeCluster struct {
	mu      sync.Mutex
	ids     map[int]int // id -> times it was stored
	tasks   int
	answers []int // statuses of the next uploads; 0 or none left: 202
	fail    int   // the task of this number fails, 0 = none
	stop    func()
	stopAt  int // uploads after which stop is called
}

func (f *fakeCluster) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if r.Method == http.MethodGet {
		uid := strings.TrimPrefix(r.URL.Path, "/tasks/")
		if uid == fmt.Sprint(f.fail) && f.fail > 0 {
			fmt.Fprintf(w, `{"uid":%s,"status":"failed","error":{"message":"a document has no id","code":"missing_document_id"}}`, uid)
			return
		}
		fmt.Fprintf(w, `{"uid":%s,"status":"succeeded"}`, uid)
		return
	}
	if len(f.answers) > 0 {
		status := f.answers[0]
		f.answers = f.answers[1:]
		if status != 0 {
			w.WriteHeader(status)
			fmt.Fprint(w, `{"message":"not now","code":"no_leader"}`)
			return
		}
	}
	b, _ := io.ReadAll(r.Body)
	for line := range strings.Lines(string(b)) {
		var d struct{ ID int }
		if json.Unmarshal([]byte(line), &d) == nil {
			f.ids[d.ID]++
		}
	}
	f.tasks++
	if f.stop != nil && f.tasks == f.stopAt {
		f.stop()
	}
	w.WriteHeader(http.StatusAccepted)
	fmt.Fprintf(w, `{"taskUid":%d}`, f.tasks)
}

// importer prepares an import of n documents of 10 MiB together, in batches of 1 MiB.
func importer(t *testing.T, f *fakeCluster, n int) *Import {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	s := httptest.NewServer(f)
	t.Cleanup(s.Close)
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "{\"id\":%d,\"text\":%q}\n", i, strings.Repeat("x", 10<<20/n))
	}
	path := filepath.Join(t.TempDir(), "docs.ndjson")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return &Import{Remote: Remote{URL: s.URL}, Index: "docs", Files: []string{path}, BatchMiB: 1, InFlight: 2}
}

func (f *fakeCluster) check(t *testing.T, n, most int) {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	for id := range n {
		if times := f.ids[id]; times < 1 || times > most {
			t.Errorf("document %d was sent %d times, want 1 to %d", id, times, most)
		}
	}
}

func TestImportSendsEveryDocumentOnce(t *testing.T) {
	f := &fakeCluster{ids: map[int]int{}}
	m := importer(t, f, 500)
	var out strings.Builder
	if err := m.Run(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	f.check(t, 500, 1)
	if !strings.Contains(out.String(), "500 documents in") {
		t.Errorf("it says %q", out.String())
	}
}

func TestAnInterruptedImportContinues(t *testing.T) {
	f := &fakeCluster{ids: map[int]int{}, stopAt: 6}
	m := importer(t, f, 500)
	ctx, cancel := context.WithCancel(t.Context())
	f.stop = cancel
	if err := m.Run(ctx, io.Discard); err == nil || !strings.Contains(err.Error(), "Run the same command again") {
		t.Fatalf("an import that is cut off returns %v", err)
	}
	before := f.tasks
	var out strings.Builder
	if err := m.Run(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	f.check(t, 500, 2)
	if !strings.Contains(out.String(), "going on after") {
		t.Errorf("it says %q", out.String())
	}
	if again := f.tasks - before; again > 8 {
		t.Errorf("the second run sent %d requests, want only those that were missing or unfinished", again)
	}
	// After a finished import the next one starts anew.
	if err := m.Run(t.Context(), io.Discard); err != nil {
		t.Fatal(err)
	}
	f.check(t, 500, 3)
}

func TestImportRetriesTemporaryFailures(t *testing.T) {
	f := &fakeCluster{ids: map[int]int{}, answers: []int{503, 0, 429, 503, 0}}
	m := importer(t, f, 50)
	if err := m.Run(t.Context(), io.Discard); err != nil {
		t.Fatal(err)
	}
	f.check(t, 50, 1)
}

func TestImportNamesTheTaskThatFailed(t *testing.T) {
	f := &fakeCluster{ids: map[int]int{}, fail: 3}
	err := importer(t, f, 500).Run(t.Context(), io.Discard)
	if err == nil || !strings.Contains(err.Error(), "a document has no id") || !strings.Contains(err.Error(), "task 3") {
		t.Errorf("it returns %v", err)
	}
}

func TestARefusalIsNotRetried(t *testing.T) {
	f := &fakeCluster{ids: map[int]int{}, answers: []int{403}}
	began := time.Now()
	err := importer(t, f, 50).Run(t.Context(), io.Discard)
	if err == nil || !strings.Contains(err.Error(), "not now") || time.Since(began) > 5*time.Second {
		t.Errorf("it returns %v after %s", err, time.Since(began))
	}
	if len(f.ids) > 0 {
		t.Errorf("%d documents were sent after a refusal", len(f.ids))
	}
}

// The ids go into the primary key of the index, or into id.
func TestIDsFromElasticsearchBecomeThePrimaryKey(t *testing.T) {
	for _, c := range []struct{ name, option, index, want, fault string }{
		{name: "a new index", index: "", want: `?primaryKey=id {"id":"a","t":1}`},
		{name: "an index with a key", index: `{"uid":"films","primaryKey":"sku"}`, want: ` {"sku":"a","t":1}`},
		{name: "an index without", index: `{"uid":"films","primaryKey":null}`, want: `?primaryKey=id {"id":"a","t":1}`},
		{name: "an option", option: "code", index: `{"primaryKey":"sku"}`, want: `?primaryKey=code {"code":"a","t":1}`},
		{name: "a key that may only add", index: "403", fault: "--primary-key"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("XDG_CACHE_HOME", t.TempDir())
			t.Setenv("XDG_CONFIG_HOME", t.TempDir())
			var got string
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				text := `{"taskUid":1}`
				switch {
				case r.Method == http.MethodPost:
					body, err := io.ReadAll(r.Body)
					if err != nil {
						t.Error(err)
					}
					if r.URL.RawQuery != "" {
						got = "?" + r.URL.RawQuery
					}
					got += " " + strings.TrimSpace(string(body))
				case strings.HasPrefix(r.URL.Path, "/tasks/"):
					text = `{"uid":1,"status":"succeeded"}`
				case c.index == "":
					w.WriteHeader(http.StatusNotFound)
					text = `{"code":"index_not_found","message":"none"}`
				case c.index == "403":
					w.WriteHeader(http.StatusForbidden)
					text = `{"code":"invalid_api_key","message":"no"}`
				default:
					text = c.index
				}
				if _, err := io.WriteString(w, text); err != nil {
					t.Error(err)
				}
			}))
			defer s.Close()
			path := filepath.Join(t.TempDir(), "dump.json")
			if err := os.WriteFile(path, []byte(`{"_id":"a","_source":{"t":1}}`), 0o600); err != nil {
				t.Fatal(err)
			}
			m := &Import{Remote: Remote{URL: s.URL}, Index: "films", Files: []string{path}, Format: "elasticsearch", PrimaryKey: c.option, BatchMiB: 1, InFlight: 1}
			err := m.Run(t.Context(), io.Discard)
			if got != c.want || (err == nil) != (c.fault == "") || err != nil && !strings.Contains(err.Error(), c.fault) {
				t.Errorf("sent %q, %v; want %q, %q", got, err, c.want, c.fault)
			}
		})
	}
}

func TestAFileOfUnknownFormatIsAMistakeOfUsage(t *testing.T) {
	m := &Import{Remote: Remote{URL: "http://localhost:1"}, Index: "films", Files: []string{"-"}, BatchMiB: 1, InFlight: 1}
	var usage Usage
	if err := m.Run(t.Context(), io.Discard); !errors.As(err, &usage) {
		t.Errorf("%v, want a mistake of usage", err)
	}
}
