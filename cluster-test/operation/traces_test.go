package operation

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"

	"shoal/cluster-test/rig"
)

// span is what a collector was told of one.
type span struct {
	node, name, trace, id, parent string
	attributes                    map[string]string
}

// collected are the spans that came to a collector of our own.
type collected struct {
	t     *testing.T
	mu    sync.Mutex
	spans []span
}

func (c *collected) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body := io.Reader(r.Body)
	if r.Header.Get("Content-Encoding") == "gzip" {
		z, err := gzip.NewReader(r.Body)
		if err != nil {
			c.t.Error(err)
			return
		}
		body = z
	}
	b, err := io.ReadAll(body)
	var got collector.ExportTraceServiceRequest
	if err == nil {
		err = proto.Unmarshal(b, &got)
	}
	if err != nil || r.URL.Path != "/v1/traces" {
		c.t.Errorf("%s: %v", r.URL.Path, err)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, from := range got.ResourceSpans {
		node := ""
		for _, a := range from.Resource.Attributes {
			if a.Key == "shoal.node" {
				node = a.Value.GetStringValue()
			}
		}
		for _, scope := range from.ScopeSpans {
			for _, s := range scope.Spans {
				one := span{node, s.Name, fmt.Sprintf("%x", s.TraceId), fmt.Sprintf("%x", s.SpanId), fmt.Sprintf("%x", s.ParentSpanId), map[string]string{}}
				for _, a := range s.Attributes {
					one.attributes[a.Key] = a.Value.GetStringValue()
				}
				c.spans = append(c.spans, one)
			}
		}
	}
}

// await waits until the spans of a trace have all the names, come from so many nodes and
// none hangs in the air: each node sends its spans by itself.
func (c *collected) await(nodes int, trace func(span) bool, names ...string) []span {
	c.t.Helper()
	var missing []string
	var of []span
	for begun := time.Now(); time.Since(begun) < 30*time.Second; time.Sleep(50 * time.Millisecond) {
		c.mu.Lock()
		id := ""
		for _, s := range c.spans {
			if trace(s) {
				id = s.trace
			}
		}
		of = nil
		for _, s := range c.spans {
			if id != "" && s.trace == id {
				of = append(of, s)
			}
		}
		c.mu.Unlock()
		missing = slices.DeleteFunc(slices.Clone(names), func(name string) bool {
			return slices.ContainsFunc(of, func(s span) bool { return s.name == name })
		})
		if id != "" && len(missing) == 0 && nodesOf(of) >= nodes && len(hanging(of)) == 0 {
			return of
		}
	}
	c.t.Errorf("no span %q; of %d nodes, want %d; in the air hang %+v; in %+v", missing, nodesOf(of), nodes, hanging(of), of)
	return of
}

// nodesOf counts the nodes of spans.
func nodesOf(spans []span) int {
	nodes := map[string]bool{}
	for _, s := range spans {
		nodes[s.node] = true
	}
	return len(nodes)
}

// client is the span that the client named.
const client = "00f067aa0ba902b7"

// hanging returns the spans whose parent is unknown.
func hanging(spans []span) (found []span) {
	ids := map[string]bool{client: true}
	for _, s := range spans {
		ids[s.id] = true
	}
	for _, s := range spans {
		if s.name != "batch" && !ids[s.parent] {
			found = append(found, s)
		}
	}
	return found
}

// TestTracesFollowARequestOverNodes: a search and a write, as a collector is told of
// them, in the trace that the client began.
func TestTracesFollowARequestOverNodes(t *testing.T) {
	found := &collected{t: t}
	server := httptest.NewServer(found)
	defer server.Close()
	c := rig.New(t, 3, rig.Shards(3), "SHOAL_DEFAULT_REPLICAS=2", "OTEL_EXPORTER_OTLP_ENDPOINT="+server.URL)
	rig.Start(t, c)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()

	var docs strings.Builder
	for i := range 300 {
		fmt.Fprintf(&docs, `{"id":%d,"title":"a lantern by the harbour"}`+"\n", i)
	}
	told := func(method, path, body, kind string) string {
		t.Helper()
		trace := fmt.Sprintf("%032x", time.Now().UnixNano())
		req, err := http.NewRequestWithContext(ctx, method, "http://"+c.Nodes[0].HTTP+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", kind)
		req.Header.Set("traceparent", "00-"+trace+"-"+client+"-01")
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		if b, err := io.ReadAll(res.Body); err != nil || res.StatusCode >= 300 {
			t.Fatal(res.StatusCode, string(b), err)
		}
		return trace
	}
	write := told("POST", "/indexes/things/documents", docs.String(), "application/x-ndjson")
	if _, err := c.Nodes[0].Wait(ctx, 0); err != nil {
		t.Fatal(err)
	}
	search := told("POST", "/indexes/things/search", `{"q":"lantern harbour","filter":null}`, "application/json")

	found.await(1, func(s span) bool { return s.trace == write }, "POST /indexes/{index_uid}/documents", "stage", "enqueue")
	batch := found.await(2, func(s span) bool { return s.name == "batch" && s.attributes["shoal.index"] == "things" }, "batch", "build", "ship", "node shard.ship", "commit")
	spans := found.await(2, func(s span) bool { return s.trace == search }, "POST /indexes/{index_uid}/search", "plan", "open", "rank", "render", "step", "node shard.search")
	for what, of := range map[string][]span{"batch": batch, "search": spans} {
		for _, s := range of {
			for name, value := range s.attributes {
				if strings.Contains(value, "lantern") {
					t.Errorf("%s: %s tells what was searched for: %s=%s", what, s.name, name, value)
				}
			}
		}
	}
}
