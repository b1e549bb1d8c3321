package placement

import (
	"testing"
	"time"

	"shoal/coordinator/coordtest"
	"shoal/wire"
)

// Every report shows these sentences, and alerts use the names of the conditions.
func TestStateReportsTheMostUrgentFirst(t *testing.T) {
	three := coordtest.NewLog("a", "b", "c").State
	all := []wire.NodeID{"a", "b", "c"}
	with := func(ids ...wire.NodeID) map[wire.NodeID]bool {
		out := map[wire.NodeID]bool{}
		for _, id := range ids {
			out[id] = true
		}
		return out
	}
	mixed := coordtest.NewLog("a", "b", "c").State
	mixed.Members[1].Version--
	for _, c := range []struct {
		name string
		view View
		want string
	}{
		{"all is well", View{Catalog: three, Leader: "a", Voters: all}, "ok: serving"},
		{"no quorum", View{Catalog: three, Answers: with("a"), Voters: all}, "critical: writes are refused: 1 of 3 voters answer; b and c do not answer"},
		{"one voter", View{Catalog: coordtest.NewLog("a").State, Answers: with(), Voters: all[:1]}, "critical: writes are refused: 0 of 1 voter answers; a does not answer"},
		{"an election", View{Catalog: three, Voters: all}, "critical: writes wait for a leader: 3 of 3 voters answer"},
		{"a leader that died", View{Catalog: three, Leader: "a", Answers: with("b", "c"), Voters: all}, "critical: writes wait for a leader: 2 of 3 voters answer; a does not answer"},
		{"a vote is missing", View{Catalog: coordtest.NewLog("a", "b").State, Leader: "a", Voters: all[:2], Votes: 3}, "warning: serving; 2 of 3 votes are held: start another node that may vote"},
		{"a vote is missing and the third node is away", View{Catalog: three, Answers: with("a", "b"), Leader: "a", Voters: all[:2], Votes: 3}, "warning: serving; c does not answer; 2 of 3 votes are held: start another node that may vote"},
		{"a vote is about to be taken", View{Catalog: three, Leader: "a", Voters: all[:2], Votes: 3}, "warning: serving; 2 of 3 votes are held: c takes one when it has kept up for some seconds"},
		{"votes grow from three", View{Catalog: coordtest.NewLog("a", "b", "c", "d").State, Leader: "a", Voters: all, Votes: 4}, "ok: serving"},
		{"two voters", View{Catalog: three, Leader: "a", Voters: all[:2], Votes: 2}, "ok: serving"},
		{"an old queue", View{Catalog: three, Leader: "a", Voters: all, Waited: 61 * time.Minute}, "warning: serving; the oldest task has been in the queue for 1h1m0s"},
		{"a busy queue", View{Catalog: three, Leader: "a", Voters: all, Waited: 59 * time.Minute}, "ok: serving"},
		{"an upgrade", View{Catalog: mixed, Leader: "a", Voters: all}, "warning: serving; the program of b is older than that of others"},
		{"what nodes tell", View{Catalog: three, Leader: "a", Voters: all, Damage: []string{"damaged"}, Told: []Condition{{Name: CertificateExpires, Says: "soon"}, {Name: DiskFilling, Says: "full"}, {Name: "of a later program", Says: "new"}}}, "warning: serving; damaged; full; soon"},
	} {
		if s := StateOf(Placement{}, &c.view); string(s.Level)+": "+s.Says != c.want {
			t.Errorf("%s: %s: %s, want %s", c.name, s.Level, s.Says, c.want)
		}
	}
}

// A node that has just started shows the copies of its last catalogue. Most of them may be
// outdated. An operator who then removed a disk removed the only copy.
func TestAClusterWithoutLeaderContactIsNotHealthy(t *testing.T) {
	log := coordtest.NewLog("a", "b", "c")
	k := NewCluster(log, Placement{}, nil)
	for _, fresh := range []bool{true, false} {
		v := &View{Catalog: log.State, Fresh: fresh, Leader: "a", Voters: []wire.NodeID{"a", "b", "c"}}
		if st := k.Status(v, Work{}); st.Healthy != fresh || !st.Available {
			t.Errorf("contact to the leader %v: healthy %v, available %v", fresh, st.Healthy, st.Available)
		}
	}
}

// Until its copies were replaced, a removed node was shown by its id.
func TestCopiesOfARemovedNodeAreShownUnderItsName(t *testing.T) {
	log := coordtest.NewLog("a", "b")
	gone := &wire.Value{Name: wire.ValueRemoved, JSON: []byte(`[{"id":"id-of-c","name":"c"}]`)}
	if _, err := log.Propose(t.Context(), &wire.Command{Update: &wire.Update{Changes: []wire.Change{{PutValue: gone}}}}); err != nil {
		t.Fatal(err)
	}
	log.State.ByID[1] = &wire.Index{ID: 1, UID: "films", Shards: []wire.Shard{{Replicas: []wire.Replica{{Node: "a"}, {Node: "id-of-c"}, {Node: "id-of-d"}}}}}
	shown := ""
	for _, r := range NewCluster(log, Placement{}, nil).Status(&View{Catalog: log.State}, Work{}).Indexes[0].Shards[0].Replicas {
		shown += r.Name + " "
	}
	if shown != "a c id-of-d " {
		t.Errorf("copies are on %s", shown)
	}
}
