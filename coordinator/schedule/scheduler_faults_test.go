package schedule

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"shoal/api/apierr"
	"shoal/api/settings"
	"shoal/coordinator"
	"shoal/coordinator/task"
	"shoal/text"
	"shoal/wire"
)

func TestACancelationStopsABuild(t *testing.T) {
	r := newRig(t)
	r.cfg.StartAfter = time.Millisecond
	building := make(chan struct{}, 10)
	r.shards.Hook = func(ctx context.Context, _ wire.NodeID, q *wire.BuildRequest) (*wire.BuildReply, error) {
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
	r.shards.Mu.Lock()
	r.shards.Hook = nil
	r.shards.Mu.Unlock()
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

// Another builder replaces one that is away. A node that is missing among the holders leaves
// the in-sync set.
func TestAnotherNodeBuildsWhenABuilderIsAway(t *testing.T) {
	r := newRig(t, "n1", "n2", "n3")
	r.cfg.Placement.Replicas = 3
	var lost wire.NodeID
	r.shards.Hook = func(_ context.Context, node wire.NodeID, q *wire.BuildRequest) (*wire.BuildReply, error) {
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

// An error that all replicas keep reporting fails the batch instead of blocking the index.
func TestAPersistentErrorFailsTheBatch(t *testing.T) {
	r := newRig(t)
	r.shards.Hook = func(context.Context, wire.NodeID, *wire.BuildRequest) (*wire.BuildReply, error) {
		return nil, errors.New("cannot make sense of it")
	}
	r.run()
	r.expect(r.add("m", `{"id":1}`), wire.Failed, `{"receivedDocuments":1,"indexedDocuments":0}`, "Index `m`: internal: cannot make sense of it.")
}

// A panic in a build, on this node or on another one, fails its batch at once. The next batch
// runs.
func TestAPanicInABuildFailsTheBatchAndNotTheNode(t *testing.T) {
	for name, hook := range map[string]func() error{
		"here":      func() error { panic("boom") },
		"elsewhere": func() error { return fmt.Errorf("n1: %w", wire.ErrCrashed) },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			calls := 0
			r.shards.Hook = func(context.Context, wire.NodeID, *wire.BuildRequest) (*wire.BuildReply, error) {
				if calls++; calls == 1 {
					return nil, hook()
				}
				return nil, nil
			}
			first := r.add("m", `{"id":1}`)
			r.run()
			r.wait(first)
			if x, _, _ := r.log.Task(first); x.Status != wire.Failed || x.Error == nil || !strings.Contains(x.Error.Message, "unexpected crash") {
				t.Errorf("%+v %+v", x, x.Error)
			}
			if calls != 1 {
				t.Errorf("the build was tried %d times", calls)
			}
			r.expect(r.add("m", `{"id":2}`), wire.Succeeded, `{"receivedDocuments":1,"indexedDocuments":1}`, "")
		})
	}
}

// A leader that loses leadership during a batch leaves it to the next leader, which runs
// exactly the same tasks.
func TestTheNextLeaderRunsTheSameBatch(t *testing.T) {
	r := newRig(t)
	r.cfg.StartAfter = time.Millisecond
	r.shards.Hook = func(ctx context.Context, _ wire.NodeID, _ *wire.BuildRequest) (*wire.BuildReply, error) {
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
	r.log.Mu.Lock()
	r.log.Term++
	r.log.Mu.Unlock()
	r.shards.Mu.Lock()
	r.shards.Hook = nil
	r.shards.Mu.Unlock()
	x, _, _ := r.log.Task(first)
	r.run()
	a := r.expect(first, wire.Succeeded, `{"receivedDocuments":1,"indexedDocuments":1}`, "")
	b := r.expect(second, wire.Succeeded, `{"receivedDocuments":1,"indexedDocuments":1}`, "")
	if *a.Batch != *x.Batch || *a.Batch == *b.Batch {
		t.Errorf("batch %d was resumed as %d, the later task is in %d", *x.Batch, *a.Batch, *b.Batch)
	}
}

// Commits whose answer is lost are neither repeated nor abandoned.
func TestACommitWithALostAnswerIsNotRepeated(t *testing.T) {
	r := newRig(t)
	n := 0
	r.log.Before = func(cmd *wire.Command) error {
		if n++; n%3 != 0 {
			return wire.ErrNoLeader
		}
		return nil
	}
	r.run()
	r.expect(r.add("m", `[{"id":1}]`), wire.Succeeded, `{"receivedDocuments":1,"indexedDocuments":1}`, "")
	r.documents("m", "0:1")
	if r.log.Next != 1 {
		t.Errorf("%d tasks instead of one", r.log.Next)
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
		content := r.shards.Content("m")
		for o := uint32(0); o < 100; o++ {
			for id, d := range content {
				if d.Ordinal == o {
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

// Stop words are shown in the form in which they are compared with words of texts: decomposed
// character by character, Swedish letters whole, without control characters, and with Persian
// letters for Arabic ones.
func TestStopWordsAreShownAsCompared(t *testing.T) {
	r := newRig(t)
	r.run()
	r.wait(r.add("m", `{"id":1}`))
	p := &settings.Patch{}
	if err := p.UnmarshalJSON([]byte(`{"stopWords":["a\u0001","a","\u00e5","\u0643","a\u0301\u0323","\u00c9"]}`)); err != nil {
		t.Fatal(err)
	}
	r.wait(r.must(r.writer.UpdateSettings(context.Background(), "m", p, false, true)))
	want := []string{"E\u0301", "a", "a\u0301\u0323", "\u00e5", "\u06a9"}
	if got := r.index("m").DecodedSettings().StopWords; !slices.Equal(got, want) {
		t.Errorf("stop words %+q, want %+q", got, want)
	}
}

func TestSettings(t *testing.T) {
	r := newRig(t)
	ctx := context.Background()
	r.run()
	patch := func(text string) *settings.Patch {
		p := &settings.Patch{}
		if err := p.UnmarshalJSON([]byte(text)); err != nil {
			t.Fatal(err)
		}
		return p
	}
	r.wait(r.add("m", `{"id":1}`))
	s1 := r.must(r.writer.UpdateSettings(ctx, "m", patch(`{"stopWords":["b","a"],"rankingRules":null}`), false, true))
	r.expect(s1, wire.Succeeded, `{"rankingRules":null,"stopWords":["a","b"]}`, "")
	x := r.index("m")
	if x.Generations != (wire.Generations{Text: 1, TextFormat: text.Format(0)}) || x.SettingsVersion != x.Version || x.Version != 2 {
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
	refused := r.must(r.writer.UpdateSettings(ctx, "new", patch(`{"dictionary":["`+huge+`"],"typoTolerance":{"minWordSizeForTypos":{"oneTypo":20}}}`), false, true))
	r.expect(refused, wire.Failed, `{"dictionary":["`+huge+`"],"typoTolerance":{"minWordSizeForTypos":{"oneTypo":20}}}`, "Index `new`: `minWordSizeForTypos` setting is invalid. `oneTypo` and `twoTypos` fields should be between `0` and `255`, and `twoTypos` should be greater or equals to `oneTypo` but found `oneTypo: 20` and twoTypos: 9`.")
}

func TestAFullTaskStoreDeletesTheOldestTasks(t *testing.T) {
	r := newRig(t)
	r.cfg.TaskCap = 3
	r.run()
	a, b := r.add("m", `{"id":1}`), r.add("m", `{"id":2}`)
	r.wait(a)
	r.wait(b)
	stored := func(n uint64) {
		r.log.Mu.Lock()
		defer r.log.Mu.Unlock()
		c := *r.log.State
		c.Stored = n
		r.log.State = &c
	}
	details := make(chan string, 1)
	r.log.Mu.Lock()
	r.log.Before = func(cmd *wire.Command) error {
		if cmd.Enqueue != nil && cmd.Enqueue.Task.Kind == task.TaskDeletion {
			stored(0) // one tick is enough
			details <- string(cmd.Enqueue.Task.Details)
		}
		return nil
	}
	r.log.Mu.Unlock()
	stored(3)
	r.must(r.writer.CreateIndex(context.Background(), "x", nil))
	select {
	case d := <-details:
		if !strings.Contains(d, "&statuses=succeeded,failed,canceled") {
			t.Error(d)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("no deletion was enqueued")
	}
	for deadline := time.After(10 * time.Second); ; {
		changed := r.log.Changed()
		if _, ok, _ := r.log.Task(a); !ok {
			return
		}
		select {
		case <-changed:
		case <-deadline:
			t.Fatal("the oldest task is still there")
		}
	}
}

// A regression test: settings too large for the log blocked their batch, and with it the index,
// forever.
func TestABatchThatIsTooLargeForTheLogFails(t *testing.T) {
	r := newRig(t)
	r.run()
	t.Cleanup(func() { r.stop() })
	r.wait(r.add("a", `{"id":1}`))
	r.log.Mu.Lock()
	r.log.Before = func(cmd *wire.Command) error {
		if len(cmd.Commit) > 0 && len(cmd.Commit[0].Changes) > 0 {
			return fmt.Errorf("a command of many bytes: %w", wire.ErrTooLarge)
		}
		return nil
	}
	r.log.Mu.Unlock()
	uid := r.add("a", `{"id":2}`)
	if got := r.wait(uid); got.Status != wire.Failed || got.Error == nil || !strings.Contains(got.Error.Message, "Index `a`: internal: ") {
		t.Fatalf("the task is %+v", got)
	}
	r.log.Mu.Lock()
	r.log.Before = nil
	r.log.Mu.Unlock()
	if got := r.wait(r.add("a", `{"id":3}`)); got.Status != wire.Succeeded {
		t.Fatalf("the next task is %+v", got)
	}
}

// A node with an older program would stop at an entry without settings.
func TestEntriesStayCompleteWhileANodeHasAnOlderProgram(t *testing.T) {
	r := newRig(t)
	var mu sync.Mutex
	short := 0
	r.log.Mu.Lock()
	r.log.Before = func(cmd *wire.Command) error {
		mu.Lock()
		defer mu.Unlock()
		for _, c := range cmd.Commit {
			for i := range c.Changes {
				if c.Changes[i].Unchanged != nil {
					short++
				}
			}
		}
		return nil
	}
	old := *r.log.State.Members[0]
	old.Version = wire.UnchangedSince - 1
	now := r.log.State.Members[0]
	r.log.State.Members[0] = &old
	r.log.Mu.Unlock()
	r.run()
	t.Cleanup(func() { r.stop() })
	document := func(id int) string {
		var b strings.Builder
		for i := range 200 {
			fmt.Fprintf(&b, `,"a field of some length %d":1`, i)
		}
		return fmt.Sprintf(`{"id":%d%s}`, id, b.String())
	}
	r.wait(r.add("a", document(1)))
	r.wait(r.add("a", document(2)))
	mu.Lock()
	if short != 0 {
		t.Errorf("%d entries were not whole", short)
	}
	mu.Unlock()
	r.log.Mu.Lock()
	c := *r.log.State
	c.Members = append([]*wire.Node{now}, c.Members[1:]...)
	r.log.State = &c
	r.log.Mu.Unlock()
	if got := r.wait(r.add("a", document(3))); got.Status != wire.Succeeded {
		t.Fatalf("the task is %+v", got)
	}
	mu.Lock()
	defer mu.Unlock()
	if short != 1 {
		t.Errorf("%d entries left something out, with the new program everywhere", short)
	}
}

func TestDeadEmbeddersDoNotBlockOtherIndexes(t *testing.T) {
	r := newRig(t)
	r.cfg.Lanes = 2
	release := make(chan struct{})
	t.Cleanup(func() { r.stop() })
	t.Cleanup(func() { close(release) }) // before stop, which waits
	r.run()
	var stuck []uint32
	for _, uid := range []string{"a", "b", "c"} {
		r.wait(r.add(uid, `{"id":1}`))
		x := r.index(uid).Clone()
		s := *x.DecodedSettings()
		s.Embedders = map[string]json.RawMessage{"e": json.RawMessage(`{"source":"rest"}`)}
		x.Settings = wire.EncodeSettings(&s)
		put := &wire.Command{Update: &wire.Update{RequestID: "put" + uid, Changes: []wire.Change{{PutIndex: x}}}}
		if _, err := r.log.Propose(t.Context(), put); err != nil {
			t.Fatal(err)
		}
	}
	r.shards.Mu.Lock()
	r.shards.Hook = func(ctx context.Context, _ wire.NodeID, b *wire.BuildRequest) (*wire.BuildReply, error) {
		if b.UID == "free" {
			return nil, nil
		}
		select {
		case <-release:
		case <-ctx.Done():
		}
		return nil, ctx.Err()
	}
	r.shards.Mu.Unlock()
	for _, uid := range []string{"a", "b", "c"} {
		stuck = append(stuck, r.add(uid, `{"id":2}`))
	}
	r.wait(r.add("free", `{"id":1}`))
	for _, uid := range stuck {
		if got, ok, _ := r.log.Task(uid); !ok || got.Status > wire.Processing {
			t.Errorf("task %d is not waiting: %+v", uid, got)
		}
	}
}

// A regression test: a payload that was lost on all its holders blocked its index forever, and
// dumps and snapshots as well.
func TestALostPayloadFailsItsTaskOnly(t *testing.T) {
	for _, shards := range []int{1, 3} {
		r := newRig(t)
		r.cfg.Placement.Shards = shards
		noise := rand.New(rand.NewPCG(1, 2))
		large := func(id int) string { // incompressible, so that the log does not hold it
			var text []byte
			for range 10_000 {
				text = fmt.Appendf(text, "%08x", noise.Uint32())
			}
			return fmt.Sprintf(`{"id":%d,"text":%q}`, id, text)
		}
		kept, lost, small := r.add("m", large(1), keyed("id")), r.add("m", large(2), keyed("id")), r.add("m", `{"id":3}`, keyed("id"))
		task, _, err := r.log.Task(lost)
		if err != nil || task.Payload.Blob == nil {
			t.Fatalf("nothing to lose: %+v %v", task, err)
		}
		delete(r.shards.Blobs.Content, task.Payload.Blob.ID)
		r.run()
		r.expect(kept, wire.Succeeded, `{"receivedDocuments":1,"indexedDocuments":1}`, "")
		r.expect(lost, wire.Failed, `{"receivedDocuments":1,"indexedDocuments":0}`, apierr.PayloadLost("m").Message)
		r.expect(small, wire.Succeeded, `{"receivedDocuments":1,"indexedDocuments":1}`, "")
		r.stop()
	}
}

// A regression test: a batch that used up all memory killed one node after the other, and was
// retried forever.
func TestABatchThatKillsThreeBuildersFails(t *testing.T) {
	r := newRig(t, "n1", "n2", "n3")
	r.cfg.Placement.Replicas = 2
	deaths := map[wire.NodeID]int{}
	var mu sync.Mutex
	total := 0
	r.shards.Hook = func(_ context.Context, node wire.NodeID, q *wire.BuildRequest) (*wire.BuildReply, error) {
		mu.Lock()
		defer mu.Unlock()
		if q.Base > 0 {
			return nil, nil
		}
		if deaths[node] > q.Deaths {
			return nil, wire.ErrDied
		}
		deaths[node]++
		total++
		return nil, wire.ErrUnavailable
	}
	bad := r.add("m", `{"id":1}`)
	r.run()
	failed := r.wait(bad)
	if failed.Status != wire.Failed || failed.Error.Message != apierr.BatchEndsNodes("m", maxDeaths).Message {
		t.Errorf("status %d, %+v", failed.Status, failed.Error)
	}
	if total < 3 || total > 4 { // the leader learns of a death when the node is back: the other builder may have begun
		t.Errorf("%d processes died", total)
	}
	r.shards.Mu.Lock()
	r.shards.Hook = nil
	r.shards.Mu.Unlock()
	r.expect(r.add("m", `{"id":2}`), wire.Succeeded, `{"receivedDocuments":1,"indexedDocuments":1}`, "")
}

// A regression test. An import that was interrupted and begins again replaces the queue, and
// new tasks get the uids of old ones. A run of the old queue whose commit was refused kept
// retrying, and no task of the new queue began.
func TestARunOfAReplacedQueueEnds(t *testing.T) {
	r := newRig(t)
	r.cfg.StartAfter = time.Millisecond
	building, ended := make(chan struct{}), make(chan error, 1)
	r.shards.Hook = func(ctx context.Context, _ wire.NodeID, _ *wire.BuildRequest) (*wire.BuildReply, error) {
		close(building)
		<-ctx.Done()
		ended <- context.Cause(ctx)
		return nil, ctx.Err()
	}
	r.add("m", `{"id":1}`)
	r.run()
	<-building
	phase := coordinator.ImportChange("second attempt", coordinator.ImportQueue)
	if _, err := coordinator.Propose(t.Context(), r.log, &wire.Update{Changes: []wire.Change{phase}}); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-ended:
		if !errors.Is(err, errReplaced) {
			t.Errorf("the run ended by %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Error("the run goes on though its queue is being replaced")
	}
}
