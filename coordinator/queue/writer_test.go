package queue

import (
	"testing"

	"shoal/api/apierr"
	"shoal/coordinator"
	"shoal/coordinator/coordtest"
)

// A full queue accepts only tasks that shrink it (spec write-api 1.7).
func TestFullQueueRefuses(t *testing.T) {
	l := coordtest.NewLog("a")
	l.State.Stored = coordinator.MaxStoredTasks
	w := NewWriter(l, coordtest.NewBlobs(), t.TempDir())
	ctx := t.Context()
	if _, err := w.CreateIndex(ctx, "movies", nil); err == nil || err.Error() != apierr.TaskStoreFull().Message {
		t.Errorf("creation: %v", err)
	}
	if _, err := w.DeleteTasks(ctx, nil, "?uids=9"); err == nil {
		t.Error("a deletion of nothing was taken in")
	}
	if _, err := w.DeleteTasks(ctx, []uint32{1}, "?uids=1"); err != nil {
		t.Errorf("deletion: %v", err)
	}
}
