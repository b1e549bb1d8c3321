package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

//go:embed recipes.ndjson
var recipes []byte

const (
	index  = "recipes"
	shards = 3
	chunk  = 80 // documents a request, so that there is progress to see
)

func main() {
	binary := flag.String("binary", "bin/shoal", "the program")
	addr := flag.String("http-addr", "localhost:7700", "address of the first node")
	once := flag.Bool("once", false, "end after the answers")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *binary, *addr, *once); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, binary, addr string, once bool) error {
	dir, err := os.MkdirTemp("", "shoal-demo-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	fmt.Println("Starting three nodes on this machine ...")
	cmd := exec.Command(binary, "dev", "--nodes=3", "--http-addr="+addr, "--db-path="+dir)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", binary, err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	defer func() {
		_ = cmd.Process.Signal(syscall.SIGTERM) // ended already is fine
		<-ended
	}()
	nodes, err := await(ctx, filepath.Join(dir, "nodes.json"), ended)
	if err != nil {
		return err
	}
	d := &demo{ctx: ctx, nodes: nodes}
	for _, step := range []func() error{d.create, d.load, d.ask} {
		if err := step(); err != nil {
			return err
		}
	}
	if once {
		fmt.Println("\nDone. `make demo` without ONCE=1 keeps the cluster running.")
		return nil
	}
	d.goOn()
	select {
	case <-ctx.Done():
		fmt.Println("\nStopping the nodes.")
		return nil
	case err := <-ended:
		ended <- nil
		return fmt.Errorf("the cluster ended: %w", errors.Join(err, errors.New("see the messages above")))
	}
}

type node struct {
	Name string `json:"name"`
	HTTP string `json:"http"`
}

