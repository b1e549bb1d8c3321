package coordinator

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"shoal/api"
	"shoal/api/payload"
	"shoal/coordinator/task"
	"shoal/wire"
)

// rig is a scheduler with fakes around it.
type rig struct {
	t      testing.TB
	log    *fakeLog
	shards *fakeShards
	writer *Writer
	cfg    SchedulerConfig
	stop   func()
}

func newRig(t testing.TB, nodes ...string) *rig {
	if len(nodes) == 0 {
		nodes = []string{"n1"}
	}
	r := &rig{t: t, log: newFakeLog(nodes...)}
	r.shards = newFakeShards(r.log)
	r.writer = NewWriter(r.log, r.shards.blobs, t.TempDir())
	r.cfg = SchedulerConfig{StartAfter: time.Hour, Dir: t.TempDir(), Log: slog.New(slog.DiscardHandler)}
	r.stop = func() {}
	t.Cleanup(func() { r.stop() })
	return r
}

// run starts the scheduler.
func (r *rig) run() *Scheduler {
	s := NewScheduler(r.log, r.shards, r.shards.blobs, r.cfg)
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

func (r *rig) add(uid, docs string, change ...func(*Upload)) uint32 {
	r.t.Helper()
	up := &Upload{IndexUID: uid, Format: payload.JSON, CreateIndex: true, Body: strings.NewReader(docs)}
	for _, c := range change {
		c(up)
	}
	return r.must(r.writer.AddDocuments(context.Background(), up))
}

func keyed(key string) func(*Upload) { return func(u *Upload) { u.PrimaryKey = &key } }

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
	content := r.shards.content(uid)
	for o := uint32(0); len(got) < len(content) && o < 1000; o++ {
		for id, d := range content {
			if d.ordinal == o {
				got = append(got, fmt.Sprintf("%d:%s", o, id))
			}
		}
	}
	if s := strings.Join(got, " "); s != want {
		r.t.Errorf("documents of %s: %q, want %q", uid, s, want)
	}
}

func TestAdditionCreatesIndexAndPublishes(t *testing.T) {
	r := newRig(t)
	r.run()
	a := r.add("movies", `[{"z":1,"id":1,"n":{"deep":[{"er":1}]}},{"id":2},{"id":1}]`)
	r.expect(a, wire.Succeeded, `{"receivedDocuments":3,"indexedDocuments":2}`, "")
	x := r.index("movies")
	if x.PrimaryKey == nil || *x.PrimaryKey != "id" || x.Version != 1 || documents(x) != 2 {
		t.Errorf("index %+v", x)
	}
	if got := strings.Join(x.Fields, " "); got != "z id n n.deep n.deep.er" {
		t.Errorf("fields %q", got)
	}
	r.documents("movies", "0:1 1:2")
	b, _, _ := r.log.Batch(*r.wait(a).Batch)
	stats, _, _ := strings.Cut(string(b.Stats), `,"progressTrace"`)
	if string(b.Details) != `{"receivedDocuments":3,"indexedDocuments":2}` || b.Strategy != "batched all enqueued tasks" ||
		stats+"}" != `{"totalNbTasks":1,"status":{"succeeded":1},"types":{"documentAdditionOrUpdate":1},"indexUids":{"movies":1}}` {
		t.Errorf("batch %s %s %q", b.Details, b.Stats, b.Strategy)
	}
	if r.log.starts != 0 {
		t.Error("a quick batch was shown as processing")
	}
}

