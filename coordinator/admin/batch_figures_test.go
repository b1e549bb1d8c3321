package admin

import (
	"context"
	"reflect"
	"testing"
	"time"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/coordinator"
	"shoal/coordinator/coordtest"
	"shoal/coordinator/queue"
	"shoal/wire"
)

func TestBatchFigures(t *testing.T) {
	now := time.Now().UnixNano()
	log := coordtest.NewMetaLog()
	log.StoredBatches = []*wire.Batch{
		{UID: 4, StartedAt: now - 3e9, FinishedAt: now - 1e9, Details: []byte(`{"indexedDocuments":2,"deletedDocuments":1}`),
			Stats: []byte(`{"indexUids":{"movies":2},"progressTrace":{"processing tasks > indexing":"1.99s","processing tasks":"81.07µs"}}`)},
		{UID: 5},
		{UID: 6, StartedAt: now - 5e9, FinishedAt: now - 2e9, Stats: []byte(`{}`)},
	}
	stats := NewStats(log, nil)
	stats.Progress = func(_ context.Context, batches []uint32) map[uint32][]byte {
		return map[uint32][]byte{batches[0]: []byte(`{"steps":[{"currentStep":"processing tasks","finished":1,"total":2},{"currentStep":"x","finished":0,"total":0}]}`)}
	}
	got, err := stats.TaskCounts(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if want := []api.BatchSteps{{UID: 5, Steps: []api.BatchStep{{Name: "processing tasks", Value: 0.5}}}}; !reflect.DeepEqual(got.Running, want) {
		t.Errorf("running: %+v", got.Running)
	}
	if want := (&api.BatchSteps{UID: 4, Steps: []api.BatchStep{{Name: "processing tasks > indexing", Value: 1990}, {Name: "processing tasks", Value: 0}}}); !reflect.DeepEqual(got.Finished, want) {
		t.Errorf("finished: %+v", got.Finished)
	}
	if want := (&api.IndexedBatch{UID: 4, Index: "movies", Documents: 3, DurationMillis: 2000}); !reflect.DeepEqual(got.Indexed, want) {
		t.Errorf("indexed: %+v", got.Indexed)
	}
	if old := lastIndexed(log.StoredBatches, time.Unix(0, now).Add(time.Hour)); old != nil {
		t.Errorf("an hour later: %+v", old)
	}
}

// manyTasks is a log whose queue holds a number of tasks.
type manyTasks struct {
	*coordtest.MetaLog
	stored uint64
}

type manyCatalog struct {
	coordtest.MetaState
	stored uint64
}

func (c manyCatalog) StoredTasks() uint64 { return c.stored }

func (l manyTasks) Catalog() coordinator.Catalog { return manyCatalog{l.State, l.stored} }

// A full queue refuses every task except those that free space (spec tasks-auth-ops-api 4.2).
func TestFullQueue(t *testing.T) {
	ctx := context.Background()
	w := queue.NewWriter(manyTasks{coordtest.NewMetaLog(), coordinator.MaxStoredTasks}, nil, "")
	if _, err := w.CreateIndex(ctx, "a", nil); !reflect.DeepEqual(err, error(apierr.TaskStoreFull())) {
		t.Errorf("a full queue takes an index creation: %v", err)
	}
	if _, err := w.DeleteTasks(ctx, nil, "?uids=1"); err == nil {
		t.Error("a full queue takes a deletion of nothing")
	}
	if _, err := w.DeleteTasks(ctx, []uint32{1}, "?uids=1"); err != nil {
		t.Errorf("a full queue refuses what makes room: %v", err)
	}
	w = queue.NewWriter(manyTasks{coordtest.NewMetaLog(), coordinator.MaxStoredTasks - 1}, nil, "")
	if _, err := w.CreateIndex(ctx, "a", nil); err != nil {
		t.Errorf("the last place: %v", err)
	}
	counts, err := NewStats(manyTasks{coordtest.NewMetaLog(), coordinator.MaxStoredTasks}, nil).TaskCounts(ctx)
	if limit := uint64(api.TaskStoreBytes * 2 / 5); err != nil || counts.UsedBytes > limit || limit-counts.UsedBytes > coordinator.MaxStoredTasks {
		t.Errorf("used %d: %v", counts.UsedBytes, err)
	}
}
