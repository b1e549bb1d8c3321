package snapshot

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"shoal/api/apierr"
	"shoal/cluster-test/solo"
	"shoal/coordinator/backup/bucket"
	"shoal/coordinator/backup/repository"
	"shoal/coordinator/schedule"
	"shoal/wire"
)

// deposits returns a node whose snapshots go to a folder.
func deposits(t *testing.T, shards int) (n *solo.Node, taker *Taker, r *repository.Repository, dir string, reports *[]Report) {
	t.Helper()
	n, dir, reports = solo.Open(t, shards), t.TempDir(), new([]Report)
	r = repository.Open(must(bucket.OpenFolder(dir)))
	taker = NewTaker(Config{
		Log: n.Log, Blobs: n.Blobs, Shards: &copies{Node: n}, Self: solo.Self, Progress: n.Quiet,
		Repository: r, Keep: repository.Policy{Last: 2}, Taken: func(r Report) { *reports = append(*reports, r) },
	})
	return n, taker, r, dir, reports
}

func restored(n *solo.Node, r *repository.Repository) error {
	e, err := r.Newest(n.T.Context(), nil)
	if err != nil {
		return err
	}
	return Restore(n.T.Context(), Deposited(r, e.Name), RestoreConfig{Log: n.Log, Blobs: n.Blobs, Shards: &copies{Node: n}, Placement: n.Placement, Dir: n.Dir, Progress: n.Quiet})
}

// last returns the report of the newest snapshot.
func last(t *testing.T, reports *[]Report) Report {
	t.Helper()
	if len(*reports) == 0 {
		t.Fatal("no snapshot was reported")
	}
	r := (*reports)[len(*reports)-1]
	if r.Err != nil {
		t.Fatal(r.Err)
	}
	return r
}

// many returns documents that make shards of several MiB.
func many(first, n int) string {
	var b strings.Builder
	for i := first; i < first+n; i++ {
		fmt.Fprintf(&b, `{"id":%d,"title":"film %d","overview":"word%d and word%d meet word%d in %x %x"}`+"\n", i, i, i%977, i*7%1999, i*13%4999, uint64(i)*0x9e3779b97f4a7c15, uint64(i)*0xc2b2ae3d27d4eb4f)
	}
	return b.String()
}

// Snapshots of a repository restore everything, and each sends only the changes since the
// former one.
func TestADepositSendsOnlyChanges(t *testing.T) {
	shapes := []int{1, 3}
	if testing.Short() {
		shapes = shapes[1:]
	}
	for _, shards := range shapes {
		a, taker, r, _, reports := deposits(t, shards)
		a.Schedule(schedule.Jobs{Snapshot: taker.Snapshot})
		fill(a)
		a.Upload("large", many(0, 12000))
		a.Idle()
		must(a.Writer.Snapshot(t.Context()))
		a.Idle()
		first := last(t, reports)
		if first.Bytes < 1<<20 || first.Sent < first.Bytes/4 {
			t.Fatalf("%+v", first)
		}
		must(a.Writer.Snapshot(t.Context()))
		a.Idle()
		if again := last(t, reports); again.Sent > 16<<10 {
			t.Errorf("nothing changed and %d bytes of %d were sent", again.Sent, again.Bytes)
		}
		// The same documents with one more member each: their words do not change.
		a.Upload("large", strings.ReplaceAll(many(0, 10), "}", `,"seen":true}`))
		a.Idle()
		must(a.Writer.Snapshot(t.Context()))
		a.Idle()
		changed := last(t, reports)
		t.Logf("%d shards: %d bytes, sent %d, ten documents later %d", shards, changed.Bytes, first.Sent, changed.Sent)
		if changed.Sent > first.Sent*3/4 {
			t.Errorf("ten documents of 12,000 made %d bytes of %d", changed.Sent, first.Sent)
		}
		b := solo.Open(t, 1)
		b.Schedule(schedule.Jobs{})
		if err := restored(b, r); err != nil {
			t.Fatal(err)
		}
		same(t, a, b)
		b.Upload("movies", `{"id":3,"title":"new"}`)
		b.Idle()
		if got := b.Tasks(); got[len(got)-1].Status != wire.Succeeded {
			t.Errorf("%+v", got[len(got)-1])
		}
		if list := must(r.Snapshots(t.Context())); len(list) != 2 {
			t.Errorf("%d snapshots are kept, want 2", len(list))
		}
	}
}

