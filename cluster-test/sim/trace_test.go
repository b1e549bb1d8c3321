package sim

import (
	"encoding/binary"
	"encoding/json"
	"hash/fnv"
	"slices"
	"sync"
	"time"

	"github.com/hashicorp/raft"

	"shoal/cluster-test/model"
	"shoal/consensus"
	"shoal/consensus/entry"
	"shoal/wire"
)

// trace is what all nodes did, for the replay against the model. It sees what the log of
// each node is asked to do and what a group tells its consensus.Observer.
type trace struct {
	begun time.Time

	mu      sync.Mutex
	events  []model.Event
	entries map[logged]*read
}

// logged is one entry of the log, wherever it is stored.
type logged struct{ index, term, hash uint64 }

// read is what an entry says.
type read struct {
	model.Logged
	commits [][]uint32 // the tasks that each commit of it makes succeed
}

// witness tells the trace what one process does. The rest of one that was killed goes on
// where nobody sees it.
type witness struct {
	trace *trace
	id    string // of its node, once it is known
	dead  bool   // guarded by trace.mu
}

func newTrace(begun time.Time) *trace { return &trace{begun: begun, entries: map[logged]*read{}} }

func (w *witness) tell(e model.Event) {
	t := w.trace
	t.mu.Lock()
	defer t.mu.Unlock()
	if w.dead || w.id == "" {
		return
	}
	e.At, e.Node = time.Since(t.begun), w.id
	t.events = append(t.events, e)
}

// witness is that of the newest process of the host, nil if it had none.
func (h *host) witness() *witness {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.last
}

// client notes what a client was told by the node that a witness belongs to.
func (t *trace) client(w *witness, e model.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if w != nil && w.id != "" {
		e.At, e.Node = time.Since(t.begun), w.id
		t.events = append(t.events, e)
	}
}

// putBack notes that the disk of a host became an older copy of itself.
func (t *trace) putBack(h *host) { t.client(h.witness(), model.Event{Kind: model.PutBack}) }

// stops says that the process has ended, before anybody looks at its disk.
func (w *witness) stops() {
	w.tell(model.Event{Kind: model.Stopped})
	w.trace.mu.Lock()
	defer w.trace.mu.Unlock()
	w.dead = true
}

// understand reads an entry, once for all nodes.
func (t *trace) understand(l *raft.Log) *read {
	h := fnv.New64a()
	_, _ = h.Write(binary.BigEndian.AppendUint64([]byte{byte(l.Type)}, l.Index)) // it never fails
	_, _ = h.Write(l.Data)
	key := logged{l.Index, l.Term, h.Sum64()}
	t.mu.Lock()
	defer t.mu.Unlock()
	if r := t.entries[key]; r != nil {
		return r
	}
	r := &read{Logged: model.Logged{Index: l.Index, Term: l.Term, ID: key.hash, Silent: l.Type != raft.LogCommand}}
	t.entries[key] = r
	switch l.Type {
	case raft.LogConfiguration:
		r.Voters = []string{}
		for _, s := range raft.DecodeConfiguration(l.Data).Servers {
			if s.Suffrage == raft.Voter {
				r.Voters = append(r.Voters, string(s.ID))
			}
		}
	case raft.LogCommand:
		cmd, _, err := entry.Decode(l.Data)
		if err != nil {
			panic(err) // a node that cannot read it ends
		}
		r.Time = cmd.At
		r.learn(cmd)
	}
	return r
}

func (r *read) learn(cmd *wire.Command) {
	for i := range cmd.Commit {
		var ended []uint32
		for _, task := range cmd.Commit[i].Results {
			if task.Status == wire.Succeeded {
				ended = append(ended, task.UID)
			}
		}
		r.commits = append(r.commits, ended)
	}
	if cmd.Update == nil {
		return
	}
	for _, change := range cmd.Update.Changes {
		if v := change.PutValue; v != nil && v.Name == wire.ValueVotes {
			if err := json.Unmarshal(v.JSON, &r.Votes); err != nil {
				panic(err)
			}
		}
	}
}

