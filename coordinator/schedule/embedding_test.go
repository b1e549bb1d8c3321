package schedule

import (
	"context"
	"strings"
	"testing"

	"shoal/api/apierr"
	"shoal/wire"
)

func TestProgressShowsHowManyDocumentsAreEmbedded(t *testing.T) {
	now := int64(1e18)
	s := NewScheduler(nil, nil, nil, Config{Now: func() int64 { return now }})
	uid := uint32(7)
	r := &batchRun{leader: &leader{Scheduler: s}, tasks: []*wire.Task{{}}, batch: &uid}
	s.progress.set(r, stepIndexing, 0, 2)
	shows := func(what string, wanted ...string) {
		t.Helper()
		got := string(s.Progress(7))
		for _, w := range wanted {
			if !strings.Contains(got, w) {
				t.Errorf("%s: %s, want %s", what, got, w)
			}
		}
		if len(wanted) == 0 && strings.Contains(got, "embed") {
			t.Errorf("%s: %s", what, got)
		}
	}
	r.showEmbedding(0, &wire.EmbedderFigures{})
	shows("a build without vectors so far")
	r.showEmbedding(0, &wire.EmbedderFigures{Documents: 10, Wanted: 25})
	r.showEmbedding(1, &wire.EmbedderFigures{Documents: 1, Wanted: 5})
	shows("two shards", `,{"currentStep":"embedding documents","finished":11,"total":30}]`)
	failing := &wire.EmbedderFigures{Documents: 10, Wanted: 25, Failed: 1, Waiting: 2, LastError: "runtime error: too many\n  - more"}
	r.showEmbedding(0, failing)
	now += int64(waitShown)
	r.showEmbedding(1, &wire.EmbedderFigures{Documents: 2, Wanted: 5})
	shows("calls that pause", `"finished":12,"total":30},{"currentStep":"waiting: an embedder: runtime error: too many","finished":0,"total":1}]`)
	r.showEmbedding(0, &wire.EmbedderFigures{Documents: 25, Wanted: 25})
	shows("an embedder that is back", `"finished":27,"total":30}]`)
	r.showEmbedding(0, nil)
	r.showEmbedding(1, nil)
	shows("builds that ended")
}

// A builder names a document that its embedder refuses while it accepts others.
func TestARefusedDocumentFailsItsTaskOnly(t *testing.T) {
	r := newRig(t)
	good, bad, last := r.add("m", `{"id":1}`, keyed("id")), r.add("m", `{"id":2}`, keyed("id")), r.add("m", `{"id":3}`, keyed("id"))
	r.shards.Hook = func(_ context.Context, _ wire.NodeID, b *wire.BuildRequest) (*wire.BuildReply, error) {
		for i := range b.Ops {
			if b.Ops[i].Task == bad {
				m := &apierr.MissingVectors{Embedder: "e", Document: "2", Fault: "user error: too long", Alone: true}
				return &wire.BuildReply{
					Embedders: wire.EmbedderFigures{Requests: 4, Failed: 3, LastError: "user error: too long"},
					Err:       &wire.BuildError{Task: bad, FailsTask: true, Vectors: m},
				}, nil
			}
		}
		return nil, nil
	}
	r.run()
	for _, uid := range []uint32{good, last} {
		if got := r.wait(uid); got.Status != wire.Succeeded {
			t.Errorf("task %d: %+v", uid, got)
		}
	}
	got := r.wait(bad)
	if want := "Index `m`: While embedding document `2` for embedder `e`: user error: too long"; got.Status != wire.Failed || got.Error == nil || got.Error.Message != want {
		t.Errorf("the task of the document: %+v", got.Error)
	}
	task, _, err := r.log.Task(bad)
	if err != nil || task.Batch == nil {
		t.Fatal(err)
	}
	batch, _, err := r.log.Batch(*task.Batch)
	if want := `"embedderRequests":{"total":4,"failed":3,"lastError":"user error: too long"}`; err != nil || !strings.Contains(string(batch.Stats), want) {
		t.Errorf("%v, batch %s", err, batch.Stats)
	}
}
