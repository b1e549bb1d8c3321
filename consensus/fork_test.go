package consensus

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/hashicorp/raft"

	"shoal/consensus/entry"
	"shoal/consensus/raftlog"
	"shoal/wire"
)

// disk is a copy of everything that a stopped node has.
type disk struct {
	fs   vfs.FS
	logs *raft.InmemStore
}

func copyLogs(t *testing.T, from *raft.InmemStore) *raft.InmemStore {
	t.Helper()
	to := raft.NewInmemStore()
	first, err1 := from.FirstIndex()
	last, err2 := from.LastIndex()
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	for i := first; i <= last && i > 0; i++ {
		var l raft.Log
		if err := errors.Join(from.GetLog(i, &l), to.StoreLog(&l)); err != nil {
			t.Fatal(err)
		}
	}
	for _, key := range []string{"CurrentTerm", "LastVoteTerm"} {
		if v, err := from.GetUint64([]byte(key)); err == nil {
			if err := to.SetUint64([]byte(key), v); err != nil {
				t.Fatal(err)
			}
		}
	}
	if v, err := from.Get([]byte("LastVoteCand")); err == nil {
		if err := to.Set([]byte("LastVoteCand"), v); err != nil {
			t.Fatal(err)
		}
	}
	return to
}

// backup copies the disk of a node that does not run.
func (m *member) backup(t *testing.T) disk {
	t.Helper()
	d := disk{vfs.NewMem(), copyLogs(t, m.logs)}
	if ok, err := vfs.Clone(m.fs, d.fs, "/group", "/group"); err != nil || !ok {
		t.Fatal(ok, err)
	}
	return d
}

// ends waits until the node ends, and returns the reason.
func (m *member) ends(t *testing.T) error {
	t.Helper()
	select {
	case err := <-m.fatal:
		return err
	case <-time.After(20 * time.Second):
		t.Fatalf("%s goes on", m.id)
		return nil
	}
}

// One voter is away. The folder of another one is replaced by a copy from before some
// acknowledged writes, and the two elect a leader without these writes. The third voter
// once continued with what it had applied, and showed documents that no other node had.
func TestANodeWhoseAppliedEntriesAreTakenBackEnds(t *testing.T) {
	n := newNetwork(t)
	nodes := n.cluster(3, nil)
	lead := n.leader()
	rest := slices.DeleteFunc(slices.Clone(nodes), func(m *member) bool { return m == lead })
	forgets, away := rest[0], rest[1]
	n.stop(forgets)
	before := forgets.backup(t)
	n.start(slices.Index(nodes, forgets), nil, nil)
	n.stop(away)
	for range 20 {
		if _, err := n.leader().Propose(within(t, 20*time.Second), addTask("movies")); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, "all to be applied where it stays", func() bool { return lead.Stats().Tasks == 20 })
	n.stop(lead)
	n.stop(forgets)
	forgets.fs, forgets.logs = before.fs, before.logs
	n.start(slices.Index(nodes, forgets), nil, nil)
	n.start(slices.Index(nodes, away), nil, nil)
	if _, err := n.leader().Propose(within(t, 20*time.Second), addTask("books")); err != nil {
		t.Fatal(err)
	}
	n.start(slices.Index(nodes, lead), nil, nil)
	why := lead.ends(t)
	t.Log(why)
	if !errors.Is(why, ErrForked) || !errors.Is(why, raftlog.ErrTakenBack) {
		t.Errorf("it ended for %v", why)
	}
	if tasks := lead.Stats().Tasks; tasks != 20 {
		t.Errorf("it has %d tasks of 20", tasks)
	}
	n.stop(lead)
	_, err := Open(lead.config())
	if !errors.Is(err, ErrForked) || !strings.Contains(err.Error(), why.Error()) {
		t.Errorf("it starts again: %v", err)
	}
}

// config opens a node as start does, without a network.
func (m *member) config() Config {
	return Config{
		Dir: "/group", NodeID: m.id, Logger: testLog(), OnFatal: func(err error) { m.fatal <- err },
		transport: nowhere, FS: m.fs, RaftLog: func(string) (Log, error) { return kept{m.logs, m.logs}, nil },
	}
}

