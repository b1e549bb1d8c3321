package chaos

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	clustertest "shoal/cluster-test"
	"shoal/cluster-test/rig"
)

// recovered runs the offline command on the folder of a node and returns what it says
// and its exit status.
func recovered(t *testing.T, c *clustertest.Cluster, n *clustertest.Node, stdin string, args ...string) (said string, status int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.Binary, append([]string{"recover", "--db-path=" + n.Folder()}, args...)...)
	cmd.Stdin = strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

func says(t *testing.T, said string, hints ...string) {
	t.Helper()
	for _, hint := range hints {
		if !strings.Contains(said, hint) {
			t.Errorf("it does not say %q:\n%s", hint, said)
		}
	}
}

// Row 22 of the failure matrix: two of three disks are gone for good. The third
// becomes a cluster of its own, the others join it with empty disks, and an old disk
// that turns up again stays outside.
func TestRow22OneSurvivorOfThreeBecomesANewClusterAndOldVotersAreRefused(t *testing.T) {
	t.Parallel()
	c := rig.New(t, 3, rig.Shards(2), "SHOAL_DEFAULT_REPLICAS=3")
	rig.Start(t, c)
	write(t, c.Nodes[0], "POST", "/indexes/docs/documents", documents(0, 300))
	whole(t, c.Nodes[0], 3, 3)
	left, away := c.Nodes[1], others(c, c.Nodes[1])

	said, status := recovered(t, c, left, "", "--yes")
	if status != 1 {
		t.Errorf("recovering a node that runs: status %d", status)
	}
	says(t, said, "in use by another process", "stop it")

	before, err := left.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range c.Nodes {
		n.Kill()
	}
	kept := away[0].Folder() + ".kept"
	if err := os.Rename(away[0].Folder(), kept); err != nil {
		t.Fatal(err)
	}
	wipe(t, away[1])

	// Nobody said yes: nothing happens.
	said, status = recovered(t, c, left, "no\n")
	if status != 0 {
		t.Errorf("an answer of no: status %d\n%s", status, said)
	}
	says(t, said, "Nothing was changed", "docs, version 1: all 2 shards, 300 documents", away[0].Name, away[1].Name, "Unfinished tasks: 0", "the last entry here is")
	if found, _ := filepath.Glob(filepath.Join(left.Folder(), "raft?*")); len(found) > 0 {
		t.Errorf("it left %q", found)
	}

	said, status = recovered(t, c, left, "", "--yes")
	if status != 0 {
		t.Fatalf("status %d\n%s", status, said)
	}
	t.Log(said)
	says(t, said, "is the start of cluster", "EMPTY data folders", "raft-of-")
	began := time.Now()
	restart(t, c, left)
	allThere(t, []*clustertest.Node{left}, 300)
	t.Logf("the survivor serves everything %s after its start", time.Since(began).Round(time.Millisecond))
	write(t, left, "POST", "/indexes/docs/documents", documents(300, 100))
	now, err := left.Status(t.Context())
	if err != nil || now.ClusterID == before.ClusterID || now.ClusterID == "" {
		t.Fatalf("cluster %s is now %s: %v", before.ClusterID, now.ClusterID, err)
	}

	// An old voter with its old disk.
	if err := os.Rename(kept, away[0].Folder()); err != nil {
		t.Fatal(err)
	}
	refused(t, c, away[0], "was recovered without it", now.ClusterID, away[0].Folder(), "empty folder")
	write(t, left, "POST", "/indexes/docs/documents", documents(400, 100))

	// Both come with empty disks and the command lines that they always had.
	wipe(t, away[0])
	began = time.Now()
	for _, n := range away {
		restart(t, c, n)
	}
	whole(t, left, 3, 3)
	t.Logf("three copies again %s after the others came with empty disks", time.Since(began).Round(time.Millisecond))
	allThere(t, c.Nodes, 500)
	left.Kill()
	eventually(t, 30*time.Second, "writes without the survivor", func(ctx context.Context) bool {
		one, cancel := context.WithTimeout(ctx, 8*time.Second)
		defer cancel()
		return away[0].Write(one, "POST", "/indexes/docs/documents", documents(500, 50)) == nil
	})
	allThere(t, away, 550)
}

