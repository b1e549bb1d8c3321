package shard

import (
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"shoal/shard/rank/columns"
	"shoal/wire"
)

// siblings are two shards of one index on one host, each with every other document.
type siblings struct {
	t           *testing.T
	fs          vfs.FS
	left, right *world
}

const ofEach = 600

func newSiblings(t *testing.T, change ...func(*Options)) *siblings {
	t.Helper()
	s := &siblings{t: t, fs: vfs.NewMem()}
	host := openHost(t, s.fs, append([]func(*Options){later}, change...)...)
	s.left, s.right = newWorld(t, host), newWorld(t, host)
	s.right.key.Shard++
	for i, w := range s.both() {
		s.add(w, uint32(i), 0)
	}
	return s
}

func (s *siblings) both() []*world { return []*world{s.left, s.right} }

// add adds documents with odd or even ordinals to a shard.
func (s *siblings) add(w *world, parity uint32, from int) {
	w.ordinals = []uint32{}
	for i := from; i < from+ofEach; i++ {
		w.ordinals = append(w.ordinals, uint32(2*i)+parity)
	}
	w.commit(add(s.t, commonWords(from, from+ofEach, "")...))
	w.ordinals = nil
}

// makeColumns builds columns of both shards, which were searched.
func (s *siblings) makeColumns() {
	s.t.Helper()
	s.right.covered()
	s.left.makeColumns()
}

// names lists the files. No file may be under construction.
func (s *siblings) names() []string {
	s.t.Helper()
	defer s.left.host.columns.Pause()()
	return columnNames(s.t, s.fs)
}

// hold checks the columns of both shards and how many documents they cover together. It
// returns the names of the files.
func (s *siblings) hold(want int) []string {
	s.t.Helper()
	defer s.left.host.columns.Pause()() // no file is under construction
	var all []*columns.Columns
	for _, w := range s.both() {
		w.columnsHold()
		v := w.view()
		defer func() { _ = v.Close() }()
		all = append(all, v.Columns())
		if foreign := v.Columns().Covered().AndNot(v.Live()); !foreign.Empty() {
			s.t.Fatalf("columns of %d documents that the shard does not have", foreign.Len())
		}
	}
	united := columns.Unite(all...)
	if got := united.Covered().Len(); got != want {
		s.t.Fatalf("%d documents have columns, want %d", got, want)
	}
	names := columnNames(s.t, s.fs)
	if got := len(united.All()); got != len(names) {
		s.t.Fatalf("a search of both reads %d files of %q", got, names)
	}
	return names
}

func (s *siblings) reopen() {
	s.t.Helper()
	s.left.reopen(s.fs, later)
	s.right.host = s.left.host
}

// Four shards of an index on one node had four files per block, and a search read all
// of them. That cost a third more than one shard.
func TestShardsOfAnIndexShareColumnFiles(t *testing.T) {
	s := newSiblings(t)
	defer s.left.close()
	s.makeColumns()
	first := s.hold(2 * ofEach)
	if len(first) != 1 || !strings.Contains(first[0], "+") {
		t.Fatalf("files %q, want one of both shards", first)
	}
	s.reopen()
	s.hold(2 * ofEach)

	// One shard changes: the file still serves its other documents and the other shard.
	s.left.commit(update(t, `{"id":5,"title":"other words"}`))
	s.hold(2*ofEach - 1)
	s.reopen()
	if got := s.hold(2*ofEach - 1); !slices.Equal(got, first) {
		t.Fatalf("files %q, want %q", got, first)
	}

	// One shard gets new settings: its columns are built again, and the file stays for
	// the other one.
	s.right.gens.Text++
	s.right.commit()
	if got := s.right.covered(); !got.Empty() {
		t.Fatalf("%d documents have columns of another text", got.Len())
	}
	if got := s.hold(ofEach - 1); !slices.Equal(got, first) {
		t.Fatalf("files %q, want %q", got, first)
	}
	s.makeColumns()
	s.hold(2 * ofEach)
	s.makeColumns() // merges the files once nothing else is to be done
	if got := s.hold(2 * ofEach); len(got) != 1 || got[0] == first[0] {
		t.Fatalf("files %q, want one other than %q", got, first)
	}

	// One shard is dropped: the file stays as long as the other one needs it.
	if err := s.left.host.Drop(s.right.key); err != nil {
		t.Fatal(err)
	}
	s.left.columnsHold()
	if got := s.left.covered(); got.Len() != ofEach || len(s.names()) != 1 {
		t.Fatalf("%d documents have columns, in %q", got.Len(), s.names())
	}
	if err := s.left.host.Drop(s.left.key); err != nil {
		t.Fatal(err)
	}
	if left := s.names(); len(left) > 0 {
		t.Errorf("files %q are left", left)
	}
}

