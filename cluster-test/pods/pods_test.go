package pods

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	clustertest "shoal/cluster-test"
	"shoal/cluster-test/rig"
)

// What make pods gives.
var (
	pods = flag.Bool("pods", false, "the whole story, not the rolling restart alone")
	long = flag.Bool("long", false, "times as in the manifest, everything twice, and clients that go on between the parts")
)

func TestMain(m *testing.M) { os.Exit(rig.Main(m)) }

// story is the cluster, its service and its clients.
type story struct {
	*set
	service *balancer
	clients *load
	settle  time.Duration
}

// TestPodsAreRestartedMovedLostAndScaledUnderLoad: no search fails and no acknowledged
// write is lost while a StatefulSet does what one does.
func TestPodsAreRestartedMovedLostAndScaledUnderLoad(t *testing.T) {
	delay, every, settle, rounds := time.Second, 200*time.Millisecond, time.Duration(0), 1
	if *long {
		delay, every, settle, rounds = 5*time.Second, 2*time.Second, 20*time.Second, 2
	}
	s := &story{set: newSet(t, 3, delay), settle: settle}
	for _, n := range s.cluster.Nodes {
		if err := n.Start(s.cluster); err != nil {
			t.Fatal(err)
		}
	}
	for _, n := range s.cluster.Nodes {
		s.ready(n)
	}
	s.service = balance(t, s.cluster.Nodes, every)
	eventually(t, 10*time.Second, "the service", func() bool { return s.service.serves(s.cluster.Nodes[0]) })
	s.clients = clients(t, s.service.URL)
	s.clients.found()
	s.whole(3)
	s.clients.start()
	for range rounds {
		s.part("a rolling restart, every pod at another address", s.roll)
		if !*pods {
			break
		}
		s.part("a lost volume", s.lost)
		s.part("five pods", s.grow)
		s.part("three pods", s.shrink)
	}
	s.clients.stop()
	s.clients.check(s.cluster.Nodes)
}

// part runs a part of the story.
func (s *story) part(what string, do func()) {
	s.t.Helper()
	begun := time.Now()
	do()
	select {
	case <-s.t.Context().Done():
	case <-time.After(s.settle):
	}
	s.clients.tell(what, time.Since(begun))
	if s.t.Failed() {
		s.t.FailNow()
	}
}

// tell logs what happens now.
func (s *story) tell(what string, args ...any) {
	s.t.Helper()
	s.t.Logf("%s  %s", time.Now().UTC().Format(clock), fmt.Sprintf(what, args...))
}

// roll restarts the pods as a rollout does, the last one first, each as soon as the
// one before is ready. It waits for nothing else.
func (s *story) roll() {
	s.t.Helper()
	for i := len(s.cluster.Nodes) - 1; i >= 0; i-- {
		n := s.cluster.Nodes[i]
		s.tell("%s is asked to end", n.Name)
		s.end(n)
		s.move(n)
		s.tell("%s has ended and starts at %s", n.Name, s.host[n])
		s.run(n)
		s.tell("%s is ready", n.Name)
	}
	s.whole(3)
}

// lost restarts a pod with an empty volume: first one, then the one that leads.
func (s *story) lost() {
	s.t.Helper()
	for _, n := range []*clustertest.Node{s.cluster.Nodes[1], s.leader()} {
		s.end(n)
		s.lose(n)
		s.move(n)
		s.run(n)
		s.whole(3)
	}
}

// grow adds two pods at once.
func (s *story) grow() {
	s.t.Helper()
	added := []*clustertest.Node{s.add(), s.add()}
	s.publish()
	for _, n := range added {
		if err := n.Start(s.cluster); err != nil {
			s.t.Fatal(err)
		}
	}
	for _, n := range added {
		s.ready(n)
		s.service.with(n)
	}
	s.whole(5)
	for _, n := range added {
		eventually(s.t, 10*time.Second, n.Name+" to get requests", func() bool { return s.service.serves(n) })
	}
}

// shrink takes the last two pods out as docs/deploying.md says.
func (s *story) shrink() {
	s.t.Helper()
	for range 2 {
		n := s.cluster.Nodes[len(s.cluster.Nodes)-1]
		s.shoal("decommission", n.Name)
		s.end(n)
		s.service.without(n)
		s.drop(n)
		s.shoal("remove", n.Name)
	}
	s.whole(3)
}

// shoal runs a command against the first pod.
func (s *story) shoal(args ...string) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.cluster.Binary, append(args, "--url=http://"+s.cluster.Nodes[0].HTTP, "--api-key="+masterKey)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		s.t.Fatalf("shoal %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// end stops a pod: the service learns that it goes while it still serves, and it hands
// over the lead before it is gone.
func (s *story) end(n *clustertest.Node) {
	s.t.Helper()
	led := s.status().Leader == n.Name
	stopped := make(chan struct{})
	go func() { n.Stop(); close(stopped) }()
	for s.service.serves(n) {
		select {
		case <-stopped:
			s.t.Fatalf("%s was gone before the service knew", n.Name)
		case <-time.After(5 * time.Millisecond):
		}
	}
	<-stopped
	if !led {
		return
	}
	for _, o := range s.cluster.Nodes {
		if o == n {
			continue
		}
		// Long before an election could have been begun for want of a leader.
		if st, err := o.Status(s.t.Context()); err != nil || st.Leader == "" || st.Leader == n.Name {
			s.t.Errorf("%s led and has ended; %s knows of no other leader: %+v %v", n.Name, o.Name, st, err)
		}
	}
}

// status is what a pod that runs says of the cluster.
func (s *story) status() *clustertest.Status {
	s.t.Helper()
	var got *clustertest.Status
	eventually(s.t, 20*time.Second, "a leader", func() bool {
		ctx, cancel := context.WithTimeout(s.t.Context(), 2*time.Second)
		defer cancel()
		st, err := s.clients.front.Status(ctx)
		got = st
		return err == nil && st.Leader != ""
	})
	return got
}

func (s *story) leader() *clustertest.Node {
	s.t.Helper()
	name := s.status().Leader
	for _, n := range s.cluster.Nodes {
		if n.Name == name {
			return n
		}
	}
	s.t.Fatalf("%s leads, which is no pod", name)
	return nil
}

// whole waits until the cluster has so many members, votes and all copies.
func (s *story) whole(members int) {
	s.t.Helper()
	var last *clustertest.Status
	eventually(s.t, time.Minute, fmt.Sprintf("%d members with a vote and all copies", members), func() bool {
		last = s.status()
		return last.Healthy && len(last.Nodes) == members && last.Voters() == members
	})
}