// started tells what a process has found in its log.
func (w *witness) started(s *logState) {
	e := model.Event{Kind: model.Started, For: string(s.stable["LastVoteCand"])}
	number := func(key string) uint64 {
		if b := s.stable[key]; b != nil {
			return binary.BigEndian.Uint64(b)
		}
		return 0
	}
	e.Term, e.Voted = number("CurrentTerm"), number("LastVoteTerm")
	for i := s.first; i <= s.last && s.last > 0; i++ {
		e.Entries = append(e.Entries, w.trace.understand(s.entries[i]).Logged)
	}
	w.tell(e)
}

func (w *witness) stored(list []*raft.Log) {
	e := model.Event{Kind: model.Stored}
	for _, l := range list {
		e.Entries = append(e.Entries, w.trace.understand(l).Logged)
	}
	w.tell(e)
}

// kept tells of a term or a vote: Raft writes the term of a vote first, and for whom after it.
func (w *witness) kept(key string, value []byte, s *logState) {
	switch key {
	case "CurrentTerm":
		w.tell(model.Event{Kind: model.Termed, Term: binary.BigEndian.Uint64(value)})
	case "LastVoteCand":
		if len(value) == 0 {
			return // the vote is written next
		}
		w.tell(model.Event{Kind: model.VotedFor, Term: binary.BigEndian.Uint64(s.stable["LastVoteTerm"]), For: string(value)})
	}
}

// Opened implements consensus.Observer.
func (w *witness) Opened(applied uint64) { w.tell(model.Event{Kind: model.Opened, Index: applied}) }

// Applied implements consensus.Observer.
func (w *witness) Applied(logs []*raft.Log, results []any) {
	for i, l := range logs {
		res, ok := results[i].(*wire.Result)
		if !ok {
			continue
		}
		r := w.trace.understand(l)
		e := model.Event{Kind: model.Applied, Index: l.Index, Entries: []model.Logged{r.Logged}}
		if res.Task != nil {
			e.Made = &res.Task.UID
		}
		for k, ended := range r.commits {
			if k >= len(res.Commits) || !res.Commits[k].Fenced {
				e.Ended = append(e.Ended, ended...)
			}
		}
		w.tell(e)
	}
}

// Leased implements consensus.Observer.
func (w *witness) Leased(term uint64, until time.Duration) {
	w.tell(model.Event{Kind: model.Leased, Term: term, Until: until})
}

// Shown implements consensus.Observer.
func (w *witness) Shown(term uint64, at int64, counted []wire.NodeID) {
	e := model.Event{Kind: model.Shown, Term: term, Time: at}
	for _, id := range counted {
		e.Counted = append(e.Counted, string(id))
	}
	w.tell(e)
}

var _ consensus.Observer = (*witness)(nil)

// ordered are the events as the model wants them. Entries are visible within a node before
// the observer hears that they were applied: of one moment, ends are shown last.
func (t *trace) ordered() []model.Event {
	t.mu.Lock()
	defer t.mu.Unlock()
	events := slices.Clone(t.events)
	slices.SortStableFunc(events, func(a, b model.Event) int {
		switch late := func(e model.Event) bool { return e.Kind == model.Shown }; {
		case a.At != b.At:
			return int(max(min(a.At-b.At, 1), -1))
		case late(a) == late(b):
			return 0
		case late(a):
			return 1
		}
		return -1
	})
	return events
}

// leaseLength is how long a lease lasts at most: that of consensus.Config.
const leaseLength = 900 * time.Millisecond

// replay compares events with the model.
func replay(events []model.Event) (*model.Replay, error) {
	r := model.NewReplay(leaseLength)
	for i := range events {
		if err := r.Take(&events[i]); err != nil {
			return r, err
		}
	}
	return r, nil
}
