package operation

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"shoal/cluster-test/rig"
)

// said collects what a process prints. Safe for concurrent use.
type said struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// A local cluster had other ports after each start, and said nothing when a node of it died.
func TestALocalClusterKeepsItsPortsAndTellsOfADeadNode(t *testing.T) {
	c := rig.New(t, 1) // for the program and an address
	n := c.Nodes[0]
	folder := t.TempDir()
	type node struct {
		Name, HTTP string
		PID        int
	}
	run := func(use func(ctx context.Context, nodes []node, out *said)) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		out := &said{}
		cmd := exec.CommandContext(ctx, c.Binary, "dev", "--nodes=3", "--http-addr="+n.HTTP, "--db-path="+folder)
		cmd.Stdout, cmd.Stderr = out, out
		cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
		cmd.WaitDelay = 20 * time.Second
		list := filepath.Join(folder, "nodes.json")
		if err := os.RemoveAll(list); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		defer func() {
			cancel()
			_ = cmd.Wait() // it was told to end
		}()
		var nodes []node
		for {
			b, err := os.ReadFile(list)
			if err == nil && json.Unmarshal(b, &nodes) == nil && len(nodes) == 3 {
				break
			}
			if ctx.Err() != nil {
				t.Fatalf("the local cluster does not start: %s", out)
			}
			pause(ctx)
		}
		use(ctx, nodes, out)
	}
	var first []node
	run(func(ctx context.Context, nodes []node, out *said) {
		first = nodes
		if err := syscall.Kill(nodes[2].PID, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		for !strings.Contains(out.String(), nodes[2].Name+" has ended, 2 nodes go on.") {
			if ctx.Err() != nil {
				t.Fatalf("of the dead node it says nothing: %s", out)
			}
			pause(ctx)
		}
	})
	run(func(_ context.Context, nodes []node, _ *said) {
		for i := range nodes {
			if nodes[i].HTTP != first[i].HTTP {
				t.Errorf("%s is at %s after another start, it was at %s", nodes[i].Name, nodes[i].HTTP, first[i].HTTP)
			}
		}
	})
}
