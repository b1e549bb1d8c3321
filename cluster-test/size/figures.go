package main

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	clustertest "shoal/cluster-test"
)

// cpu is what all nodes have used.
func (b *bench) cpu() (sum time.Duration, err error) {
	for _, n := range b.all.Nodes {
		used, err := n.CPU()
		if err != nil {
			return 0, err
		}
		sum += used
	}
	return sum, nil
}

// largest is the largest figure of any node.
func (b *bench) largest(figure func(*clustertest.Node) (int, error)) (most int, err error) {
	for _, n := range b.all.Nodes {
		f, err := figure(n)
		if err != nil {
			return 0, err
		}
		most = max(most, f)
	}
	return most, nil
}

// idle waits until the nodes use hardly any CPU for two seconds.
func (b *bench) idle(ctx context.Context) error {
	until := time.Now().Add(b.o.settle)
	enough := time.Duration(len(b.all.Nodes)) * 100 * time.Millisecond
	for time.Now().Before(until) {
		before, err := b.cpu()
		if err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(2 * time.Second):
		}
		after, err := b.cpu()
		if err != nil || after-before < enough {
			return err
		}
	}
	fmt.Printf("the node is not idle after %s\n", b.o.settle)
	return nil
}

func (b *bench) header() {
	fmt.Printf("%-44s %8s %8s %8s %9s %8s\n", "", "p50 ms", "p99 ms", "max ms", "CPU ms", "RSS MiB")
}

// measure sends searches and prints a line of the table.
func (b *bench) measure(ctx context.Context, what string, list []search) error {
	before, err := b.cpu()
	if err != nil {
		return err
	}
	times, err := b.each(ctx, list)
	if err != nil {
		return err
	}
	return b.line(what, times, before)
}

// line prints a line of the table: how long searches took, and what the node has used
// for them since it had used before.
func (b *bench) line(what string, times []timed, before time.Duration) error {
	after, err := b.cpu()
	if err != nil {
		return err
	}
	resident, err := b.largest((*clustertest.Node).Resident)
	if err != nil {
		return err
	}
	cpu := (after - before).Seconds() * 1000 / float64(max(len(times), 1))
	slices.SortFunc(times, func(x, y timed) int { return cmp.Compare(x.took, y.took) })
	at := func(p float64) float64 {
		if len(times) == 0 {
			return 0
		}
		return times[min(len(times)-1, int(p*float64(len(times))))].took.Seconds() * 1000
	}
	fmt.Printf("%-44s %8.1f %8.1f %8.1f %9.2f %8d\n", what, at(.5), at(.99), at(1), cpu, resident)
	for i := range min(b.o.slow, len(times)) {
		t := times[len(times)-1-i]
		fmt.Printf("    %8.1f ms  %s\n", t.took.Seconds()*1000, t.search)
	}
	return nil
}

// disk is the size of all nodes' folders in MiB.
func (b *bench) disk() int {
	var sum int64
	for _, n := range b.all.Nodes {
		_ = filepath.WalkDir(n.Folder(), func(_ string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return nil //nolint:nilerr // a file that is gone by now takes nothing
			}
			if i, err := d.Info(); err == nil {
				sum += i.Size()
			}
			return nil
		})
	}
	return int(sum >> 20)
}

// dropCache makes the system forget what it keeps in memory of the files of a folder.
func dropCache(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := f.Sync(); err != nil { // what is not written yet stays
			return err
		}
		return unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED)
	})
}
