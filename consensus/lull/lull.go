package lull

import (
	"sync"
	"time"

	"github.com/hashicorp/raft"

	"shoal/consensus/raftlog"
	"shoal/wire/await"
)

// An idle leader sends more than a hundred messages a second to each follower. Raft repeats
// the newest commit after every CommitTimeout, which is short so that followers learn of a
// commit soon, and sends ten heartbeats in a HeartbeatTimeout.
//
// Lull holds such a message back for a while before it is really sent. It sends the message
// immediately if it has become news, or if something waits for its answer. It never answers
// for a follower: all that raft concludes from an answer rests on a message that the
// follower got after raft wrote it (docs/adr/0024).
//
//   - A repeated commit is held back if this follower has acknowledged the same one in this
//     term and the log has nothing above it. It is sent when an append to the log begins,
//     or after repeat.
//   - A heartbeat is held back until the follower has heard nothing for contact, or less:
//     all followers get theirs at the same moments, so that the leader wakes up once for
//     all. It is sent when a proof of leadership is requested.
//   - After a message that failed or was refused, and after a report of a node that lacks
//     something, the next message to that node is not held back.
//   - At the end of the term held messages are dropped. Otherwise followers would keep
//     following a leader that is gone.
type Lull struct {
	log     Tail
	begun   time.Time
	repeat  time.Duration
	contact time.Duration

	news  *await.Signal // for repeated commits
	asked *await.Signal // for everything

	mu    sync.Mutex
	leads func(term uint64) bool // nil means that nothing is held back, not yet or not any more
	proof int                    // proofs of leadership under way
	heard map[raft.ServerID]heard
	// answered is what each follower has acknowledged last, news or not.
	answered map[raft.ServerID]answered
}

// answered is a message that a follower has acknowledged: its term, and when it was sent.
type answered struct {
	term uint64
	sent time.Time
}

// Tail is the end of this node's log.
type Tail interface {
	// Rests tells whether an entry is the last one, and none is being appended.
	Rests(index uint64) bool
}

// heard is a follower's last acknowledgement.
type heard struct {
	term, prev, commit uint64
	at                 time.Time // when a heartbeat or entries were sent
}

// New holds nothing back until Begin. Followers must hear from their leader in each
// heartbeat timeout. log tells whether there is news.
func New(heartbeat time.Duration, log Tail) *Lull {
	return &Lull{
		log: log, begun: time.Now(), repeat: 4 * heartbeat, contact: heartbeat / 5,
		news: await.NewSignal(), asked: await.NewSignal(), heard: map[raft.ServerID]heard{}, answered: map[raft.ServerID]answered{},
	}
}

// Begin allows holding messages back. leads tells whether this node leads in a term.
func (l *Lull) Begin(leads func(term uint64) bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.leads = leads
}

// End drops held messages. From then on nothing is held back.
func (l *Lull) End() {
	l.mu.Lock()
	l.leads = nil
	l.mu.Unlock()
	l.asked.Fire()
}

// Appends is called when an append to the log begins.
func (l *Lull) Appends() { l.news.Fire() }

// SteppedDown is called when this node has ceased to lead.
func (l *Lull) SteppedDown() {
	l.mu.Lock()
	clear(l.heard)
	clear(l.answered)
	l.mu.Unlock()
	l.asked.Fire()
}

// Answered tells whether a follower has acknowledged a message of a term that was sent at a
// moment or later.
func (l *Lull) Answered(by raft.ServerID, term uint64, since time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	a, known := l.answered[by]
	return known && a.term == term && !a.sent.Before(since)
}

// Lacks is called when a node reports that it has not applied everything committed.
func (l *Lull) Lacks(node raft.ServerID) {
	l.mu.Lock()
	_, known := l.heard[node]
	delete(l.heard, node)
	l.mu.Unlock()
	if known {
		l.news.Fire()
	}
}

