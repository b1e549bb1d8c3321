package rig

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	clustertest "shoal/cluster-test"
)

var binary string

// Main builds the program, runs the tests of a package and returns the status to
// exit with. It is what TestMain calls.
func Main(m *testing.M) int {
	dir, err := os.MkdirTemp("", "shoal-test-")
	if err == nil {
		defer os.RemoveAll(dir)
		binary, err = clustertest.Build(context.Background(), dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// Program is the path of the program under test.
func Program() string { return binary }

// Shards is the variable of a node's environment that gives new indexes n shards.
func Shards(n int) string { return fmt.Sprintf("SHOAL_DEFAULT_SHARDS=%d", n) }

// New prepares a cluster of n nodes in a folder of its own, with variables for their
// environment. It does not run yet. The test is skipped in short mode.
func New(t *testing.T, n int, env ...string) *clustertest.Cluster {
	t.Helper()
	return In(t, t.TempDir(), n, env...)
}

// In is New in a folder that there is.
func In(t *testing.T, dir string, n int, env ...string) *clustertest.Cluster {
	t.Helper()
	if testing.Short() {
		t.Skip("starts processes")
	}
	c, err := clustertest.New(binary, dir, n, env...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			logStates(t, c)
		}
		c.Close()
		if t.Failed() {
			for _, o := range c.Nodes {
				t.Logf("%s: %s", o.Name, o.Tail(15))
			}
		}
	})
	return c
}

// logStates logs what each node that runs says of the cluster.
func logStates(t *testing.T, c *clustertest.Cluster) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second) // that of the test is over
	defer cancel()
	for _, o := range c.Nodes {
		if o.PID() == 0 {
			continue
		}
		status, b, err := o.Do(ctx, "GET", "/cluster/status", nil)
		t.Logf("the cluster as %s sees it: %d %s %v", o.Name, status, b, err)
	}
}

// Start runs the nodes of a cluster and returns when all answer.
func Start(t *testing.T, c *clustertest.Cluster) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := c.Start(ctx); err != nil {
		t.Fatal(err)
	}
}

// Log returns a writer that adds lines to the log of a test.
func Log(t *testing.T) io.Writer { return testLog{t} }

type testLog struct{ t *testing.T }

func (l testLog) Write(p []byte) (int, error) {
	l.t.Log(strings.TrimSpace(string(p)))
	return len(p), nil
}
