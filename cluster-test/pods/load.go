package pods

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	clustertest "shoal/cluster-test"
)

const (
	founded = 500 // documents that are there from the start and never change
	workers = 3   // clients that search
)

// load is what clients do all along, through the service alone.
type load struct {
	t     *testing.T
	front *clustertest.Node // the service, as a client sees it
	ctx   context.Context
	end   context.CancelFunc
	work  sync.WaitGroup

	mu       sync.Mutex
	searches int
	failures int
	slowest  time.Duration
	kept     map[int]bool // documents of acknowledged requests
	tasks    []uint32     // acknowledged
	refused  int          // writes that were sent again
	longest  time.Duration
	last     time.Time // of the write that was acknowledged last
}

// clients search and write until stop. The founding documents are there.
func clients(t *testing.T, url string) *load {
	t.Helper()
	l := &load{t: t, front: &clustertest.Node{Name: "the service", HTTP: strings.TrimPrefix(url, "http://"), Key: masterKey}, kept: map[int]bool{}, last: time.Now()}
	l.ctx, l.end = context.WithCancel(t.Context())
	return l
}

func (l *load) start() {
	for worker := range workers {
		l.work.Go(func() { l.search(worker) })
	}
	l.work.Go(l.write)
	l.t.Cleanup(l.stop)
}

func (l *load) stop() {
	l.end()
	l.work.Wait()
}

// found makes the index.
func (l *load) found() {
	l.t.Helper()
	var docs bytes.Buffer
	for id := range founded {
		docs.WriteString(document(id))
	}
	l.done("PATCH", "/indexes/docs/settings", map[string]any{"filterableAttributes": []string{"id", "part"}, "sortableAttributes": []string{"id"}})
	l.done("POST", "/indexes/docs/documents", docs.Bytes())
}

// done sends a write and waits for its task.
func (l *load) done(method, path string, body any) {
	l.t.Helper()
	ctx, cancel := context.WithTimeout(l.t.Context(), 30*time.Second)
	defer cancel()
	if err := l.front.Write(ctx, method, path, body); err != nil {
		l.t.Fatal(err)
	}
}

// search asks for founding documents: whoever answers, it is the same to the byte.
func (l *load) search(worker int) {
	known := map[int]string{}
	for i := 0; l.pause(10 * time.Millisecond); i++ {
		part := (i + worker) % 7
		body := map[string]any{"q": "pod acknowledged", "filter": fmt.Sprintf("id < %d AND part = %d", founded, part), "sort": []string{"id:desc"}, "facets": []string{"part"}, "limit": 5}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(l.ctx), 10*time.Second)
		begun := time.Now()
		status, b, err := l.front.Do(ctx, "POST", "/indexes/docs/search", body)
		cancel()
		took := time.Since(begun)
		if err != nil || status != http.StatusOK {
			l.fail(fmt.Sprintf("a search failed after %s: %d %.300s %v", took.Round(time.Millisecond), status, b, err))
			continue
		}
		answer := string(clustertest.Mask(b))
		if want, ok := known[part]; ok && answer != want {
			l.fail(fmt.Sprintf("a search was answered\n%.500s\nbefore it was\n%.500s", answer, want))
		}
		known[part] = answer
		l.mu.Lock()
		l.searches, l.slowest = l.searches+1, max(l.slowest, took)
		l.mu.Unlock()
	}
}

// fail fails the test; the first few failures are told.
func (l *load) fail(what string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.failures++; l.failures > 10 {
		l.t.Fail()
		return
	}
	l.t.Error(time.Now().UTC().Format(clock), what)
}

// write adds document after document, each sent again until it is acknowledged: while
// the lead changes a node may refuse it.
func (l *load) write() {
	for id := founded; l.pause(15 * time.Millisecond); {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(l.ctx), 8*time.Second)
		uid, err := l.front.Enqueue(ctx, "POST", "/indexes/docs/documents", []byte(document(id)))
		cancel()
		now := time.Now()
		l.mu.Lock()
		if err != nil {
			l.refused++
			l.mu.Unlock()
			continue
		}
		l.kept[id], l.tasks = true, append(l.tasks, uid)
		l.longest, l.last = max(l.longest, now.Sub(l.last)), now
		l.mu.Unlock()
		id++
	}
}

// pause reports false once the load is to end.
func (l *load) pause(d time.Duration) bool {
	select {
	case <-l.ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// tell logs what clients saw since it was called last.
func (l *load) tell(what string, took time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.t.Logf("%s: %.1f s; %d searches so far, %d failed, the slowest of this part %s; %d writes acknowledged, %d sent again, at most %s between two",
		what, took.Seconds(), l.searches, l.failures, l.slowest.Round(time.Millisecond), len(l.kept), l.refused, l.longest.Round(time.Millisecond))
	l.slowest, l.longest = 0, 0
}

// check looks for all that was acknowledged on every pod.
func (l *load) check(pods []*clustertest.Node) {
	l.t.Helper()
	ctx, cancel := context.WithTimeout(l.t.Context(), time.Minute)
	defer cancel()
	if l.searches < 100 || len(l.kept) < 30 {
		l.t.Errorf("only %d searches and %d writes", l.searches, len(l.kept))
	}
	for _, uid := range l.tasks {
		if status, err := l.front.Wait(ctx, uid); err != nil {
			l.t.Fatalf("acknowledged task %d: %s %v", uid, status, err)
		}
	}
	for _, n := range pods {
		var page struct {
			Results []struct{ ID int }
		}
		status, b, err := n.Do(ctx, "GET", "/indexes/docs/documents?limit=1000000&fields=id", nil)
		if err != nil || status != http.StatusOK {
			l.t.Fatalf("documents on %s: %d %.300s %v", n.Name, status, b, err)
		}
		if err := json.Unmarshal(b, &page); err != nil {
			l.t.Fatal(err)
		}
		have := map[int]bool{}
		for _, d := range page.Results {
			have[d.ID] = true
		}
		if len(have) != founded+len(l.kept) || len(have) != len(page.Results) {
			l.t.Errorf("%s lists %d documents, %d of them different, %d were acknowledged", n.Name, len(page.Results), len(have), founded+len(l.kept))
		}
		for id := range l.kept {
			if !have[id] {
				l.t.Errorf("%s has lost document %d", n.Name, id)
			}
		}
	}
}
