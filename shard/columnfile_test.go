package shard

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"shoal/shard/columnist"
	"shoal/shard/docset"
	"shoal/shard/rank/columns"
)

// reopen closes the host and opens another one on the same disk.
func (w *world) reopen(fs vfs.FS, change ...func(*Options)) {
	w.t.Helper()
	if err := w.host.Close(); err != nil {
		w.t.Fatal(err)
	}
	w.host = openHost(w.t, fs, change...)
}

// columnsHold compares the columns of the newest version with the records.
func (w *world) columnsHold() {
	w.t.Helper()
	v := w.view()
	defer func() { _ = v.Close() }()
	l := v
	if err := l.Columns().Check(l); err != nil {
		w.t.Fatal(err)
	}
}

func columnNames(t *testing.T, fs vfs.FS) []string {
	t.Helper()
	names, err := fs.List(filepath.Join("data", columnFolder))
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	return names
}

func commonWords(from, to int, more string) (docs []string) {
	for i := from; i < to; i++ {
		docs = append(docs, fmt.Sprintf(`{"id":%d,"title":"common words in number %d%s"}`, i, i, more))
	}
	return docs
}

func later(o *Options) {
	start := time.Now()
	o.Now = func() time.Time { return start.Add(time.Since(start) * 1_000_000) } // every pause is long
}

// soon returns an option for a clock that the caller moves: pauses are as long as it says.
func soon(clock *atomic.Int64) func(*Options) {
	return func(o *Options) { o.Now = func() time.Time { return time.Unix(0, clock.Load()) } }
}

