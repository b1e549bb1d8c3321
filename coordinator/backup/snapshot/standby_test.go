package snapshot

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"shoal/cluster-test/solo"
	"shoal/coordinator"
	"shoal/coordinator/admin"
	"shoal/coordinator/backup/bucket"
	"shoal/coordinator/backup/repository"
	"shoal/coordinator/backup/restore"
	"shoal/coordinator/schedule"
	"shoal/wire"
)

// follower makes a node follow a repository. shows waits until the node shows the snapshot of a
// name; failed tells why it does not.
func follower(t *testing.T, n *solo.Node, r *repository.Repository) (shows func(name string), ended chan error, failed <-chan string) {
	t.Helper()
	faults := make(chan string, 1)
	s := NewStandby(StandbyConfig{
		Repository: r, Every: 20 * time.Millisecond,
		RestoreConfig: RestoreConfig{Log: n.Log, Blobs: n.Blobs, Shards: &copies{Node: n}, Placement: n.Placement, Dir: n.Dir, Progress: slog.New(warnings(faults))},
	})
	ctx, stop := context.WithCancel(t.Context())
	ended = make(chan error, 1)
	done := make(chan struct{})
	go func() {
		defer close(done)
		ended <- s.Run(ctx)
	}()
	t.Cleanup(func() { stop(); <-done })
	return func(name string) {
		t.Helper()
		within, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		for {
			changed := n.Log.Changed()
			if s, _ := coordinator.Standby(n.Log.Catalog()); s.Snapshot == name {
				return
			}
			select {
			case <-changed:
			case <-within.Done():
				s, _ := coordinator.Standby(n.Log.Catalog())
				t.Fatalf("%s does not come: %+v", name, s)
			}
		}
	}, ended, faults
}

// warnings is a log that passes on the errors of warnings while a test waits.
type warnings chan string

func (w warnings) Enabled(_ context.Context, l slog.Level) bool { return l >= slog.LevelWarn }
func (w warnings) WithAttrs([]slog.Attr) slog.Handler           { return w }
func (w warnings) WithGroup(string) slog.Handler                { return w }
func (w warnings) Handle(_ context.Context, r slog.Record) error {
	text := r.Message
	r.Attrs(func(a slog.Attr) bool { text += " " + a.Value.String(); return true })
	select {
	case w <- text:
	default:
	}
	return nil
}

// alike compares what two clusters show: documents, settings and keys.
func alike(t *testing.T, a, b *solo.Node) {
	t.Helper()
	names := func(n *solo.Node) (out []string) {
		for _, x := range n.Log.Catalog().Indexes() {
			out = append(out, x.UID)
		}
		return out
	}
	if diff := cmp.Diff(names(a), names(b)); diff != "" {
		t.Fatalf("indexes: %s", diff)
	}
	for _, x := range a.Log.Catalog().Indexes() {
		y, _ := b.Log.Catalog().Index(x.UID)
		if diff := cmp.Diff(a.Content(x.UID), b.Content(x.UID)); diff != "" {
			t.Errorf("documents of %s: %s", x.UID, diff)
		}
		if diff := cmp.Diff(x.DecodedSettings(), y.DecodedSettings()); diff != "" || x.Version != y.Version || x.CreatedAt != y.CreatedAt {
			t.Errorf("index %s: %s", x.UID, diff)
		}
	}
	if diff := cmp.Diff(admin.NewKeys(a.Log).Keys(), admin.NewKeys(b.Log).Keys()); diff != "" {
		t.Errorf("keys: %s", diff)
	}
}

