package backup

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	clustertest "shoal/cluster-test"
	"shoal/cluster-test/rig"
)

// withS3 prepares a cluster whose snapshots go to the service.
func withS3(t *testing.T, s *service, nodes int, from string) *clustertest.Cluster {
	t.Helper()
	c := rig.New(t, nodes, append(s.env(), rig.Shards(shards), "SHOAL_MASTER_KEY="+masterKey)...)
	for _, n := range c.Nodes {
		n.Key = masterKey
		if from != "" {
			n.Option("import-snapshot", from)
		}
	}
	return c
}

// names lists the snapshots of the service, oldest first.
func (s *service) names(t *testing.T, binary string) (out []string) {
	t.Helper()
	text, err := s.snapshots(t, binary)
	if err != nil {
		t.Fatal(err, text)
	}
	for _, line := range strings.Split(strings.TrimSpace(text), "\n")[1:] {
		out = append(out, strings.Fields(line)[0])
	}
	return out
}

// Snapshots of three nodes in S3, one of them during writes, fill clusters of one
// and of five nodes with equal answers; a second one sends what has changed.
func TestS3FillsOtherTopologies(t *testing.T) {
	s := serveS3(t)
	first := withS3(t, s, 3, "")
	rig.Start(t, first)
	fill(t, first.Nodes)
	k := &client{t: t, nodes: first.Nodes}
	for part := range 4 { // so that the second snapshot has something not to send
		k.write("POST", "/indexes/archive/documents", films(part*2500, 2500))
	}
	task := k.write("POST", "/snapshots", nil)
	whole := s.sent.Swap(0)
	before := look(t, first.Nodes, task)

	// During writes.
	stop, twenty := make(chan struct{}), make(chan struct{})
	var writing sync.WaitGroup
	writer := &client{t: t, nodes: first.Nodes}
	writing.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			if i == 20 {
				close(twenty)
			}
			if _, err := first.Nodes[i%3].Enqueue(t.Context(), "POST", "/indexes/running/documents", []byte(fmt.Sprintf(`{"id":%d}`+"\n", i))); err != nil {
				t.Error(err)
				return
			}
		}
	})
	<-twenty
	writer.write("POST", "/snapshots", nil)
	close(stop)
	writing.Wait()
	again := s.sent.Swap(0)
	t.Logf("the first snapshot sent %d bytes, the second one, during writes, %d", whole, again)
	if again > whole/4 {
		t.Errorf("a second snapshot sent %d bytes after %d", again, whole)
	}
	names := s.names(t, first.Binary)
	if len(names) != 2 {
		t.Fatalf("snapshots %q", names)
	}
	if out, err := s.snapshots(t, first.Binary, "--verify", "newest"); err != nil || !strings.Contains(out, "is whole") {
		t.Errorf("%s %v", out, err)
	}
	first.Close()

	for _, nodes := range []int{1, 5} {
		c := withS3(t, s, nodes, where()+"/snapshots/"+names[0])
		rig.Start(t, c)
		equal(t, fmt.Sprintf("three nodes to %d through S3", nodes), before, look(t, c.Nodes, task))
		k := &client{t: t, nodes: c.Nodes}
		k.write("POST", "/indexes/films/documents", films(documents, 20))
		c.Close()
	}
	// The newest one: what was there before is there, and of what was written meanwhile
	// everything that was accepted before the snapshot, without a gap.
	c := withS3(t, s, 1, where())
	rig.Start(t, c)
	k = &client{t: t, nodes: c.Nodes}
	if got := string(k.ask("POST", "/indexes/archive/search", `{"page":1,"hitsPerPage":0}`)); !strings.Contains(got, `"totalHits":10000,`) {
		t.Errorf("archive: %s", got)
	}
	k.write("POST", "/indexes/running/documents", `[{"id":1000000}]`) // behind what was enqueued
	var page struct{ Results []struct{ ID int } }
	if err := json.Unmarshal(k.ask("GET", "/indexes/running/documents?limit=100000", nil), &page); err != nil {
		t.Fatal(err)
	}
	seen := map[int]bool{}
	for _, d := range page.Results {
		seen[d.ID] = true
	}
	for i := range len(seen) - 1 {
		if !seen[i] {
			t.Errorf("document %d of %d is missing", i, len(seen))
		}
	}
	t.Logf("%d documents of the writes during the snapshot", len(seen)-1)
}

