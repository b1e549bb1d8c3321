package chaos

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	clustertest "shoal/cluster-test"
)

// taskStream reads the stream of tasks of a node until it ends.
type taskStream struct {
	seen chan string // "uid status"
	stop context.CancelFunc
}

func openTaskStream(t *testing.T, n *clustertest.Node) *taskStream {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, "GET", "http://"+n.HTTP+"/tasks/stream", nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req) //nolint:bodyclose // the goroutine below closes it
	if err != nil || res.StatusCode != http.StatusOK || res.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("the stream of %s: %+v %v", n.Name, res, err)
	}
	s := &taskStream{seen: make(chan string, 1000), stop: stop}
	t.Cleanup(stop)
	go func() {
		defer close(s.seen)
		defer res.Body.Close()
		for lines := bufio.NewScanner(res.Body); lines.Scan(); {
			var task struct {
				UID    int
				Status string
			}
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok && json.Unmarshal([]byte(data), &task) == nil {
				s.seen <- fmt.Sprint(task.UID, " ", task.Status)
			}
		}
	}()
	return s
}

// life returns what the stream says next, up to the end of a task.
func (s *taskStream) life(t *testing.T, uid uint32) string {
	t.Helper()
	var life []string
	for {
		select {
		case e, ok := <-s.seen:
			if !ok {
				t.Fatalf("the stream ended after %v", life)
			}
			life = append(life, e)
			if e == fmt.Sprint(uid, " succeeded") {
				return strings.Join(life, ", ")
			}
		case <-time.After(30 * time.Second):
			t.Fatalf("nothing after %v", life)
		}
	}
}

func TestStreamsOfTasksOutliveTheLeaderAndTheNodeAsked(t *testing.T) {
	c := start(t, 3, 1)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	if status, b, err := c.Nodes[0].Do(ctx, "PATCH", "/experimental-features", map[string]bool{"tasksStreamingRoute": true}); err != nil || status != http.StatusOK {
		t.Fatalf("%d %s %v", status, b, err)
	}
	lost := leader(t, c)
	rest := others(c, lost)
	streams := []*taskStream{openTaskStream(t, rest[0]), openTaskStream(t, rest[1])}
	create := func(uid string) uint32 {
		task, err := rest[1].Enqueue(ctx, "POST", "/indexes", map[string]string{"uid": uid})
		if err == nil {
			_, err = rest[1].Wait(ctx, task)
		}
		if err != nil {
			t.Fatal(err)
		}
		return task
	}
	// check wants the whole life of a task, each part once, and nothing else.
	check := func(s *taskStream, uid uint32) {
		t.Helper()
		if got, want := s.life(t, uid), fmt.Sprintf("%d enqueued, %[1]d processing, %[1]d succeeded", uid); got != want {
			t.Errorf("the stream tells %q, want %q", got, want)
		}
	}
	uid := create("first")
	for _, s := range streams {
		check(s, uid)
	}
	lost.Kill()
	eventually(t, 30*time.Second, "another leader", func(ctx context.Context) bool {
		status, _, err := rest[1].Do(ctx, "GET", "/tasks", nil)
		return err == nil && status == http.StatusOK
	})
	uid = create("second")
	for _, s := range streams {
		check(s, uid)
	}
	if err := lost.Start(c); err != nil {
		t.Fatal(err)
	}
	if err := lost.Ready(ctx); err != nil {
		t.Fatal(err)
	}
	rest[0].Stop()
	for range streams[0].seen {
		t.Error("an event at the end of the node")
	}
	uid = create("third")
	check(streams[1], uid)
	if err := rest[0].Start(c); err != nil {
		t.Fatal(err)
	}
	if err := rest[0].Ready(ctx); err != nil {
		t.Fatal(err)
	}
	again := openTaskStream(t, rest[0])
	uid = create("fourth")
	check(again, uid) // and nothing of what the node learns of the time when it was away
	check(streams[1], uid)
}