// Prepare sends while batches may run, so that the snapshot itself sends little.
func TestPrepareSendsMostOfASnapshot(t *testing.T) {
	a, taker, r, _, reports := deposits(t, 2)
	a.Schedule(schedule.Jobs{Snapshot: taker.Snapshot})
	fill(a)
	a.Upload("large", many(0, 5000))
	a.Idle()
	if err := taker.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	sent := taker.draft.Sent
	a.Upload("small", `{"id":1}`)
	a.Idle()
	must(a.Writer.Snapshot(t.Context()))
	a.Idle()
	if whole := last(t, reports); sent < 100<<10 || whole.Sent-sent > 64<<10 {
		t.Errorf("%d bytes before, %d in all", sent, whole.Sent)
	}
	b := solo.Open(t, 1)
	b.Schedule(schedule.Jobs{})
	if err := restored(b, r); err != nil {
		t.Fatal(err)
	}
	same(t, a, b)
}

// A damaged snapshot of a repository changes nothing.
func TestADamagedDepositChangesNothing(t *testing.T) {
	a, taker, r, dir, _ := deposits(t, 2)
	a.Schedule(schedule.Jobs{})
	fill(a)
	if err := taker.Snapshot(t.Context()); err != nil {
		t.Fatal(err)
	}
	chunks := must(filepath.Glob(filepath.Join(dir, "chunks", "*", "*")))
	if len(chunks) < 3 {
		t.Fatal(chunks)
	}
	b := solo.Open(t, 1)
	b.Schedule(schedule.Jobs{})
	applied := b.Log.Catalog().Applied()
	for _, file := range chunks {
		whole := must(os.ReadFile(file))
		if err := os.WriteFile(file, whole[:len(whole)/2], 0o600); err != nil {
			t.Fatal(err)
		}
		if err := restored(b, r); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", file, err)
		}
		if err := os.WriteFile(file, whole, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if now := b.Log.Catalog().Applied(); now != applied {
		t.Errorf("the log grew from %d to %d", applied, now)
	}
	if err := restored(b, r); err != nil {
		t.Fatal(err)
	}
	same(t, a, b)
}

// A backup place that refuses access fails the task with an instruction for the operator, and
// leaves earlier snapshots unchanged.
func TestARefusedDepositFailsWithAnInstruction(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	a, taker, _, _, reports := deposits(t, 1)
	taker.cfg.Repository = repository.Open(must(bucket.OpenFolder(file)))
	err := taker.Snapshot(t.Context())
	var said *apierr.Error
	if !errors.As(err, &said) || !strings.Contains(said.Message, "storage of backups") {
		t.Errorf("%v", err)
	}
	if len(*reports) != 1 || (*reports)[0].Err == nil {
		t.Errorf("%+v", *reports)
	}
	if err := taker.Prepare(t.Context()); err == nil || len(*reports) != 2 {
		t.Errorf("%v, %+v", err, *reports)
	}
	_ = a
}

// A scheduled snapshot is prepared first, and not enqueued while that fails.
func TestScheduledSnapshotIsPrepared(t *testing.T) {
	n, _, _ := open(t, 1)
	n.Schedule(schedule.Jobs{Snapshot: (&Taker{}).Prepare})
	calls := make(chan int)
	go Schedule(t.Context(), n.Log, n.Writer, time.Nanosecond, func(ctx context.Context) error {
		select {
		case k := <-calls:
			if k == 0 {
				return errors.New("not now")
			}
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}, n.Quiet)
	calls <- 0
	calls <- 0
	if got := n.Tasks(); len(got) != 0 {
		t.Errorf("enqueued although it was not prepared: %+v", got)
	}
	calls <- 1
	for len(n.Tasks()) == 0 {
		<-n.Log.Changed()
	}
}
