package chaos

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	clustertest "shoal/cluster-test"
	"shoal/cluster-test/rig"
)

// whole waits until a cluster has this many members and votes, and all its copies.
func whole(t *testing.T, via *clustertest.Node, members, votes int) {
	t.Helper()
	var last *clustertest.Status
	defer func() {
		if t.Failed() {
			t.Logf("the cluster: %+v", last)
		}
	}()
	eventually(t, 90*time.Second, fmt.Sprintf("%d members, %d votes and all copies", members, votes), func(ctx context.Context) bool {
		s, err := via.Status(ctx)
		if err != nil {
			return false
		}
		last = s
		return s.Healthy && len(s.Nodes) == members && s.Voters() == votes
	})
}

// Row 11 of the failure matrix: the same command line with an empty disk, for a first
// member and for one that joined later, and twice for the same one. Nobody types
// anything.
func TestRow11ANodeThatLostItsDiskComesBackUnderItsName(t *testing.T) {
	t.Parallel()
	c := start(t, 3, 3)
	later, err := c.Join()
	if err != nil {
		t.Fatal(err)
	}
	restart(t, c, later)
	write(t, c.Nodes[0], "POST", "/indexes/docs/documents", documents(0, 500))
	whole(t, c.Nodes[0], 4, 3)
	first := leader(t, c)
	for i, lost := range []*clustertest.Node{first, later, first} {
		lost.Kill()
		wipe(t, lost)
		began := time.Now()
		restart(t, c, lost)
		served := time.Since(began)
		write(t, lost, "POST", "/indexes/docs/documents", documents(500+100*i, 100))
		whole(t, c.Nodes[i], 4, 3)
		t.Logf("%s serves %s after its start with an empty disk; all copies are in sync after %s", lost.Name, served.Round(time.Millisecond), time.Since(began).Round(time.Millisecond))
	}
	allThere(t, c.Nodes, 800)
	// Others went on to call the node that was there before, a warning each time: 106 in 43 s.
	for _, n := range c.Nodes {
		warned := strings.Count(n.Tail(10_000), "certificate")
		if t.Logf("the log of %s has %d lines about certificates", n.Name, warned); warned > 20 {
			t.Errorf("%s warned %d times of certificates", n.Name, warned)
		}
	}
	// Any one may fail: the newcomers' votes and copies count.
	c.Nodes[0].Kill()
	rest := c.Nodes[1:]
	eventually(t, 30*time.Second, "writes without the first node", func(ctx context.Context) bool {
		one, cancel := context.WithTimeout(ctx, 8*time.Second)
		defer cancel()
		return rest[0].Write(one, "POST", "/indexes/docs/documents", documents(800, 50)) == nil
	})
	allThere(t, rest, 850)
}

func TestRow11ALostDiskIsMendedWhileMostOfTheClusterRestarts(t *testing.T) {
	t.Parallel()
	c := start(t, 3, 1)
	write(t, c.Nodes[0], "POST", "/indexes/docs/documents", documents(0, 100))
	lost := leader(t, c)
	rest := others(c, lost)
	lost.Kill()
	wipe(t, lost)
	begin(t, c, lost)
	for _, pause := range []time.Duration{300 * time.Millisecond, 1500 * time.Millisecond} {
		time.Sleep(pause)
		for _, n := range rest {
			n.Kill()
		}
		for _, n := range rest {
			begin(t, c, n)
		}
	}
	whole(t, rest[0], 3, 3)
	allThere(t, c.Nodes, 100)
}

// What was replaced is out for good, should its disk turn up again.
func TestTheOldDiskOfAReplacedNodeIsRefused(t *testing.T) {
	t.Parallel()
	c := start(t, 3, 1)
	write(t, c.Nodes[0], "POST", "/indexes/docs/documents", documents(0, 100))
	lost := c.Nodes[2]
	lost.Kill()
	kept := lost.Folder() + ".kept"
	if err := os.Rename(lost.Folder(), kept); err != nil {
		t.Fatal(err)
	}
	restart(t, c, lost)
	whole(t, c.Nodes[0], 3, 3)
	lost.Kill()
	wipe(t, lost)
	if err := os.Rename(kept, lost.Folder()); err != nil {
		t.Fatal(err)
	}
	refused(t, c, lost, "was replaced", lost.Folder(), "stays out of the cluster for good", "empty folder")
	write(t, c.Nodes[0], "POST", "/indexes/docs/documents", documents(100, 10))
	wipe(t, lost)
	restart(t, c, lost)
	whole(t, c.Nodes[0], 3, 3)
	allThere(t, c.Nodes, 110)
}

