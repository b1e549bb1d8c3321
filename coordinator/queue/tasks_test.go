package queue

import (
	"context"
	"slices"
	"testing"

	"shoal/api"
	"shoal/api/decode"
	"shoal/coordinator/coordtest"
	"shoal/wire"
)

func TestTaskPages(t *testing.T) {
	ctx, log := context.Background(), coordtest.NewMetaLog()
	index := "i"
	for i := range 5 {
		log.StoredTasks = append(log.StoredTasks, &wire.Task{UID: uint32(i), Kind: "indexCreation", IndexUID: &index, Status: wire.Failed, Error: &wire.Failure{Message: "m", Code: "index_not_found"}, StartedAt: 1, FinishedAt: 2})
	}
	log.Hidden[4] = true
	tasks := NewTasks(log, NewWriter(log, nil, ""), nil)
	page, err := tasks.Tasks(ctx, &wire.TaskQuery{Limit: 2})
	if err != nil || len(page.Results) != 2 || *page.From != 4 || *page.Next != 2 || page.Total != 5 {
		t.Fatalf("%+v %v", page, err)
	}
	if a, b := page.Results[0], page.Results[1]; a.Status != "processing" || a.Error != nil || a.FinishedAt != 0 || b.Status != "failed" || b.Error.Code.Status != 404 {
		t.Errorf("%+v\n%+v", a, b)
	}
	page, err = tasks.Tasks(ctx, &wire.TaskQuery{Limit: 0})
	if err != nil || len(page.Results) != 0 || page.From != nil || *page.Next != 4 {
		t.Errorf("no limit: %+v %v", page, err)
	}
	if task, err := tasks.Task(ctx, 9, nil); task != nil || err != nil {
		t.Errorf("no such task: %v %v", task, err)
	}
	summary, err := tasks.Cancel(ctx, &wire.TaskQuery{UIDs: []uint32{1, 2}}, "?uids=1,2")
	if err != nil || summary.TaskUID != 5 || string(log.StoredTasks[5].Details) != `{"matchedTasks":2,"canceledTasks":null,"originalFilter":"?uids=1,2"}` {
		t.Errorf("%+v %v %s", summary, err, log.StoredTasks[5].Details)
	}
	key, size := "0123456789abcdef", uint64(24<<20)
	if _, err = tasks.Export(ctx, &api.ExportRequest{URL: "http://x", APIKey: &key, PayloadSize: &size, Indexes: []decode.Entry[api.ExportIndex]{{Name: "*"}}}); err != nil {
		t.Fatal(err)
	}
	if got := string(log.StoredTasks[6].Details); got != `{"url":"http://x","apiKey":"01XXXX...","payloadSize":"24 MiB","indexes":{"*":{"filter":null,"overrideSettings":false}}}` {
		t.Errorf("export: %s", got)
	}
}

// settlingLog hides the end of a task until it was asked three times.
type settlingLog struct {
	*coordtest.MetaLog
	asked int
}

func (l *settlingLog) Settled() func() bool {
	return func() bool {
		if l.asked++; l.asked == 3 {
			clear(l.Hidden)
		}
		return l.asked >= 3
	}
}

// A client that polled the running tasks until there were none read what was there before the last
// one on another node: the log selects by status, and its end was still hidden.
func TestAListOfStatusesWaitsForHiddenEnds(t *testing.T) {
	log := &settlingLog{MetaLog: coordtest.NewMetaLog()}
	log.StoredTasks = []*wire.Task{{UID: 0, Kind: "indexCreation", Status: wire.Succeeded, StartedAt: 1, FinishedAt: 2}}
	log.Hidden[0] = true
	tasks := NewTasks(log, NewWriter(log, nil, ""), nil)
	page, err := tasks.Tasks(t.Context(), &wire.TaskQuery{Limit: 1, Statuses: []wire.Status{wire.Succeeded}})
	if err != nil || page.Results[0].Status != "succeeded" || log.asked != 3 {
		t.Errorf("%+v %v, asked %d times", page, err, log.asked)
	}
}

// A running batch shows the progress that the leader reports, or that nothing is known.
func TestProgressOfBatches(t *testing.T) {
	ctx, log := context.Background(), coordtest.NewMetaLog()
	log.StoredBatches = []*wire.Batch{{UID: 0, FinishedAt: 2, Stats: []byte(`{"totalNbTasks":1}`)}, {UID: 1}, {UID: 2}}
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
	// The end of a batch is hidden like those of its tasks.
	log.StoredBatches[1] = &wire.Batch{UID: 1, FinishedAt: 2, Tasks: []uint32{7}}
	log.Hidden[7] = true
	if page, err := tasks.Batches(ctx, &wire.TaskQuery{Limit: 5}); err != nil || page.Results[1].FinishedAt != 0 || string(page.Results[1].Progress) != string(unknownProgress) {
		t.Errorf("%+v %v", page, err)
	}
	log.StoredBatches = log.StoredBatches[:1]
	if b, err := tasks.Batch(ctx, 0, nil); err != nil || b.Progress != nil || string(b.Stats) != `{"totalNbTasks":1}` {
		t.Errorf("%+v %v", b, err)
	}
}
