package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// use is what a process has used so far.
type use struct {
	cpu      time.Duration
	resident int // MiB, mapped pages included
}

// use reads /proc; on other systems than Linux all is 0.
func (b *bench) use() (u use) {
	pid := b.node.PID()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return u
	}
	f := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	for _, i := range []int{11, 12} { // utime, stime in hundredths
		n, err := strconv.Atoi(f[i])
		if err != nil {
			return u
		}
		u.cpu += time.Duration(n) * 10 * time.Millisecond
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return u
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			if n, err := strconv.Atoi(strings.Fields(rest)[0]); err == nil {
				u.resident = n >> 10
			}
		}
	}
	return u
}

// idle waits until the node uses hardly any CPU for two seconds.
func (b *bench) idle(ctx context.Context) error {
	until := time.Now().Add(b.o.settle)
	for time.Now().Before(until) {
		before := b.use().cpu
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(2 * time.Second):
		}
		if b.use().cpu-before < 100*time.Millisecond {
			return nil
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
	before := b.use().cpu
	times, err := b.each(ctx, list)
	if err != nil {
		return err
	}
	after := b.use()
	b.line(what, times, (after.cpu-before).Seconds()*1000/float64(max(len(list), 1)), after.resident)
	return nil
}

func (b *bench) line(what string, times []timed, cpu float64, resident int) {
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
}

// disk is the size of the node's folder in MiB.
func (b *bench) disk() int {
	var n int64
	_ = filepath.WalkDir(b.node.Folder(), func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil // a file that is gone by now takes nothing
		}
		if i, err := d.Info(); err == nil {
			n += i.Size()
		}
		return nil
	})
	return int(n >> 20)
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
