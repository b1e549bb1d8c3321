package snapshot

import (
	"bytes"
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
	"github.com/klauspost/compress/zstd"

	"shoal/api"
	"shoal/api/settings"
	"shoal/cluster-test/solo"
	"shoal/coordinator"
	"shoal/coordinator/admin"
	"shoal/coordinator/backup/restore"
	"shoal/coordinator/schedule"
	"shoal/coordinator/task"
	"shoal/shard/shipment"
	"shoal/wire"
)

// copies copies the shards of a node.
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

func (c *copies) Deliver(_ context.Context, _ wire.NodeID, index uint32, content io.Reader) error {
	if c.refuse > 0 {
		if c.refuse--; c.refuse == 0 {
			return wire.ErrUnavailable
		}
	}
	out, in := io.Pipe()
	go func() { in.CloseWithError(shipment.Rekey(content, index, in)) }()
	_, err := c.Host.Receive(out)
	return err
}

func open(t *testing.T, shards int) (*solo.Node, *Taker, string) {
	n := solo.Open(t, shards)
	path := filepath.Join(t.TempDir(), "data.ms.snapshot")
	return n, NewTaker(Config{Log: n.Log, Blobs: n.Blobs, Shards: &copies{Node: n}, Self: solo.Self, Path: path, Progress: n.Quiet}), path
}

func load(n *solo.Node, file string, refuse int) error {
	return Restore(n.T.Context(), File(file), RestoreConfig{Log: n.Log, Blobs: n.Blobs, Shards: &copies{n, refuse}, Placement: n.Placement, Dir: n.Dir, Progress: n.Quiet})
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
	must(admin.NewKeys(n.Log).Create(n.T.Context(), &api.Key{UID: "11111111-1111-4111-8111-111111111111", Actions: []string{"search"}, Indexes: []string{"*"}}))
	yes := true
	must(admin.NewFeatures(n.Log, settings.Features{}).UpdateFeatures(n.T.Context(), &settings.FeaturesPatch{Network: &yes}))
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
	if diff := cmp.Diff(admin.NewKeys(a.Log).Keys(), admin.NewKeys(b.Log).Keys()); diff != "" {
		t.Errorf("keys: %s", diff)
	}
	if !admin.NewFeatures(b.Log, settings.Features{}).Features().Network {
		t.Error("features are lost")
	}
}

// A snapshot restores everything: indexes under their numbers, documents, tasks with their
// payloads, batches.
func TestASnapshotRestoresEverything(t *testing.T) {
	for _, shards := range []int{1, 3} {
		a, taker, file := open(t, shards)
		a.Schedule(schedule.Jobs{Snapshot: taker.Snapshot})
		fill(a)
		before := a.Tasks()
		must(a.Writer.Snapshot(t.Context()))
		a.Idle()
		if got := a.Tasks(); got[len(got)-1].Status != wire.Succeeded {
			t.Fatalf("%+v", got[len(got)-1])
		}
		b := solo.Open(t, 1)
		b.Schedule(schedule.Jobs{})
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
		// Versions of the index and all numbers continue where they ended.
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

// Enqueued tasks run after the restoration, with payloads inside and outside of the log.
func TestEnqueuedTasksRunAfterARestoration(t *testing.T) {
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
	b.Schedule(schedule.Jobs{})
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

// A damaged file changes nothing. After a failure midway the same command continues.
func TestAFailedRestorationChangesNothingOrContinues(t *testing.T) {
	a, taker, file := open(t, 2)
	a.Schedule(schedule.Jobs{})
	fill(a)
	if err := taker.Snapshot(t.Context()); err != nil {
		t.Fatal(err)
	}
	whole := must(os.ReadFile(file))
	b := solo.Open(t, 1)
	b.Schedule(schedule.Jobs{})
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
		if got, err := unpacked(flipped); err == nil && bytes.Equal(got, must(unpacked(whole))) {
			continue // another encoding of the same content: a copy of equal bytes from elsewhere
		}
		try(fmt.Sprint("flipped at ", i), flipped)
	}
	if now := b.Log.Catalog().Applied(); now != applied {
		t.Errorf("the log grew from %d to %d", applied, now)
	}
	if err := load(b, file, 2); !errors.Is(err, wire.ErrUnavailable) {
		t.Fatalf("a refused delivery: %v", err)
	}
	if phase := coordinator.Importing(b.Log.Catalog()); phase != coordinator.ImportDocuments {
		t.Errorf("after a failure midway the phase is %v, want that of an import that was interrupted", phase)
	}
	// Meanwhile the balancer may have found that an index is small beside the disks.
	for _, x := range b.Log.Catalog().Indexes() {
		wide := wire.Change{PutWide: &wire.WideChange{IndexID: x.ID, Wide: !x.Wide}}
		must(b.Log.Propose(t.Context(), &wire.Command{Update: &wire.Update{Changes: []wire.Change{wide}}}))
	}
	// The log assigns the numbers of indexes once only, so the second attempt must continue
	// with what the first one created.
	if err := load(b, file, 0); err != nil {
		t.Fatalf("the same snapshot again: %v", err)
	}
	for _, x := range a.Log.Catalog().Indexes() {
		if got, want := fmt.Sprint(b.Content(x.UID)), fmt.Sprint(a.Content(x.UID)); got != want {
			t.Errorf("%s holds %.200s, want %.200s", x.UID, got, want)
		}
	}
}

// unpacked returns the contents of a snapshot file.
func unpacked(file []byte) ([]byte, error) {
	z, err := zstd.NewReader(bytes.NewReader(file), zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	return io.ReadAll(z)
}

func TestASnapshotIsDueAnIntervalAfterTheLastOne(t *testing.T) {
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
	n.Schedule(schedule.Jobs{Snapshot: func(context.Context) error { return nil }})
	n.Idle()
	if due(59*time.Minute) || !due(2*time.Hour) {
		t.Error("the end of the last one counts")
	}
}

func TestOtherUsersCannotReadASnapshot(t *testing.T) {
	n := solo.Open(t, 1)
	path := filepath.Join(t.TempDir(), "snapshots", "data.ms.snapshot")
	taker := NewTaker(Config{Log: n.Log, Blobs: n.Blobs, Shards: &copies{Node: n}, Self: solo.Self, Path: path, Progress: n.Quiet})
	if err := taker.Snapshot(t.Context()); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]os.FileMode{path: 0o400, filepath.Dir(path): 0o700} {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}
