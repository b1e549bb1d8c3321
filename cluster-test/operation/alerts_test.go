package operation

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	clustertest "shoal/cluster-test"
	"shoal/cluster-test/rig"
)

// elsewhere are the alerts that this file does not make true, and what tests the figures
// that they watch.
var elsewhere = map[string]string{
	"ShoalDamage":           "chaos: damage_test.go",
	"ShoalDamagedPayload":   "chaos: payload_test.go",
	"ShoalResultsHeldBack":  "consensus: a node that hangs for ten seconds",
	"ShoalDiskCannotKeepUp": "needs 20 GB of debt",
	"ShoalSlowLog":          "needs a disk that takes a second",
	"ShoalVersionsMixed":    "chaos: upgrade_test.go",
}

// A part of the data answered 503, and no alert fired.
func TestEveryAlertFires(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	f := newFires(t, ctx)
	skewed, err := clustertest.BuildSkewed(ctx, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	c := rig.New(t, 3, rig.Shards(1), "SHOAL_EXPERIMENTAL_ALLOWED_IP_NETWORKS=127.0.0.0/8")
	c.Binary = skewed
	onSmallDisks := true
	for _, n := range c.Nodes {
		onSmallDisks = small(t, n) && onSmallDisks
		if err := n.Watch(); err != nil {
			t.Fatal(err)
		}
		n.Option("db-path", filepath.Join(n.Folder(), "db"))
		n.Option("schedule-snapshot", "2")
		n.Option("snapshot-dir", filepath.Join(n.Folder(), "snapshots"))
		n.Env = []string{"SHOAL_TEST_SKEW=-2h"} // for a task that is two hours old
		f.metrics = append(f.metrics, "http://"+n.Watched+"/metrics")
	}
	t.Cleanup(c.Close) // before the file systems are taken away
	rig.Start(t, c)
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(1200 * time.Millisecond):
		case <-r.Context().Done():
		}
		fmt.Fprint(w, `[[1,2]]`)
	}))
	t.Cleanup(slow.Close)
	must(t, ctx, c.Nodes[0], "PATCH", "/indexes/whole/settings", map[string]any{"embedders": map[string]any{"slow": map[string]any{
		"source": "rest", "url": slow.URL, "dimensions": 2, "documentTemplate": "{{doc.id}}",
		"request": []string{"{{text}}", "{{..}}"}, "response": []string{"{{embedding}}", "{{..}}"},
	}}})
	first := wholeAndLone(t, ctx, c)
	rest := slices.DeleteFunc(slices.Clone(c.Nodes), func(n *clustertest.Node) bool { return n == first })
	survivor, second := rest[0], rest[1]
	f.fires()

	for _, n := range c.Nodes { // a file where the folder of snapshots belongs
		if err := os.RemoveAll(filepath.Join(n.Folder(), "snapshots")); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(n.Folder(), "snapshots"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f.fires("ShoalBackupFails")
	first.Kill() // a snapshot waits until the batch of the next task ends, and it does not
	if status, b, err := survivor.Do(ctx, "POST", "/indexes/lone/documents", []map[string]any{{"id": 2}}); err != nil || status != http.StatusAccepted {
		t.Fatalf("%d %s %v", status, b, err)
	}
	for range 60 {
		if status, b, err := survivor.Do(ctx, "POST", "/indexes/lone/search", map[string]any{}); err != nil || status != http.StatusServiceUnavailable {
			t.Fatalf("%d %s %v", status, b, err)
		}
	}
	f.fires("ShoalDataUnavailable", "ShoalNodeAway", "ShoalCopiesMissing", "ShoalVotesAtRisk", "ShoalServerErrors", "ShoalBackupOld")

	for _, n := range rest {
		n.Stop()
		n.Env = []string{"SHOAL_ZONE=a"} // the dead one names none
	}
	for _, n := range rest {
		if err := n.Start(c); err != nil {
			t.Fatal(err)
		}
	}
	f.fires("ShoalQueueOld", "ShoalZonesAtRisk")
	if onSmallDisks {
		full(t, survivor.Folder())
		f.fires("ShoalDiskFilling")
	} else {
		t.Log("ShoalDiskFilling was left out: it needs the right to mount a file system")
		f.seen["ShoalDiskFilling"] = true
	}
	var searching sync.WaitGroup
	for i := range 6 {
		searching.Go(func() {
			status, b, err := survivor.Do(ctx, "POST", "/indexes/whole/search", map[string]any{"q": fmt.Sprint(i), "hybrid": map[string]any{"embedder": "slow"}})
			if err != nil || status != http.StatusOK {
				t.Errorf("%d %s %v", status, b, err)
			}
		})
	}
	searching.Wait()
	f.fires("ShoalSearchesSlow")
	said := asked(ctx, survivor, "/cluster/state")
	for _, want := range []string{"6 of 6 searches of node " + survivor.Name + " took more than a second", "the oldest task has been in the queue for 2h"} {
		if !strings.Contains(said, want) {
			t.Errorf("the state does not say %q but %s", want, said)
		}
	}

	second.Kill()
	f.fires("ShoalWritesRefused", "ShoalCutOff")
	survivor.Kill()
	f.fires("ShoalAllNodesGone")
	f.expiring(c)
	f.missed()
}

// fires asks which alerts are true of the figures of nodes.
type fires struct {
	t       *testing.T
	ctx     context.Context
	program string
	metrics []string
	seen    map[string]bool
}

func newFires(t *testing.T, ctx context.Context) *fires {
	f := &fires{t: t, ctx: ctx, program: filepath.Join(t.TempDir(), "check"), seen: map[string]bool{}}
	build := exec.CommandContext(ctx, "go", "build", "-o", f.program, "./check")
	build.Dir = "../../deploy/build"
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return f
}

// fires waits until all of these alerts are true. Without any none may be.
func (f *fires) fires(alerts ...string) {
	f.t.Helper()
	until := time.Now().Add(20 * time.Second)
	for {
		cmd := exec.CommandContext(f.ctx, f.program, "-deploy", "../../deploy", "-firing", "-metrics", strings.Join(f.metrics, ","))
		out, err := cmd.CombinedOutput()
		if err != nil {
			f.t.Fatalf("%v\n%s", err, out)
		}
		now := strings.Fields(string(out))
		missing := slices.DeleteFunc(slices.Clone(alerts), func(a string) bool { return slices.Contains(now, a) })
		if len(missing) == 0 && (len(alerts) > 0 || len(now) == 0) {
			for _, a := range now {
				f.seen[a] = true
			}
			return
		}
		if time.Now().After(until) {
			f.t.Fatalf("%q fire, want %q", now, alerts)
		}
		pause(f.ctx)
	}
}

// missed fails for alerts that were not seen true and are not tested elsewhere.
func (f *fires) missed() {
	f.t.Helper()
	rules, err := os.ReadFile("../../deploy/prometheus/rules.yml")
	if err != nil {
		f.t.Fatal(err)
	}
	for _, found := range regexp.MustCompile(`- alert: (\w+)`).FindAllStringSubmatch(string(rules), -1) {
		if a := found[1]; !f.seen[a] && elsewhere[a] == "" {
			f.t.Errorf("nothing made %s true", a)
		}
	}
}

// expiring starts a node whose certificate lasts for five days more.
func (f *fires) expiring(c *clustertest.Cluster) {
	t := f.t
	dir := t.TempDir()
	cert, key := certificate(t, 5*24*time.Hour+time.Hour)
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := free.Addr().String()
	if err := free.Close(); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(f.ctx, c.Binary, "serve", "--name=tls", "--db-path="+filepath.Join(dir, "db"), "--http-addr=127.0.0.1:0", "--peer-addr=127.0.0.1:0", "--gossip-addr=127.0.0.1:0",
		"--metrics-addr="+at, "--ssl-cert-path="+cert, "--ssl-key-path="+key)
	cmd.Stdout, cmd.Stderr = io.Discard, io.Discard
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill() // it ends in any case
		_ = cmd.Wait()
	}()
	f.metrics = []string{"http://" + at + "/metrics"}
	f.fires("ShoalCertificateExpires")
}