// A standby shows one snapshot after the other, keeps unchanged indexes, runs nothing until it
// is promoted, and continues from there.
func TestAStandbyFollowsSnapshotsUntilItIsPromoted(t *testing.T) {
	a, taker, r, _, _ := deposits(t, 2)
	// No batch runs while a snapshot is taken, so writes at that time are enqueued in it.
	before := func() {}
	a.Schedule(schedule.Jobs{Snapshot: func(ctx context.Context) error {
		before()
		return taker.Snapshot(ctx)
	}})
	b := solo.Open(t, 1)
	b.Schedule(schedule.Jobs{})
	shows, ended, _ := follower(t, b, r)
	take := func() {
		t.Helper()
		must(a.Writer.Snapshot(t.Context()))
		a.Idle()
		e := must(r.Newest(t.Context(), nil))
		shows(e.Name)
	}
	next := func() {
		t.Helper()
		take()
		alike(t, a, b)
	}
	fill(a)
	a.Idle()
	next()
	kept, _ := b.Log.Catalog().Index("books")
	replaced, _ := b.Log.Catalog().Index("movies")

	a.Upload("movies", `{"id":5000,"title":"another"}`)
	a.Upload("late", `{"id":1}`)
	must(a.Writer.DeleteIndex(t.Context(), "empty"))
	a.Idle()
	next()
	if x, _ := b.Log.Catalog().Index("books"); x.ID != kept.ID {
		t.Error("an index that has not changed was copied again")
	}
	if x, _ := b.Log.Catalog().Index("movies"); x.ID == replaced.ID {
		t.Error("an index that changed was not replaced")
	}

	// A task that is enqueued there stays enqueued here, until the promotion.
	before = func() { a.Upload("late", `{"id":2}`) }
	take()
	select {
	case err := <-ended:
		t.Fatal(err)
	default:
	}
	if waiting := len(b.Log.Pending()); waiting != 1 {
		t.Errorf("%d tasks wait", waiting)
	}
	state, _ := coordinator.Standby(b.Log.Catalog())
	state.Wanted = true
	change := must(coordinator.StandbyChange(&state))
	must(coordinator.Propose(t.Context(), b.Log, &wire.Update{Changes: []wire.Change{change}}))
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if coordinator.Follows(b.Log.Catalog()) || coordinator.Importing(b.Log.Catalog()) != coordinator.ImportDone {
		t.Error("it still follows")
	}
	a.Idle()
	b.Upload("movies", `{"id":5001,"title":"of its own"}`)
	b.Idle()
	if n := len(b.Content("late")); n != 2 {
		t.Errorf("the task that waited did not run: %d documents", n)
	}
	if got := b.Tasks(); got[len(got)-1].Status != wire.Succeeded {
		t.Errorf("%+v", got[len(got)-1])
	}
	if len(b.Content("movies")) != len(a.Content("movies"))+1 {
		t.Errorf("%d documents, there %d", len(b.Content("movies")), len(a.Content("movies")))
	}
}

// A damaged snapshot is skipped: what the standby shows does not change.
func TestAStandbySkipsADamagedSnapshot(t *testing.T) {
	a, taker, r, dir, _ := deposits(t, 1)
	a.Schedule(schedule.Jobs{Snapshot: taker.Snapshot})
	fill(a)
	a.Idle()
	must(a.Writer.Snapshot(t.Context()))
	a.Idle()
	b := solo.Open(t, 1)
	b.Schedule(schedule.Jobs{})
	shows, _, failed := follower(t, b, r)
	first := must(r.Newest(t.Context(), nil)).Name
	shows(first)
	before := len(b.Content("movies"))
	kept := chunkFiles(t, dir)
	a.Upload("movies", many(0, 50))
	a.Idle()
	var broken string
	taker.cfg.Repository = repository.Open(&breaking{Bucket: must(bucketOf(dir)), name: &broken, kept: kept})
	must(a.Writer.Snapshot(t.Context()))
	a.Idle()
	if broken == "" {
		t.Fatal("nothing was broken")
	}
	for range 2 { // the second time after it has removed the remains of the first
		if text := <-failed; !strings.Contains(text, "damaged snapshot") {
			t.Errorf("it says %s", text)
		}
	}
	if s, _ := coordinator.Standby(b.Log.Catalog()); s.Snapshot != first || len(b.Content("movies")) != before {
		t.Errorf("%+v, %d documents instead of %d", s, len(b.Content("movies")), before)
	}
	for _, x := range b.Log.Catalog().Indexes() {
		if coordinator.BeingCopied(x.UID) {
			t.Errorf("half a copy stays: %s", x.UID)
		}
	}
}

// Only an empty cluster can follow.
func TestAClusterWithDataDoesNotFollow(t *testing.T) {
	_, _, r, _, _ := deposits(t, 1)
	b := solo.Open(t, 1)
	b.Schedule(schedule.Jobs{})
	b.Upload("mine", `{"id":1}`)
	b.Idle()
	_, ended, _ := follower(t, b, r)
	if err := <-ended; !errors.Is(err, restore.ErrNotEmpty) {
		t.Errorf("%v", err)
	}
	if n := len(b.Content("mine")); n != 1 || strings.Contains(fmt.Sprint(coordinator.Importing(b.Log.Catalog())), "queue") {
		t.Errorf("%d documents", n)
	}
}

func chunkFiles(t *testing.T, dir string) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	for _, file := range must(filepath.Glob(filepath.Join(dir, "chunks", "*", "*"))) {
		out[filepath.Base(file)] = true
	}
	return out
}

func bucketOf(dir string) (bucket.Bucket, error) { return bucket.OpenFolder(dir) }

// breaking damages the first new chunk that it stores.
type breaking struct {
	bucket.Bucket
	mu   sync.Mutex
	name *string
	kept map[string]bool
}

func (b *breaking) Put(ctx context.Context, name string, content []byte) error {
	b.mu.Lock()
	if *b.name == "" && strings.HasPrefix(name, "chunks/") && !b.kept[filepath.Base(name)] {
		*b.name = name
		content = content[:len(content)/2]
	}
	b.mu.Unlock()
	return b.Bucket.Put(ctx, name, content)
}
