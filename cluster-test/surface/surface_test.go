package surface

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	clustertest "shoal/cluster-test"
	"shoal/cluster-test/rig"
)

const masterKey = "the master key of the surface"

// unmade are the kinds of tasks that no request makes.
var unmade = map[string]string{
	"upgradeDatabase":       "stored data is read as it is",
	"networkTopologyChange": "Enterprise Edition",
}

// tour is one run of the script.
type tour struct {
	t       *testing.T
	cluster *clustertest.Cluster
	doc     description
	turn    int
	made    string // uuid of the last webhook
}

func TestMain(m *testing.M) { os.Exit(rig.Main(m)) }

func TestEverythingIsExercised(t *testing.T) {
	dir := t.TempDir()
	c := rig.In(t, dir, 3, "SHOAL_MASTER_KEY="+masterKey, "SHOAL_EXPERIMENTAL_ALLOWED_IP_NETWORKS=any",
		"SHOAL_DUMP_DIR="+filepath.Join(dir, "dumps"), "SHOAL_SNAPSHOT_DIR="+filepath.Join(dir, "snapshots"))
	for _, n := range c.Nodes {
		n.Key = masterKey
	}
	rig.Start(t, c)
	tr := &tour{t: t, cluster: c}
	if err := json.Unmarshal(tr.send(&request{method: "GET", path: "/openapi.json"}), &tr.doc); err != nil {
		t.Fatal(err)
	}
	for i := range script {
		tr.send(&script[i])
	}
	tr.logs()
	tr.streams()
	tr.metrics()
	tr.settings()
	tr.kinds()
	tr.complete()
}

// send asks the next node, checks the status, waits for the task and notes what
// was used.
func (tr *tour) send(r *request) []byte {
	tr.t.Helper()
	tr.turn++
	n := tr.cluster.Nodes[tr.turn%len(tr.cluster.Nodes)]
	path := strings.ReplaceAll(r.path, "{made}", tr.made)
	var body any
	switch text := strings.ReplaceAll(r.body, "{node}", n.HTTP); {
	case json.Valid([]byte(text)):
		body = json.RawMessage(text)
	case text != "":
		return tr.upload(r, n, path)
	}
	status, answer, err := n.Do(tr.t.Context(), r.method, path, body)
	if err != nil {
		tr.t.Fatalf("%s %s: %v", r.method, path, err)
	}
	tr.check(r, path, status, answer)
	return answer
}

// upload sends CSV.
func (tr *tour) upload(r *request, n *clustertest.Node, path string) []byte {
	tr.t.Helper()
	req, err := http.NewRequestWithContext(tr.t.Context(), r.method, "http://"+n.HTTP+path, strings.NewReader(r.body))
	if err != nil {
		tr.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "text/csv")
	req.Header.Set("Authorization", "Bearer "+masterKey)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		tr.t.Fatal(err)
	}
	defer res.Body.Close()
	var answer bytes.Buffer
	if _, err := answer.ReadFrom(res.Body); err != nil {
		tr.t.Fatal(err)
	}
	tr.check(r, path, res.StatusCode, answer.Bytes())
	return answer.Bytes()
}

func (tr *tour) check(r *request, path string, status int, answer []byte) {
	tr.t.Helper()
	want := r.status
	if tr.doc.Paths != nil {
		name, o := tr.note(r, path)
		if want == 0 {
			for code := range o.Responses {
				if n, err := strconv.Atoi(code); err == nil {
					want = n
				}
			}
		}
		if status != want {
			tr.t.Errorf("%s (%s): %d %.300s, want %d", name, path, status, answer, want)
			return
		}
	}
	var made struct {
		UUID    string
		TaskUID *uint32
	}
	if len(answer) == 0 || answer[0] != '{' || json.Unmarshal(answer, &made) != nil {
		return
	}
	if made.UUID != "" {
		tr.made = made.UUID
	}
	if made.TaskUID != nil {
		ctx, cancel := context.WithTimeout(tr.t.Context(), time.Minute)
		defer cancel()
		if _, err := tr.cluster.Nodes[(tr.turn+1)%len(tr.cluster.Nodes)].Wait(ctx, *made.TaskUID); err != nil {
			tr.t.Errorf("%s %s: %v", r.method, path, err)
		}
	}
}

