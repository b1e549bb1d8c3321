package dump

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"shoal/cluster-test/solo"
	"shoal/coordinator/admin"
	"shoal/coordinator/schedule"
	"shoal/wire"
)

// world is a node that writes dumps.
type world struct {
	*solo.Node
	dumper    *Dumper
	dumps     string // folder
	scheduled bool
}

// newWorld starts a cluster. shards is the number of shards of new indexes;
// schedule false leaves all tasks enqueued.
func newWorld(t testing.TB, shards int, s bool) *world {
	t.Helper()
	w := &world{Node: solo.Open(t, shards), dumps: t.TempDir(), scheduled: s}
	w.dumper = NewDumper(DumperConfig{Log: w.Log, Documents: w.Documents, Blobs: w.Blobs, Dir: w.dumps, Progress: w.Quiet})
	if s {
		w.Schedule(schedule.Jobs{Dump: w.dumper.Dump, Rules: admin.ApplyRules})
	}
	return w
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// dump takes a dump and returns its path.
func (w *world) dump() string {
	w.T.Helper()
	accepted := must(w.Writer.Dump(w.T.Context(), ""))
	if !w.scheduled {
		t, _, err := w.Log.Task(accepted.TaskUID)
		if err != nil {
			w.T.Fatal(err)
		}
		return filepath.Join(w.dumps, must(w.dumper.Dump(w.T.Context(), t))+".dump")
	}
	w.Idle()
	t, _, err := w.Log.Task(accepted.TaskUID)
	if err != nil {
		w.T.Fatal(err)
	}
	return w.file(t)
}

// file returns the path of the dump that a task has written.
func (w *world) file(t *wire.Task) string {
	w.T.Helper()
	if t.Status != wire.Succeeded {
		w.T.Fatalf("%+v", t)
	}
	var details struct{ DumpUID string }
	if err := json.Unmarshal(t.Details, &details); err != nil {
		w.T.Fatal(err)
	}
	return filepath.Join(w.dumps, details.DumpUID+".dump")
}

func (w *world) load(file string) error {
	return Import(w.T.Context(), file, ImportConfig{Log: w.Log, Writer: w.Writer, Placement: w.Placement, Progress: w.Quiet})
}
