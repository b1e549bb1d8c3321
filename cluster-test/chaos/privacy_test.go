package chaos

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"shoal/cluster-test/rig"
)

func TestOtherUsersCannotReadTheDataFolder(t *testing.T) {
	c, n := single(t)
	n.Option("dump-dir", filepath.Join(n.Folder(), "dumps"))
	rig.Start(t, c)
	for i := range 3 {
		write(t, n, "POST", "/indexes/docs/documents", documents(i*4000, 4000))
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := n.Write(ctx, "POST", "/dumps", nil); err != nil {
		t.Fatal(err)
	}
	n.Stop()
	restart(t, c, n) // what the store's log holds becomes tables
	n.Stop()
	files := 0
	err := filepath.WalkDir(n.Folder(), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s is %s", strings.TrimPrefix(path, n.Folder()), info.Mode())
		}
		files++
		return err
	})
	if err != nil || files < 10 {
		t.Errorf("%d files: %v", files, err)
	}
}

// A folder of a program that let everybody read it is closed at the next start.
func TestAnOldDataFolderIsClosedToOtherUsers(t *testing.T) {
	c, n := single(t)
	rig.Start(t, c)
	n.Stop()
	for _, dir := range []string{"raft", "shards"} {
		if err := os.Chmod(filepath.Join(n.Folder(), dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	restart(t, c, n)
	for _, dir := range []string{"raft", "shards"} {
		if info, err := os.Stat(filepath.Join(n.Folder(), dir)); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v %v", dir, info.Mode(), err)
		}
	}
}

// What must not be told: the keys and secrets that a node is started with.
func TestANodeTellsNobodyItsSecrets(t *testing.T) {
	const secret, old, master, hook = "the secret of this cluster", "the secret it had before", "a master key of enough bytes", "Bearer of the webhook"
	c := rig.New(t, 2)
	for _, n := range c.Nodes {
		file := func(name string, lines ...string) string {
			path := filepath.Join(c.Dir, n.Name+"."+name)
			if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
				t.Fatal(err)
			}
			return path
		}
		n.Env = []string{"SHOAL_CLUSTER_SECRET=", "SHOAL_TASK_WEBHOOK_AUTHORIZATION_HEADER=" + hook}
		n.Option("cluster-secret-file", file("secret", secret, old))
		n.Option("master-key-file", file("key", master))
		n.Option("log-level", "TRACE")
		n.Option("task-webhook-url", "http://127.0.0.1:9/")
		n.Option("env", "production")
		n.Args("--experimental-enable-metrics", "--experimental-enable-logs-route")
		n.Key = master
	}
	rig.Start(t, c)
	write(t, c.Nodes[0], "POST", "/indexes/docs/documents", documents(0, 10))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	places := map[string]string{}
	for _, n := range c.Nodes {
		for _, path := range []string{"/metrics", "/cluster/status", "/stats", "/version", "/health", "/tasks", "/batches", "/webhooks", "/experimental-features", "/network"} {
			status, b, err := n.Do(ctx, http.MethodGet, path, nil)
			if err != nil || status != http.StatusOK && path != "/network" {
				t.Fatalf("%s: %d %s %v", path, status, b, err)
			}
			places[n.Name+" "+path] = string(b)
		}
		for _, what := range []string{"cmdline", "comm"} {
			b, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", n.PID(), what))
			if err != nil {
				t.Skipf("no list of processes to look into: %v", err)
			}
			places[n.Name+" "+what] = string(b)
		}
	}
	// A node that refuses, and one that is killed by a panic's signal, say a lot.
	wrong := joining(t, c)
	wrong.Env = []string{"SHOAL_CLUSTER_SECRET=" + secret, "SHOAL_MASTER_KEY=" + master + "?"}
	refused(t, c, wrong, "--master-key")
	places["a node that was refused"] = wrong.Tail(1 << 20)
	for _, n := range c.Nodes {
		n.Quit()
		places[n.Name+" log"] = n.Tail(1 << 20)
		if !strings.Contains(places[n.Name+" log"], "goroutine ") || len(places[n.Name+" log"]) < 1000 {
			t.Errorf("%s wrote no stacks: %s", n.Name, n.Tail(3))
		}
	}
	for place, text := range places {
		for _, hidden := range []string{secret, old, master, hook} {
			if strings.Contains(text, hidden) {
				at := strings.Index(text, hidden)
				t.Errorf("%s tells %q: ...%s", place, hidden, text[max(0, at-80):at+len(hidden)])
			}
		}
	}
}

func TestTheMasterKeyOfALocalClusterDoesNotShowInTheListOfProcesses(t *testing.T) {
	const master = "a master key of enough bytes"
	c, n := single(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.Binary, "dev", "--nodes=2", "--http-addr="+n.HTTP, "--db-path="+n.Folder(), "--master-key", master)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 20 * time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		cancel()
		_ = cmd.Wait() // it was told to end
	}()
	var nodes []struct {
		PID int `json:"pid"`
	}
	eventually(t, 30*time.Second, "the local cluster", func(context.Context) bool {
		b, err := os.ReadFile(filepath.Join(n.Folder(), "nodes.json"))
		return err == nil && json.Unmarshal(b, &nodes) == nil && len(nodes) == 2
	})
	for _, o := range nodes {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", o.PID))
		if err != nil {
			t.Skipf("no list of processes to look into: %v", err)
		}
		if strings.Contains(string(b), master) {
			t.Errorf("the list of processes shows the master key: %q", b)
		}
	}
	n.Key = master
	if status, b, err := n.Do(ctx, http.MethodGet, "/stats", nil); err != nil || status != http.StatusOK {
		t.Errorf("the key does not open the cluster: %d %s %v", status, b, err)
	}
	n.Key = ""
	if status, b, err := n.Do(ctx, http.MethodGet, "/stats", nil); err != nil || status != http.StatusUnauthorized {
		t.Errorf("the cluster is open without the key: %d %s %v", status, b, err)
	}
}
