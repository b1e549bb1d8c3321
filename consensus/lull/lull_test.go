package lull

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/raft"

	"shoal/consensus/raftlog"
)

// scribe is a leader's log and its followers' answers, for one lull.
type scribe struct {
	lull    *Lull
	last    atomic.Uint64
	busy    atomic.Bool
	term    atomic.Uint64
	fails   atomic.Bool
	refuses atomic.Bool
}

func (s *scribe) Rests(index uint64) bool { return !s.busy.Load() && s.last.Load() == index }

const testHeartbeat = 500 * time.Millisecond

func newScribe() *scribe {
	s := &scribe{}
	s.last.Store(9)
	s.term.Store(3)
	s.lull = New(testHeartbeat, s)
	s.lull.Begin(func(term uint64) bool { return term == s.term.Load() })
	return s
}

// failed is a proof of leadership that has ended.
type failed struct{}

// Error implements raft.Future.
func (failed) Error() error { return nil }

var errTestLink = errors.New("the link is broken")

// say sends a message and returns how long it was held.
func (s *scribe) say(m *raft.AppendEntriesRequest) (kept time.Duration, err error) {
	begun := time.Now()
	var answer raft.AppendEntriesResponse
	err = s.lull.Send("b", m, &answer, func() error {
		kept = time.Since(begun)
		answer.Success = !s.refuses.Load()
		if s.fails.Load() {
			return errTestLink
		}
		return nil
	})
	return kept, err
}

func repeated(term, index uint64) *raft.AppendEntriesRequest {
	return &raft.AppendEntriesRequest{Term: term, PrevLogEntry: index, PrevLogTerm: term, LeaderCommitIndex: index}
}

func TestOnlyRepeatedMessagesAreHeld(t *testing.T) {
	entry := repeated(3, 9)
	entry.Entries = []*raft.Log{{Index: 10}}
	for name, c := range map[string]struct {
		before func(s *scribe)
		m      *raft.AppendEntriesRequest
		kept   time.Duration
	}{
		"said before":                 {nil, repeated(3, 9), 4 * testHeartbeat},
		"a heartbeat after a message": {nil, &raft.AppendEntriesRequest{Term: 3}, testHeartbeat / 5},
		"a heartbeat after a while": {func(*scribe) { time.Sleep(testHeartbeat / 5) },
			&raft.AppendEntriesRequest{Term: 3}, 0},
		// All followers get theirs at the same times, at multiples of testHeartbeat / 5.
		"a heartbeat after entries": {func(s *scribe) {
			time.Sleep(30 * time.Millisecond)
			s.lull.note("b", entry, true, time.Now())
			time.Sleep(30 * time.Millisecond)
		}, &raft.AppendEntriesRequest{Term: 3}, 40 * time.Millisecond},
		"a heartbeat after a repeated message": {func(s *scribe) {
			time.Sleep(90 * time.Millisecond)
			s.lull.note("b", repeated(3, 9), true, time.Now())
		}, &raft.AppendEntriesRequest{Term: 3}, 10 * time.Millisecond},
		"an entry":                 {nil, entry, 0},
		"a newer commit":           {func(s *scribe) { s.last.Store(10) }, repeated(3, 10), 0},
		"an entry to come":         {func(s *scribe) { s.last.Store(10) }, repeated(3, 9), 0},
		"while an entry is stored": {func(s *scribe) { s.busy.Store(true) }, repeated(3, 9), 0},
		"not all is committed":     {nil, &raft.AppendEntriesRequest{Term: 3, PrevLogEntry: 9, PrevLogTerm: 3, LeaderCommitIndex: 8}, 0},
		"another term":             {func(s *scribe) { s.term.Store(4) }, repeated(4, 9), 0},
		"a heartbeat of another term": {func(s *scribe) { s.term.Store(4) },
			&raft.AppendEntriesRequest{Term: 4}, 0},
		"after a failure": {func(s *scribe) {
			s.fails.Store(true)
			if _, err := s.say(&raft.AppendEntriesRequest{Term: 3}); !errors.Is(err, errTestLink) {
				t.Errorf("a failure became %v", err)
			}
			s.fails.Store(false)
		}, repeated(3, 9), 0},
		"after a refusal": {func(s *scribe) {
			s.refuses.Store(true)
			if _, err := s.say(&raft.AppendEntriesRequest{Term: 3}); err != nil {
				t.Error(err)
			}
			s.refuses.Store(false)
		}, repeated(3, 9), 0},
		"after a report of what is missing": {func(s *scribe) { s.lull.Lacks("b") }, repeated(3, 9), 0},
		"before the group is open":          {func(s *scribe) { s.lull.Begin(nil) }, repeated(3, 9), 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newScribe()
				for _, first := range []*raft.AppendEntriesRequest{repeated(3, 9), {Term: 3}} {
					s.lull.note("b", first, true, time.Now())
				}
				if c.before != nil {
					c.before(s)
				}
				if kept, err := s.say(c.m); err != nil || kept != c.kept {
					t.Errorf("kept back for %s (%v), want %s", kept, err, c.kept)
				}
			})
		})
	}
}

