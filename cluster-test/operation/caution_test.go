package operation

import (
	"net"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"shoal/cluster-test/rig"
)

var offered = regexp.MustCompile(`made=([0-9a-f]{64})`)

// A node that everybody could reach and change said nothing about it.
func TestANodeWithoutAKeyThatOthersReachWarnsAndOffersOne(t *testing.T) {
	c := rig.New(t, 1)
	n := c.Nodes[0]
	rig.Start(t, c)
	if log := n.Tail(100); strings.Contains(log, "no master key") {
		t.Errorf("it warns although only this machine reaches it:\n%s", log)
	}
	n.Stop()
	_, port, err := net.SplitHostPort(n.HTTP)
	if err != nil {
		t.Fatal(err)
	}
	n.Option("http-addr", "0.0.0.0:"+port)
	rig.Start(t, c)
	found := offered.FindStringSubmatch(n.Tail(100))
	if found == nil {
		t.Fatalf("it does not offer a key:\n%s", n.Tail(100))
	}
	n.Stop()
	n.Key = found[1]
	n.Env = []string{"SHOAL_MASTER_KEY=" + found[1]}
	rig.Start(t, c)
	if status, b, err := n.Do(t.Context(), "GET", "/version", nil); err != nil || status != http.StatusOK {
		t.Errorf("with the key that it offered: %d %s %v", status, b, err)
	}
	if rest := n.Tail(4); strings.Contains(rest, "no master key") {
		t.Errorf("it warns although it has a key:\n%s", rest)
	}
}

// Whoever comes from the reference starts Shoal with the file that came with it.
func TestTheStockFileOfTheReferenceStartsANode(t *testing.T) {
	c := rig.New(t, 1)
	file, err := filepath.Abs("../../node/command/testdata/meilisearch.toml")
	if err != nil {
		t.Fatal(err)
	}
	c.Nodes[0].Option("config-file-path", file)
	rig.Start(t, c)
	if log := c.Nodes[0].Tail(100); strings.Contains(log, "change nothing") {
		t.Errorf("no key of the file is without effect as it stands:\n%s", log)
	}
	c.Nodes[0].Stop()
	c.Nodes[0].Args("--experimental-reduce-indexing-memory-usage", "--ssl-tickets")
	rig.Start(t, c)
	if log := c.Nodes[0].Tail(20); !strings.Contains(log, `given="--experimental-reduce-indexing-memory-usage, --ssl-tickets"`) {
		t.Errorf("it does not say what changes nothing:\n%s", log)
	}
}

// The console could not be switched off in production.
func TestTheConsoleCanBeSwitchedOff(t *testing.T) {
	c := rig.New(t, 1)
	n := c.Nodes[0]
	get := func(path string) (int, string) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+n.HTTP+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Accept", "text/html")
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		return res.StatusCode, res.Header.Get("Content-Type")
	}
	rig.Start(t, c)
	if status, kind := get("/"); status != http.StatusOK || !strings.HasPrefix(kind, "text/html") {
		t.Errorf("by default: %d %s", status, kind)
	}
	n.Stop()
	n.Args("--no-console")
	rig.Start(t, c)
	if status, kind := get("/"); status != http.StatusOK || !strings.HasPrefix(kind, "application/json") {
		t.Errorf("with --no-console: %d %s", status, kind)
	}
	if status, _ := get("/console/app.js"); status != http.StatusNotFound {
		t.Errorf("with --no-console a file of the console has status %d", status)
	}
}
