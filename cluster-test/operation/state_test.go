package operation

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	clustertest "shoal/cluster-test"
	"shoal/cluster-test/rig"
)

// toldWithin is how soon after a death every place tells of it.
const toldWithin = 2 * time.Second

// Two of three nodes were killed, and `shoal status` said for eight seconds that every
// shard has all its copies.
func TestEveryPlaceTellsTheStateWithinTwoSecondsOfAKill(t *testing.T) {
	c := rig.New(t, 3, rig.Shards(1))
	for _, n := range c.Nodes {
		if err := n.Watch(); err != nil {
			t.Fatal(err)
		}
	}
	rig.Start(t, c)
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	defer cancel()
	first := wholeAndLone(t, ctx, c)
	rest := slices.DeleteFunc(slices.Clone(c.Nodes), func(n *clustertest.Node) bool { return n == first })
	survivor, second := rest[0], rest[1]
	everyPlace(t, ctx, c, survivor, "before", "serving", "OK - serving")

	if err := second.Freeze(); err != nil {
		t.Fatal(err)
	}
	everyPlace(t, ctx, c, survivor, "a node that hangs", second.Name+" does not answer", second.Name+" does not answer")
	if err := second.Thaw(); err != nil {
		t.Fatal(err)
	}
	everyPlace(t, ctx, c, survivor, "after it", "serving", "OK - serving")

	first.Kill()
	everyPlace(t, ctx, c, survivor, "one node, with all copies of an index", "lone does not answer: its only copy is on a dead node ("+first.Name+"); "+first.Name+" does not answer", "CRITICAL - lone does not answer")
	second.Kill()
	everyPlace(t, ctx, c, survivor, "two nodes", "writes are refused: 1 of 3 voters answer; lone does not answer", "CRITICAL - writes are refused: 1 of 3 voters answer")

	// Whoever looks closer finds nothing that contradicts.
	table, _ := commanded(ctx, c, survivor, "status")
	for _, dead := range []*clustertest.Node{first, second} {
		for line := range strings.Lines(table) {
			if w := strings.Fields(line); len(w) > 5 && w[0] == dead.Name && (w[1] != "-" || w[2] != "dead" || w[5] != "0") {
				t.Errorf("of a dead node it shows %q, want no role, the state dead, and no copy in sync", line)
			}
		}
	}
	for _, want := range []string{
		`shoal_shards_unavailable{node="` + survivor.Name + `"} 1`,
		`shoal_voters_answering{node="` + survivor.Name + `"} 1`,
		`shoal_replicas{node="` + survivor.Name + `",state="in sync"} 1`,
		`shoal_replicas{node="` + survivor.Name + `",state="on dead nodes"} 3`,
		`shoal_condition{condition="noQuorum",level="critical",node="` + survivor.Name + `"} 1`,
	} {
		if got := watched(ctx, survivor); !strings.Contains(got, want+"\n") {
			t.Errorf("the metrics lack %q", want)
		}
	}
}

// everyPlace waits until every place says so, and logs how long each took.
func everyPlace(t *testing.T, ctx context.Context, c *clustertest.Cluster, n *clustertest.Node, what, says, checked string) {
	t.Helper()
	begun := time.Now()
	ctx, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	places := []struct {
		name, want string
		look       func() string
	}{
		{"status", says, func() string { text, _ := commanded(ctx, c, n, "status"); return text }},
		{"check", checked, func() string { text, _ := commanded(ctx, c, n, "check"); return text }},
		{"/cluster/status", says, func() string { return asked(ctx, n, "/cluster/status") }},
		{"/cluster/state, which the console shows", says, func() string { return asked(ctx, n, "/cluster/state") }},
		{"metrics", says, func() string { return watched(ctx, n) }},
	}
	var looking sync.WaitGroup
	for _, p := range places {
		looking.Go(func() {
			for {
				got := p.look()
				took := time.Since(begun)
				if strings.Contains(got, p.want) {
					if t.Logf("%s: %s says so after %s", what, p.name, took.Round(time.Millisecond)); took > toldWithin {
						t.Errorf("%s: %s says %q only after %s", what, p.name, p.want, took)
					}
					return
				}
				if ctx.Err() != nil {
					t.Errorf("%s: %s does not say %q but\n%.3000s", what, p.name, p.want, got)
					return
				}
				pause(ctx)
			}
		})
	}
	looking.Wait()
}

// settled waits until the first node says what ok asks for.
func settled(t *testing.T, ctx context.Context, c *clustertest.Cluster, ok func(*clustertest.Status) bool) {
	t.Helper()
	for {
		s, err := c.Nodes[0].Status(ctx)
		if err == nil && s.Healthy && ok(s) {
			return
		}
		if ctx.Err() != nil {
			t.Fatalf("the cluster does not settle: %v", err)
		}
		pause(ctx)
	}
}

// pause rests between two looks.
func pause(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(20 * time.Millisecond):
	}
}

// commanded runs a command of the program against a node.
func commanded(ctx context.Context, c *clustertest.Cluster, n *clustertest.Node, args ...string) (string, error) {
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, c.Binary, append(args, "--url=http://"+n.HTTP)...)
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	return out.String(), err
}

func asked(ctx context.Context, n *clustertest.Node, path string) string {
	status, b, err := n.Do(ctx, "GET", path, nil)
	if err != nil || status != http.StatusOK {
		return fmt.Sprintf("%d %s %v", status, b, err)
	}
	return string(b)
}

func watched(ctx context.Context, n *clustertest.Node) string {
	var text []byte
	err := n.ReadWatched(ctx, "/metrics", func(r io.Reader) (err error) {
		text, err = io.ReadAll(r)
		return err
	})
	if err != nil {
		return err.Error()
	}
	return string(text)
}
