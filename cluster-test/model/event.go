package model

import "time"

// Kind is what happened.
type Kind string

// Kinds of events, with the fields that they have besides At and Node.
const (
	Started  Kind = "started"   // Entries: the log on the disk; Term, Voted
	Opened   Kind = "opened"    // Index: the state has applied all up to it
	Stopped  Kind = "stopped"   // nothing
	PutBack  Kind = "put back"  // the disk is an older copy; the node does not run
	Termed   Kind = "in term"   // Term
	VotedFor Kind = "voted"     // Term, For
	Stored   Kind = "stored"    // Entries
	Deleted  Kind = "deleted"   // Index to Last
	Applied  Kind = "applied"   // Index, Entries: the one; Made, Ended
	Leased   Kind = "leased"    // Term, Until
	Shown    Kind = "shown"     // Term, Time, Counted
	Accepted Kind = "accepted"  // Task: a client was told its number
	Seen     Kind = "succeeded" // Task: a client was told so
	Answered Kind = "answered"  // Since: a client was, as of now
)

// Event is what happened to a node, or what a client was told.
type Event struct {
	At      time.Duration // by the clock of the cluster
	Kind    Kind
	Node    string // its id
	Term    uint64
	Index   uint64 // of the log, from 1 on
	Last    uint64
	Entries []Logged
	Voted   uint64        // the term of the newest vote
	For     string        // who got it
	Until   time.Duration // when the lease ends
	Time    int64         // log time
	Counted []string      // nodes that the leader counts as leased, other than itself
	Task    uint32
	Made    *uint32  // the task that the entry made
	Ended   []uint32 // those that it ended as succeeded
	Since   time.Duration
}

// Logged is an entry of the log of a node.
type Logged struct {
	Index, Term uint64
	ID          uint64 // a hash of what it says
	Silent      bool
	Time        int64    // of the leader that made it
	Voters      []string // if it is a configuration
	Votes       int      // if it says how many the cluster keeps
}

func (e *Logged) entry() Entry { return Entry{e.Term, e.ID, e.Silent} }
