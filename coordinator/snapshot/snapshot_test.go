package snapshot

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"shoal/api"
	"shoal/cluster-test/solo"
	"shoal/coordinator"
	"shoal/coordinator/restore"
	"shoal/coordinator/task"
	"shoal/wire"
)

// copies moves the shards of a node.
type copies struct {
	*solo.Node
	refuse int // deliveries to refuse
}

func (c *copies) FetchCopy(ctx context.Context, _ wire.NodeID, key wire.ShardKey, version uint64) (io.ReadCloser, error) {
	out, in := io.Pipe()
	go func() {
		_, err := c.Host.SendCopy(ctx, key, version, in)
		in.CloseWithError(err)
	}()
	return out, nil
}

func (c *copies) Deliver(_ context.Context, _ wire.NodeID, content io.Reader) error {
	if c.refuse > 0 {
		if c.refuse--; c.refuse == 0 {
			return wire.ErrUnavailable
		}
	}
	_, err := c.Host.Receive(content)
	return err
}

func open(t *testing.T, shards int) (*solo.Node, *Taker, string) {
	n := solo.Open(t, shards)
	path := filepath.Join(t.TempDir(), "data.ms.snapshot")
	return n, NewTaker(Config{Log: n.Log, Blobs: n.Blobs, Shards: &copies{Node: n}, Self: solo.Self, Path: path, Progress: n.Quiet}), path
}

func load(n *solo.Node, file string, refuse int) error {
	return Restore(n.T.Context(), file, RestoreConfig{Log: n.Log, Blobs: n.Blobs, Shards: &copies{n, refuse}, Placement: n.Placement, Dir: n.Dir, Progress: n.Quiet})
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func fill(n *solo.Node) {
	var films strings.Builder
	for i := range 700 {
		fmt.Fprintf(&films, `{"id":%d,"title":"film %d","tags":["a",%d]}`+"\n", i*11%700, i, i%3)
	}
	n.Settings("movies", `{"filterableAttributes":["tags"],"synonyms":{"film":["movie"]}}`)
	n.Upload("movies", films.String())
	must(n.Writer.CreateIndex(n.T.Context(), "gone", nil))
	must(n.Writer.CreateIndex(n.T.Context(), "empty", nil))
	n.Upload("books", `{"id":"a"}`)
	must(n.Writer.DeleteIndex(n.T.Context(), "gone"))
	n.Idle()
	must(n.Writer.DeleteDocuments(n.T.Context(), "movies", []string{"3", "4"}, nil))
	n.Upload("movies", `{"title":"no id"}`)
	n.Idle()
	must(coordinator.NewKeys(n.Log).Create(n.T.Context(), &api.Key{UID: "11111111-1111-4111-8111-111111111111", Actions: []string{"search"}, Indexes: []string{"*"}}))
	yes := true
	must(coordinator.NewFeatures(n.Log, api.Features{}).UpdateFeatures(n.T.Context(), &api.FeaturesPatch{Network: &yes}))
}

func same(t *testing.T, a, b *solo.Node) {
	t.Helper()
	for _, x := range a.Log.Catalog().Indexes() {
		y, ok := b.Log.Catalog().Index(x.UID)
		if !ok {
			t.Fatalf("index %s is missing", x.UID)
		}
		if diff := cmp.Diff(a.Content(x.UID), b.Content(x.UID)); diff != "" {
			t.Errorf("documents of %s: %s", x.UID, diff)
		}
		if diff := cmp.Diff(x, y, cmpopts.IgnoreUnexported(wire.Index{}), cmpopts.IgnoreFields(wire.Shard{}, "Deltas")); diff != "" {
			t.Errorf("index %s: %s", x.UID, diff)
		}
	}
	if diff := cmp.Diff(coordinator.NewKeys(a.Log).Keys(), coordinator.NewKeys(b.Log).Keys()); diff != "" {
		t.Errorf("keys: %s", diff)
	}
	if !coordinator.NewFeatures(b.Log, api.Features{}).Features().Network {
		t.Error("features are lost")
	}
}

// A snapshot brings everything back: indexes under their numbers, documents,
// tasks with what they carry, batches.
func TestRestore(t *testing.T) {
	for _, shards := range []int{1, 3} {
		a, taker, file := open(t, shards)
		a.Schedule(coordinator.Jobs{Snapshot: taker.Snapshot})
		fill(a)
		before := a.Tasks()
		must(a.Writer.Snapshot(t.Context()))
		a.Idle()
		if got := a.Tasks(); got[len(got)-1].Status != wire.Succeeded {
			t.Fatalf("%+v", got[len(got)-1])
		}
		b := solo.Open(t, 1)
		b.Schedule(coordinator.Jobs{})
		if err := load(b, file, 0); err != nil {
			t.Fatal(err)
		}
		same(t, a, b)
		if diff := cmp.Diff(before, b.Tasks()); diff != "" {
			t.Errorf("tasks: %s", diff)
		}
		if diff := cmp.Diff(a.Batches()[1:], b.Batches()); diff != "" {
			t.Errorf("batches: %s", diff)
		}
		// The index goes on from its version, and numbers from theirs.
		b.Upload("movies", `{"id":3,"title":"new"}`)
		b.Idle()
		got := b.Tasks()
		if last := got[len(got)-1]; last.Status != wire.Succeeded || last.UID != uint32(len(before))+1 || len(b.Content("movies")) != 699 {
			t.Errorf("%+v, %d documents", last, len(b.Content("movies")))
		}
		if err := load(b, file, 0); !errors.Is(err, restore.ErrNotEmpty) {
			t.Errorf("a second restoration: %v", err)
		}
	}
}

// Enqueued tasks run after the restoration, with payloads inside and outside of
// the log.
func TestEnqueuedTasksTravel(t *testing.T) {
	a, taker, file := open(t, 1)
	var big strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&big, `{"id":%d,"text":"some words %d"}`+"\n", i, i*i)
	}
	a.Upload("movies", big.String())
	a.Upload("movies", `{"id":-1}`)
	must(a.Writer.DeleteDocuments(t.Context(), "movies", []string{"2", "3"}, nil))
	must(a.Writer.Snapshot(t.Context()))
	if err := taker.Snapshot(t.Context()); err != nil {
		t.Fatal(err)
	}
	b := solo.Open(t, 2)
	b.Schedule(coordinator.Jobs{})
	if err := load(b, file, 0); err != nil {
		t.Fatal(err)
	}
	b.Idle()
	if n := len(b.Content("movies")); n != 2999 {
		t.Errorf("%d documents", n)
	}
	for _, x := range b.Tasks() {
		if x.Status != wire.Succeeded || x.Kind == task.SnapshotCreation {
			t.Errorf("%+v", x)
		}
	}
}