// The report that the leader answered was of a moment before the follower applied the entry, so
// only the follower sees the difference. The leader once went on alone.
func TestAFollowerThatSeesTwoHistoriesTellsTheLeader(t *testing.T) {
	s := newSociety(t)
	s.three()
	eventually(t, "the log to be of this version", func() bool { return s.leader().Catalog().Program() == wire.Version })
	lead := s.leader()
	other := slices.DeleteFunc(s.running(), func(m *member) bool { return m == lead })[0]
	if _, err := lead.Propose(within(t, 20*time.Second), addTask("movies")); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the entry to be applied", func() bool { return other.Stats().Tasks == 1 })
	mark := other.fsm.Mark()
	if err := other.reporter.Load().take(&Reply{Applied: mark.Index, Hash: mark.Hash ^ 1}, other.ticks.Now()); !errors.Is(err, ErrForked) {
		t.Errorf("it takes the answer: %v", err)
	}
	for _, m := range []*member{other, lead} {
		if why := m.ends(t); !errors.Is(why, ErrForked) {
			t.Errorf("%s ended for %v", m.id, why)
		}
	}
}

// Two entries with the same index and term differ, which raft does not notice.
func TestTwoNodesWithTwoHistoriesEnd(t *testing.T) {
	s := newSociety(t)
	s.three()
	eventually(t, "the log to be of this version", func() bool { return s.leader().Catalog().Program() == wire.Version })
	lead := s.leader()
	other := slices.DeleteFunc(s.running(), func(m *member) bool { return m == lead })[0]
	s.network.stop(other)
	last, err := other.logs.LastIndex()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lead.Propose(within(t, 20*time.Second), addTask("movies")); err != nil {
		t.Fatal(err)
	}
	// It gets another task than the other nodes.
	for at := last + 1; ; at++ {
		var l raft.Log
		if err := lead.logs.GetLog(at, &l); err != nil {
			t.Fatal(err)
		}
		found := l.Type == raft.LogCommand && strings.Contains(string(l.Data), "movies")
		if found {
			body, err := entry.Encode(addTask("moovies"), wire.Version)
			if err != nil {
				t.Fatal(err)
			}
			l.Data = entry.Stamp(time.Now().UnixNano(), 0, body, true)
		}
		if err := other.logs.StoreLog(&l); err != nil {
			t.Fatal(err)
		}
		if found {
			break
		}
	}
	s.enter(int(other.id[len(other.id)-1]-'0'), s.names[other.id])
	for _, m := range []*member{other, lead} {
		if why := m.ends(t); !errors.Is(why, ErrForked) {
			t.Errorf("%s ended for %v", m.id, why)
		} else {
			t.Log(m.id, why)
		}
	}
}

func TestALogThatIsOlderThanItsStateDoesNotStart(t *testing.T) {
	n := newNetwork(t)
	m := n.cluster(1, nil)[0]
	for range 5 {
		if _, err := m.Propose(within(t, 20*time.Second), addTask("movies")); err != nil {
			t.Fatal(err)
		}
	}
	n.stop(m)
	last, err := m.logs.LastIndex()
	if err != nil {
		t.Fatal(err)
	}
	if err := m.logs.DeleteRange(last-2, last); err != nil {
		t.Fatal(err)
	}
	g, err := Open(m.config())
	if !errors.Is(err, ErrForked) {
		t.Errorf("it starts: %v", err)
	}
	if g != nil {
		_ = g.Close()
	}
	t.Log(err)
}

// The folder of a voter is replaced by an old copy while another member runs that knows
// what the voter had applied.
func TestALogThatOthersKnowToBeNewerDoesNotStart(t *testing.T) {
	s := newSociety(t)
	s.three()
	lead := s.leader()
	old := slices.DeleteFunc(s.running(), func(m *member) bool { return m == lead })[0]
	s.network.stop(old)
	before := old.backup(t)
	s.enter(int(old.id[len(old.id)-1]-'0'), s.names[old.id])
	for range 20 {
		if _, err := lead.Propose(within(t, 20*time.Second), addTask("movies")); err != nil {
			t.Fatal(err)
		}
	}
	end := lead.Catalog().Applied()
	eventually(t, "the leader to hear how far it is", func() bool { return lead.history.memory.of(old.id) >= end })
	s.network.stop(old)
	old.fs, old.logs = before.fs, before.logs
	c := old.config()
	c.Call = s.network.call(old.id)
	g, err := Open(c)
	if g != nil {
		_ = g.Close()
	}
	t.Log(err)
	if !errors.Is(err, ErrForked) || !strings.Contains(err.Error(), "has heard from it") {
		t.Errorf("it starts: %v", err)
	}
}
