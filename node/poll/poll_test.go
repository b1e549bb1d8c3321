package poll

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"shoal/api/apierr"
	"shoal/consensus"
	"shoal/node/machine"
	"shoal/node/peer"
	"shoal/wire"
)

const (
	self    = wire.NodeID("node-b")
	greeted = "test.greet"
)

type greeting struct {
	Text string `msgpack:"t"`
}

// greet answers with the name of who answers.
func greet(id wire.NodeID) func(context.Context, *greeting) (*greeting, error) {
	return func(_ context.Context, g *greeting) (*greeting, error) {
		return &greeting{string(id) + " hears " + g.Text}, nil
	}
}

// silent answers nothing before the time of its caller is over.
func silent(ctx context.Context, _ *greeting) (*greeting, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// cluster is a cluster as the node self sees it, which is its only voter.
type cluster struct {
	*Members
	t       *testing.T
	secret  *peer.Secret
	servers map[wire.NodeID]string // addresses of the members that run
}

// newCluster opens a cluster whose voters are self and those that are away.
func newCluster(t *testing.T, away ...wire.NodeID) *cluster {
	t.Helper()
	secret, err := peer.NewSecret(peer.RandomSecret())
	if err != nil {
		t.Fatal(err)
	}
	c := &cluster{t: t, secret: secret, servers: map[wire.NodeID]string{}}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	group, err := consensus.Open(consensus.Config{
		Dir: t.TempDir(), NodeID: self, Bootstrap: append(away, self), Logger: slog.New(slog.DiscardHandler), Listener: listener,
		Dial: func(wire.NodeID, time.Duration) (net.Conn, error) { return nil, errors.New("there is no other voter") },
	})
	if err != nil {
		t.Fatal(err)
	}
	link := peer.NewLink(machine.System{}, c.identity(self), func(id wire.NodeID) (string, bool) { addr, ok := c.servers[id]; return addr, ok })
	t.Cleanup(func() {
		if err := errors.Join(link.Close(), group.Close()); err != nil {
			t.Error(err)
		}
	})
	c.Members = &Members{Self: self, Group: group, Link: link}
	if len(away) > 0 {
		return c
	}
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) {
		if _, leads := group.Leading(); leads {
			break
		}
		if time.Now().After(end) {
			t.Fatal("no leader within 20 s")
		}
	}
	c.admit(self, "b")
	return c
}

func (c *cluster) identity(id wire.NodeID) *peer.Identity {
	c.t.Helper()
	who, err := c.secret.Identify(id)
	if err != nil {
		c.t.Fatal(err)
	}
	return who
}

// admit puts a member into the catalogue.
func (c *cluster) admit(id wire.NodeID, name string) {
	c.t.Helper()
	n := &wire.Node{ID: id, Name: name, PeerAddr: "at-" + string(id)}
	if _, err := c.Group.Propose(c.t.Context(), &wire.Command{Update: &wire.Update{Changes: []wire.Change{{PutNode: n}}}}); err != nil {
		c.t.Fatal(err)
	}
}

// start admits a member and runs it. answer may be nil: it does not know the question.
func (c *cluster) start(id wire.NodeID, name string, answer func(context.Context, *greeting) (*greeting, error)) {
	c.t.Helper()
	c.admit(id, name)
	log := slog.New(slog.DiscardHandler)
	ln, err := peer.Listen(machine.System{}, "127.0.0.1:0", c.identity(id), log)
	if err != nil {
		c.t.Fatal(err)
	}
	s := peer.NewServer(log)
	if answer != nil {
		peer.Handle(s, greeted, answer)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(ln.RPC()) }()
	c.t.Cleanup(func() {
		s.Close()
		if err := errors.Join(ln.Close(), <-served); err != nil {
			c.t.Error(err)
		}
	})
	c.servers[id] = ln.Addr().String()
}

