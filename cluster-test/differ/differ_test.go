package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"shoal/cluster-test/rig"

	"shoal/cluster-test/life"
)

func TestMain(m *testing.M) { os.Exit(rig.Main(m)) }

// dumps gives a cluster a folder of its own for them.
func dumps(t *testing.T) string { return "SHOAL_DUMP_DIR=" + t.TempDir() }

func TestTwoTopologiesLiveTheSameLife(t *testing.T) {
	one, three := rig.New(t, 1, rig.Shards(1), dumps(t)), rig.New(t, 3, rig.Shards(3), dumps(t))
	rig.Start(t, one)
	rig.Start(t, three)
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	var out strings.Builder
	found, err := run(ctx, options{addresses: []string{one.Nodes[0].HTTP, three.Nodes[1].HTTP}, ours: -1, seed: 11, seeds: 1, steps: 300, base: 100, trials: 60, out: &out})
	if err != nil || len(found.kinds) > 0 {
		t.Fatalf("%v\n%s", err, out.String())
	}
}

// TestAPlantedBugIsShownByThreeRequests: a proxy that adds a value to a facet needs
// a document, a setting and a search. The hunt meets it again and again and tells it
// once.
func TestAPlantedBugIsShownByThreeRequests(t *testing.T) {
	a, b := rig.New(t, 1, dumps(t)), rig.New(t, 1, dumps(t))
	rig.Start(t, a)
	rig.Start(t, b)
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: b.Nodes[0].HTTP})
	proxy.ModifyResponse = func(r *http.Response) error {
		if !strings.HasSuffix(r.Request.URL.Path, "/search") {
			return nil
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return err
		}
		body = bytes.ReplaceAll(body, []byte(`"facetDistribution":{"genre":{"`), []byte(`"facetDistribution":{"genre":{"planted":1,"`))
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		r.Header.Del("Content-Length")
		return nil
	}
	front := httptest.NewServer(proxy)
	defer front.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	var out strings.Builder
	found, err := run(ctx, options{addresses: []string{a.Nodes[0].HTTP, strings.TrimPrefix(front.URL, "http://")}, ours: -1, seed: 3, seeds: 1, steps: 300, base: 20, trials: 60, out: &out})
	if err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	t.Log(out.String())
	times, requests := 0, 0
	for kind, s := range found.kinds {
		times += s.times
		if !strings.Contains(kind, "facetDistribution") {
			t.Errorf("kind %s", kind)
		}
		if strings.HasPrefix(kind, "POST /indexes/{}/search 200") {
			for _, batch := range s.batches {
				requests += len(batch)
			}
		}
	}
	if requests != 3 || times < 2 {
		t.Errorf("%d requests, met %d times", requests, times)
	}
}

// TestWhatIsMaskedLeavesJSON, and only where it may: how tasks are batched shows in the
// total of batches, the build in the version.
func TestWhatIsMaskedLeavesJSON(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`{"a":1,"deletedDocuments":2,"b":3}`, `{"a":1,"b":3}`}, {`{"a":1,"deletedDocuments":2}`, `{"a":1}`},
		{`{"deletedDocuments":2,"b":3}`, `{"b":3}`}, {`{"deletedDocuments":2}`, `{}`},
	} {
		if got := string(deleted.ReplaceAll([]byte(c.in), nil)); got != c.want {
			t.Errorf("%s: %s, want %s", c.in, got, c.want)
		}
	}
	drop := []life.Request{
		{Method: "POST", Path: "/indexes/a/documents", Together: true}, {Method: "POST", Path: "/indexes/b/documents", Together: true},
		{Method: "POST", Path: "/indexes/a/documents"}, {Method: "DELETE", Path: "/indexes/a", Together: true}, {Method: "POST", Path: "/indexes/a/documents", Together: true},
	}
	for i, want := range []bool{true, false, false, false, false} {
		if isDropped(drop, i) != want {
			t.Errorf("request %d of a batch that deletes the index: %t", i, !want)
		}
	}
	for _, c := range []struct{ path, in, want string }{
		{"/batches?limit=0", `{"total":7}`, `{"total":0}`}, {"/tasks", `{"total":7}`, `{"total":7}`},
		{"/version/", `{"commitSha":"a","pkgVersion":"1.50.0"}`, `{"commitSha":0,"pkgVersion":"1.50.0"}`}, {"/stats", `{"commitSha":"a"}`, `{"commitSha":"a"}`},
	} {
		if got := string(maskAnswer(&life.Request{Path: c.path}, []byte(c.in))); got != c.want {
			t.Errorf("%s: %s, want %s", c.path, got, c.want)
		}
	}
}
