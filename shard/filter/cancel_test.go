package filter

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"shoal/api/apierr"
	"shoal/query/filter"
	"shoal/shard/docset"
	"shoal/shard/memindex"
	"shoal/shard/record"
)

// worker is an index that counts what is read of it and ends a context after so many
// pieces of work.
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

func (w *worker) NumberRange(fid uint16, from, to float64) (docset.Set, error) {
	w.work()
	return w.Index.NumberRange(fid, from, to)
}

func (w *worker) StringForms(fid uint16, f func(string, func() (docset.Set, error)) bool) error {
	return w.Index.StringForms(fid, func(form string, docs func() (docset.Set, error)) bool {
		w.work()
		return f(form, docs)
	})
}

func (w *worker) Documents(ordinals []uint32, visit func(int, []byte) error) error {
	return w.Index.Documents(ordinals, func(i int, json []byte) error {
		w.work()
		return visit(i, json)
	})
}

// A search of 2,000 CONTAINS went on for 14 s of CPU after its client had left.
func TestAFilterEndsSoonAfterItsContext(t *testing.T) {
	docs := map[uint32]string{}
	for i := range uint32(3000) {
		docs[i] = fmt.Sprintf(`{"id":%d,"t":"text %d","n":%d,"_geo":{"lat":10,"lng":%d},"_geojson":{"type":"Point","coordinates":[%d,10]}}`, i, i, i, i%90, i%90)
	}
	ix := memindex.New(indexSettings(), memindex.Fields(docs), docs)
	var in strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&in, "'text %d',", i)
	}
	defer func(limit int) { recordLimit = limit }(recordLimit)
	for what, c := range map[string]struct {
		filter string
		few    int // recordLimit
	}{
		"texts, by value":           {"t CONTAINS 'ext'", 0},
		"texts, by document":        {"id >= 0 AND t CONTAINS 'ext'", 1 << 20},
		"many texts":                {strings.Repeat("t CONTAINS 'ext' OR ", 20) + "t CONTAINS 'ext'", 0},
		"none of many texts":        {"NOT (" + strings.Repeat("t CONTAINS 'x' OR ", 20) + "t CONTAINS 'ext')", 0},
		"list":                      {"t IN [" + in.String() + "]", 0},
		"many comparisons":          {strings.Repeat("n > 5 OR ", 900) + "n > 5", 0},
		"comparisons, by document":  {"id >= 0 AND n > 5", 1 << 20},
		"circle":                    {"_geoRadius(10, 45, 9000000)", 0},
		"polygon":                   {"_geoPolygon([0, 0], [0, 80], [80, 80], [80, 0])", 0},
		"box of shapes":             {"_geoBoundingBox([80, 80], [0, 0])", 0},
		"many conditions on shapes": {strings.Repeat("_geoPolygon([0, 0], [0, 80], [80, 80]) OR ", 9) + "n = 1", 0},
	} {
		t.Run(what, func(t *testing.T) {
			recordLimit = c.few
			f, fault := filter.ParseFilter([]byte(fmt.Sprintf("%q", c.filter)))
			if fault != nil {
				t.Fatal(fault.Error())
			}
			s := ix.Settings()
			s.Filterable = memindex.Plain("t", "n", "id", "_geo", "_geojson")
			run := func(last int) (done int, err error) {
				ctx, stop := context.WithCancel(t.Context())
				defer stop()
				w := &worker{Index: ix, last: last, stop: stop}
				_, err = Evaluate(ctx, w, f, apierr.CodeInvalidSearchFilter)
				return w.done, err
			}
			all, err := run(0)
			if err != nil || all < 2*pollEvery && what != "many comparisons" {
				t.Fatalf("%d pieces of work when nothing ends it, %v", all, err)
			}
			const last = 100
			if done, err := run(last); !errors.Is(err, context.Canceled) || done > last+pollEvery {
				t.Errorf("%d pieces of work of %d, %v; at most %d after the context ended", done, all, err, pollEvery)
			}
		})
	}
}
