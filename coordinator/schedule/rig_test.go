package schedule

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"shoal/api"
	"shoal/api/payload"
	"shoal/coordinator/coordtest"
	"shoal/coordinator/queue"
	"shoal/wire"
)

// rig is a scheduler with fakes around it.
type rig struct {
	t      testing.TB
	log    *coordtest.Log
	shards *coordtest.Shards
	writer *queue.Writer
	cfg    Config
	stop   func()
}

func newRig(t testing.TB, nodes ...string) *rig {
	if len(nodes) == 0 {
		nodes = []string{"n1"}
	}
	r := &rig{t: t, log: coordtest.NewLog(nodes...)}
	r.shards = coordtest.NewShards(r.log)
	r.writer = queue.NewWriter(r.log, r.shards.Blobs, t.TempDir())
	r.cfg = Config{StartAfter: time.Hour, Dir: t.TempDir(), Log: slog.New(slog.DiscardHandler)}
	r.stop = func() {}
	t.Cleanup(func() { r.stop() })
	return r
}

// run starts the scheduler.
func (r *rig) run() *Scheduler {
	s := NewScheduler(r.log, r.shards, r.shards.Blobs, r.cfg)
	ctx, cancel := context.WithCancel(context.Background())
	var done sync.WaitGroup
	done.Go(func() { _ = s.Run(ctx) }) // its only error is the end of ctx
	r.stop = func() { cancel(); done.Wait() }
	return s
}

// must returns the uid of an accepted task.
func (r *rig) must(s *api.TaskSummary, err error) uint32 {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
	return s.TaskUID
}

func (r *rig) add(uid, docs string, change ...func(*payload.Upload)) uint32 {
	r.t.Helper()
	up := &payload.Upload{IndexUID: uid, Format: payload.JSON, CreateIndex: true, Body: strings.NewReader(docs)}
	for _, c := range change {
		c(up)
	}
	return r.must(r.writer.AddDocuments(context.Background(), up))
}

func keyed(key string) func(*payload.Upload) { return func(u *payload.Upload) { u.PrimaryKey = &key } }

// wait returns the task once it is finished.
func (r *rig) wait(uid uint32) *wire.Task {
	r.t.Helper()
	deadline := time.After(10 * time.Second)
	for {
		changed := r.log.Changed()
		if t, ok, _ := r.log.Task(uid); ok && t.Status > wire.Processing {
			return t
		}
		select {
		case <-changed:
		case <-deadline:
			r.t.Fatalf("task %d did not finish", uid)
		}
	}
}

// expect checks the outcome of a task: details, and the error's message if any.
func (r *rig) expect(uid uint32, status wire.Status, details, message string) *wire.Task {
	r.t.Helper()
	t := r.wait(uid)
	got := ""
	if t.Error != nil {
		got = t.Error.Message
	}
	if t.Status != status || string(t.Details) != details || got != message {
		r.t.Errorf("task %d: status %d, details %s, error %q\n    want %d, %s, %q", uid, t.Status, t.Details, got, status, details, message)
	}
	return t
}

func (r *rig) index(uid string) *wire.Index {
	r.t.Helper()
	x, ok := r.log.Catalog().Index(uid)
	if !ok {
		r.t.Fatalf("no index %s", uid)
	}
	return x
}

func (r *rig) documents(uid, want string) {
	r.t.Helper()
	var got []string
	content := r.shards.Content(uid)
	for o := uint32(0); len(got) < len(content) && o < 1000; o++ {
		for id, d := range content {
			if d.Ordinal == o {
				got = append(got, fmt.Sprintf("%d:%s", o, id))
			}
		}
	}
	if s := strings.Join(got, " "); s != want {
		r.t.Errorf("documents of %s: %q, want %q", uid, s, want)
	}
}