func TestPerTaskFailuresLeaveTheRestAlone(t *testing.T) {
	r := newRig(t)
	tasks := []uint32{
		r.add("m", `[{"a":1}]`),              // no candidate
		r.add("m", `[{"xid":1,"yid":2}]`),    // two candidates
		r.add("m", `[]`),                     // nothing to infer from
		r.add("m", `[{"b":1,"id":1}]`),       // decides
		r.add("m", `[{"id":"a b"},{"q":1}]`), // malformed id
		r.add("m", `[{"q":1}]`),              // no id
		r.add("m", `[{"id":2},{"id":3},{"id":"2"}]`),
	}
	del := r.must(r.writer.DeleteDocuments(context.Background(), "m", []string{"3", "3", "77"}, nil))
	r.run()
	const specify = "Please specify the primary key manually using the `primaryKey` query parameter."
	r.expect(tasks[0], wire.Failed, `{"receivedDocuments":1,"indexedDocuments":0}`,
		"The primary key inference failed as the engine did not find any field ending with `id` in its name. "+specify)
	r.expect(tasks[1], wire.Failed, `{"receivedDocuments":1,"indexedDocuments":0}`,
		"The primary key inference failed as the engine found 2 fields ending with `id` in their names: 'xid' and 'yid'. "+specify)
	r.expect(tasks[2], wire.Succeeded, `{"receivedDocuments":0,"indexedDocuments":0}`, "")
	r.expect(tasks[3], wire.Succeeded, `{"receivedDocuments":1,"indexedDocuments":1}`, "")
	r.expect(tasks[4], wire.Failed, `{"receivedDocuments":2,"indexedDocuments":0}`,
		"Document identifier `\"a b\"` is invalid. A document identifier can be of type integer or string, only composed of alphanumeric characters (a-z A-Z 0-9), hyphens (-) and underscores (_), and can not be more than 511 bytes.")
	r.expect(tasks[5], wire.Failed, `{"receivedDocuments":1,"indexedDocuments":0}`, "Document doesn't have a `id` attribute: `{\"q\":1}`.")
	r.expect(tasks[6], wire.Succeeded, `{"receivedDocuments":3,"indexedDocuments":2}`, "")
	last := r.expect(del, wire.Succeeded, `{"providedIds":3,"deletedDocuments":2,"originalFilter":null}`, "")
	if first := r.wait(tasks[0]); *first.Batch != *last.Batch {
		t.Error("not one batch")
	}
	if got := strings.Join(r.index("m").Fields, " "); got != "a b id" {
		t.Errorf("fields %q", got) // of failed payloads only the inspected names stay
	}
	r.documents("m", "0:1 1:2")
}

// Payloads staged under another key than the batch's are staged again.
func TestKeyAssumedAtIngestIsCorrected(t *testing.T) {
	for _, size := range []int{1, 2000} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			r := newRig(t)
			docs := []string{}
			for i := range size {
				docs = append(docs, fmt.Sprintf(`{"id":"x%d","sku":%d,"text":"%d-%d-%d"}`, i, i%1500, i*7919, i*104729, i*1299709))
			}
			first := r.add("m", `[{"sku":7}]`, keyed("sku"))
			second := r.add("m", "["+strings.Join(docs, ",")+"]") // assumed "id"
			r.run()
			r.expect(first, wire.Succeeded, `{"receivedDocuments":1,"indexedDocuments":1}`, "")
			want := min(size, 1500)
			r.expect(second, wire.Succeeded, fmt.Sprintf(`{"receivedDocuments":%d,"indexedDocuments":%d}`, size, want), "")
			if n := documents(r.index("m")); n != uint64(max(want, 2-boolInt(size > 7))) {
				t.Errorf("%d documents", n)
			}
		})
	}
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestOtherKeyThanTheIndexsFailsAlone(t *testing.T) {
	r := newRig(t)
	r.run()
	r.wait(r.add("m", `{"id":1}`))
	bad := r.add("m", `{"id":2,"sku":1}`, keyed("sku"))
	r.expect(bad, wire.Failed, `{"receivedDocuments":1,"indexedDocuments":0}`, "Index already has a primary key: `id`.")
	r.expect(r.add("m", `{"id":2}`, keyed("id")), wire.Succeeded, `{"receivedDocuments":1,"indexedDocuments":1}`, "")
}

