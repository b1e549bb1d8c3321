package surface

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"shoal/cluster-test/rig"
)

// Those who watch a cluster have no key and must not need one; what they see holds no
// secret.
func TestMetricsOnAnAddressOfTheirOwnNeedNoKey(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	const key = "nobody may see this master key"
	c := rig.New(t, 1, "SHOAL_MASTER_KEY="+key)
	n := c.Nodes[0]
	n.Key = key
	n.Option("metrics-addr", addr)
	rig.Start(t, c)
	if status, b, err := n.Do(t.Context(), "POST", "/multi-search", map[string]any{"queries": []any{}}); err != nil || status != http.StatusOK {
		t.Fatalf("a search answers %d %s %v", status, b, err)
	}
	client := &http.Client{Timeout: 10 * time.Second}
	for path, want := range map[string]string{
		"/metrics":                       `meilisearch_http_response_time_seconds_count{method="POST",path="/multi-search"} 1`,
		"/livez":                         "ok",
		"/readyz?verbose":                "[+] contact to the leader",
		"/debug/pprof/goroutine?debug=1": "goroutine profile",
		"/debug/pprof/heap?debug=1&gc=1": "heap profile",
	} {
		res, err := client.Get("http://" + addr + path)
		for begun := time.Now(); err != nil && time.Since(begun) < 10*time.Second; res, err = client.Get("http://" + addr + path) {
			time.Sleep(20 * time.Millisecond) // it is served once clients are
		}
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(res.Body)
		if err != nil || res.StatusCode != http.StatusOK || !strings.Contains(string(b), want) {
			t.Errorf("GET %s: %d, %v, without %q", path, res.StatusCode, err, want)
		}
		if strings.Contains(string(b), key) {
			t.Errorf("GET %s shows the master key", path)
		}
		if err := res.Body.Close(); err != nil {
			t.Error(err)
		}
	}
	for _, path := range []string{"/indexes", "/debug/pprof/cmdline", "/keys"} {
		res, err := client.Get(fmt.Sprintf("http://%s%s", addr, path))
		if err != nil {
			t.Fatal(err)
		}
		if res.StatusCode != http.StatusNotFound {
			t.Errorf("GET %s on the address for metrics: %d, want 404", path, res.StatusCode)
		}
		if err := res.Body.Close(); err != nil {
			t.Error(err)
		}
	}
}
