package consensus

import (
	"testing"

	"shoal/consensus/raftlog"
)

// Raft writes its first term and then its first entry. A node that ended between the two
// once waited for a leader for ever.
func TestAnInterruptedBootstrapIsFinished(t *testing.T) {
	dir := t.TempDir()
	log, err := raftlog.Open(raftlog.Options{Dir: dir, OnFatal: func(err error) { t.Error(err) }})
	if err != nil {
		t.Fatal(err)
	}
	if err := log.Stable.SetUint64([]byte("CurrentTerm"), 1); err != nil {
		t.Fatal(err)
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	g := openDisk(t, dir)
	defer g.Close()
	awaitLeading(t, g)
	if _, err := g.Propose(within(t, 10e9), addTask("movies")); err != nil {
		t.Fatal(err)
	}
}
