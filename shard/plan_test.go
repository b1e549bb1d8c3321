package shard

import (
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// A batch that failed had given its new field the number that the next batch gives
// another one.
func TestPlanKnewAFieldOfAFailedBatch(t *testing.T) {
	w := newWorld(t, openHost(t, vfs.NewMem()))
	defer w.close()
	w.commit(add(t, `{"id":1}`))
	r, err := w.host.replica(testKey)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"failed", "other", "other"} {
		plan, err := r.planFor([]byte("{}"), []string{"id", name})
		if err != nil {
			t.Fatal(err)
		}
		x := plan.New()
		if err := x.Load([]byte(`{"` + name + `":"word"}`)); err != nil {
			t.Fatal(err)
		}
		if _, err := x.Tokens(nil); err != nil {
			t.Fatal(err)
		}
		if got := x.Unknown(); len(got) > 0 {
			t.Errorf("%q are not in the plan", got)
		}
	}
}
