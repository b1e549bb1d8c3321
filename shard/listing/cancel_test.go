package listing

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"shoal/shard/docset"
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

func (w *worker) Numbers(fid uint16, desc bool, f func(float64, docset.Set) bool) error {
	return w.Index.Numbers(fid, desc, func(v float64, docs docset.Set) bool { w.work(); return f(v, docs) })
}

func (w *worker) StringForms(fid uint16, f func(string, func() (docset.Set, error)) bool) error {
	return w.Index.StringForms(fid, func(form string, docs func() (docset.Set, error)) bool { w.work(); return f(form, docs) })
}

func TestAListingEndsSoonAfterItsContext(t *testing.T) {
	docs := map[uint32]string{}
	for i := range uint32(3000) {
		docs[i] = fmt.Sprintf(`{"id":"d%d","n":%d,"_geo":{"lat":1,"lng":1}}`, i, i)
	}
	ix := build(docs, "n", "id", "_geo")
	for what, r := range map[string]wire.ListRequest{
		"sorted":           {Sort: []string{"n:asc"}, Limit: 2000},
		"first by a field": {Sort: []string{"n:asc"}, Limit: 1000},
		"by distance":      {Sort: []string{"_geoPoint(1,2):asc"}, Limit: 10},
	} {
		t.Run(what, func(t *testing.T) {
			r.KeysOnly = true
			run := func(last int) (done int, err error) {
				ctx, stop := context.WithCancel(t.Context())
				defer stop()
				w := &worker{Index: ix, last: last, stop: stop}
				_, err = List(ctx, w, &r)
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
