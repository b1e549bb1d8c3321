package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"shoal/cluster-test/rig"
)

func TestMain(m *testing.M) { os.Exit(rig.Main(m)) }

// short is a life of one round.
func short(t *testing.T, o options) error {
	t.Helper()
	if testing.Short() {
		t.Skip("starts three nodes")
	}
	o.binary, o.dir, o.nodes, o.out = rig.Program(), t.TempDir(), 3, rig.Log(t)
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	return lead(ctx, o)
}

// TestEveryAcknowledgedTaskIsAccountedFor is the short form of make model: kills, freezes and
// a drain under tasks of all kinds.
func TestEveryAcknowledgedTaskIsAccountedFor(t *testing.T) {
	if err := short(t, options{seed: 3, storm: 12 * time.Second, only: []string{"kill", "freeze", "drain", "cut"}}); err != nil {
		t.Fatal(err)
	}
}

// TestPlantedFaultsAreFound: a cluster that breaks a promise, as its clients would see it,
// ends a life with the story of that fault.
func TestPlantedFaultsAreFound(t *testing.T) {
	for plant, story := range map[string]string{
		plantLost:      "documents: it has",
		plantTwice:     "one request became two tasks",
		plantForgotten: "one request became two tasks",
		plantTorn:      "a torn multi-search",
	} {
		t.Run(plant, func(t *testing.T) {
			t.Parallel()
			err := short(t, options{seed: 3, storm: 3 * time.Second, only: []string{"none"}, plant: plant})
			if err == nil || !strings.Contains(err.Error(), story) {
				t.Fatalf("found %v", err)
			}
			t.Log(firstLine(err))
		})
	}
}

// TestA202WithoutATaskIsALoss: an acknowledged request that no task is of.
func TestA202WithoutATaskIsALoss(t *testing.T) {
	l := &life{book: newBook(), world: newWorld(), byKind: map[string]int{}}
	e := l.book.sent(newWriter(1, "w", 0).addition("a", false), "n1")
	if err := l.book.accepted(e, 7); err != nil {
		t.Fatal(err)
	}
	if _, err := l.account(nil); err == nil || !strings.Contains(err.Error(), "a 202 is lost") {
		t.Fatal(err)
	}
	if err := l.book.accepted(l.book.sent(newWriter(1, "x", 0).addition("a", false), "n1"), 7); err == nil {
		t.Error("two requests have one task")
	}
}

// TestTheRequestsFollowFromTheSeed: a life can be led again.
func TestTheRequestsFollowFromTheSeed(t *testing.T) {
	text := func() string {
		var b strings.Builder
		g := newWriter(7, "w", 1)
		for range 500 {
			for _, q := range []*request{g.documents(), g.administration()} {
				fmt.Fprintf(&b, "%s %s %s %v\n", q.kind, q.method, q.path, q.body)
			}
		}
		return b.String()
	}
	if first, again := text(), text(); first != again {
		t.Error("one seed gave two lives")
	}
}

func firstLine(err error) error {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return errors.New(line)
}