func (w *world) makeColumns() {
	w.t.Helper()
	w.covered() // counts as a search
	time.Sleep(time.Millisecond)
	if err := w.host.columnist.Make(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
}

func TestColumnsSurviveARestart(t *testing.T) {
	for name, limit := range map[string]func(*Options){"one value": func(*Options) {}, "table files": lowLimits} {
		t.Run(name, func(t *testing.T) {
			const n = 1024
			fs := vfs.NewMem()
			w := newWorld(t, openHost(t, fs, later, limit))
			defer w.close()
			w.commit(add(t, commonWords(0, n, "")...))
			w.makeColumns()
			w.reopen(fs, later, limit)
			if got := w.covered(); !got.Equal(docset.Range(0, n)) {
				t.Fatalf("%d of %d documents have columns after a restart", got.Len(), n)
			}
			w.commit(update(t, `{"id":5,"title":"other words"}`), add(t, `{"id":"new","title":"common words"}`))
			w.reopen(fs, later, limit)
			want := docset.Range(0, n).AndNot(docset.Of(5))
			if got := w.covered(); !got.Equal(want) {
				t.Fatalf("%d documents have columns after a write and a restart, want %d", got.Len(), want.Len())
			}
			w.columnsHold()
			w.commit(add(t, commonWords(0, n/4, " changed")...))
			w.makeColumns()
			w.reopen(fs, later, limit)
			if got := w.covered(); !got.Equal(docset.Range(0, n+1)) {
				t.Fatalf("%d documents have columns", got.Len())
			}
			w.columnsHold()
			before := columnNames(t, fs)
			w.gens.Text++
			w.commit()
			for range 2 { // columns may have been built since
				if slices.ContainsFunc(columnNames(t, fs), func(name string) bool { return slices.Contains(before, name) }) {
					t.Fatalf("columns of another index stay: %q of %q", columnNames(t, fs), before)
				}
				w.reopen(fs, later, limit)
			}
			w.columnsHold()
		})
	}
}

// A few changed documents do not uncover the rest of their block. Its files become one when the
// shard rests: an import that paused left two files of a block, and searches took longer for good.
func TestASmallBatchKeepsTheColumnsOfItsBlock(t *testing.T) {
	const n = 2048
	fs := vfs.NewMem()
	var clock atomic.Int64
	w := newWorld(t, openHost(t, fs, soon(&clock)))
	defer w.close()
	w.commit(add(t, commonWords(0, n, "")...))
	clock.Add(int64(2 * time.Second))
	w.makeColumns()
	before := columnNames(t, fs)
	for i := range 12 {
		w.commit(add(t, commonWords(n+i*200, n+i*200+400, fmt.Sprint(" in batch ", i))...))
		clock.Add(int64(2 * time.Second))
		w.makeColumns()
		if got, want := w.covered(), docset.Range(0, uint32(n+i*200+400)); !got.Equal(want) {
			t.Fatalf("%d of %d documents have columns", got.Len(), want.Len())
		}
		w.columnsHold()
	}
	after := columnNames(t, fs)
	clock.Add(int64(10 * time.Second))
	w.makeColumns()
	w.columnsHold()
	if rested := columnNames(t, fs); len(after) < 2 || len(rested) != 1 || slices.Contains(after, rested[0]) {
		t.Errorf("files %q, and %q once the shard rests", after, rested)
	}
	if len(before) != 1 || !slices.Contains(after, before[0]) || len(after) > columnist.MaxSegments {
		t.Errorf("files %q, then %q: the first should stay, and few be added", before, after)
	}
}

// Random batches, columns and restarts, with crashes at random file operations: columns
// always match their documents, on every disk.
func TestColumnsHoldAfterACrash(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	for round := range 4 {
		columnCrashRound(t, r, round%2 == 0)
	}
}

func columnCrashRound(t *testing.T, r *rand.Rand, low bool) {
	mem := vfs.NewCrashableMem()
	type site struct {
		fs    *vfs.MemFS
		world world
		what  string
	}
	var sites []site
	w := newWorld(t, nil)
	committed := w.promised()
	armed := make(chan bool, 1)
	armed <- false
	inOp := rand.New(rand.NewPCG(r.Uint64(), 2))
	inject := errorfs.InjectorFunc(func(op errorfs.Op) error {
		on := <-armed
		if on && op.Kind.ReadOrWrite() == errorfs.OpIsWrite && (strings.Contains(op.Path, columnFolder) || inOp.IntN(20) == 0) && inOp.IntN(3) == 0 && len(sites) < 60 {
			cfg := vfs.CrashCloneCfg{UnsyncedDataPercent: []int{0, 30, 100}[inOp.IntN(3)], RNG: inOp}
			sites = append(sites, site{mem.CrashClone(cfg), committed, fmt.Sprintf("before %v %s", op.Kind, op.Path)})
		}
		armed <- on
		return nil
	})
	change := []func(*Options){later, w.catalogue, func(o *Options) { o.blockMin = 1 }}
	if low {
		change = append(change, lowLimits)
	}
	w.host = openHost(t, errorfs.Wrap(mem, inject), change...)
	set := func(on bool) {
		<-armed
		committed = w.promised()
		armed <- on
	}
	for range 12 {
		req, reply := w.build(w.randomOps(r)...)
		if reply.Err != nil {
			t.Fatal(reply.Err)
		}
		w.advance(req)
		set(true)
		w.install()
		if r.IntN(2) == 0 {
			w.makeColumns()
		}
		w.columnsHold()
		set(false)
	}
	w.close()
	for _, s := range sites {
		c := s.world
		c.t = t
		c.host = openHost(t, s.fs, append(slices.Clone(change), c.catalogue)...)
		if c.version > 0 {
			c.install()
			c.columnsHold()
			c.makeColumns()
			c.columnsHold()
		}
		if err := c.host.Close(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Fatalf("crash %s", s.what)
		}
	}
}

// spoil changes one byte after the first of every column file on a disk.
func spoil(t *testing.T, fs vfs.FS, at func(size int64) int64) {
	t.Helper()
	for _, name := range columnNames(t, fs) {
		f, err := fs.OpenReadWrite(filepath.Join("data", columnFolder, name), vfs.WriteCategoryUnspecified)
		if err != nil {
			t.Fatal(err)
		}
		info, err := f.Stat()
		if err != nil {
			t.Fatal(err)
		}
		b := make([]byte, 1)
		if _, err := f.ReadAt(b, at(info.Size())); err != nil {
			t.Fatal(err)
		}
		b[0] ^= 0x10
		if _, err := f.WriteAt(b, at(info.Size())); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestADamagedColumnFileIsBuiltAgain(t *testing.T) {
	for name, at := range map[string]func(int64) int64{
		"end": func(n int64) int64 { return n - 1 }, "map": func(n int64) int64 { return n - 60 },
		"first piece": func(int64) int64 { return 3 },
	} {
		t.Run(name, func(t *testing.T) {
			const n = 1024
			fs := vfs.NewMem()
			var log bytes.Buffer
			said := func(o *Options) { o.Log = slog.New(slog.NewTextHandler(&log, nil)) }
			w := newWorld(t, openHost(t, fs, later))
			defer w.close()
			w.commit(add(t, commonWords(0, n, "")...))
			w.makeColumns()
			spoil(t, fs, at)
			w.reopen(fs, later, said)
			v := w.view()
			err := v.Columns().Check(v) // reads everything
			_ = v.Close()
			if name == "first piece" && err == nil {
				t.Fatal("a damaged file reads well")
			}
			w.makeColumns()
			w.makeColumns()
			if got := w.covered(); !got.Equal(docset.Range(0, n)) {
				t.Fatalf("%d of %d documents have columns", got.Len(), n)
			}
			w.columnsHold()
			if n := strings.Count(log.String(), "built again"); n != 1 {
				t.Errorf("said %d times:\n%s", n, log.String())
			}
			if got := columnNames(t, fs); len(got) != 1 {
				t.Errorf("files %q", got)
			}
		})
	}
}

func TestColumnsAreBuiltOnceAFullDiskHasRoom(t *testing.T) {
	const n = 1024
	mem := vfs.NewMem()
	full := true
	fs := errorfs.Wrap(mem, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if full && op.Kind == errorfs.OpFileWrite && strings.Contains(op.Path, columnFolder) {
			return syscall.ENOSPC
		}
		return nil
	}))
	w := newWorld(t, openHost(t, fs, later))
	defer w.close()
	w.commit(add(t, commonWords(0, n, "")...))
	w.covered()
	time.Sleep(time.Millisecond)
	if err := w.host.columnist.Make(t.Context()); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("columns on a full disk: %v", err)
	}
	if got := columnNames(t, mem); len(got) > 0 {
		t.Fatalf("left behind: %q", got)
	}
	resume := w.host.columnist.Pause() // columns of the version before would lack the update
	w.commit(update(t, `{"id":5,"title":"other words"}`))
	w.columnsHold()
	full = false
	resume()
	w.makeColumns()
	if got := w.covered(); !got.Equal(docset.Range(0, n)) {
		t.Fatalf("%d of %d documents have columns once there is room", got.Len(), n)
	}
	w.columnsHold()
}

