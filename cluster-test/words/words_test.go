package words

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	clustertest "shoal/cluster-test"
	"shoal/cluster-test/rig"
)

func TestMain(m *testing.M) { os.Exit(rig.Main(m)) }

var fence = regexp.MustCompile("(?ms)^```([a-z]+)\n(.*?)^```")

// snippets are the blocks of a page in one language.
func snippets(t *testing.T, page, language string) []string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "docs", page))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, m := range fence.FindAllStringSubmatch(string(b), -1) {
		if m[1] == language {
			out = append(out, m[2])
		}
	}
	if len(out) == 0 {
		t.Fatalf("docs/%s has no snippet in %s", page, language)
	}
	return out
}

// freePort is one that nobody listens on now.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// run runs a command in a group of its own, which ends with the test.
func run(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	var out bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, append(os.Environ(), env...), &out, &out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second // servers that were started with & hold the output open
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }) // may have ended
	if err := cmd.Wait(); err != nil && !strings.Contains(err.Error(), exec.ErrWaitDelay.Error()) {
		t.Fatalf("%s: %v\n%s", name, err, out.String())
	}
	return out.String()
}

func TestFiveMinutes(t *testing.T) {
	c := rig.New(t, 1)
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "bin"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(c.Binary, filepath.Join(dir, "bin", "shoal")); err != nil {
		t.Fatal(err)
	}
	one, three := freePort(t), freePort(t)
	script := strings.NewReplacer("7700", one, "7800", three).Replace(strings.Join(snippets(t, "five-minutes.md", "sh"), "\n"))
	// A reader waits for the server to say that it serves; the script does so by asking.
	await := "; for i in $(seq 100); do curl -fs http://localhost:%s/health >/dev/null && break; sleep 0.1; done; curl -fs http://localhost:%s/health\n"
	script = strings.Replace(script, "./data &\n", "./data >log 2>&1 & "+fmt.Sprintf(await, one, one)[2:], 1)
	script = strings.Replace(script, "localhost:"+three+" &\n", "localhost:"+three+" >log3 2>&1 & "+fmt.Sprintf(await, three, three)[2:], 1)
	env := []string{"SHOAL_HTTP_ADDR=localhost:" + one, "SHOAL_URL=http://localhost:" + one, "XDG_CACHE_HOME=" + dir, "XDG_CONFIG_HOME=" + dir}
	out := run(t, dir, env, "bash", "-euo", "pipefail", "-c", script)
	for _, want := range []string{`{"status":"available"}`, "films.json: 3 documents in", `"title":"The General"`, `"title":"The Kid"`, `"facetDistribution":{"genres":{"Comedy":1,"Drama":1}}`} {
		if !strings.Contains(out, want) {
			t.Errorf("the commands of docs/five-minutes.md do not show %s but\n%s", want, out)
		}
	}
	if n := strings.Count(out, `{"status":"available"}`); n != 2 {
		t.Errorf("%d servers answer, want the node and the cluster:\n%s", n, out)
	}
}

// serve starts three nodes with a key and returns the snippet with the address of
// one of them.
func serve(t *testing.T, snippet string) (string, []string) {
	t.Helper()
	const key = "a master key for snippets"
	c := rig.New(t, 3, "SHOAL_MASTER_KEY="+key)
	rig.Start(t, c)
	for _, n := range c.Nodes {
		n.Key = key
	}
	return strings.ReplaceAll(snippet, "localhost:7700", addressOf(c)), []string{"SHOAL_API_KEY=" + key}
}

func addressOf(c *clustertest.Cluster) string { return c.Nodes[1].HTTP }

func finds(t *testing.T, out string) {
	t.Helper()
	if !strings.Contains(out, "Middlemarch") {
		t.Errorf("the snippet prints %q, want a hit for Middlemarch", out)
	}
}

func TestThePythonSnippet(t *testing.T) {
	if err := exec.Command("python3", "-c", "import meilisearch").Run(); err != nil {
		t.Skip("Python has no package meilisearch here")
	}
	code, env := serve(t, snippets(t, "clients.md", "python")[0])
	finds(t, run(t, t.TempDir(), env, "python3", "-c", code))
}

func TestTheJavaScriptSnippet(t *testing.T) {
	modules := os.Getenv("SHOAL_NODE_MODULES")
	if modules == "" {
		t.Skip("SHOAL_NODE_MODULES names no folder with the package meilisearch")
	}
	code, env := serve(t, snippets(t, "clients.md", "js")[0])
	dir := t.TempDir()
	if err := os.Symlink(modules, filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "snippet.mjs"), []byte(code), 0o600); err != nil {
		t.Fatal(err)
	}
	finds(t, run(t, dir, env, "node", "snippet.mjs"))
}

func TestTheGoSnippet(t *testing.T) {
	dir := t.TempDir()
	code, env := serve(t, snippets(t, "clients.md", "go")[0])
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(code), 0o600); err != nil {
		t.Fatal(err)
	}
	mod := "module snippet\n\ngo 1.26\n\nrequire github.com/meilisearch/meilisearch-go v0.36.3\n"
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod), 0o600); err != nil {
		t.Fatal(err)
	}
	env = append(env, "GOFLAGS=-mod=mod")
	if out, err := exec.Command("go", "-C", dir, "mod", "tidy").CombinedOutput(); err != nil {
		t.Skipf("the Go client cannot be had here: %s", out)
	}
	finds(t, run(t, dir, env, "go", "run", "."))
}
