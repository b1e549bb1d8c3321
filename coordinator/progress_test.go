package coordinator

import (
	"context"
	"slices"
	"testing"

	"shoal/api"
	"shoal/coordinator/task"
	"shoal/wire"
)

// A running batch shows what the leader says of it, or that nothing is known.
func TestProgressOfBatches(t *testing.T) {
	ctx, log := context.Background(), newMetaLog()
	log.batches = []*wire.Batch{{UID: 0, FinishedAt: 2, Stats: []byte(`{"totalNbTasks":1}`)}, {UID: 1}, {UID: 2}}
	tasks := NewTasks(log, NewWriter(log, nil, ""), nil)
	var asked []uint32
	tasks.Progress = func(_ context.Context, batches []uint32) map[uint32][]byte {
		asked = batches
		return map[uint32][]byte{2: []byte(`{"steps":[],"percentage":12.5}`)}
	}
	page, err := tasks.Batches(ctx, &wire.TaskQuery{Limit: 5})
	if err != nil || !slices.Equal(asked, []uint32{2, 1}) || len(page.Results) != 3 {
		t.Fatalf("asked %v: %+v %v", asked, page, err)
	}
	for i, want := range []string{`{"steps":[],"percentage":12.5}`, string(unknownProgress), ""} {
		if got := string(page.Results[i].Progress); got != want {
			t.Errorf("batch %d: %s", page.Results[i].UID, got)
		}
	}
	log.batches = log.batches[:1]
	if b, err := tasks.Batch(ctx, 0, nil); err != nil || b.Progress != nil || string(b.Stats) != `{"totalNbTasks":1}` {
		t.Errorf("%+v %v", b, err)
	}
}

// The trace lists what a run did in the order in which it ended.
func TestTrace(t *testing.T) {
	var tr trace
	tr.begin(stepConfig, 100)
	tr.begin(stepIndexing, 300)
	tr.begin(stepIndexing, 400) // once more after a refusal
	got := tr.spans(1000, 50)
	want := []task.Span{{Name: "processing tasks > retrieving config", Took: 200}, {Name: "processing tasks > indexing", Took: 700}, {Name: "processing tasks", Took: 950}}
	if !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
	if again := tr.spans(1000, 50); !slices.Equal(again, want) {
		t.Errorf("asked again: %v", again)
	}
}

// The percentage counts the outer step as half of the work.
func TestProgressJSON(t *testing.T) {
	r := &run{tasks: []*wire.Task{{}}}
	s := &Scheduler{}
	s.progress.set(r, stepIndexing, 1, 4)
	if s.Progress(7) != nil {
		t.Error("progress of a batch that is not started")
	}
	uid := uint32(7)
	r.batch = &uid
	s.progress.advance(r)
	want := `{"steps":[{"currentStep":"processing tasks","finished":0,"total":2},{"currentStep":"indexing","finished":2,"total":4}],"percentage":25.0}`
	if got := string(s.Progress(7)); got != want {
		t.Errorf("got %s", got)
	}
	if _, err := api.ParseJSON(s.Progress(7)); err != nil {
		t.Error(err)
	}
	s.progress.forget(r)
	if s.Progress(7) != nil {
		t.Error("progress of a batch that has ended")
	}
}
