package raftlog

import "testing"

// TestAVoteThatWasCutShortIsForNobody: raft writes the term of a vote, then for whom. A
// process that ended between the two found a vote for the candidate before in the new term;
// raft repeats a vote without looking at the log of who asks for it.
func TestAVoteThatWasCutShortIsForNobody(t *testing.T) {
	dir := t.TempDir()
	open := func() *Store {
		t.Helper()
		s, err := Open(Options{Dir: dir, OnFatal: func(err error) { t.Error(err) }})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	write := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	s := open()
	write(s.Stable.SetUint64([]byte(keyVoteTerm), 3))
	write(s.Stable.Set([]byte(keyVoteFor), []byte("a")))
	write(s.Stable.SetUint64([]byte(keyVoteTerm), 5))
	write(s.Close())
	s = open()
	defer func() { write(s.Close()) }()
	if term, err := s.Stable.GetUint64([]byte(keyVoteTerm)); err != nil || term != 5 {
		t.Errorf("the vote is of term %d, %v", term, err)
	}
	if who, err := s.Stable.Get([]byte(keyVoteFor)); err != nil || who != nil {
		t.Errorf("the vote of term 5 is for %q, %v: it was given in term 3", who, err)
	}
}
