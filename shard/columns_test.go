package shard

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"shoal/shard/docset"
	"shoal/shard/rank"
	"shoal/wire"
)

// columnWorld is a world of n documents with a manual clock.
func columnWorld(t *testing.T, n int, change ...func(*Options)) (*world, func()) {
	var clock atomic.Int64
	change = append(change, func(o *Options) { o.Now = func() time.Time { return time.Unix(clock.Load(), 0) } })
	w := newWorld(t, openHost(t, vfs.NewMem(), change...))
	var docs []string
	for i := range n {
		docs = append(docs, fmt.Sprintf(`{"id":%d,"title":"common words in number %d"}`, i, i))
	}
	w.commit(add(t, docs...))
	return w, func() {
		t.Helper()
		clock.Add(60)
		if err := w.host.columnist.Make(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// covered returns the documents to which the columns of the newest version apply.
func (w *world) covered() docset.Set {
	w.t.Helper()
	v := w.view()
	defer func() { _ = v.Close() }()
	return v.Columns().Covered()
}

// Symptom: the first searches after an import took fifty times as long, however long it was
// over, because only a search asked for columns before ten seconds had passed.
func TestColumnsAreBuiltAfterAnImportBeforeAnybodySearches(t *testing.T) {
	var clock atomic.Int64
	w := newWorld(t, openHost(t, vfs.NewMem(), soon(&clock)))
	defer w.close()
	w.commit(add(t, commonWords(0, 1024, "")...))
	for _, x := range []struct {
		after time.Duration
		files int
	}{{900 * time.Millisecond, 0}, {1100 * time.Millisecond, 1}} {
		clock.Store(int64(x.after))
		if err := w.host.columnist.Make(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := w.host.columnist.Figures().Files; got != x.files {
			t.Errorf("%s after the import there are %d files, want %d", x.after, got, x.files)
		}
	}
}

func TestAWriteKeepsTheColumnsOfOtherDocuments(t *testing.T) {
	for name, limit := range map[string]func(*Options){"one value": func(*Options) {}, "table files": lowLimits} {
		t.Run(name, func(t *testing.T) {
			const n = 1024
			w, makeColumns := columnWorld(t, n, limit)
			defer w.close()
			if got := w.covered(); !got.Empty() {
				t.Fatalf("%d documents have columns before any were made", got.Len())
			}
			makeColumns()
			if got := w.covered(); !got.Equal(docset.Range(0, n)) {
				t.Fatalf("%d of %d documents have columns", got.Len(), n)
			}
			w.commit(
				update(t, `{"id":5,"title":"other words"}`),
				add(t, `{"id":"new","title":"common words"}`),
				wire.Op{Kind: wire.OpDeleteIDs, IDs: []string{"7"}},
			)
			want := docset.Range(0, n).AndNot(docset.Of(5, 7))
			if got := w.covered(); !got.Equal(want) {
				t.Fatalf("%d documents have columns after a write, want %d", got.Len(), want.Len())
			}
			// A few missing documents are not worth the work; many are.
			makeColumns()
			if got := w.covered(); !got.Equal(want) {
				t.Fatalf("columns were made for 2 documents")
			}
			var docs []string
			for i := range n / 4 {
				docs = append(docs, fmt.Sprintf(`{"id":%d,"title":"changed"}`, i))
			}
			w.commit(add(t, docs...))
			if got := w.covered(); got.Intersects(docset.Range(0, n/4)) {
				t.Fatal("changed documents have the columns they had before")
			}
			makeColumns()
			v := w.view()
			live := v.Live()
			_ = v.Close()
			if got := w.covered(); !got.Equal(live) {
				t.Fatalf("%d of %d documents have columns", got.Len(), live.Len())
			}
		})
	}
}

// Documents that change while columns of their block are built are not covered: the
// columns were read before the change.
func TestColumnsBuiltDuringAWriteDoNotCoverItsDocuments(t *testing.T) {
	const n = 512
	during := make(chan func(), 1)
	w, makeColumns := columnWorld(t, n, func(o *Options) {
		o.FS = errorfs.Wrap(o.FS, errorfs.InjectorFunc(func(op errorfs.Op) error {
			if op.Kind == errorfs.OpCreate && strings.Contains(op.Path, columnFolder) {
				select {
				case write := <-during:
					write()
				default:
				}
			}
			return nil
		}))
	})
	defer w.close()
	during <- func() { w.commit(update(t, `{"id":5,"title":"other words"}`)) }
	makeColumns()
	if len(during) > 0 {
		t.Fatal("no block needs columns")
	}
	if got, want := w.covered(), docset.Range(0, n).AndNot(docset.Of(5)); !got.Equal(want) {
		t.Fatalf("%d documents have columns, want %d", got.Len(), want.Len())
	}
}

func TestAWriteKeepsCachedResults(t *testing.T) {
	w, _ := columnWorld(t, 100)
	defer w.close()
	kept := func() int {
		v := w.view()
		defer func() { _ = v.Close() }()
		return v.Memo().Len()
	}
	v := w.view()
	s := rank.New(v, nil)
	step := &wire.SearchStep{Pairs: &wire.PairsStep{Pairs: []wire.Pair{{Left: "common", Right: "words", Enough: 1000}}}}
	reply, err := s.Step(t.Context(), step)
	if err != nil || reply.Pairs.Counts[0] != 100 {
		t.Fatalf("%+v, %v", reply, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	_ = v.Close()
	before := kept()
	w.commit(update(t, `{"id":5,"title":"other"}`))
	if after := kept(); before == 0 || after != before {
		t.Errorf("%d results kept, %d after a write", before, after)
	}
	w.gens.Text++
	w.commit()
	if after := kept(); after != 0 {
		t.Errorf("%d results kept of another index", after)
	}
}