// Proving starts a proof of leadership. No heartbeat is held back until the future has
// ended.
func (l *Lull) Proving(prove func() raft.Future) raft.Future {
	l.mu.Lock()
	l.proof++
	l.mu.Unlock()
	l.asked.Fire()
	return proving{prove(), l}
}

type proving struct {
	raft.Future
	of *Lull
}

// Error implements raft.Future. It is called once.
func (p proving) Error() error {
	err := p.Future.Error()
	p.of.mu.Lock()
	p.of.proof--
	p.of.mu.Unlock()
	return err
}

// Send sends a message to a follower, now or later.
func (l *Lull) Send(to raft.ServerID, m *raft.AppendEntriesRequest, answer *raft.AppendEntriesResponse, now func() error) error {
	if len(m.Entries) == 0 && !l.wait(to, m) {
		return raftlog.ErrTermOver
	}
	sent := time.Now()
	err := now()
	l.note(to, m, err == nil && answer.Success, sent)
	return err
}

// wait waits until a message is due. It returns false if it never will be, because this
// node no longer leads.
func (l *Lull) wait(to raft.ServerID, m *raft.AppendEntriesRequest) bool {
	begun := time.Now()
	for {
		news, asked := l.news.Next(), l.asked.Next()
		if IsHeartbeat(m) {
			news = nil
		}
		left := time.Until(l.due(to, m, begun))
		if left <= 0 {
			return true
		}
		timer := time.NewTimer(left)
		select {
		case <-timer.C:
		case <-news:
		case <-asked:
		}
		timer.Stop()
		if !l.leadsIn(m.Term) {
			return false
		}
	}
}

// due is when to send a message that raft wrote at a moment.
func (l *Lull) due(to raft.ServerID, m *raft.AppendEntriesRequest, begun time.Time) time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	last, known := l.heard[to]
	switch {
	case l.leads == nil || !known || last.term != m.Term:
	case IsHeartbeat(m):
		if l.proof == 0 {
			return l.moment(last.at)
		}
	case m.PrevLogEntry == m.LeaderCommitIndex && last.prev == m.PrevLogEntry && last.commit == m.LeaderCommitIndex && l.log.Rests(m.PrevLogEntry):
		return begun.Add(l.repeat)
	}
	return begun
}

// moment is the next common moment for heartbeats after a time.
func (l *Lull) moment(after time.Time) time.Time {
	return l.begun.Add(after.Sub(l.begun).Truncate(l.contact) + l.contact)
}

func (l *Lull) leadsIn(term uint64) bool {
	l.mu.Lock()
	leads := l.leads
	l.mu.Unlock()
	return leads != nil && leads(term)
}

// note handles the answer to a message that was sent at a moment. A failure releases held
// messages, because the follower may have lost what it had heard.
func (l *Lull) note(to raft.ServerID, m *raft.AppendEntriesRequest, ok bool, sent time.Time) {
	l.mu.Lock()
	if a := l.answered[to]; ok && (a.term < m.Term || a.term == m.Term && a.sent.Before(sent)) {
		l.answered[to] = answered{m.Term, sent}
	}
	last, known := l.heard[to]
	if last.at.After(sent) {
		sent = last.at
	}
	switch {
	case !ok:
		delete(l.heard, to)
	case !IsHeartbeat(m):
		if len(m.Entries) == 0 && known && last.term == m.Term {
			sent = last.at // heartbeats continue
		}
		l.heard[to] = heard{m.Term, m.PrevLogEntry, m.LeaderCommitIndex, sent}
	case known && last.term == m.Term:
		last.at = sent
		l.heard[to] = last
	}
	l.mu.Unlock()
	if !ok && known {
		l.news.Fire()
	}
}

// IsHeartbeat tells whether a message only says who leads. raft's transport recognises it
// in the same way on arrival.
func IsHeartbeat(m *raft.AppendEntriesRequest) bool {
	return len(m.Entries) == 0 && m.PrevLogEntry == 0 && m.PrevLogTerm == 0 && m.LeaderCommitIndex == 0
}
