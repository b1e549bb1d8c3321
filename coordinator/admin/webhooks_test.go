package admin

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"log/slog"
	"slices"
	"sync"
	"testing"

	"shoal/api"
	"shoal/api/decode"
	"shoal/coordinator/coordtest"
	"shoal/wire"
)

// outbox is an Outbound that keeps each post.
type outbox struct {
	mu    sync.Mutex
	posts []string
	came  chan struct{}
}

func (o *outbox) Post(_ context.Context, url string, headers []decode.Entry[string], body []byte, _ int64) (int, []byte, error) {
	zip, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	text, err := io.ReadAll(zip)
	if err != nil {
		return 0, nil, err
	}
	o.mu.Lock()
	o.posts = append(o.posts, url+" "+headers[len(headers)-1].Name+"="+headers[len(headers)-1].Value+" "+string(text))
	o.mu.Unlock()
	o.came <- struct{}{}
	return 200, nil, nil
}

// batchLog is a MetaLog whose batches change while a watcher waits.
type batchLog struct {
	*coordtest.MetaLog
	leading bool
	looked  chan struct{} // gets a value on each request for running batches
}

// change runs f and wakes the watchers.
func (l *batchLog) change(f func()) {
	l.Mu.Lock()
	defer l.Mu.Unlock()
	f()
	close(l.Signal)
	l.Signal = make(chan struct{})
}

func (l *batchLog) Leading() (uint64, bool) {
	l.Mu.Lock()
	defer l.Mu.Unlock()
	return 1, l.leading
}

func (l *batchLog) Visible(uid uint32) bool {
	l.Mu.Lock()
	defer l.Mu.Unlock()
	return !l.Hidden[uid]
}

func (l *batchLog) Batch(uid uint32) (*wire.Batch, bool, error) {
	l.Mu.Lock()
	defer l.Mu.Unlock()
	i := slices.IndexFunc(l.StoredBatches, func(b *wire.Batch) bool { return b.UID == uid })
	if i < 0 {
		return nil, false, nil
	}
	return l.StoredBatches[i], true, nil
}

func (l *batchLog) Batches(q *wire.TaskQuery) ([]*wire.Batch, uint64, error) {
	if q.Statuses == nil {
		return l.MetaLog.Batches(q)
	}
	l.Mu.Lock()
	defer l.Mu.Unlock()
	l.looked <- struct{}{}
	running := slices.DeleteFunc(slices.Clone(l.StoredBatches), func(b *wire.Batch) bool { return b.FinishedAt != 0 })
	return running, uint64(len(running)), nil
}

// Batches are reported in the order in which they finish, each once, and only when every node
// shows them.
func TestWebhookDelivery(t *testing.T) {
	log := &batchLog{MetaLog: coordtest.NewMetaLog(), looked: make(chan struct{}, 2)}
	hooks := NewWebhooks(log, "http://cmd/", "secret")
	value := "v"
	created, err := hooks.CreateWebhook(context.Background(), &api.WebhookPatch{URL: decode.Set("http://a/"), Headers: decode.Set([]decode.Entry[*string]{{Name: "A", Value: &value}})})
	if err != nil {
		t.Fatal(err)
	}
	for uid := range uint32(4) {
		log.StoredTasks = append(log.StoredTasks, &wire.Task{UID: uid, Kind: "indexCreation", Status: wire.Succeeded, EnqueuedAt: 1e9})
	}
	log.StoredBatches = []*wire.Batch{{UID: 0, Tasks: []uint32{0}, FinishedAt: 2}, {UID: 1, Tasks: []uint32{1}}}
	out := &outbox{came: make(chan struct{})}
	sender := NewWebhookSender(log, hooks, out, slog.New(slog.DiscardHandler))
	line := func(uid string) string {
		return `{"uid":` + uid + `,"batchUid":null,"indexUid":null,"status":"succeeded","type":"indexCreation","canceledBy":null,"error":null,"duration":null,"enqueuedAt":"1970-01-01T00:00:01Z","startedAt":null,"finishedAt":null}` + "\n"
	}
	told := func(uid string) {
		t.Helper()
		<-out.came
		<-out.came
		out.mu.Lock()
		defer out.mu.Unlock()
		want := []string{"http://cmd/ Authorization=secret " + line(uid), "http://a/ A=v " + line(uid)}
		if !slices.Equal(out.posts, want) {
			t.Errorf("posts:\n%q, want\n%q", out.posts, want)
		}
		out.posts = nil
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		sender.Run(ctx)
	}()
	log.change(func() {
		log.StoredBatches = append(log.StoredBatches, &wire.Batch{UID: 2, Tasks: []uint32{2}, FinishedAt: 3})
	}) // reported by another leader
	log.change(func() { log.leading = true })
	first := &wire.Batch{UID: 1, Tasks: []uint32{1}, FinishedAt: 5}
	<-log.looked // the sender knows its term before the next batch ends
	var watch *batchWatch
	if _, err := sender.look(&watch); err != nil || !slices.Equal(watch.running, []uint32{1}) || watch.next != 3 {
		t.Fatalf("%+v %v", watch, err)
	}
	log.change(func() {
		log.StoredBatches = append(log.StoredBatches, &wire.Batch{UID: 3, Tasks: []uint32{3}, FinishedAt: 4})
		log.Hidden[3] = true
	})
	log.change(func() { log.StoredBatches[1] = first })
	told("1")
	log.change(func() { delete(log.Hidden, 3) })
	told("3")
	stop()
	<-done
	if finished, err := watch.advance(); err != nil || len(finished) != 2 || finished[0].UID != 1 || finished[1].UID != 3 {
		t.Errorf("%v %v", finished, err)
	}
	if finished, err := watch.advance(); err != nil || len(finished) != 0 {
		t.Errorf("told twice: %v %v", finished, err)
	}
	if err := hooks.DeleteWebhook(context.Background(), created.UUID); err != nil {
		t.Fatal(err)
	}
}