// wholeAndLone makes an index with a copy on each node and one with a single copy, and
// returns the node that has it.
func wholeAndLone(t *testing.T, ctx context.Context, c *clustertest.Cluster) (only *clustertest.Node) {
	t.Helper()
	for index, copies := range map[string]int{"whole": 3, "lone": 1} {
		must(t, ctx, c.Nodes[0], "POST", "/indexes/"+index+"/documents", []map[string]any{{"id": 1}})
		if status, b, err := c.Nodes[0].Do(ctx, "PATCH", "/cluster/indexes/"+index, map[string]any{"replicas": copies}); err != nil || status != http.StatusOK {
			t.Fatalf("%d %s %v", status, b, err)
		}
	}
	settled(t, ctx, c, func(s *clustertest.Status) bool {
		whole, lone := s.Holders("whole"), s.Holders("lone")
		if len(whole) != 1 || len(whole[0]) != 3 || len(lone) != 1 || len(lone[0]) != 1 {
			return false
		}
		only = c.Nodes[slices.IndexFunc(c.Nodes, func(n *clustertest.Node) bool { return n.Name == lone[0][0] })]
		return true
	})
	return only
}

// must sends a change and waits until its task has succeeded.
func must(t *testing.T, ctx context.Context, n *clustertest.Node, method, path string, body any) {
	t.Helper()
	uid, err := n.Enqueue(ctx, method, path, body)
	var status string
	if err == nil {
		status, err = n.Wait(ctx, uid)
	}
	if err != nil || status != "succeeded" {
		t.Fatalf("%s %s: %s %v", method, path, status, err)
	}
}

// small gives a node a file system of its own, where that is allowed.
func small(t *testing.T, n *clustertest.Node) bool {
	t.Helper()
	if err := os.MkdirAll(n.Folder(), 0o700); err != nil {
		t.Fatal(err)
	}
	if syscall.Mount("tmpfs", n.Folder(), "tmpfs", 0, "size=96m") != nil {
		return false
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(n.Folder(), 0); err != nil {
			t.Errorf("unmount: %v", err)
		}
	})
	return true
}

// full leaves less than a tenth of a small disk.
func full(t *testing.T, folder string) {
	t.Helper()
	var s syscall.Statfs_t
	if err := syscall.Statfs(folder, &s); err != nil {
		t.Fatal(err)
	}
	size, free := int64(s.Blocks)*s.Bsize, int64(s.Bavail)*s.Bsize
	if err := os.WriteFile(filepath.Join(folder, "ballast"), make([]byte, free-size*7/100), 0o600); err != nil {
		t.Fatal(err)
	}
}
