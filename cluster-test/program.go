package clustertest

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"time"
)

// Main calls run, and ends its context after the time limit or when the process is
// interrupted. A failure is printed and ends the process with status 1.
func Main(limit time.Duration, run func(ctx context.Context) error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "FAILED:", err)
		os.Exit(1)
	}
}

// Prepare makes paths absolute, except empty ones. If dir is empty, it becomes a new
// temporary folder, named after the program. The caller must call remove, which removes
// that folder.
func Prepare(name string, dir *string, paths ...*string) (remove func(), err error) {
	for _, path := range paths {
		if *path == "" {
			continue
		}
		if *path, err = filepath.Abs(*path); err != nil {
			return nil, err
		}
	}
	if *dir != "" {
		return func() {}, nil
	}
	made, err := os.MkdirTemp("", "shoal-"+name+"-")
	if err != nil {
		return nil, err
	}
	*dir = made
	return func() { _ = os.RemoveAll(made) }, nil // temporary in any case
}
