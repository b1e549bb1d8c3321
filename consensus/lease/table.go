package lease

import (
	"context"
	"slices"
	"sync"

	"shoal/consensus/raftlog"
	"shoal/wire"
)

// A node answers for tasks while it holds a lease. The leader grants one for a report that
// has reached the watermark. No lease, the leader's own included, lasts longer than
// Config.Length after a moment at which a majority of the voters was still in the leader's
// term. Each reply has the leader's clock, and each report repeats it together with the
// term of the reporting node, so the leader learns when each voter had not yet voted for a
// successor. That a node believes it leads proves nothing; it may have been frozen. A new
// leader at first counts every member as leased for a tenth longer than a lease lasts, or
// less if it learns that former leases ended earlier (former.go). By then every node with a
// lease from its predecessor has stopped answering.
//
// Programs before ShortSince grant longer leases. This one grants only short ones, and
// keeps none longer, whoever granted it. A long lease exists only where an older leader
// granted it to an older node. While such a node is in the cluster, a new leader reckons
// with the longer lease.

// Table is the leader's list of leased nodes, for one term. Times are nanoseconds
// of Config.Clock, except log times. It is safe for concurrent use.
type Table struct {
	cfg    Config
	ctx    context.Context // of the term
	length int64           // how long a lease lasts
	floor  int64           // log time of what earlier terms may have shown; leased nodes have applied it

	mu        sync.Mutex
	nodes     map[wire.NodeID]*standing // others than this node
	watermark int64
	former    former
	began     int64 // when the term did
}

// NewTable returns the table of a term that begins now. ctx ends with the term.
func NewTable(ctx context.Context, cfg Config) *Table {
	t := &Table{
		cfg: cfg, ctx: ctx, length: int64(cfg.Length), floor: cfg.FSM.LastAt.Load(),
		nodes: make(map[wire.NodeID]*standing), watermark: cfg.Own.Known(),
	}
	now, longest := t.now(), t.length
	if cfg.Program < ShortSince { // regardless of the log's version: an old leader grants leases by its own program
		longest = max(longest, int64(cfg.FormerLength))
	}
	longest += slack(longest)
	t.began = now
	servers := cfg.Servers() // read first: a change meanwhile makes former leases count for longer, not shorter
	t.former = newFormer(raftlog.VotersOf(servers), longest, cfg.Configured())
	t.former.moments[cfg.Node] = now - cfg.Own.Contact.Quiet(cfg.Term, now)
	for _, s := range servers {
		if id := wire.NodeID(s.ID); id != cfg.Node {
			t.nodes[id] = &standing{heard: now, until: now + longest}
		}
	}
	return t
}

func (t *Table) now() int64 { return t.cfg.Clock.Now() }

// slack is the assumed difference between the clocks of two nodes over one lease.
func slack(lease int64) int64 { return lease / 10 }

// proof is the newest moment at which a majority of the voters, this node included, is
// known to have been in this term; 0 if there is none.
func (t *Table) proof() int64 {
	var moments []int64
	for _, id := range raftlog.VotersOf(t.cfg.Servers()) {
		switch {
		case id == t.cfg.Node:
			moments = append(moments, t.now())
		case t.nodes[id] == nil:
			moments = append(moments, 0)
		default:
			moments = append(moments, t.nodes[id].echo)
		}
	}
	slices.Sort(moments)
	if len(moments) == 0 {
		return 0
	}
	return moments[(len(moments)-1)/2]
}

// Report takes one node's report. The node gets a lease if it has applied everything up
// to the watermark and everything that earlier terms have shown. Otherwise it has to
// catch up first, and clients wait for it only as long as it may still hold a lease: of
// this term, if another report has overtaken this one, or of the term before.
//
// If the watermark has risen since this node told it last, the other nodes are told.
func (t *Table) Report(r *Report) Answer {
	before := t.cfg.Own.Seen()
	answer := t.answer(r)
	if answer.Watermark > before {
		t.cfg.Own.Learn(answer.Watermark)
		t.push()
	}
	return answer
}

// answer is Report without telling anybody.
func (t *Table) answer(r *Report) Answer {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	s := t.nodes[r.Node]
	if s == nil {
		s = new(standing)
	}
	t.nodes[r.Node] = s
	told := s.told
	fit := t.judge(r.Node, s, r.At, now)
	s.index, s.spoke = r.Index, now
	if r.Term == t.cfg.Term && r.Echo <= now {
		s.echo = max(s.echo, r.Echo)
	}
	if r.Term == t.cfg.Term {
		t.endFormer(r.Node, r.Quiet, now)
	}
	proof := t.proof()
	if proof > 0 {
		t.cfg.Own.Prolong(t.cfg.Term, proof+t.length)
	}
	mark := t.cfg.FSM.Mark()
	answer := Answer{Clock: now, Term: t.cfg.Term, Barred: !fit, Applied: mark.Index, Hash: mark.Hash}
	s.at = max(s.at, r.At)
	// A node that was started again may have applied less than it had. The watermark rises to
	// what it had, so it gets no lease before it has applied that again.
	if left := proof + t.length - now; r.At >= max(t.watermark, t.floor, s.at) {
		if proof > 0 && left > 0 && fit {
			answer.Leased, answer.Left = true, left
			s.given = max(s.given, proof+t.length+slack(t.length))
			s.heard, s.until = now, max(s.until, s.given)
		}
		t.advance()
		s.told = t.watermark
	}
	answer.Watermark = t.watermark
	if r.Carried != 0 {
		s.keep(answer, r.Carried, told, now)
	}
	return answer
}

// endFormer shortens the time for which nodes count as leased by former terms, once
// enough voters have said for how long they have not heard from those leaders.
func (t *Table) endFormer(node wire.NodeID, quiet, now int64) {
	until, ok := t.former.learn(node, quiet, now)
	if !ok {
		return
	}
	for _, s := range t.nodes {
		s.until = min(s.until, max(until, s.given))
	}
}
