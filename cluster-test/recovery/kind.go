package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	clustertest "shoal/cluster-test"
)

// kind is a way to fail: harm does it to a node, mend undoes it.
type kind struct {
	name   string
	leader bool // the victim leads
	harm   func(context.Context, *lab, *clustertest.Node) error
	mend   func(context.Context, *lab, *clustertest.Node) error
	all    bool // nobody is left until mend
}

var kinds = []kind{
	{name: "follower killed", harm: kill, mend: start},
	{name: "leader killed", leader: true, harm: kill, mend: start},
	{name: "leader frozen", leader: true, harm: func(_ context.Context, _ *lab, n *clustertest.Node) error { return n.Freeze() },
		mend: func(_ context.Context, _ *lab, n *clustertest.Node) error { return n.Thaw() }},
	{name: "leader cut off", leader: true, harm: func(_ context.Context, l *lab, n *clustertest.Node) error { return l.net.Cut(n) },
		mend: func(_ context.Context, l *lab, n *clustertest.Node) error { return l.net.Heal(n) }},
	{name: "leader hears nobody", leader: true, harm: deafen, mend: undeafen},
	{name: "disk of leader full", leader: true, harm: fill, mend: empty},
	{name: "disk of follower full", harm: fill, mend: empty},
	{name: "disk of leader lost", leader: true, harm: kill, mend: replace},
	{name: "all killed", all: true, harm: killAll, mend: startAll},
}

func kill(_ context.Context, _ *lab, n *clustertest.Node) error {
	n.Kill()
	return nil
}

func start(ctx context.Context, l *lab, n *clustertest.Node) error {
	if err := n.Start(l.c); err != nil {
		return err
	}
	return n.Ready(ctx)
}

func deafen(_ context.Context, l *lab, n *clustertest.Node) error {
	var errs []error
	for _, o := range l.but(n) {
		errs = append(errs, l.net.Lose(o, n))
	}
	return errors.Join(errs...)
}

func undeafen(_ context.Context, l *lab, n *clustertest.Node) error {
	var errs []error
	for _, o := range l.but(n) {
		errs = append(errs, l.net.Find(o, n))
	}
	return errors.Join(errs...)
}

// fill takes all the room of a node's disk.
func fill(_ context.Context, _ *lab, n *clustertest.Node) error {
	if err := os.WriteFile(ballast(n), make([]byte, diskBytes), 0o600); err == nil {
		return fmt.Errorf("%s is not full", n.Folder())
	}
	return nil
}

// empty gives it back, and starts the node where it has ended of that.
func empty(ctx context.Context, l *lab, n *clustertest.Node) error {
	if err := os.Remove(ballast(n)); err != nil {
		return err
	}
	if n.Runs() {
		return nil
	}
	n.Kill() // clears what is known of the process that has ended
	return start(ctx, l, n)
}

func ballast(n *clustertest.Node) string { return filepath.Join(n.Folder(), "ballast") }

// replace starts the node with an empty disk.
func replace(ctx context.Context, l *lab, n *clustertest.Node) error {
	if err := os.RemoveAll(data(n)); err != nil {
		return err
	}
	return start(ctx, l, n)
}

func killAll(_ context.Context, l *lab, _ *clustertest.Node) error {
	for _, n := range l.c.Nodes {
		n.Kill()
	}
	return nil
}

func startAll(_ context.Context, l *lab, _ *clustertest.Node) error {
	for _, n := range l.c.Nodes {
		if err := n.Start(l.c); err != nil {
			return err
		}
	}
	return nil
}
