package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"time"

	clustertest "shoal/cluster-test"
	"shoal/cluster-test/cables"
)

const (
	diskBytes = 192 << 20        // of each node's file system
	calm      = time.Second      // before a failure
	bound     = 30 * time.Second // a failure that is not over by then is an error
	least     = 4 * time.Second  // for which a failure lasts
)

// lab is a cluster of three nodes whose network can be cut, each with a file system of
// its own.
type lab struct {
	dir string
	c   *clustertest.Cluster
	net *cables.Switch
	ids int // of documents, the next one
}

func newLab(ctx context.Context, binary string, copies int) (_ *lab, err error) {
	dir, err := os.MkdirTemp("", "shoal-recovery-")
	if err != nil {
		return nil, err
	}
	l := &lab{dir: dir}
	defer func() {
		if err != nil {
			err = errors.Join(err, l.close())
		}
	}()
	if l.c, err = clustertest.New(binary, dir, 3, "SHOAL_DEFAULT_SHARDS=3", fmt.Sprintf("SHOAL_DEFAULT_REPLICAS=%d", copies)); err != nil {
		return nil, err
	}
	if l.net, err = cables.Lay(l.c); err != nil {
		return nil, err
	}
	for _, n := range l.c.Nodes {
		if err = os.MkdirAll(n.Folder(), 0o700); err != nil {
			return nil, err
		}
		if err = syscall.Mount("tmpfs", n.Folder(), "tmpfs", 0, fmt.Sprint("size=", diskBytes)); err != nil {
			return nil, fmt.Errorf("a file system for %s: %w", n.Name, err)
		}
		n.Option("db-path", data(n))
	}
	if err = l.c.Start(ctx); err != nil {
		return nil, err
	}
	for range 5 {
		if err = l.write(ctx, l.c.Nodes[0], 100); err != nil {
			return nil, err
		}
	}
	return l, l.whole(ctx)
}

// data is the node's data folder, in its file system.
func data(n *clustertest.Node) string { return filepath.Join(n.Folder(), "db") }

func (l *lab) close() error {
	var errs []error
	if l.c != nil {
		for _, n := range l.c.Nodes {
			if n.PID() != 0 {
				_ = n.Thaw() // a frozen one does not end; one that has ended needs nothing
			}
		}
		l.c.Close()
	}
	if l.net != nil {
		errs = append(errs, l.net.Close())
		for _, n := range l.c.Nodes {
			if err := syscall.Unmount(n.Folder(), 0); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOENT) {
				errs = append(errs, fmt.Errorf("file system of %s: %w", n.Name, err))
			}
		}
	}
	if errors.Join(errs...) == nil { // never empties what may still be mounted
		errs = append(errs, os.RemoveAll(l.dir))
	}
	return errors.Join(errs...)
}

// tell prints the last lines of each node's log.
func (l *lab) tell(out io.Writer) {
	for _, n := range l.c.Nodes {
		fmt.Fprintf(out, "%s: %s\n", n.Name, n.Tail(20))
	}
}

// but lists the nodes but one.
func (l *lab) but(not *clustertest.Node) []*clustertest.Node {
	var out []*clustertest.Node
	for _, n := range l.c.Nodes {
		if n != not {
			out = append(out, n)
		}
	}
	return out
}

// write adds documents and waits for their task.
func (l *lab) write(ctx context.Context, via *clustertest.Node, n int) error {
	var b []byte
	for range n {
		l.ids++
		b = fmt.Appendf(b, `{"id":%d,"title":"document number %d"}`+"\n", l.ids, l.ids)
	}
	return via.Write(ctx, "POST", "/indexes/docs/documents", b)
}

// whole waits until all nodes vote and all copies are in sync, as every node sees it.
func (l *lab) whole(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for _, n := range l.c.Nodes {
		for {
			one, stop := context.WithTimeout(ctx, 2*time.Second)
			s, err := n.Status(one)
			stop()
			if err == nil && s.Healthy && len(s.Nodes) == 3 && s.Voters() == 3 && s.Leader != "" {
				break
			}
			if err := wait(ctx, 50*time.Millisecond); err != nil {
				return fmt.Errorf("the cluster does not become whole again: %s says %+v, %w", n.Name, s, err)
			}
		}
	}
	return nil
}

// victim is the node that a kind is about.
func (l *lab) victim(ctx context.Context, k kind, round int) (*clustertest.Node, error) {
	s, err := l.c.Nodes[0].Status(ctx)
	if err != nil {
		return nil, err
	}
	var rest []*clustertest.Node
	for _, n := range l.c.Nodes {
		if n.Name != s.Leader {
			rest = append(rest, n)
		} else if k.leader {
			return n, nil
		}
	}
	return rest[round%len(rest)], nil
}

// round lets one failure happen and returns for how long clients were kept waiting.
func (l *lab) round(ctx context.Context, k kind, round int) (silence, error) {
	victim, err := l.victim(ctx, k, round)
	if err != nil {
		return silence{}, err
	}
	left := l.but(victim)
	if k.all {
		return l.afterAll(ctx, k, victim)
	}
	o := observe(ctx, l, left)
	// A copy that has just come back may leave again beside writes: one failure at a time.
	if err := errors.Join(wait(ctx, calm), l.whole(ctx)); err != nil {
		o.end()
		return silence{}, err
	}
	o.from(time.Now())
	if err := k.harm(ctx, l, victim); err != nil {
		o.end()
		return silence{}, err
	}
	err = errors.Join(wait(ctx, least), o.recovered(ctx, bound))
	s := o.end()
	return s, errors.Join(err, k.mend(ctx, l, victim), l.whole(ctx))
}

// afterAll is round for a failure of which nobody is left: clients wait from the start
// of the processes on.
func (l *lab) afterAll(ctx context.Context, k kind, victim *clustertest.Node) (silence, error) {
	if err := k.harm(ctx, l, victim); err != nil {
		return silence{}, err
	}
	begin := time.Now()
	if err := k.mend(ctx, l, victim); err != nil {
		return silence{}, err
	}
	o := observe(ctx, l, l.c.Nodes)
	o.from(begin)
	err := o.recovered(ctx, bound)
	s := o.end()
	s.failed, s.asked = 0, 0 // refused connections say nothing
	return s, errors.Join(err, l.whole(ctx))
}

// wait waits, at most until the context ends.
func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
