package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	clustertest "shoal/cluster-test"
)

// options say what is imported, where, and what it may take.
type options struct {
	binary, data, dir string
	mib, limit        int
	env               string
}

func main() {
	var o options
	flag.StringVar(&o.binary, "binary", "bin/shoal", "the program to test")
	flag.StringVar(&o.data, "documents", "../shared/datasets/debian.ndjson.gz", "NDJSON to repeat with new ids; generated when missing")
	flag.StringVar(&o.dir, "dir", "", "keep all data in this folder (default: a temporary one, removed)")
	flag.IntVar(&o.mib, "mib", 1024, "size of the import in MiB")
	flag.IntVar(&o.limit, "limit", 400, "most memory of a node in MiB (VmHWM)")
	flag.StringVar(&o.env, "env", "", "NAME=VALUE for every node")
	nodes := flag.String("nodes", "1,3", "numbers of nodes to try")
	patience := flag.Duration("patience", time.Hour, "give up after this long")
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), *patience)
	defer cancel()
	if err := run(ctx, o, *nodes); err != nil {
		fmt.Fprintln(os.Stderr, "FAILED:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options, nodes string) error {
	var err error
	if o.binary, err = filepath.Abs(o.binary); err != nil {
		return err
	}
	if o.dir == "" {
		if o.dir, err = os.MkdirTemp("", "shoal-bulk-"); err != nil {
			return err
		}
		defer os.RemoveAll(o.dir)
	}
	body := filepath.Join(o.dir, "bulk.ndjson")
	documents, err := generate(body, o.data, int64(o.mib)<<20)
	if err != nil {
		return err
	}
	fmt.Printf("%d documents in %d MiB\n", documents, o.mib)
	for _, text := range strings.Split(nodes, ",") {
		var n int
		if _, err := fmt.Sscan(text, &n); err != nil {
			return fmt.Errorf("-nodes %s: %w", text, err)
		}
		if err := o.bulk(ctx, n, body, documents); err != nil {
			return fmt.Errorf("%d node(s): %w", n, err)
		}
	}
	return nil
}

// bulk imports the file into a new cluster and looks at the memory of its nodes.
func (o *options) bulk(ctx context.Context, nodes int, body string, documents int) error {
	dir := filepath.Join(o.dir, fmt.Sprint(nodes))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	env := []string{"SHOAL_HTTP_PAYLOAD_SIZE_LIMIT=1000GiB"}
	if o.env != "" {
		env = append(env, o.env)
	}
	c, err := clustertest.New(o.binary, dir, nodes, env...)
	if err != nil {
		return err
	}
	defer c.Close()
	if err := c.Start(ctx); err != nil {
		return err
	}
	begin := time.Now()
	uid, err := upload(ctx, c.Nodes[0], body)
	if err != nil {
		return err
	}
	fmt.Printf("%d node(s): acknowledged after %s; peaks %s\n", nodes, time.Since(begin).Round(time.Second), peaks(c))
	if _, err := c.Nodes[0].Wait(ctx, uid); err != nil {
		return err
	}
	fmt.Printf("%d node(s): succeeded after %s; peaks %s\n", nodes, time.Since(begin).Round(time.Second), peaks(c))
	for _, n := range c.Nodes {
		if err := counted(ctx, n, documents); err != nil {
			return err
		}
		mib, err := n.Peak()
		if err != nil {
			return err
		}
		if mib > o.limit {
			return fmt.Errorf("%s took %d MiB, %d are allowed", n.Name, mib, o.limit)
		}
	}
	c.Close()
	return os.RemoveAll(dir)
}

// upload streams the file as one request.
func upload(ctx context.Context, n *clustertest.Node, path string) (uid uint32, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	return n.Enqueue(ctx, http.MethodPost, "/indexes/bulk/documents?primaryKey=id", f)
}

// peaks lists the nodes' peaks so far.
func peaks(c *clustertest.Cluster) string {
	var out []string
	for _, n := range c.Nodes {
		mib, err := n.Peak()
		if err != nil {
			out = append(out, err.Error())
			continue
		}
		out = append(out, fmt.Sprintf("%s %d MiB", n.Name, mib))
	}
	return strings.Join(out, ", ")
}

// counted checks how many documents a node reports.
func counted(ctx context.Context, n *clustertest.Node, want int) error {
	status, b, err := n.Do(ctx, http.MethodGet, "/indexes/bulk/stats", nil)
	if err != nil || status != http.StatusOK {
		return fmt.Errorf("stats of %s: %d %s %w", n.Name, status, b, err)
	}
	var s struct {
		N int `json:"numberOfDocuments"`
	}
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	if s.N != want {
		return fmt.Errorf("%s reports %d documents, %d were sent", n.Name, s.N, want)
	}
	return nil
}
