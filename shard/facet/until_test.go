package facet

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"shoal/api/settings"
	"shoal/shard/docset"
	"shoal/shard/memindex"
	"shoal/shard/record"
	"shoal/wire"
)

// worker is an index that counts reads and ends a context after a number of them.
type worker struct {
	Index
	done, last int
	stop       context.CancelFunc
}

func (w *worker) work() {
	if w.done++; w.done == w.last {
		w.stop()
	}
}

func (w *worker) Values(ord uint32) (record.Values, bool, error) {
	w.work()
	return w.Index.Values(ord)
}

func (w *worker) String(fid uint16, form string) (docset.Set, error) {
	w.work()
	return w.Index.String(fid, form)
}

func (w *worker) Numbers(fid uint16, desc bool, f func(float64, docset.Set) bool) error {
	return w.Index.Numbers(fid, desc, func(v float64, docs docset.Set) bool { w.work(); return f(v, docs) })
}

func (w *worker) Strings(fid uint16, desc bool, f func(string, docset.Set) bool) error {
	return w.Index.Strings(fid, desc, func(form string, docs docset.Set) bool { w.work(); return f(form, docs) })
}

func (w *worker) StringForms(fid uint16, f func(string, func() (docset.Set, error)) bool) error {
	return w.Index.StringForms(fid, func(form string, docs func() (docset.Set, error)) bool { w.work(); return f(form, docs) })
}

func TestFacetsEndSoonAfterTheirContext(t *testing.T) {
	docs := map[uint32]string{}
	for i := range uint32(3000) {
		docs[i] = fmt.Sprintf(`{"id":%d,"t":"text %d"}`, i, i)
	}
	s := settings.Default()
	s.Filterable = memindex.Plain("id", "t")
	ix := memindex.New(s, memindex.Fields(docs), docs)
	number, _ := ix.FieldID("id")
	words, _ := ix.FieldID("t")
	forms := make([]string, 3000)
	for i := range forms {
		forms[i] = fmt.Sprint("text ", i)
	}
	ask := func(fid uint16) *wire.FacetsStep {
		return &wire.FacetsStep{Max: 5000, Fields: []wire.FacetAsk{{Field: fid, Order: wire.FacetCount}}}
	}
	defer func(limit, asks int) { recordLimit, ColumnAsks = limit, asks }(recordLimit, ColumnAsks)
	for what, c := range map[string]struct {
		limit int
		read  func(ctx context.Context, ix Index) error
	}{
		"records": {1 << 20, func(ctx context.Context, i Index) error {
			_, err := Count(ctx, i, nil, ix.Live(), ask(words))
			return err
		}},
		"numbers": {0, func(ctx context.Context, i Index) error {
			_, err := Count(ctx, i, nil, ix.Live(), ask(number))
			return err
		}},
		"strings": {0, func(ctx context.Context, i Index) error {
			_, err := Count(ctx, i, nil, ix.Live(), ask(words))
			return err
		}},
		"column": {0, func(ctx context.Context, i Index) error {
			_, err := Count(ctx, i, &Columns{}, ix.Live(), ask(words))
			return err
		}},
		"labels": {0, func(ctx context.Context, i Index) error {
			_, err := Labels(ctx, i, nil, ix.Live(), &wire.FacetLabelsStep{Field: words, Forms: forms})
			return err
		}},
		"search": {0, func(ctx context.Context, i Index) error {
			_, err := Search(ctx, i, nil, ix.Live(), &wire.FacetSearchStep{Field: words, Match: wire.FacetAny, Max: 5000, ByCount: true})
			return err
		}},
		"search by words": {0, func(ctx context.Context, i Index) error {
			_, err := Search(ctx, i, nil, ix.Live(), &wire.FacetSearchStep{Field: words, Match: wire.FacetPrefix, Query: "tex", Max: 5000})
			return err
		}},
	} {
		t.Run(what, func(t *testing.T) {
			recordLimit, ColumnAsks = c.limit, 1
			run := func(last int) (done int, err error) {
				ctx, stop := context.WithCancel(t.Context())
				defer stop()
				w := &worker{Index: ix, last: last, stop: stop}
				err = c.read(ctx, w)
				return w.done, err
			}
			if all, err := run(0); err != nil || all < 2*pollEvery {
				t.Fatalf("%d pieces of work when nothing ends it, %v", all, err)
			}
			const last = 100
			if done, err := run(last); !errors.Is(err, context.Canceled) || done > last+pollEvery {
				t.Errorf("%d pieces of work, %v; at most %d after the context ended", done, err, pollEvery)
			}
		})
	}
}
