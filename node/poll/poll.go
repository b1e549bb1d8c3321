package poll

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"shoal/api/apierr"
	"shoal/consensus"
	"shoal/node/peer"
	"shoal/wire"
)

const (
	// Within bounds the answers of all members about their activity.
	Within = time.Second
	// LeaderWithin bounds questions to the leader for display only: an answer without the
	// leader is better than a late one.
	LeaderWithin = 300 * time.Millisecond
)

// Members are the members of a cluster, as one of them sees them. Safe for concurrent use.
type Members struct {
	Self  wire.NodeID // this node
	Group *consensus.Group
	Link  *peer.Link
}

// Nodes are the members in the catalogue.
func (m *Members) Nodes() []*wire.Node { return m.Group.Catalog().Nodes() }

// Named finds a member by its id, or by its name if only one has it.
func (m *Members) Named(name string) (*wire.Node, error) {
	var found []*wire.Node
	for _, d := range m.Nodes() {
		switch {
		case string(d.ID) == name:
			return d, nil
		case d.Name == name:
			found = append(found, d)
		}
	}
	switch len(found) {
	case 0:
		return nil, apierr.New(apierr.CodeBadRequest, "Node `"+name+"` is not a member of the cluster.")
	case 1:
		return found[0], nil
	}
	var ids []string
	for _, d := range found {
		ids = append(ids, string(d.ID)+" ("+d.PeerAddr+")")
	}
	return nil, apierr.New(apierr.CodeBadRequest, fmt.Sprintf("%d nodes have the name `%s`: give the id of one of them: %s.", len(found), name, strings.Join(ids, ", ")))
}

// Question is a call that every member answers in the same way. Safe for concurrent use.
type Question[Q, A any] struct {
	members *Members
	method  string
	answer  func(context.Context, *Q) (*A, error)
}

// NewQuestion makes this node answer a method, and returns the question that other members
// answer by it.
func NewQuestion[Q, A any](m *Members, s *peer.Server, method string, answer func(context.Context, *Q) (*A, error)) Question[Q, A] {
	peer.Handle(s, method, answer)
	return Question[Q, A]{m, method, answer}
}

// Node asks one member.
func (q Question[Q, A]) Node(ctx context.Context, id wire.NodeID, question *Q) (*A, error) {
	if id == q.members.Self {
		return q.answer(ctx, question)
	}
	return peer.Call[Q, A](ctx, q.members.Link, id, q.method, question)
}

// Named asks the member with a name, "" for this node. Another node may take that long to
// answer, 0 means as long as ctx lasts.
func (q Question[Q, A]) Named(ctx context.Context, name string, within time.Duration, question *Q) (*A, error) {
	id := q.members.Self
	if name != "" {
		d, err := q.members.Named(name)
		if err != nil {
			return nil, err
		}
		id = d.ID
	}
	if id != q.members.Self && within > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, within)
		defer cancel()
	}
	return q.Node(ctx, id, question)
}

// Leader asks the leader. It returns wire.ErrNoLeader if no leader is known.
func (q Question[Q, A]) Leader(ctx context.Context, question *Q) (*A, error) {
	leader, ok := q.members.Group.Leader()
	if !ok {
		return nil, wire.ErrNoLeader
	}
	ctx, cancel := context.WithTimeout(ctx, LeaderWithin)
	defer cancel()
	return q.Node(ctx, leader, question)
}

// Each asks nodes at the same time. It returns an answer for each of them, nil for a node
// that does not answer in time or runs a program that does not know the question.
func (q Question[Q, A]) Each(ctx context.Context, within time.Duration, nodes []*wire.Node, question *Q) []*A {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	found := make([]*A, len(nodes))
	var asking sync.WaitGroup
	for i, d := range nodes {
		asking.Go(func() {
			if a, err := q.Node(ctx, d.ID, question); err == nil {
				found[i] = a
			}
		})
	}
	asking.Wait()
	return found
}

// Answered is the answer of a member.
type Answered[A any] struct {
	Node   *wire.Node
	Answer *A
}

// All asks all members within Within. It lists those that answered, by their ids.
func (q Question[Q, A]) All(ctx context.Context, question *Q) []Answered[A] {
	nodes := q.members.Nodes()
	var found []Answered[A]
	for i, a := range q.Each(ctx, Within, nodes, question) {
		if a != nil {
			found = append(found, Answered[A]{nodes[i], a})
		}
	}
	slices.SortFunc(found, func(a, b Answered[A]) int { return cmp.Compare(a.Node.ID, b.Node.ID) })
	return found
}
