package node

import (
	"context"
	"log/slog"
	"slices"
	"sync/atomic"
	"testing"

	"shoal/node/folder"
	"shoal/node/machine"
)

// Background work ended last, when all that it used was closed. A clean stop logged "removing
// unused shards failed".
func TestBackgroundWorkEndsBeforeWhatItUses(t *testing.T) {
	l := newLife()
	var order []string
	open := func(name string) {
		l.opened(name, func() error { order = append(order, name); return nil })
	}
	run := func(name string) {
		l.run(func(ctx context.Context) { <-ctx.Done(); order = append(order, name) })
	}
	open("shards")
	run("follower")
	open("service")
	run("copies")
	if err := l.close(slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	if want := []string{"copies", "service", "follower", "shards"}; !slices.Equal(order, want) {
		t.Errorf("ended in the order %v, want %v", order, want)
	}
}

// Work went on in a folder that another process could already open.
func TestADataFolderIsLockedWhileBackgroundWorkRuns(t *testing.T) {
	on := machine.Real()
	p := &process{life: newLife(), on: on}
	p.cfg.DBPath = t.TempDir()
	if err := p.openFolder(t.Context()); err != nil {
		t.Fatal(err)
	}
	var free atomic.Bool
	p.run(func(ctx context.Context) {
		<-ctx.Done()
		if second, err := folder.Open(on.Files, p.cfg.DBPath); err == nil {
			free.Store(true)
			_ = second.Close() // the test has failed already
		}
	})
	if err := p.close(slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	if free.Load() {
		t.Error("a second process could open the folder while work was running")
	}
}
