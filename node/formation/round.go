package formation

import (
	"fmt"
	"slices"
	"strings"
)

// Word is what a node says of itself.
type Word struct {
	Self Member `msgpack:"s"`
	// List are the names of --init-members, in order.
	List []string `msgpack:"l"`
	// Promised is the set that it last promised to begin with. Begun: it has begun.
	Promised Members `msgpack:"p"`
	Begun    bool    `msgpack:"b"`
	// Cluster is the id of its cluster, "" while it knows none.
	Cluster string `msgpack:"c"`
	// Used: its folder is not new. Without Begun and Cluster, it waits to be admitted by a
	// cluster that it was told to join.
	Used bool `msgpack:"u"`
	// The asking node sends a Challenge. The answer holds a Proof of the master key for it.
	// OtherKey is the asker's finding.
	Challenge []byte `msgpack:"ch"`
	Proof     []byte `msgpack:"pr"`
	OtherKey  bool   `msgpack:"-"`
	// Gossip is its gossip address, for nodes that join.
	Gossip string `msgpack:"g"`
}

// Round is one round of questions by a new node. Every answer in it must have been
// requested after the node made its last promise.
type Round struct {
	// Mine describes the node itself.
	Mine Word
	// Listed are the answers of the other listed members, by their name in the list.
	// Members that did not answer are missing.
	Listed map[string]Word
	// Others are the answers of unlisted nodes.
	Others []Word
}

// Kind says what a node does next.
type Kind uint8

const (
	// Wait for the members in Step.Missing, or only for the next round.
	Wait Kind = iota
	// Promise to begin with Step.Members, durably, and ask again.
	Promise
	// Begin the cluster of Step.Members.
	Begin
	// Join the cluster of Step.Via.
	Join
)

// Step is what a node does after a round.
type Step struct {
	Kind    Kind
	Members Members
	Via     Word
	// Missing says for each listed member why it cannot begin yet.
	Missing []Reason
}

// Reason is why a listed member cannot begin a cluster with this node.
type Reason struct {
	Name string
	// Why is empty for a member that did not answer.
	Why string
	// OtherKey: its master key is not this node's.
	OtherKey bool
}

// Next decides. A node begins a cluster only after every listed member has promised the
// same set of folders. So two different sets can never both begin, whatever disks are lost
// in between, unless most of them are.
func (r *Round) Next() Step {
	if via, ok := r.member(func(w *Word) bool { return w.Begun && w.Promised.Has(r.Mine.Self) }); ok {
		return Step{Kind: Begin, Members: via.Promised}
	}
	// A cluster has an id once most of its first members have met.
	if via, ok := r.member(func(w *Word) bool { return w.Cluster != "" }); ok {
		return Step{Kind: Join, Via: via}
	}
	set, missing := r.fresh()
	switch {
	case len(missing) > 0:
		return Step{Missing: missing}
	case !set.Equal(r.Mine.Promised):
		return Step{Kind: Promise, Members: set}
	}
	for _, w := range r.Listed {
		if !set.Equal(w.Promised) {
			return Step{} // it answered before it had heard of every member
		}
	}
	return Step{Kind: Begin, Members: set}
}

// member finds an answer from a node with the same master key: first among the listed
// members, in the order of the list.
func (r *Round) member(ok func(*Word) bool) (Word, bool) {
	for _, name := range r.Mine.List {
		if w, heard := r.Listed[name]; heard && !w.OtherKey && ok(&w) {
			return w, true
		}
	}
	for i := range r.Others {
		if !r.Others[i].OtherKey && ok(&r.Others[i]) {
			return r.Others[i], true
		}
	}
	return Word{}, false
}

// fresh is the set of all listed members, if all are present and new.
func (r *Round) fresh() (Members, []Reason) {
	var missing []Reason
	all := []Member{r.Mine.Self}
	for _, name := range r.Mine.List {
		if name == r.Mine.Self.Name {
			continue
		}
		w, heard := r.Listed[name]
		if !heard {
			missing = append(missing, Reason{Name: name})
		} else if why := r.unfit(name, &w); why != "" {
			missing = append(missing, Reason{name, why, w.OtherKey})
		}
		all = append(all, w.Self)
	}
	return newMembers(all...), missing
}

// unfit says why a member that answered cannot begin a cluster with this node.
func (r *Round) unfit(name string, w *Word) string {
	switch {
	case w.Self.Name != name:
		return fmt.Sprintf("%q answers at its address: correct --init-members", w.Self.Name)
	case w.Self.ID == r.Mine.Self.ID:
		return "its data folder is a copy of this node's: empty one of the two"
	case w.OtherKey:
		return "its --master-key differs"
	case len(w.List) == 0:
		return "it was started without --init-members"
	case !slices.Equal(w.List, r.Mine.List):
		return fmt.Sprintf("its --init-members differs: it lists %s, this node %s", strings.Join(w.List, ", "), strings.Join(r.Mine.List, ", "))
	case w.Begun:
		return "it has begun a cluster with an earlier folder of another member: start the others it has, then this node is let in"
	case w.Used:
		return "its data folder is not new, but waits to be let into a cluster: empty it to begin one"
	}
	return ""
}
