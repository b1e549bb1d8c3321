package fsm

import (
	"errors"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/hashicorp/raft"

	"shoal/consensus/entry"
	"shoal/wire"
)

// After a start raft applies the log again, and an old change of the members counted as a
// change of that moment. So a node that led within a few seconds of its restart waited for
// a whole lease.
func TestANodeThatWasRestartedCountsLeasesFromItsElection(t *testing.T) {
	fs, changes := vfs.NewMem(), 0
	body, err := entry.Encode(addTask("movies"), wire.Version)
	if err != nil {
		t.Fatal(err)
	}
	log := []*raft.Log{
		{Index: 1, Term: 1, Type: raft.LogConfiguration},
		{Index: 2, Term: 1, Type: raft.LogCommand, Data: entry.Stamp(2000, 0, body, false)},
	}
	run := func(more ...*raft.Log) {
		f := openTestFSM(t, fs)
		f.Configured = func() { changes++ }
		f.ApplyBatch(append(log, more...))
		if err := errors.Join(f.Failure(), f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	run()
	if run(); changes != 1 {
		t.Errorf("the members changed %d times", changes)
	}
	if run(&raft.Log{Index: 3, Term: 1, Type: raft.LogConfiguration}); changes != 2 {
		t.Errorf("after another change: %d", changes)
	}
}
