package snapshot

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"shoal/cluster-test/solo"
	"shoal/coordinator"
	"shoal/coordinator/coordtest"
	"shoal/coordinator/schedule"
	"shoal/text"
	"shoal/text/dictionary"
	"shoal/wire"
)

// propose changes the catalogue of a node.
func propose(t *testing.T, n *solo.Node, c wire.Change) {
	t.Helper()
	must(n.Log.Propose(t.Context(), &wire.Command{Update: &wire.Update{Changes: []wire.Change{c}}}))
}

// A regression test: only the node that read the snapshot was asked for its dictionaries, and a
// standby not even that.
func TestASnapshotIsRefusedWhenANodeLacksADictionary(t *testing.T) {
	a, _, r, _, _ := deposits(t, 1)
	a.Schedule(schedule.Jobs{Snapshot: NewTaker(Config{
		Log: a.Log, Blobs: a.Blobs, Shards: &copies{Node: a}, Self: solo.Self, Progress: a.Quiet, Repository: r,
	}).Snapshot})
	propose(t, a, wire.Change{PutIndex: &wire.Index{UID: "trips", Generations: wire.Generations{TextFormat: text.Format(dictionary.Japanese)}}})
	must(a.Writer.Snapshot(t.Context()))
	a.Idle()
	name := must(r.Newest(t.Context(), nil)).Name

	b := solo.Open(t, 1)
	other := wire.Node{ID: "two", Name: "two", Version: wire.Version}
	propose(t, b, wire.Change{PutNode: &wire.Node{ID: solo.Self, Name: "one", Data: true, Voter: true, Version: wire.Version, Dictionaries: dictionary.All}})
	propose(t, b, wire.Change{PutNode: &other})
	cfg := RestoreConfig{Log: b.Log, Blobs: b.Blobs, Shards: &copies{Node: b}, Placement: b.Placement, Dictionaries: dictionary.All, Dir: b.Dir, Progress: b.Quiet}
	says := func(err string) bool {
		return strings.Contains(err, "two (japanese)") && !strings.Contains(err, "one (") && strings.Contains(err, "--dictionaries")
	}
	if err := Restore(t.Context(), Deposited(r, name), cfg); err == nil || !says(err.Error()) {
		t.Errorf("it was read in: %v", err)
	}
	if x := b.Log.Catalog().Indexes(); len(x) > 0 {
		t.Errorf("it left %d indexes", len(x))
	}

	c := solo.Open(t, 1)
	propose(t, c, wire.Change{PutNode: &wire.Node{ID: solo.Self, Name: "one", Data: true, Voter: true, Version: wire.Version, Dictionaries: dictionary.All}})
	propose(t, c, wire.Change{PutNode: &other})
	cfg.Log, cfg.Blobs, cfg.Shards, cfg.Placement, cfg.Dir = c.Log, c.Blobs, &copies{Node: c}, c.Placement, c.Dir
	faults := make(chan string)
	cfg.Progress = slog.New(warnings(faults))
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- NewStandby(StandbyConfig{Repository: r, Every: 20 * time.Millisecond, RestoreConfig: cfg}).Run(ctx)
	}()
	defer func() { stop(); <-ended }()
	select {
	case got := <-faults:
		if !says(got) {
			t.Errorf("the standby says %q", got)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("the standby says nothing")
	}
	other.Dictionaries = dictionary.All
	propose(t, c, wire.Change{PutNode: &other})
	c.Until("the standby to follow once all nodes have it", func() bool {
		s, _ := coordinator.Standby(c.Log.Catalog())
		return s.Snapshot == name
	})
}

// Right after the first start of a cluster no member has reported its dictionaries.
func TestARestorationWaitsForTheDictionariesOfAllMembers(t *testing.T) {
	log := coordtest.NewLog("one", "two")
	members := log.State.Members
	members[0].Dictionaries, members[1].Version = dictionary.All, 1
	all := *log.State
	all.Members = []*wire.Node{members[0], {ID: "two", Version: wire.Version, Dictionaries: dictionary.All}}
	cfg := RestoreConfig{Log: log, Dictionaries: dictionary.All, Progress: slog.New(slog.DiscardHandler)}
	indexes := []*wire.Index{{UID: "trips", Generations: wire.Generations{TextFormat: text.Format(dictionary.Korean)}}}
	ended := make(chan error, 1)
	go func() { ended <- cfg.words(t.Context(), indexes) }()
	select {
	case err := <-ended:
		t.Fatalf("it did not wait: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	log.Mu.Lock()
	log.State = &all
	log.Mu.Unlock()
	must(log.Propose(t.Context(), &wire.Command{Update: &wire.Update{}}))
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if err := cfg.words(t.Context(), []*wire.Index{{UID: "plain"}}); err != nil {
		t.Error(err)
	}
}