// A damaged file changes nothing; a failure midway is undone.
func TestFailures(t *testing.T) {
	a, taker, file := open(t, 2)
	a.Schedule(coordinator.Jobs{})
	fill(a)
	if err := taker.Snapshot(t.Context()); err != nil {
		t.Fatal(err)
	}
	whole := must(os.ReadFile(file))
	b := solo.Open(t, 1)
	b.Schedule(coordinator.Jobs{})
	applied := b.Log.Catalog().Applied()
	try := func(name string, data []byte) {
		path := filepath.Join(t.TempDir(), "x")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := load(b, path, 0); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, cut := range []int{0, 5, len(whole) / 3, len(whole) - 3} {
		try(fmt.Sprint("cut at ", cut), whole[:cut])
	}
	for i := 5; i < len(whole); i += len(whole)/60 + 1 {
		flipped := append([]byte(nil), whole...)
		flipped[i] ^= 0x41
		try(fmt.Sprint("flipped at ", i), flipped)
	}
	if now := b.Log.Catalog().Applied(); now != applied {
		t.Errorf("the log grew from %d to %d", applied, now)
	}
	if err := load(b, file, 2); !errors.Is(err, wire.ErrUnavailable) {
		t.Fatalf("a refused delivery: %v", err)
	}
	if c := b.Log.Catalog(); len(c.Indexes()) != 0 || len(b.Tasks()) != 0 || coordinator.Importing(c) != coordinator.ImportNone {
		t.Errorf("left: %v, %v", c.Indexes(), b.Tasks())
	}
}

func TestIsDue(t *testing.T) {
	n, _, _ := open(t, 1)
	at := time.Now()
	due := func(after time.Duration) bool { return must(isDue(n.Log, at, at.Add(after), time.Hour)) }
	if due(time.Minute) || !due(time.Hour) {
		t.Error("without any snapshot the start counts")
	}
	must(n.Writer.Snapshot(t.Context()))
	if due(2 * time.Hour) {
		t.Error("one is enqueued")
	}
	n.Schedule(coordinator.Jobs{Snapshot: func(context.Context) error { return nil }})
	n.Idle()
	if due(59*time.Minute) || !due(2*time.Hour) {
		t.Error("the end of the last one counts")
	}
}
