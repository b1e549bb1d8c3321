package parity

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	clustertest "shoal/cluster-test"
	"shoal/cluster-test/rig"
)

func TestMain(m *testing.M) { os.Exit(rig.Main(m)) }

func TestOneNodeAnswersAsTheReference(t *testing.T) { runScripts(t, 1, 1) }

func TestThreeNodesAnswerAsTheReference(t *testing.T) { runScripts(t, 3, 3) }

func runScripts(t *testing.T, nodes, shards int) {
	c := rig.New(t, nodes, rig.Shards(shards), "SHOAL_EXPERIMENTAL_ALLOWED_IP_NETWORKS=any")
	rig.Start(t, c)
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			steps := readScript(t, file)
			r := &run{t: t, cluster: c, file: filepath.Base(file)}
			for i := range steps {
				r.do(&steps[i])
			}
		})
	}
}

// run is one script on one cluster; each request goes to the next node.
type run struct {
	t       *testing.T
	cluster *clustertest.Cluster
	file    string
	turn    int
	task    string
}

func (r *run) do(s *step) {
	r.t.Helper()
	node := r.cluster.Nodes[r.turn%len(r.cluster.Nodes)]
	r.turn++
	status, answer := r.send(node, s)
	if s.status != 0 && status != s.status || status >= http.StatusInternalServerError {
		r.t.Errorf("%s:%d: %s %s: %d %s, want %d", r.file, s.line, s.method, s.path, status, answer, s.status)
	}
	if uid, made := taskOf(answer); made {
		r.accepted(node, s, uid)
	}
	for i := range s.checks {
		r.check(&s.checks[i], answer)
	}
}

func (r *run) send(node *clustertest.Node, s *step) (int, []byte) {
	r.t.Helper()
	var body any
	if s.body != "" {
		body = clustertest.Text(strings.ReplaceAll(s.body, "{task}", r.task))
	}
	ctx, cancel := context.WithTimeout(r.t.Context(), 30*time.Second)
	defer cancel()
	status, answer, err := node.Do(ctx, s.method, strings.ReplaceAll(s.path, "{task}", r.task), body)
	if err != nil {
		r.t.Fatalf("%s:%d: %v", r.file, s.line, err)
	}
	return status, answer
}

// taskOf is the task that an answer says was made.
func taskOf(answer []byte) (uid uint32, made bool) {
	var summary struct {
		TaskUID *uint32 `json:"taskUid"`
		Status  string  `json:"status"`
	}
	if json.Unmarshal(answer, &summary) != nil || summary.TaskUID == nil || summary.Status != "enqueued" {
		return 0, false
	}
	return *summary.TaskUID, true
}

// accepted notes a task and waits until it is done, however it ends.
func (r *run) accepted(node *clustertest.Node, s *step, uid uint32) {
	r.t.Helper()
	r.task = fmt.Sprint(uid)
	if s.detached {
		return
	}
	ctx, cancel := context.WithTimeout(r.t.Context(), 30*time.Second)
	defer cancel()
	if status, err := node.Wait(ctx, uid); status == "" {
		r.t.Fatalf("%s:%d: %v", r.file, s.line, err)
	}
}

func (r *run) check(c *check, answer []byte) {
	r.t.Helper()
	value, found := at(answer, c.path)
	switch {
	case c.absent && found:
		r.t.Errorf("%s:%d: %s is %s, want none", r.file, c.line, c.path, value)
	case !c.absent && !found:
		r.t.Errorf("%s:%d: no %s in %s", r.file, c.line, c.path, answer)
	case !c.absent && compact(value) != compact([]byte(c.want)):
		r.t.Errorf("%s:%d: %s is %s, want %s", r.file, c.line, c.path, value, c.want)
	}
}

// compact leaves out the space between values.
func compact(value []byte) string {
	var b bytes.Buffer
	if err := json.Compact(&b, value); err != nil {
		return string(value)
	}
	return b.String()
}