func TestARemovedNodeThatRunsEndsAndStaysOut(t *testing.T) {
	c := start(t, 3, 1)
	n, err := c.Join()
	if err != nil {
		t.Fatal(err)
	}
	restart(t, c, n)
	write(t, c.Nodes[0], "POST", "/indexes/docs/documents", documents(0, 100))
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	must := func(method, path string) {
		t.Helper()
		if status, b, err := c.Nodes[1].Do(ctx, method, path, nil); err != nil || status != http.StatusOK {
			t.Fatalf("%s %s: %d %s %v", method, path, status, b, err)
		}
	}
	must("POST", "/cluster/nodes/"+n.Name+"/drain")
	eventually(t, 30*time.Second, "its copies to move", func(ctx context.Context) bool {
		for _, holders := range holders(t, c.Nodes[0], "docs") {
			for _, name := range holders {
				if name == n.Name {
					return false
				}
			}
		}
		return true
	})
	must("DELETE", "/cluster/nodes/"+n.Name)
	status, _, err := n.Ended(ctx)
	if last := n.LastLog(); err != nil || status != 1 || !strings.HasPrefix(last, "Error: ") || !strings.Contains(last, "was removed from the cluster") || !strings.Contains(last, "empty folder") {
		t.Fatalf("the removed node: status %d, %s %v", status, last, err)
	}
	t.Log(n.LastLog())
	// Started again, as whatever supervises it would do, it is refused again.
	refused(t, c, n, "was removed from the cluster", n.Folder())
	s, err := c.Nodes[0].Status(ctx)
	if err != nil || len(s.Nodes) != 3 || s.Voters() != 3 {
		t.Errorf("the cluster has it back: %+v %v", s, err)
	}
	// With an empty folder it is a new node, whatever its name was.
	wipe(t, n)
	restart(t, c, n)
	whole(t, c.Nodes[0], 4, 3)
	// Who leads may be removed as well.
	lead := leader(t, c)
	rest := others(c, lead)
	if status, b, err := rest[0].Do(ctx, "DELETE", "/cluster/nodes/"+lead.Name+"?force=true", nil); err != nil || status != http.StatusOK {
		t.Fatalf("remove the leader: %d %s %v", status, b, err)
	}
	if status, _, err := lead.Ended(ctx); err != nil || status != 1 {
		t.Errorf("the leader that was removed: %d %v", status, err)
	}
	eventually(t, 20*time.Second, "writes without it", func(ctx context.Context) bool {
		_, err := rest[0].Enqueue(ctx, "POST", "/indexes/docs/documents", documents(100, 10))
		return err == nil
	})
}

func TestASecondNodeOfANameIsRefused(t *testing.T) {
	c := start(t, 3, 1)
	n := joining(t, c)
	n.Option("name", "n2")
	refused(t, c, n, `the name "n2"`, c.Nodes[1].Peer, "another --name")
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	s, err := c.Nodes[0].Status(ctx)
	if err != nil || len(s.Nodes) != 3 {
		t.Errorf("%+v %v", s, err)
	}
	// A name that is written differently is another one.
	n.Option("name", "N2")
	restart(t, c, n)
}

func TestTheHolderOfTheOnlyCopyIsRemovedByForceOnly(t *testing.T) {
	c := rig.New(t, 3, rig.Shards(1), "SHOAL_DEFAULT_REPLICAS=1")
	rig.Start(t, c)
	write(t, c.Nodes[0], "POST", "/indexes/docs/documents", documents(0, 100))
	write(t, c.Nodes[0], "POST", "/indexes/more/documents", documents(0, 100))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	name := holders(t, c.Nodes[0], "docs")[0][0]
	var holder *clustertest.Node
	for _, n := range c.Nodes {
		if n.Name == name {
			holder = n
		}
	}
	via := others(c, holder)[0]
	status, b, err := via.Do(ctx, "DELETE", "/cluster/nodes/"+name, nil)
	if err != nil || status != http.StatusBadRequest || !strings.Contains(string(b), "`docs`") || !strings.Contains(string(b), "?force=true") || !strings.Contains(string(b), "drain") {
		t.Fatalf("removing the holder of the only copy: %d %s %v", status, b, err)
	}
	t.Logf("%s", b)
	if found, err := ids(ctx, via, "docs"); err != nil || len(found) != 100 {
		t.Errorf("after the refusal %d documents are there: %v", len(found), err)
	}
	if status, b, err := via.Do(ctx, "DELETE", "/cluster/nodes/"+name+"?force=true", nil); err != nil || status != http.StatusOK {
		t.Errorf("by force: %d %s %v", status, b, err)
	}
	if status, _, err := holder.Ended(ctx); err != nil || status != 1 {
		t.Errorf("the removed node: %d %v", status, err)
	}
}