func TestHeldMessagesAreSentAtOnce(t *testing.T) {
	commit, beat := repeated(3, 9), &raft.AppendEntriesRequest{Term: 3}
	const after = 30 * time.Millisecond
	for name, c := range map[string]struct {
		m       *raft.AppendEntriesRequest
		happens func(s *scribe)
		kept    time.Duration
		err     error
	}{
		"an append begins":           {commit, func(s *scribe) { s.busy.Store(true); s.lull.Appends() }, after, nil},
		"it reports that it lacks":   {commit, func(s *scribe) { s.lull.Lacks("b") }, after, nil},
		"another message fails":      {commit, func(s *scribe) { s.lull.note("b", beat, false, time.Now()) }, after, nil},
		"a message to another fails": {commit, func(s *scribe) { s.lull.note("c", beat, false, time.Now()) }, 4 * testHeartbeat, nil},
		"leadership is to be proved": {beat, func(s *scribe) { s.lull.Proving(func() raft.Future { return failed{} }) }, after, nil},
		"a heartbeat, an append":     {beat, func(s *scribe) { s.lull.Appends() }, testHeartbeat / 5, nil},
		"a commit, a proof":          {commit, func(s *scribe) { s.lull.Proving(func() raft.Future { return failed{} }) }, 4 * testHeartbeat, nil},
		"the term ends":              {commit, func(s *scribe) { s.term.Store(4); s.lull.SteppedDown() }, 0, raftlog.ErrTermOver},
		"the term ends, a heartbeat": {beat, func(s *scribe) { s.term.Store(4); s.lull.SteppedDown() }, 0, raftlog.ErrTermOver},
		"it ends and nobody says so": {commit, func(s *scribe) { s.term.Store(4) }, 0, raftlog.ErrTermOver},
		"the group is closed":        {commit, func(s *scribe) { s.lull.End() }, 0, raftlog.ErrTermOver},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newScribe()
				s.lull.note("b", commit, true, time.Now())
				begun := time.Now()
				var working sync.WaitGroup
				working.Go(func() {
					kept, err := s.say(c.m)
					if !errors.Is(err, c.err) || kept != c.kept {
						t.Errorf("kept back for %s (%v), want %s (%v)", kept, err, c.kept, c.err)
					}
				})
				time.Sleep(after)
				c.happens(s)
				working.Wait()
				if took := time.Since(begun); took > 4*testHeartbeat {
					t.Errorf("it took %s", took)
				}
			})
		})
	}
}

// Each proof counts once, and until its end.
func TestHeartbeatsAreHeldAgainAfterAProof(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScribe()
		s.lull.note("b", repeated(3, 9), true, time.Now())
		one := s.lull.Proving(func() raft.Future { return failed{} })
		other := s.lull.Proving(func() raft.Future { return failed{} })
		for i, want := range []time.Duration{0, 0, testHeartbeat / 5} {
			if kept, err := s.say(&raft.AppendEntriesRequest{Term: 3}); err != nil || kept != want {
				t.Errorf("after %d proofs: kept back for %s (%v), want %s", i, kept, err, want)
			}
			if f := []raft.Future{one, other, failed{}}[i]; f.Error() != nil {
				t.Error("the proof failed")
			}
		}
	})
}
