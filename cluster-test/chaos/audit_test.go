package chaos

import (
	"context"
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

// auditor is a server for the audit log. It hangs until it is let go, and keeps what it took.
type auditor struct {
	*httptest.Server
	goOn chan struct{}

	mu    sync.Mutex
	lines []string
}

func newAuditor(t *testing.T) *auditor {
	a := &auditor{goOn: make(chan struct{})}
	a.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		select {
		case <-a.goOn:
		case <-r.Context().Done():
			return
		}
		if err == nil {
			a.mu.Lock()
			defer a.mu.Unlock()
			a.lines = append(a.lines, strings.Split(strings.TrimSpace(string(body)), "\n")...)
		}
	}))
	t.Cleanup(a.Close)
	return a
}

func (a *auditor) took(part string) (n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, line := range a.lines {
		if strings.Contains(line, part) {
			n++
		}
	}
	return n
}

// Row 28 of the failure matrix: the server of the audit log takes calls and does not answer.
// Writes do not wait for it, the node stops in time, and the file has every change. Once the
// server answers it gets the lines that wait, in order.
func TestRow28AnAuditServerThatHangsHoldsUpNothing(t *testing.T) {
	c, n := single(t)
	server := newAuditor(t)
	file := filepath.Join(t.TempDir(), "audit")
	n.Option("audit-webhook", server.URL+"/lines?token=a-secret")
	n.Option("audit-log", file)
	n.Option("experimental-allowed-ip-networks", "127.0.0.0/8")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := c.Start(ctx); err != nil {
		t.Fatal(err)
	}
	var longest time.Duration
	for i := range 30 {
		begin := time.Now()
		write(t, n, "POST", "/indexes/docs/documents", documents(i, 1))
		longest = max(longest, time.Since(begin))
	}
	if longest > 5*time.Second { // a call to the server is given up after 30 s
		t.Errorf("a write took %s", longest)
	}
	stopped := within(t, 15*time.Second, "the stop of a node whose audit server hangs", func(context.Context) { n.Stop() })
	content, err := os.ReadFile(file)
	if err != nil || strings.Count(string(content), `"route":"POST /indexes/{index_uid}/documents"`) != 30 {
		t.Errorf("the file has %s (%v)", content, err)
	}
	if told(n, "a-secret") || !told(n, "changes do not reach --audit-webhook") {
		t.Errorf("the log ends with %s", n.Tail(20))
	}
	t.Logf("the longest of 30 writes took %s, the stop %s", longest.Round(time.Millisecond), stopped.Round(time.Millisecond))

	restart(t, c, n)
	for i := range 5 {
		write(t, n, "POST", "/indexes/later/documents", documents(i, 1))
	}
	close(server.goOn)
	eventually(t, 20*time.Second, "the server to get what waits", func(context.Context) bool { return server.took(`"indexUid":"later"`) == 5 })
}