// await waits for the file that names the nodes of the ready cluster.
func await(ctx context.Context, path string, ended chan error) ([]node, error) {
	for {
		if b, err := os.ReadFile(path); err == nil {
			var nodes []node
			return nodes, json.Unmarshal(b, &nodes)
		}
		select {
		case err := <-ended:
			ended <- nil
			return nil, fmt.Errorf("the cluster did not start: %w", errors.Join(err, errors.New("see the messages above")))
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

type demo struct {
	ctx   context.Context
	nodes []node
}

// call sends JSON (or NDJSON bytes) to a node and decodes the answer.
func (d *demo) call(n node, method, path string, in, out any) error {
	var body io.Reader
	ctype := "application/json"
	switch b := in.(type) {
	case nil:
	case []byte:
		body, ctype = bytes.NewReader(b), "application/x-ndjson"
	default:
		raw, err := json.Marshal(b)
		if err != nil {
			return err
		}
		body = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(d.ctx, method, "http://"+n.HTTP+path, body)
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", ctype)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	if res.StatusCode >= 300 {
		return fmt.Errorf("%s %s on %s: %s: %s", method, path, n.Name, res.Status, b)
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(b, out)
}

type task struct {
	TaskUID int             `json:"taskUid"`
	Status  string          `json:"status"`
	Error   json.RawMessage `json:"error"`
}

// finish waits for a task on any node.
func (d *demo) finish(n node, uid int) error {
	for {
		var t task
		if err := d.call(n, "GET", fmt.Sprintf("/tasks/%d", uid), nil, &t); err != nil {
			return err
		}
		switch t.Status {
		case "succeeded":
			return nil
		case "failed", "canceled":
			return fmt.Errorf("task %d %s: %s", uid, t.Status, t.Error)
		}
		select {
		case <-d.ctx.Done():
			return d.ctx.Err()
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func (d *demo) create() error {
	fmt.Printf("\nCreating the index %q with %d shards, two copies of each ...\n", index, shards)
	var t task
	if err := d.call(d.nodes[0], "POST", "/indexes", map[string]any{"uid": index, "primaryKey": "id"}, &t); err != nil {
		return err
	}
	if err := d.finish(d.nodes[1], t.TaskUID); err != nil {
		return err
	}
	if err := d.call(d.nodes[0], "PATCH", "/cluster/indexes/"+index, map[string]any{"shards": shards}, nil); err != nil {
		return err
	}
	settings := map[string]any{
		"searchableAttributes": []string{"title", "ingredients", "cuisine", "cook", "description"},
		"filterableAttributes": []string{"cuisine", "course", "diet", "minutes", "rating"},
		"sortableAttributes":   []string{"minutes", "rating"},
	}
	if err := d.call(d.nodes[1], "PATCH", "/indexes/"+index+"/settings", settings, &t); err != nil {
		return err
	}
	return d.finish(d.nodes[2], t.TaskUID)
}

func (d *demo) load() error {
	lines := bytes.SplitAfter(bytes.TrimSpace(recipes), []byte("\n"))
	began := time.Now()
	var uids []int
	for i := 0; i < len(lines); i += chunk {
		var t task
		n := d.nodes[i/chunk%len(d.nodes)]
		if err := d.call(n, "POST", "/indexes/"+index+"/documents", bytes.Join(lines[i:min(i+chunk, len(lines))], nil), &t); err != nil {
			return err
		}
		uids = append(uids, t.TaskUID)
	}
	for i, uid := range uids {
		if err := d.finish(d.nodes[0], uid); err != nil {
			return err
		}
		done := min((i+1)*chunk, len(lines))
		fmt.Printf("\r  imported %d of %d recipes %s", done, len(lines), strings.Repeat("#", done*30/len(lines)))
	}
	fmt.Printf(" in %.1f s\n", time.Since(began).Seconds())
	return nil
}

// ask puts one question to each node.
func (d *demo) ask() error {
	questions := []struct {
		words string
		body  map[string]any
	}{
		{"two typos, and the last word is not finished", map[string]any{"q": "safron aubergin sou", "limit": 3}},
		{"quick and vegan, the best first, counted by course", map[string]any{"q": "coconut", "filter": "diet = vegan AND minutes <= 60", "sort": []string{"rating:desc"}, "facets": []string{"course"}, "limit": 3}},
		{"what matches is marked, the text is cropped around it", map[string]any{"q": "pomegranate bright", "limit": 2, "attributesToHighlight": []string{"title", "description"},
			"attributesToCrop": []string{"description"}, "cropLength": 12}},
	}
	for i, q := range questions {
		n := d.nodes[i%len(d.nodes)]
		var a struct {
			Hits []struct {
				Title   string                              `json:"title"`
				Cuisine string                              `json:"cuisine"`
				Minutes int                                 `json:"minutes"`
				Rating  float64                             `json:"rating"`
				Marked  struct{ Title, Description string } `json:"_formatted"`
			} `json:"hits"`
			Total  int                       `json:"estimatedTotalHits"`
			Facets map[string]map[string]int `json:"facetDistribution"`
			Millis int                       `json:"processingTimeMs"`
		}
		if err := d.call(n, "POST", "/indexes/"+index+"/search", q.body, &a); err != nil {
			return err
		}
		if len(a.Hits) == 0 {
			return fmt.Errorf("%s found nothing for %v", n.Name, q.body)
		}
		raw, err := readable(q.body)
		if err != nil {
			return err
		}
		fmt.Printf("\n%s is asked (%s):\n  %s\n", n.Name, q.words, raw)
		for _, h := range a.Hits {
			if m := h.Marked; m.Description != "" {
				fmt.Printf("    %s\n      %s\n", bold.Replace(m.Title), bold.Replace(m.Description))
				continue
			}
			fmt.Printf("    %-46s %-10s %3d min  %.1f stars\n", h.Title, h.Cuisine, h.Minutes, h.Rating)
		}
		fmt.Printf("    about %d hits in %d ms", a.Total, a.Millis)
		if len(a.Facets) > 0 {
			fmt.Printf(", by course: %v", a.Facets["course"])
		}
		fmt.Println()
	}
	return nil
}

// bold turns the marks of an answer into those of a terminal.
var bold = strings.NewReplacer("<em>", "\x1b[1m", "</em>", "\x1b[0m")

// readable is JSON as a person writes it: "<=" stays what it is.
func readable(v any) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return strings.TrimSpace(b.String()), err
}

func (d *demo) goOn() {
	fmt.Printf(`
The cluster keeps running. In a browser: http://%[1]s/
In another terminal:
  curl 'http://%[1]s/indexes/%[2]s/search?q=ginger+prawn'
  bin/shoal status --url http://%[1]s
Any client library of the Meilisearch API works: point it at any of the nodes.
Ctrl-C ends all nodes and removes their data.
`, d.nodes[0].HTTP, index)
}