// A copy replaces the shard: columns of the former shard do not apply to it, and it
// gets its own.
func TestACopyGetsColumnsOfItsOwn(t *testing.T) {
	const n = 1024
	w := newWorld(t, openHost(t, vfs.NewMem(), later))
	defer w.close()
	w.commit(add(t, commonWords(0, n, "")...))
	fs := vfs.NewMem()
	second := newWorld(t, openHost(t, fs, later))
	defer second.close()
	receive := func() {
		t.Helper()
		var stream bytes.Buffer
		if _, err := w.host.SendCopy(t.Context(), testKey, w.version, &stream); err != nil {
			t.Fatal(err)
		}
		if _, err := second.host.Receive(&stream); err != nil {
			t.Fatal(err)
		}
		second.sameAs(w)
	}
	receive()
	second.makeColumns()
	if got := second.covered(); !got.Equal(docset.Range(0, n)) {
		t.Fatalf("%d of %d documents of a copy have columns", got.Len(), n)
	}
	w.commit(add(t, commonWords(0, n, " changed")...))
	receive()
	if got := second.covered(); !got.Empty() {
		t.Fatalf("%d documents have the columns of another copy", got.Len())
	}
	second.reopen(fs, later)
	second.makeColumns()
	if got := second.covered(); !got.Equal(docset.Range(0, n)) {
		t.Fatalf("%d of %d documents of the second copy have columns", got.Len(), n)
	}
	second.columnsHold()
	second.reopen(fs, later)
	if got := second.covered(); !got.Equal(docset.Range(0, n)) {
		t.Fatalf("%d of %d documents of the second copy have columns after a restart", got.Len(), n)
	}
}

// meeting is a disk on which opening a column file waits until a second one is being
// opened.
type meeting struct {
	vfs.FS
	first, met, alone atomic.Bool
	two               chan struct{}
}

func (m *meeting) Open(name string, opts ...vfs.OpenOption) (vfs.File, error) {
	if strings.HasSuffix(name, ".columns") && m.two != nil && !m.met.Load() {
		if m.first.CompareAndSwap(false, true) {
			select {
			case <-m.two:
			case <-time.After(5 * time.Second):
				m.alone.Store(true)
			}
		} else if m.met.CompareAndSwap(false, true) {
			close(m.two)
		}
	}
	return m.FS.Open(name, opts...)
}

// Symptom: right after a start the first search waited while column files were opened
// one after the other, each with two reads.
func TestColumnFilesAreOpenedConcurrently(t *testing.T) {
	const n = 2048
	disk := &meeting{FS: vfs.NewMem()}
	var clock atomic.Int64
	w := newWorld(t, openHost(t, disk, soon(&clock)))
	defer w.close()
	for i := range 3 {
		w.commit(add(t, commonWords(i*n, (i+1)*n, "")...))
		clock.Add(int64(2 * time.Second))
		w.makeColumns()
	}
	if names := columnNames(t, disk.FS); len(names) < 2 {
		t.Fatalf("only %q", names)
	}
	disk.two = make(chan struct{})
	w.reopen(disk, soon(&clock))
	if got := w.covered(); !got.Equal(docset.Range(0, 3*n)) {
		t.Errorf("%d of %d documents have columns", got.Len(), 3*n)
	}
	if disk.alone.Load() {
		t.Error("no two files were opened at the same time")
	}
	w.columnsHold()
}

// Columns stay correct while they are read ahead after a start and the shard is
// searched, changed and closed.
func TestColumnsHoldWhileTheyAreWarmed(t *testing.T) {
	defer func(before int64) { columns.MapLeast = before }(columns.MapLeast)
	columns.MapLeast = 1
	dir := t.TempDir()
	warm := func(o *Options) {
		o.FS, o.Dir, o.Budget.Warm = vfs.Default, dir, 1<<30
		later(o)
	}
	const n = 1024
	w := newWorld(t, openHost(t, vfs.Default, warm))
	defer w.close()
	w.commit(add(t, commonWords(0, n, "")...))
	w.makeColumns()
	for i := range 4 {
		w.reopen(vfs.Default, warm)
		if got := w.covered(); !got.Equal(docset.Range(0, n)) {
			t.Fatalf("%d of %d documents have columns after a restart", got.Len(), n)
		}
		w.columnsHold()
		w.commit(add(t, commonWords(0, n/4, fmt.Sprint(" changed ", i))...))
		w.makeColumns()
		w.columnsHold()
	}
}