// note marks what a request used.
func (tr *tour) note(r *request, path string) (string, *operation) {
	tr.t.Helper()
	bare, query, _ := strings.Cut(path, "?")
	name, o := tr.doc.find(r.method, bare)
	if o == nil {
		tr.t.Fatalf("%s %s is not described", r.method, path)
	}
	if o.seen == nil {
		o.seen = map[string]bool{}
	}
	for _, pair := range strings.Split(query, "&") {
		parameter, _, _ := strings.Cut(pair, "=")
		o.seen["?"+parameter] = true
	}
	var value any
	if json.Unmarshal([]byte(r.body), &value) == nil {
		if content, ok := o.RequestBody.Content["application/json"]; ok {
			content.Schema.uses(value, nil, func(member string) { o.seen[member] = true })
		}
	}
	return name, o
}

// logs reads an endless answer until another request ends it.
func (tr *tour) logs() {
	n := tr.cluster.Nodes[0]
	r := &request{method: "POST", path: "/logs/stream", body: `{"target":"debug","mode":"json","profileMemory":false}`}
	tr.note(r, r.path)
	done := make(chan string, 1)
	go func() {
		status, body, err := n.Do(tr.t.Context(), r.method, r.path, json.RawMessage(r.body))
		done <- fmt.Sprint(status, len(body) > 0, err)
	}()
	for {
		if _, _, err := n.Do(tr.t.Context(), "DELETE", "/logs/stream", nil); err != nil {
			tr.t.Fatal(err)
		}
		select {
		case got := <-done:
			if !strings.HasPrefix(got, "200") || !strings.HasSuffix(got, "<nil>") {
				tr.t.Errorf("the stream of logs: %s", got)
			}
			return
		case <-time.After(20 * time.Millisecond): // it has not begun yet
		}
	}
}

// streams begins to read endless answers.
func (tr *tour) streams() {
	for path, begins := range map[string]string{"/tasks/stream": "data: {\"uid\":", "/batches/stream": "data: {\"uid\":", "/mcp": "data: /mcp?sessionId="} {
		tr.note(&request{method: "GET"}, path)
		ctx, stop := context.WithTimeout(tr.t.Context(), time.Minute)
		req, err := http.NewRequestWithContext(ctx, "GET", "http://"+tr.cluster.Nodes[1].HTTP+path, nil)
		if err != nil {
			tr.t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+masterKey)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			tr.t.Fatal(err)
		}
		tr.send(&request{method: "PUT", path: "/indexes/films/settings/synonyms", body: `{"stream":["` + strings.Trim(path, "/") + `"]}`})
		var got []byte
		for piece := make([]byte, 4096); err == nil && !bytes.Contains(got, []byte(begins)); {
			var n int
			n, err = res.Body.Read(piece)
			got = append(got, piece[:n]...)
		}
		if err != nil || !bytes.HasPrefix(got, []byte("retry: ")) || !bytes.Contains(got, []byte(begins)) {
			tr.t.Errorf("%s: %d %s %v", path, res.StatusCode, got, err)
		}
		stop()
		_ = res.Body.Close()
	}
}

// kinds looks for a task of every kind; the list is that of the refusal.
func (tr *tour) kinds() {
	list := regexp.MustCompile("`[a-zA-Z]+`")
	status, refusal, err := tr.cluster.Nodes[0].Do(tr.t.Context(), "GET", "/tasks?types=none", nil)
	if err != nil || status != 400 {
		tr.t.Fatal(status, err)
	}
	var e struct{ Message string }
	if err := json.Unmarshal(refusal, &e); err != nil {
		tr.t.Fatal(err)
	}
	_, known, _ := strings.Cut(e.Message, "vailable")
	names := list.FindAllString(known, -1)
	if len(names) < 15 {
		tr.t.Fatalf("the refusal names %v", names)
	}
	for _, quoted := range names {
		name := strings.Trim(quoted, "`")
		var page struct{ Total int }
		if err := json.Unmarshal(tr.send(&request{method: "GET", path: "/tasks?limit=1&types=" + name}), &page); err != nil {
			tr.t.Fatal(err)
		}
		if (page.Total == 0) != (unmade[name] != "") {
			tr.t.Errorf("%d tasks of the kind %s", page.Total, name)
		}
	}
	tr.t.Logf("%d kinds of tasks", len(names)-len(unmade))
}

// complete fails for what no request used.
func (tr *tour) complete() {
	routes, names := 0, 0
	for pattern, operations := range tr.doc.Paths {
		for method, o := range operations {
			routes++
			if o.seen == nil {
				tr.t.Errorf("%s %s: no request", strings.ToUpper(method), pattern)
				continue
			}
			wanted := o.wanted()
			names += len(wanted)
			missing := slices.DeleteFunc(wanted, func(name string) bool { return o.seen[name] })
			if len(missing) > 0 {
				tr.t.Errorf("%s %s: no request with %s", strings.ToUpper(method), pattern, strings.Join(missing, ", "))
			}
		}
	}
	tr.t.Logf("%d routes with %d parameters and members", routes, names)
}