// Whatever the service does, the task ends with words for the operator, the snapshots
// before stay whole and the cluster goes on.
func TestBadDaysOfS3(t *testing.T) {
	s := serveS3(t)
	c := withS3(t, s, 1, "")
	rig.Start(t, c)
	k := &client{t: t, nodes: c.Nodes}
	k.write("POST", "/indexes/films/documents", films(0, 300))
	k.write("POST", "/snapshots", nil)
	xml := func(status int, code string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/xml")
			w.WriteHeader(status)
			_, _ = fmt.Fprintf(w, "<Error><Code>%s</Code><Message>as the test wants it</Message></Error>", code)
		}
	}
	for _, day := range []struct {
		name   string
		answer http.HandlerFunc
		code   string
	}{
		{"503", xml(503, "SlowDown"), "s_3_snapshot_server_error"},
		{"no rights", xml(403, "AccessDenied"), "invalid_s_3_snapshot_request"},
		{"no bucket", xml(404, "NoSuchBucket"), "invalid_s_3_snapshot_request"},
		{"full", xml(507, "InsufficientStorage"), "no_space_left_on_device"},
		{"half", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			_, _ = io.WriteString(w, "<ListBucket")
			panic(http.ErrAbortHandler)
		}, "s_3_snapshot_server_error"},
	} {
		t.Run(day.name, func(t *testing.T) {
			s.breaks(day.answer)
			k := &client{t: t, nodes: c.Nodes}
			uid := k.enqueue("POST", "/snapshots", nil)
			if err := k.wait(uid); err == nil {
				t.Error("the snapshot succeeded")
			}
			var task struct {
				Error struct{ Code, Message string }
			}
			if err := json.Unmarshal(k.ask("GET", fmt.Sprintf("/tasks/%d", uid), nil), &task); err != nil {
				t.Fatal(err)
			}
			if task.Error.Code != day.code || !strings.Contains(task.Error.Message, "storage of backups") {
				t.Errorf("%+v, want %s", task.Error, day.code)
			}
			k.write("POST", "/indexes/films/documents", films(0, 3))
			s.broken.Store(nil)
		})
	}
	if out, err := s.snapshots(t, c.Binary, "--verify", "newest"); err != nil || !strings.Contains(out, "is whole") {
		t.Errorf("%s %v", out, err)
	}
	k.write("POST", "/snapshots", nil)
	names := s.names(t, c.Binary)
	if len(names) != 2 {
		t.Fatalf("%q", names)
	}
	c.Close()

	// Damaged: a byte of one chunk. The start is refused and leaves nothing behind.
	chunks, err := filepath.Glob(filepath.Join(s.folder, "shoal", "films", "chunks", "*", "*"))
	if err != nil || len(chunks) == 0 {
		t.Fatal(chunks, err)
	}
	for _, file := range chunks {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		content[len(content)/2] ^= 1
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := s.snapshots(t, c.Binary, "--verify", "newest"); err == nil {
		t.Errorf("a damaged snapshot passes for whole: %s", out)
	}
	d := withS3(t, s, 1, where())
	n := d.Nodes[0]
	if err := n.Start(d); err != nil {
		t.Fatal(err)
	}
	status, log, err := n.Ended(t.Context())
	if err != nil || status == 0 || !strings.Contains(log, "damaged snapshot") {
		t.Errorf("status %d, %v: %s", status, err, log)
	}
	if _, err := os.Stat(n.Folder()); err == nil {
		t.Error("the folder is still there")
	}
}

// A folder takes the place of a bucket: the same snapshots, the same ways back.
func TestFolderOfBackups(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "backups")
	first := prepare(t, 3, "backup-dir", dir)
	rig.Start(t, first)
	fill(t, first.Nodes)
	k := &client{t: t, nodes: first.Nodes}
	task := k.write("POST", "/snapshots", nil)
	before := look(t, first.Nodes, task)
	first.Close()
	c := start(t, 1, "import-snapshot", dir)
	equal(t, "three nodes to one through a folder", before, look(t, c.Nodes, task))
}
