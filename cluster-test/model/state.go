package model

// Entry is what one place of a log holds. Two entries of one place and term are equal.
type Entry struct {
	Term, ID uint64
	// Silent entries change nothing that clients see: they are applied with the next one
	// that is not.
	Silent bool
}

// Node is one node. Its fields are those of cluster.pml.
type Node struct {
	Log  []Entry // on its disk
	Did  []Entry // applied
	Term uint64
	// Voted is its vote in the newest term in which it gave one.
	Voted Ballot
	// Up: it runs. Ended: it has met another history, or did not start. Follows: it has heard
	// from the leader of the newest term.
	Up, Ended, Follows bool
	// Lease: it may answer. Counted: the leader counts it as leased.
	Lease, Counted bool
	Granted        uint64 // the term of the leader that gave the lease
	Known          int    // entries that others have heard it has applied
	Resigned       uint64 // the term that it does not lead any more
	// Had is the most that it has applied: a start may take it back to what was on its disk,
	// which ends its lease, and the leader goes by what it was told before.
	Had int
	// Configs are the places of its log that hold a configuration.
	Configs []int
}

// Ballot is a vote.
type Ballot struct {
	Term uint64
	For  int
}

// Office is who was elected in a term, -1 for nobody, and how many entries its log had, all
// of older terms, the silent ones at the end left out.
type Office struct{ Leader, Floor int }

// State is a cluster. Entries are counted from 0, so a number of entries is the place of
// the next one.
type State struct {
	Nodes   []Node
	Votes   []bool // who votes while a log holds no configuration
	Offices []Office
	Newest  uint64  // the newest term that has had a leader
	Shown   int     // entries that some node called succeeded
	Ack     []Entry // what was committed, and so acknowledged
	Pledged int     // how many votes the cluster keeps
	Forgot  bool    // a voter has forgotten
	Blind   bool    // when it did, nobody served who knew better
	Drained bool
	Batch   uint64 // the batch that is appended next
	// Polls are the votes given by term, until it has a leader; Voters who votes by
	// configuration. Replays fill them.
	Polls  map[uint64][]int
	Voters map[Entry][]int
	Faults Faults
}

// Faults are those that can be planted, named as in cluster.pml.
type Faults struct{ OneVote, NoGuard, NoRecall, ShowEarly, LeaseForgot, OldTerm bool }

// Guard is why a step cannot be taken.
type Guard string

func (g Guard) Error() string { return string(g) }

// Broken is what must hold and does not.
type Broken string

func (b Broken) Error() string { return string(b) }

func majority(votes int) int { return votes/2 + 1 }

func (s *State) serves(n int) bool { return s.Nodes[n].Up && !s.Nodes[n].Ended }

// office is who leads a term.
func (s *State) office(term uint64) Office {
	if term < uint64(len(s.Offices)) {
		return s.Offices[term]
	}
	return Office{Leader: -1}
}

// leads tells whether a node leads its term and can act on it.
func (s *State) leads(n int) bool {
	m := &s.Nodes[n]
	return s.serves(n) && s.office(m.Term).Leader == n && m.Resigned != m.Term
}

// tally counts the votes of nodes that a configuration in the log of n makes voters, and
// what is a majority: at is the place of the configuration, -1 for none.
func (s *State) tally(n, at int, yes func(int) bool) (votes, need int) {
	if at < 0 {
		all := 0
		for v, may := range s.Votes {
			if may {
				all++
				if yes(v) {
					votes++
				}
			}
		}
		return votes, majority(all)
	}
	voters := s.Voters[s.Nodes[n].Log[at]]
	for _, v := range voters {
		if yes(v) {
			votes++
		}
	}
	return votes, majority(len(voters))
}

// config is the place of the newest configuration in the log of n, -1 for none.
func (s *State) config(n int) int {
	if c := s.Nodes[n].Configs; len(c) > 0 {
		return c[len(c)-1]
	}
	return -1
}

// newer tells whether a log is newer than another one: its last entry is of a later term,
// or it is longer in the same.
func newer(log, other []Entry) bool {
	a, b := lastTerm(log), lastTerm(other)
	return a > b || a == b && len(log) > len(other)
}

func lastTerm(log []Entry) uint64 {
	if len(log) == 0 {
		return 0
	}
	return log[len(log)-1].Term
}

func (m *Node) holds(i int, e Entry) bool { return i < len(m.Log) && m.Log[i] == e }

// reaches tells whether a node has applied so many entries, those aside that are silent.
func (m *Node) reaches(entries int) bool {
	for i := len(m.Did); i < entries; i++ {
		if i >= len(m.Log) || !m.Log[i].Silent {
			return false
		}
	}
	return true
}

// Check is what must hold in every state; applied entries before from are known to agree.
func (s *State) Check(from int) error {
	for n := range s.Nodes {
		a := &s.Nodes[n]
		if a.Lease && s.serves(n) && len(a.Did) < s.Shown {
			return Broken("a node that may answer has not applied what was shown")
		}
		if !s.serves(n) || !a.Follows {
			continue
		}
		for j := range n {
			b := &s.Nodes[j]
			if !s.serves(j) || !b.Follows {
				continue
			}
			for i := from; i < min(len(a.Did), len(b.Did)); i++ {
				if a.Did[i] != b.Did[i] {
					return Broken("nodes that serve have applied different entries")
				}
			}
		}
	}
	return nil
}