// question is the question of self, which has its own answer.
func (c *cluster) question(answer func(context.Context, *greeting) (*greeting, error)) Question[greeting, greeting] {
	return NewQuestion(c.Members, peer.NewServer(slog.New(slog.DiscardHandler)), greeted, answer)
}

func TestAMemberIsFoundByItsIDOrByANameOfItsOwn(t *testing.T) {
	c := newCluster(t)
	c.admit("node-a", "a")
	c.admit("node-c", "twin")
	c.admit("node-d", "twin")
	c.admit("node-e", "node-a") // the name is the id of another member
	for name, want := range map[string]wire.NodeID{"node-a": "node-a", "a": "node-a", "b": self, "node-d": "node-d", "node-e": "node-e"} {
		if d, err := c.Members.Named(name); err != nil || d.ID != want {
			t.Errorf("%s: %v, %v, want %s", name, d, err, want)
		}
	}
	for name, want := range map[string]string{
		"nobody": "Node `nobody` is not a member of the cluster.",
		"twin":   "2 nodes have the name `twin`: give the id of one of them: node-c (at-node-c), node-d (at-node-d).",
	} {
		var refused *apierr.Error
		if _, err := c.Members.Named(name); !errors.As(err, &refused) || refused.Code != apierr.CodeBadRequest || refused.Message != want {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
}

// Nothing resolves the address of self here, so a call would fail.
func TestANodeAnswersItsOwnQuestionsWithoutACall(t *testing.T) {
	c := newCluster(t)
	var bounded bool
	q := c.question(func(ctx context.Context, g *greeting) (*greeting, error) {
		_, bounded = ctx.Deadline()
		return greet(self)(ctx, g)
	})
	for how, ask := range map[string]func() (*greeting, error){
		"by its id":          func() (*greeting, error) { return q.Node(t.Context(), self, &greeting{"x"}) },
		"by no name":         func() (*greeting, error) { return q.Named(t.Context(), "", time.Millisecond, &greeting{"x"}) },
		"by its name":        func() (*greeting, error) { return q.Named(t.Context(), "b", time.Millisecond, &greeting{"x"}) },
		"without time limit": func() (*greeting, error) { return q.Named(t.Context(), "b", 0, &greeting{"x"}) },
	} {
		if a, err := ask(); err != nil || a.Text != "node-b hears x" || bounded {
			t.Errorf("%s: %v, %v, with a time limit: %v", how, a, err, bounded)
		}
	}
}

func TestAnotherMemberAnswersByItsOwnProgram(t *testing.T) {
	c := newCluster(t)
	c.start("node-a", "a", greet("node-a"))
	c.start("node-c", "c", func(context.Context, *greeting) (*greeting, error) { return nil, wire.ErrBehind })
	q := c.question(greet(self))
	if a, err := q.Node(t.Context(), "node-a", &greeting{"x"}); err != nil || a.Text != "node-a hears x" {
		t.Errorf("by its id: %v, %v", a, err)
	}
	if a, err := q.Named(t.Context(), "a", time.Minute, &greeting{"x"}); err != nil || a.Text != "node-a hears x" {
		t.Errorf("by its name: %v, %v", a, err)
	}
	if _, err := q.Named(t.Context(), "c", 0, &greeting{}); !errors.Is(err, wire.ErrBehind) {
		t.Errorf("its condition is %v", err)
	}
	if _, err := q.Named(t.Context(), "nobody", 0, &greeting{}); err == nil {
		t.Error("a node that is no member answers")
	}
}

func TestAnotherMemberHasTheGivenTimeToAnswer(t *testing.T) {
	c := newCluster(t)
	c.start("node-a", "a", silent)
	q := c.question(greet(self))
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	begun := time.Now()
	if _, err := q.Named(ctx, "a", 50*time.Millisecond, &greeting{}); !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
		t.Errorf("50 ms: %v after %s", err, time.Since(begun))
	}
	if _, err := q.Named(ctx, "a", 0, &greeting{}); err == nil || ctx.Err() == nil {
		t.Errorf("as long as its caller waits, a second: %v after %s", err, time.Since(begun))
	}
}

func TestTheLeaderIsAskedAndHasLittleTime(t *testing.T) {
	c := newCluster(t)
	var left time.Duration
	q := c.question(func(ctx context.Context, g *greeting) (*greeting, error) {
		end, _ := ctx.Deadline()
		left = time.Until(end)
		return greet(self)(ctx, g)
	})
	a, err := q.Leader(t.Context(), &greeting{"x"})
	if err != nil || a.Text != "node-b hears x" || left <= 0 || left > LeaderWithin {
		t.Errorf("%v, %v, with %s left", a, err, left)
	}
}

func TestAQuestionToTheLeaderFailsWithoutOne(t *testing.T) {
	q := newCluster(t, "node-a").question(greet(self))
	if _, err := q.Leader(t.Context(), &greeting{}); !errors.Is(err, wire.ErrNoLeader) {
		t.Errorf("%v", err)
	}
}

func TestEachNodeHasItsPlaceAmongTheAnswers(t *testing.T) {
	c := newCluster(t)
	c.start("node-e", "e", greet("node-e"))
	c.start("node-d", "silent", silent)
	c.start("node-c", "old", nil) // does not know the question
	c.admit("node-a", "stopped")
	q := c.question(greet(self))
	var nodes []*wire.Node
	for _, id := range []wire.NodeID{"node-e", "node-d", "node-c", "node-a", self} {
		nodes = append(nodes, &wire.Node{ID: id})
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	var got []string
	for _, a := range q.Each(ctx, 200*time.Millisecond, nodes, &greeting{"x"}) {
		if a == nil {
			a = &greeting{"-"}
		}
		got = append(got, a.Text)
	}
	if want := []string{"node-e hears x", "-", "-", "-", "node-b hears x"}; !slices.Equal(got, want) || ctx.Err() != nil {
		t.Errorf("%q, want %q (%v)", got, want, ctx.Err())
	}
}

// Each answer waits for the questions to all nodes.
func TestNodesAreAskedAtTheSameTime(t *testing.T) {
	c := newCluster(t)
	var asked atomic.Int32
	all := make(chan struct{})
	meeting := func(id wire.NodeID) func(context.Context, *greeting) (*greeting, error) {
		return func(ctx context.Context, g *greeting) (*greeting, error) {
			if asked.Add(1) == 3 {
				close(all)
			}
			select {
			case <-all:
				return greet(id)(ctx, g)
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
	}
	c.start("node-a", "a", meeting("node-a"))
	c.start("node-c", "c", meeting("node-c"))
	q := c.question(meeting(self))
	for i, a := range q.Each(t.Context(), 10*time.Second, c.Nodes(), &greeting{}) {
		if a == nil {
			t.Errorf("node %d did not answer", i)
		}
	}
}

func TestAllMembersThatAnswerAreListedByTheirIDs(t *testing.T) {
	c := newCluster(t)
	c.start("node-c", "c", greet("node-c"))
	c.start("node-a", "a", greet("node-a"))
	c.admit("node-d", "stopped")
	q := c.question(greet(self))
	var got []string
	for _, a := range q.All(t.Context(), &greeting{"x"}) {
		if !strings.HasPrefix(a.Answer.Text, string(a.Node.ID)) {
			t.Errorf("%s says %q", a.Node.ID, a.Answer.Text)
		}
		got = append(got, a.Node.Name)
	}
	if want := []string{"a", "b", "c"}; !slices.Equal(got, want) {
		t.Errorf("%q answered, want %q", got, want)
	}
}

func TestMembersHaveASecondToAnswerAll(t *testing.T) {
	c := newCluster(t)
	c.start("node-a", "silent", silent)
	begun := time.Now()
	if all := c.question(greet(self)).All(t.Context(), &greeting{}); len(all) != 1 || time.Since(begun) < Within || time.Since(begun) > Within+5*time.Second {
		t.Errorf("%d answers after %s", len(all), time.Since(begun))
	}
}
