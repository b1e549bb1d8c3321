package backup

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	clustertest "shoal/cluster-test"
	"shoal/cluster-test/rig"
)

func TestMain(m *testing.M) { os.Exit(rig.Main(m)) }

// shards is how many shards new indexes have, whatever the number of nodes.
const shards = 4

const masterKey = "the master key of the backup tests"

// prepare makes a cluster that does not run yet; option is "import-dump" or
// "import-snapshot" with its file, or nothing.
func prepare(t *testing.T, nodes int, option, file string) *clustertest.Cluster {
	t.Helper()
	c := rig.New(t, nodes, rig.Shards(shards), "SHOAL_MASTER_KEY="+masterKey)
	for _, n := range c.Nodes {
		n.Key = masterKey
		n.Option("dump-dir", filepath.Join(c.Dir, "dumps"))
		n.Option("snapshot-dir", filepath.Join(c.Dir, "snapshots"))
		if option != "" {
			n.Option(option, file)
		}
	}
	return c
}

// start runs what prepare made.
func start(t *testing.T, nodes int, option, file string) *clustertest.Cluster {
	t.Helper()
	c := prepare(t, nodes, option, file)
	rig.Start(t, c)
	return c
}

// client asks the nodes of a cluster in turn.
type client struct {
	t     *testing.T
	nodes []*clustertest.Node
	turn  int
}

func (c *client) next() *clustertest.Node {
	c.turn++
	return c.nodes[c.turn%len(c.nodes)]
}

// body is a request's: nil, []byte (NDJSON) or JSON as text.
func (c *client) ask(method, path string, body any) []byte {
	c.t.Helper()
	if text, ok := body.(string); ok {
		body = json.RawMessage(text)
	}
	status, answer, err := c.next().Do(c.t.Context(), method, path, body)
	if err != nil || status >= 300 {
		c.t.Fatalf("%s %s: %d %s %v", method, path, status, answer, err)
	}
	return answer
}

// write enqueues a task and waits for its end on another node; it returns its uid.
func (c *client) write(method, path string, body any) uint32 {
	c.t.Helper()
	uid := c.enqueue(method, path, body)
	if err := c.wait(uid); err != nil {
		c.t.Fatalf("%s %s: %v", method, path, err)
	}
	return uid
}

func (c *client) enqueue(method, path string, body any) uint32 {
	c.t.Helper()
	var accepted struct{ TaskUID *uint32 }
	if err := json.Unmarshal(c.ask(method, path, body), &accepted); err != nil || accepted.TaskUID == nil {
		c.t.Fatalf("%s %s: no task (%v)", method, path, err)
	}
	return *accepted.TaskUID
}

func (c *client) wait(uid uint32) error {
	ctx, cancel := context.WithTimeout(c.t.Context(), time.Minute)
	defer cancel()
	status, err := c.next().Wait(ctx, uid)
	if err == nil && status != "succeeded" {
		err = errors.New(status)
	}
	return err
}