// Row 22: both old voters come back, a majority of what there was. They must neither
// take the new cluster's log from it nor serve beside it.
func TestRow22AMajorityOfOldVotersDoesNotTakeTheLogOfTheRecoveredClusterBack(t *testing.T) {
	t.Parallel()
	c := rig.New(t, 3, rig.Shards(1), "SHOAL_DEFAULT_REPLICAS=3")
	rig.Start(t, c)
	write(t, c.Nodes[0], "POST", "/indexes/docs/documents", documents(0, 100))
	whole(t, c.Nodes[0], 3, 3)
	left, away := c.Nodes[0], c.Nodes[1:]
	for _, n := range c.Nodes {
		n.Kill()
	}
	if said, status := recovered(t, c, left, "yes\n"); status != 0 {
		t.Fatalf("status %d\n%s", status, said)
	}
	// They are there first, agree with each other, know the survivor's address, and are
	// terms ahead of it.
	for range 5 {
		for _, n := range away {
			n.Kill()
		}
		for _, n := range away {
			begin(t, c, n)
		}
		eventually(t, 20*time.Second, "the old majority to lead itself", func(ctx context.Context) bool {
			s, err := away[0].Status(ctx)
			return err == nil && s.Leader != ""
		})
	}
	restart(t, c, left)
	write(t, left, "POST", "/indexes/docs/documents", documents(100, 100))
	for until := time.Now().Add(3 * time.Second); time.Now().Before(until); time.Sleep(100 * time.Millisecond) {
		if s, err := left.Status(t.Context()); err != nil || s.Leader != left.Name || len(s.Nodes) != 1 {
			t.Fatalf("the recovered cluster: %+v %v", s, err)
		}
	}
	write(t, left, "POST", "/indexes/docs/documents", documents(200, 100))
	allThere(t, []*clustertest.Node{left}, 300)
	if !strings.Contains(left.Tail(1000), "recovered without it") {
		t.Errorf("%s says nothing of the old voters: %s", left.Name, left.Tail(20))
	}
	for _, n := range away {
		n.Kill()
	}
	for _, n := range away {
		wipe(t, n)
		restart(t, c, n)
	}
	whole(t, left, 3, 3)
	allThere(t, c.Nodes, 300)
}

// Row 22: what only lost disks had is named, stays listed, is not served, and can be
// deleted.
func TestRow22WhatOnlyLostDisksHadIsNamed(t *testing.T) {
	c := rig.New(t, 3, rig.Shards(1), "SHOAL_DEFAULT_REPLICAS=1")
	rig.Start(t, c)
	for _, uid := range []string{"docs", "more", "most", "even", "last", "best"} {
		write(t, c.Nodes[0], "POST", "/indexes/"+uid+"/documents", documents(0, 50))
	}
	by := map[string]string{}
	for _, uid := range []string{"docs", "more", "most", "even", "last", "best"} {
		by[uid] = holders(t, c.Nodes[0], uid)[0][0]
	}
	left := c.Nodes[0]
	for _, n := range c.Nodes {
		n.Kill()
	}
	for _, n := range c.Nodes[1:] {
		wipe(t, n)
	}
	said, status := recovered(t, c, left, "", "--yes")
	if status != 0 {
		t.Fatalf("status %d\n%s", status, said)
	}
	restart(t, c, left)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	lost := 0
	for uid, holder := range by {
		a, err := left.Ask(ctx, "POST", "/indexes/"+uid+"/search", map[string]any{"q": "words"})
		if err != nil {
			t.Fatal(err)
		}
		if holder == left.Name {
			says(t, said, uid+", version 1: all 1 shards, 50 documents")
			if a.Status != 200 {
				t.Errorf("%s: %d %s", uid, a.Status, a.Body)
			}
			continue
		}
		lost++
		says(t, said, uid+", version 1: NOT WHOLE, answers 503: shard 0 has no copy here", "DELETE /indexes/"+uid)
		if a.Status != 503 {
			t.Errorf("%s has no copy: %d %s", uid, a.Status, a.Body)
		}
		write(t, left, "DELETE", "/indexes/"+uid, nil)
		write(t, left, "POST", "/indexes/"+uid+"/documents", documents(0, 60))
	}
	if lost == 0 {
		t.Error("every index was on the survivor")
	}
}