func TestMissingIndex(t *testing.T) {
	r := newRig(t)
	r.run()
	no := r.add("m", `{"id":1}`, func(u *Upload) { u.CreateIndex = false })
	r.expect(no, wire.Failed, `{"receivedDocuments":1,"indexedDocuments":0}`, "Index `m` not found.")
	del := r.must(r.writer.ClearDocuments(context.Background(), "m", nil))
	r.expect(del, wire.Failed, `{"deletedDocuments":0}`, "Index `m` not found.")
	drop := r.must(r.writer.DeleteIndex(context.Background(), "m"))
	r.expect(drop, wire.Failed, `{"deletedDocuments":0}`, "Index `m` not found.")
}

func TestBatchFailureFailsEveryTaskButKeepsTheIndex(t *testing.T) {
	r := newRig(t)
	good, bad := r.add("m", `{"id":1}`), r.add("m", `{"id":2,"v":"bad"}`)
	r.run()
	for _, uid := range []uint32{good, bad} {
		r.expect(uid, wire.Failed, `{"receivedDocuments":1,"indexedDocuments":0}`, "Index `m`: bad 2")
	}
	if x := r.index("m"); x.Version != 0 || x.PrimaryKey != nil || len(x.Fields) != 0 {
		t.Errorf("a failed batch left %+v", x)
	}
}

func TestDeletionsCountAndFailAlone(t *testing.T) {
	r := newRig(t)
	ctx := context.Background()
	s := r.run()
	r.wait(r.add("m", `[{"id":1,"c":"x"},{"id":2,"c":"y"},{"id":3,"c":"x"},{"id":4}]`))
	r.stop()
	ids := r.must(r.writer.DeleteDocuments(ctx, "m", []string{"1", "9"}, nil))
	bad := r.must(r.writer.DeleteByFilter(ctx, "m", []byte(`"bad"`), nil))
	both := r.must(r.writer.DeleteByFilter(ctx, "m", []byte(`"x"`), nil))
	r.run()
	r.expect(ids, wire.Succeeded, `{"providedIds":2,"deletedDocuments":1,"originalFilter":null}`, "")
	r.expect(bad, wire.Failed, `{"providedIds":0,"deletedDocuments":0,"originalFilter":"\"bad\""}`, "Index `m`: not filterable")
	r.expect(both, wire.Succeeded, `{"providedIds":0,"deletedDocuments":1,"originalFilter":"\"x\""}`, "")
	version, updated := r.index("m").Version, r.index("m").UpdatedAt
	none := r.must(r.writer.DeleteDocuments(ctx, "m", []string{"77"}, nil))
	r.expect(none, wire.Succeeded, `{"providedIds":1,"deletedDocuments":0,"originalFilter":null}`, "")
	if x := r.index("m"); x.Version != version || x.UpdatedAt != updated {
		t.Error("a deletion that matched nothing published a version")
	}
	r.wait(r.add("m", `[{"id":8},{"id":9},{"id":10}]`)) // freed ordinals first
	r.documents("m", "0:8 1:2 2:9 3:4 4:10")
	_ = s
}

func TestClearSwallowsWhatCameBefore(t *testing.T) {
	r := newRig(t)
	ctx := context.Background()
	r.run()
	r.wait(r.add("m", `[{"id":1},{"id":2}]`))
	r.stop()
	add := r.add("m", `[{"id":3}]`)
	clear1 := r.must(r.writer.ClearDocuments(ctx, "m", nil))
	clear2 := r.must(r.writer.ClearDocuments(ctx, "m", nil))
	del := r.must(r.writer.DeleteDocuments(ctx, "m", []string{"1"}, nil))
	r.run()
	r.expect(add, wire.Succeeded, `{"receivedDocuments":1,"indexedDocuments":null}`, "")
	r.expect(clear1, wire.Succeeded, `{"deletedDocuments":2}`, "")
	r.expect(clear2, wire.Succeeded, `{"deletedDocuments":0}`, "")
	r.expect(del, wire.Succeeded, `{"providedIds":1,"deletedDocuments":null,"originalFilter":null}`, "")
	r.documents("m", "")
	if r.index("m").PrimaryKey == nil {
		t.Error("the primary key went too")
	}
}

