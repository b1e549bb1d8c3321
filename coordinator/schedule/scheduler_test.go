package schedule

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"shoal/api"
	"shoal/api/payload"
	"shoal/text"
	"shoal/wire"
)

func TestAdditionCreatesIndexAndPublishes(t *testing.T) {
	r := newRig(t)
	r.run()
	a := r.add("movies", `[{"z":1,"id":1,"n":{"deep":[{"er":1}]}},{"id":2},{"id":1}]`)
	r.expect(a, wire.Succeeded, `{"receivedDocuments":3,"indexedDocuments":2}`, "")
	x := r.index("movies")
	if x.PrimaryKey == nil || *x.PrimaryKey != "id" || x.Version != 1 || x.Documents() != 2 {
		t.Errorf("index %+v", x)
	}
	if got := strings.Join(x.Fields, " "); got != "z id n" {
		t.Errorf("fields %q: the document with nested ones was replaced", got)
	}
	r.documents("movies", "0:1 1:2")
	b, _, _ := r.log.Batch(*r.wait(a).Batch)
	stats, _, _ := strings.Cut(string(b.Stats), `,"progressTrace"`)
	if string(b.Details) != `{"receivedDocuments":3,"indexedDocuments":2}` || b.Strategy != "batched all enqueued tasks" ||
		stats+"}" != `{"totalNbTasks":1,"status":{"succeeded":1},"types":{"documentAdditionOrUpdate":1},"indexUids":{"movies":1}}` {
		t.Errorf("batch %s %s %q", b.Details, b.Stats, b.Strategy)
	}
	if r.log.Starts != 0 {
		t.Error("a quick batch was shown as processing")
	}
}

func TestNestedNamesOfAnUploadWithoutReplacementsNeedNoSecondBuild(t *testing.T) {
	r := newRig(t)
	r.run()
	r.wait(r.add("movies", `[{"z":1,"id":1,"n":{"deep":[{"er":1}]}},{"id":2}]`))
	if got := strings.Join(r.index("movies").Fields, " "); got != "z id n n.deep n.deep.er" {
		t.Errorf("fields %q", got)
	}
}

func TestTheNextBatchRebuildsTablesOfAnotherTokenizer(t *testing.T) {
	r := newRig(t)
	r.run()
	r.wait(r.add("m", `{"id":1}`))
	old := r.index("m").Clone()
	old.Generations.TextFormat--
	put := &wire.Command{Update: &wire.Update{RequestID: "old", Changes: []wire.Change{{PutIndex: old}}}}
	if _, err := r.log.Propose(t.Context(), put); err != nil {
		t.Fatal(err)
	}
	node, _ := r.log.Catalog().Node("n1")
	node.Version = wire.Version + 1
	r.wait(r.add("m", `{"id":2}`))
	if got := r.index("m").Generations; got != old.Generations {
		t.Errorf("while another program may build: %+v", got)
	}
	node.Version = wire.Version
	r.wait(r.add("m", `{"id":3}`))
	if got := r.index("m").Generations; got.Text != old.Generations.Text+1 || got.Facet != old.Generations.Facet+1 || got.TextFormat != text.Format(0) {
		t.Errorf("tables of the old words stay: %+v", got)
	}
	r.wait(r.add("m", `{"id":4}`))
	if got := r.index("m").Generations.Text; got != old.Generations.Text+1 {
		t.Errorf("built anew again: %d", got)
	}
}

func TestATaskThatFailsLeavesTheOthersOfItsBatchAlone(t *testing.T) {
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
func TestAPayloadStagedUnderAnotherKeyIsStagedAgain(t *testing.T) {
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
			if n := r.index("m").Documents(); n != uint64(max(want, 2-boolInt(size > 7))) {
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

func TestAnAdditionWithAnotherPrimaryKeyFailsAlone(t *testing.T) {
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
	no := r.add("m", `{"id":1}`, func(u *payload.Upload) { u.CreateIndex = false })
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

func TestAClearMakesEarlierOperationsSucceedUnexecuted(t *testing.T) {
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
	if r.index("c").Documents() != 1 {
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

// Tasks of one index keep their order around a swap. Tasks of other indexes continue.
func TestSwapIsABarrierOverItsIndexes(t *testing.T) {
	r := newRig(t)
	ctx := context.Background()
	a1 := r.add("a", `{"id":1}`)
	b1 := r.add("b", `{"id":2}`)
	swap := r.must(r.writer.SwapIndexes(ctx, []api.SwapPair{{Indexes: [2]string{"a", "b"}}}))
	a2 := r.add("a", `{"id":3}`)
	c1 := r.add("c", `{"id":4}`)
	release := make(chan struct{})
	r.shards.Hook = func(ctx context.Context, _ wire.NodeID, q *wire.BuildRequest) (*wire.BuildReply, error) {
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
