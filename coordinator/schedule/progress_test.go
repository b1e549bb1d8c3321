package schedule

import (
	"slices"
	"strings"
	"testing"

	"shoal/api/jsonvalue"
	"shoal/coordinator/task"
	"shoal/wire"
)

// The trace lists the steps of a run in the order in which they ended.
func TestTheTraceListsStepsInOrder(t *testing.T) {
	var tr trace
	tr.begin(stepConfig, 100)
	tr.begin(stepIndexing, 300)
	tr.begin(stepIndexing, 400) // again after a retry
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
	now := int64(1e18)
	s := NewScheduler(nil, nil, nil, Config{Now: func() int64 { return now }})
	r := &batchRun{leader: &leader{Scheduler: s}, tasks: []*wire.Task{{}}}
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
	if _, err := jsonvalue.Parse(s.Progress(7)); err != nil {
		t.Error(err)
	}
	r.waitsFor("node n2, \"away\"")
	now += int64(waitShown) - 1
	r.waitsFor("node n2, \"away\"")
	if got := string(s.Progress(7)); got != want || len(s.Waits()) != 0 {
		t.Errorf("a wait that may be over in a moment: %s", got)
	}
	now++
	r.waitsFor("node n2, \"away\"")
	waits := strings.Replace(want, `4}]`, `4},{"currentStep":"waiting: node n2, \"away\"","finished":0,"total":1}]`, 1)
	if got := string(s.Progress(7)); got != waits {
		t.Errorf("got %s", got)
	}
	if got := s.Waits(); !slices.Equal(got, []string{`task 0 waits for 2s: node n2, "away"`}) {
		t.Errorf("waits %q", got)
	}
	s.progress.set(r, stepIndexing, 2, 4)
	if got := string(s.Progress(7)); got != want || len(s.Waits()) != 0 {
		t.Errorf("after the wait: %s", got)
	}
	s.progress.forget(r)
	if s.Progress(7) != nil {
		t.Error("progress of a batch that has ended")
	}
}