func TestIndexLifecycle(t *testing.T) {
	r := newRig(t)
	ctx := context.Background()
	r.run()
	key, other := "k", "other"
	r.expect(r.must(r.writer.CreateIndex(ctx, "a", &key)), wire.Succeeded, `{"primaryKey":"k"}`, "")
	if x := r.index("a"); *x.PrimaryKey != "k" || x.Fields[0] != "k" {
		t.Errorf("index %+v", x)
	}
	r.expect(r.must(r.writer.CreateIndex(ctx, "a", nil)), wire.Failed, `{"primaryKey":null}`, "Index `a` already exists.")
	r.expect(r.must(r.writer.UpdateIndex(ctx, "a", &other, nil)), wire.Succeeded, `{"primaryKey":"other"}`, "")
	r.wait(r.add("a", `{"other":1}`))
	r.expect(r.must(r.writer.UpdateIndex(ctx, "a", &key, nil)), wire.Failed, `{"primaryKey":"k"}`, "Index `a`: Index already has a primary key: `other`.")
	b := "b"
	r.expect(r.must(r.writer.UpdateIndex(ctx, "a", nil, &b)), wire.Succeeded, `{"primaryKey":null,"oldIndexUid":"a","newIndexUid":"b"}`, "")
	r.expect(r.must(r.writer.UpdateIndex(ctx, "a", nil, nil)), wire.Failed, `{"primaryKey":null}`, "Index `a` not found.")
	r.wait(r.must(r.writer.CreateIndex(ctx, "c", nil)))
	c := "c"
	r.expect(r.must(r.writer.UpdateIndex(ctx, "b", nil, &c)), wire.Failed, `{"primaryKey":null,"oldIndexUid":"b","newIndexUid":"c"}`, "Index `c` already exists.")
	early := "0" // stands before "b" wherever names are sorted
	r.wait(r.must(r.writer.CreateIndex(ctx, early, nil)))
	r.expect(r.must(r.writer.UpdateIndex(ctx, "b", nil, &early)), wire.Failed, `{"primaryKey":null,"oldIndexUid":"b","newIndexUid":"0"}`, "Index `0` already exists.")
	swap := func(s ...api.SwapPair) uint32 { return r.must(r.writer.SwapIndexes(ctx, s)) }
	r.expect(swap(api.SwapPair{Indexes: [2]string{"b", "c"}}), wire.Succeeded, `{"swaps":[{"indexes":["b","c"],"rename":false}]}`, "")
	if documents(r.index("c")) != 1 {
		t.Error("the swap did nothing")
	}
	r.expect(swap(api.SwapPair{Indexes: [2]string{"x", "b"}}, api.SwapPair{Indexes: [2]string{"d", "c"}}), wire.Failed,
		`{"swaps":[{"indexes":["x","b"],"rename":false},{"indexes":["d","c"],"rename":false}]}`, "Indexes `d`, `x` not found.")
	r.expect(swap(api.SwapPair{Indexes: [2]string{"b", "c"}, Rename: true}), wire.Failed, `{"swaps":[{"indexes":["b","c"],"rename":true}]}`,
		"Cannot rename `b` to `c` as the index already exists. Hint: You can remove `c` first and then do your remove.")
	r.expect(swap(), wire.Succeeded, `{"swaps":[]}`, "")
	if _, err := r.writer.SwapIndexes(ctx, []api.SwapPair{{Indexes: [2]string{"a", "a"}}}); err == nil ||
		err.Error() != "Indexes must be declared only once during a swap. `a` was specified several times." {
		t.Errorf("duplicate swap: %v", err)
	}
	r.expect(r.must(r.writer.DeleteIndex(ctx, "c")), wire.Succeeded, `{"deletedDocuments":1}`, "")
}

