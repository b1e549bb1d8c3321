package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

const (
	// profileTime is how long a profile takes where nothing else is said, traceTime a
	// trace: these are large.
	profileTime, traceTime = 10 * time.Second, 5 * time.Second
)

// profile begins to write a CPU profile and a trace of the node, if the options ask for
// them; what it returns waits for them.
func (b *bench) profile(ctx context.Context, name string, long time.Duration) func() error {
	if b.o.profiles == "" {
		return func() error { return nil }
	}
	if long == 0 {
		long = profileTime
	}
	kinds := map[string]time.Duration{"profile": long, "trace": min(long, traceTime)}
	done := make(chan error, len(kinds))
	for kind, long := range kinds {
		go func() { done <- b.fetch(ctx, kind, name, long) }()
	}
	return func() (err error) {
		for range kinds {
			err = errors.Join(err, <-done)
		}
		return err
	}
}

// fetch writes what the node tells of itself into a file.
func (b *bench) fetch(ctx context.Context, kind, name string, long time.Duration) error {
	if err := os.MkdirAll(b.o.profiles, 0o700); err != nil {
		return err
	}
	path := fmt.Sprintf("/debug/pprof/%s?seconds=%d", kind, int(long.Seconds()))
	return b.node.SaveWatched(ctx, path, filepath.Join(b.o.profiles, name+"."+kind))
}