// Shards that were built or moved here one by one have files of their own, as older
// programs write them. They are merged when nobody writes.
func TestColumnFilesOfShardsAreMerged(t *testing.T) {
	s := newSiblings(t)
	defer s.left.close()
	s.reopen()
	s.left.makeColumns() // nobody has read the other one since the start, so it is not loaded
	if got := s.names(); len(got) != 1 || strings.Contains(got[0], "+") {
		t.Fatalf("files %q, want one of one shard", got)
	}
	s.makeColumns()
	if got := s.hold(2 * ofEach); len(got) != 1 || !strings.Contains(got[0], "+") {
		t.Fatalf("files %q, want one of both", got)
	}
}

// A damaged file of two shards is built again for both.
func TestADamagedFileOfTwoShardsIsBuiltAgainForBoth(t *testing.T) {
	s := newSiblings(t)
	defer s.left.close()
	s.makeColumns()
	before := s.hold(2 * ofEach)
	spoil(t, s.fs, func(size int64) int64 { return size - 3 })
	s.reopen()
	for _, w := range s.both() {
		if got := w.covered(); !got.Empty() {
			t.Fatalf("%d documents have damaged columns", got.Len())
		}
	}
	s.makeColumns()
	if got := s.hold(2 * ofEach); len(got) != 1 || got[0] == before[0] {
		t.Fatalf("files %q, want another one than %q", got, before)
	}
}

// During a reshard a node has some documents twice, in the old shard and in the new
// one, which may be behind. The new shard used to get columns of the old one.
func TestNewShardsOfAReshardGetColumnsOfTheirOwn(t *testing.T) {
	s := newSiblings(t)
	defer s.left.close()
	fresh := newWorld(t, s.left.host)
	fresh.key.Shard += 2
	fresh.ordinals = make([]uint32, ofEach)
	for i := range fresh.ordinals {
		fresh.ordinals[i] = uint32(2 * i)
	}
	fresh.commit(add(t, commonWords(0, ofEach, " and others")...))
	for range 2 {
		fresh.covered()
		s.makeColumns()
		if got := fresh.covered(); got.Len() < ofEach-1 { // one may wait
			t.Fatalf("%d documents of the new shard have columns", got.Len())
		}
		fresh.columnsHold()
		s.left.columnsHold()
		s.right.columnsHold()
		fresh.ordinals = nil
		fresh.commit(update(t, `{"id":5,"title":"newer words"}`))
	}
	if got := s.names(); len(got) != 2 {
		t.Errorf("files %q, want one of the new shard and one of the old ones", got)
	}
}

// A sweep leaves a file alone that is being written, though no table names it yet.
func TestAFileUnderConstructionIsNotSwept(t *testing.T) {
	var swept func()
	s := newSiblings(t)
	defer s.left.close()
	renamed := &renaming{FS: s.fs, then: func() { swept() }}
	s.left.reopen(renamed, later)
	s.right.host = s.left.host
	sweeps := 0
	swept = func() {
		sweeps++
		for _, key := range []wire.ShardKey{s.left.key, s.right.key} {
			if err := s.left.host.columns.SweepShard(key); err != nil {
				t.Error(err)
			}
		}
	}
	s.makeColumns()
	if s.hold(2 * ofEach); sweeps == 0 {
		t.Error("no file was made")
	}
}

// renaming is a disk that calls a function after a column file got its name.
type renaming struct {
	vfs.FS
	then func()
}

func (r *renaming) Rename(from, to string) error {
	err := r.FS.Rename(from, to)
	if strings.HasSuffix(to, ".columns") {
		r.then()
	}
	return err
}