// Tasks of one index keep their order around a swap, others go on.
func TestSwapIsABarrierOverItsIndexes(t *testing.T) {
	r := newRig(t)
	ctx := context.Background()
	a1 := r.add("a", `{"id":1}`)
	b1 := r.add("b", `{"id":2}`)
	swap := r.must(r.writer.SwapIndexes(ctx, []api.SwapPair{{Indexes: [2]string{"a", "b"}}}))
	a2 := r.add("a", `{"id":3}`)
	c1 := r.add("c", `{"id":4}`)
	release := make(chan struct{})
	r.shards.hook = func(ctx context.Context, _ wire.NodeID, q *wire.BuildRequest) (*wire.BuildReply, error) {
		if q.UID == "b" {
			select {
			case <-release:
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		return nil, nil
	}
	r.run()
	r.wait(a1)
	r.wait(c1)
	for _, uid := range []uint32{swap, a2, b1} {
		if x, _, _ := r.log.Task(uid); x.Status > wire.Processing {
			t.Errorf("task %d overtook", uid)
		}
	}
	close(release)
	r.wait(b1)
	r.wait(a2)
	r.expect(swap, wire.Succeeded, `{"swaps":[{"indexes":["a","b"],"rename":false}]}`, "")
	r.documents("a", "0:2 1:3")
	r.documents("b", "0:1")
}

func TestCancelDuringBuild(t *testing.T) {
	r := newRig(t)
	r.cfg.StartAfter = time.Millisecond
	building := make(chan struct{}, 10)
	r.shards.hook = func(ctx context.Context, _ wire.NodeID, q *wire.BuildRequest) (*wire.BuildReply, error) {
		building <- struct{}{}
		<-ctx.Done()
		return nil, ctx.Err()
	}
	first, second := r.add("m", `{"id":1}`), r.add("m", `{"id":2}`)
	r.run()
	<-building
	for {
		changed := r.log.Changed()
		if x, _, _ := r.log.Task(first); x.Status == wire.Processing {
			break
		}
		<-changed
	}
	r.shards.mu.Lock()
	r.shards.hook = nil
	r.shards.mu.Unlock()
	cancel := r.must(r.writer.CancelTasks(context.Background(), []uint32{first}, "?uids=0"))
	c := r.expect(cancel, wire.Succeeded, `{"matchedTasks":1,"canceledTasks":1,"originalFilter":"?uids=0"}`, "")
	gone := r.expect(first, wire.Canceled, `{"receivedDocuments":1,"indexedDocuments":0}`, "")
	if *gone.CanceledBy != cancel || *gone.Batch != *c.Batch {
		t.Errorf("canceled by %v in batch %v", *gone.CanceledBy, *gone.Batch)
	}
	b, _, _ := r.log.Batch(*c.Batch)
	if string(b.Details) != `{"receivedDocuments":1,"indexedDocuments":0,"matchedTasks":1,"canceledTasks":1,"originalFilter":"?uids=0"}` {
		t.Errorf("batch %s", b.Details)
	}
	r.expect(second, wire.Succeeded, `{"receivedDocuments":1,"indexedDocuments":1}`, "")
	r.documents("m", "0:2")
}

func TestTaskDeletion(t *testing.T) {
	r := newRig(t)
	ctx := context.Background()
	r.run()
	one, two := r.add("m", `{"id":1}`), r.add("n", `{"id":1}`)
	r.wait(one)
	r.wait(two)
	del := r.must(r.writer.DeleteTasks(ctx, []uint32{one, two, 99}, "?uids=*"))
	r.expect(del, wire.Succeeded, `{"matchedTasks":3,"deletedTasks":2,"originalFilter":"?uids=*"}`, "")
	if _, ok, _ := r.log.Task(one); ok {
		t.Error("still there")
	}
}

// A builder that is away is replaced; one that is missing among the holders
// leaves the in-sync set.
func TestBuilderFailsOver(t *testing.T) {
	r := newRig(t, "n1", "n2", "n3")
	r.cfg.Placement.Replicas = 3
	var lost wire.NodeID
	r.shards.hook = func(_ context.Context, node wire.NodeID, q *wire.BuildRequest) (*wire.BuildReply, error) {
		if lost == "" {
			lost = node
		}
		if node == lost {
			return nil, wire.ErrUnavailable
		}
		q.Holders = nil
		for _, n := range []wire.NodeID{"n1", "n2", "n3"} {
			if n != lost && n != node {
				q.Holders = append(q.Holders, n)
			}
		}
		return nil, nil
	}
	r.run()
	r.expect(r.add("m", `{"id":1}`), wire.Succeeded, `{"receivedDocuments":1,"indexedDocuments":1}`, "")
	for _, rep := range r.index("m").Shards[0].Replicas {
		if (rep.State == wire.InSync) == (rep.Node == lost) {
			t.Errorf("replica %+v, lost %s", rep, lost)
		}
	}
}

// An error that all replicas keep reporting fails the batch instead of blocking
// the index.
func TestStubbornBuilderFailsTheBatch(t *testing.T) {
	r := newRig(t)
	r.shards.hook = func(context.Context, wire.NodeID, *wire.BuildRequest) (*wire.BuildReply, error) {
		return nil, errors.New("cannot make sense of it")
	}
	r.run()
	r.expect(r.add("m", `{"id":1}`), wire.Failed, `{"receivedDocuments":1,"indexedDocuments":0}`, "Index `m`: internal: cannot make sense of it.")
}

// A leader that goes away in the middle of a batch leaves it to the next one,
// which runs exactly its tasks.
func TestLostLeaderMidBatch(t *testing.T) {
	r := newRig(t)
	r.cfg.StartAfter = time.Millisecond
	r.shards.hook = func(ctx context.Context, _ wire.NodeID, _ *wire.BuildRequest) (*wire.BuildReply, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	first := r.add("m", `{"id":1}`)
	r.run()
	for {
		changed := r.log.Changed()
		if x, _, _ := r.log.Task(first); x.Status == wire.Processing {
			break
		}
		<-changed
	}
	r.stop()
	second := r.add("m", `{"id":2}`)
	r.log.mu.Lock()
	r.log.term++
	r.log.mu.Unlock()
	r.shards.mu.Lock()
	r.shards.hook = nil
	r.shards.mu.Unlock()
	x, _, _ := r.log.Task(first)
	r.run()
	a := r.expect(first, wire.Succeeded, `{"receivedDocuments":1,"indexedDocuments":1}`, "")
	b := r.expect(second, wire.Succeeded, `{"receivedDocuments":1,"indexedDocuments":1}`, "")
	if *a.Batch != *x.Batch || *a.Batch == *b.Batch {
		t.Errorf("batch %d was resumed as %d, the later task is in %d", *x.Batch, *a.Batch, *b.Batch)
	}
}

// Commits whose answer is lost are neither repeated nor given up.
func TestLostAnswers(t *testing.T) {
	r := newRig(t)
	n := 0
	r.log.before = func(cmd *wire.Command) error {
		if n++; n%3 != 0 {
			return wire.ErrNoLeader
		}
		return nil
	}
	r.run()
	r.expect(r.add("m", `[{"id":1}]`), wire.Succeeded, `{"receivedDocuments":1,"indexedDocuments":1}`, "")
	r.documents("m", "0:1")
	if r.log.next != 1 {
		t.Errorf("%d tasks instead of one", r.log.next)
	}
}

// The same operations on one shard and on four give the same ordinals.
func TestSeveralShardsAllotTheSameOrdinals(t *testing.T) {
	var want string
	for _, shards := range []int{1, 4} {
		r := newRig(t)
		r.cfg.Placement.Shards = shards
		r.run()
		ctx := context.Background()
		var docs []string
		for i := range 40 {
			docs = append(docs, fmt.Sprintf(`{"id":%d}`, i*31%40))
		}
		r.wait(r.add("m", "["+strings.Join(docs, ",")+"]"))
		r.wait(r.must(r.writer.DeleteDocuments(ctx, "m", []string{"3", "17", "30", "5"}, nil)))
		r.wait(r.add("m", `[{"id":1},{"id":100},{"id":17},{"id":101},{"id":102}]`))
		r.wait(r.add("m", `[{"id":103},{"id":104},{"id":103}]`))
		if n := len(r.index("m").Shards); n != shards {
			t.Fatalf("%d shards", n)
		}
		var got strings.Builder
		content := r.shards.content("m")
		for o := uint32(0); o < 100; o++ {
			for id, d := range content {
				if d.ordinal == o {
					fmt.Fprintf(&got, "%d:%s ", o, id)
				}
			}
		}
		if want == "" {
			want = got.String()
		} else if got.String() != want {
			t.Errorf("%d shards: %s\nwant %s", shards, got.String(), want)
		}
	}
}

func TestSettings(t *testing.T) {
	r := newRig(t)
	ctx := context.Background()
	r.run()
	patch := func(text string) *api.SettingsPatch {
		p := &api.SettingsPatch{}
		if err := p.UnmarshalJSON([]byte(text)); err != nil {
			t.Fatal(err)
		}
		return p
	}
	r.wait(r.add("m", `{"id":1}`))
	s1 := r.must(r.writer.UpdateSettings(ctx, "m", patch(`{"stopWords":["b","a"],"rankingRules":null}`), false, true))
	r.expect(s1, wire.Succeeded, `{"rankingRules":null,"stopWords":["a","b"]}`, "")
	x := r.index("m")
	if x.Generations != (wire.Generations{Text: 1}) || x.SettingsVersion != x.Version || x.Version != 2 {
		t.Errorf("after text settings: %+v version %d settings %d", x.Generations, x.Version, x.SettingsVersion)
	}
	if got := x.DecodedSettings().StopWords; len(got) != 2 {
		t.Errorf("stop words %v", got)
	}
	r.stop()
	bad := r.must(r.writer.UpdateSettings(ctx, "m", patch(`{"typoTolerance":{"minWordSizeForTypos":{"oneTypo":20}}}`), false, true))
	also := r.must(r.writer.UpdateSettings(ctx, "m", patch(`{"filterableAttributes":["id"]}`), false, true))
	r.run()
	for _, uid := range []uint32{bad, also} {
		if got := r.wait(uid); got.Status != wire.Failed || !strings.HasPrefix(got.Error.Message, "Index `m`: `minWordSizeForTypos` setting is invalid.") {
			t.Errorf("task %d: %+v %+v", uid, got.Status, got.Error)
		}
	}
	gone := r.must(r.writer.UpdateSettings(ctx, "none", patch(`{"stopWords":null}`), true, true))
	r.expect(gone, wire.Failed, `{"stopWords":null}`, "Index `none` not found.")
	huge := strings.Repeat("x", 40_000)
	big := r.must(r.writer.UpdateSettings(ctx, "new", patch(`{"dictionary":["`+huge+`"]}`), false, true))
	r.expect(big, wire.Succeeded, `{"dictionary":["`+huge+`"]}`, "")
	if got := r.index("new").DecodedSettings().Dictionary; len(got) != 1 || len(got[0]) != len(huge) {
		t.Error("large settings were lost")
	}
}

func TestCapDeletesTheOldest(t *testing.T) {
	r := newRig(t)
	r.cfg.TaskCap = 3
	r.run()
	a, b := r.add("m", `{"id":1}`), r.add("m", `{"id":2}`)
	r.wait(a)
	r.wait(b)
	r.log.mu.Lock()
	c := *r.log.catalog
	c.stored = 3
	r.log.catalog = &c
	r.log.mu.Unlock()
	r.wait(r.must(r.writer.CreateIndex(context.Background(), "x", nil)))
	done := r.wait(3)
	if done.Kind != task.TaskDeletion || !strings.Contains(string(done.Details), "&statuses=succeeded,failed,canceled") {
		t.Errorf("%s %s", done.Kind, done.Details)
	}
	if _, ok, _ := r.log.Task(a); ok {
		t.Error("the oldest task is still there")
	}
}
