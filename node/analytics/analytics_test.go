package analytics

import (
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"shoal/api"
	"shoal/node/machine"
)

// desk is a recorder with a clock and settings that a test moves.
type desk struct {
	*Recorder
	now      time.Time
	settings api.Analytics
	dir      string
	log      strings.Builder
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{now: time.Date(2026, 11, 26, 12, 30, 0, 0, time.UTC), settings: api.Analytics{Enabled: true, Queries: true}, dir: filepath.Join(t.TempDir(), "analytics")}
	d.open(t)
	return d
}

func (d *desk) open(t *testing.T) {
	t.Helper()
	var err error
	d.Recorder, err = Open(Config{Files: machine.Disk(), Dir: d.dir, Settings: func() api.Analytics { return d.settings }, Now: func() time.Time { return d.now }, Tag: 0xabc,
		Log: slog.New(slog.NewTextHandler(&d.log, nil))})
	if err != nil {
		t.Fatal(err)
	}
}

func (d *desk) search(index, q string, empty bool) {
	d.Searched(&api.CountedSearch{IndexUID: index, Query: q, Empty: empty, Took: time.Millisecond})
}

// report is what one node reports of the days around now.
func (d *desk) report(t *testing.T, q api.AnalyticsQuery) *Answer {
	t.Helper()
	q.Limit = listed
	r := NewReport(&q, d.now)
	s, err := d.Summary(t.Context(), r.First, r.Last, q.IndexUID, r.Slot)
	if err != nil {
		t.Fatal(err)
	}
	r.Add("n1", s)
	return r.Answer(d.settings)
}

func TestAReportTellsSearchesClicksAndTimes(t *testing.T) {
	d := newDesk(t)
	d.search("films", " Sea  Change ", false)
	d.search("films", "sea change", false)
	d.search("films", "", false)
	d.search("books", "nothing", true)
	d.now = d.now.Add(time.Hour)
	d.search("books", "sea change", false)
	three, far := uint64(3), uint64(4000)
	d.Happened(&api.Event{IndexUID: "films", Position: &three}, true)
	d.Happened(&api.Event{IndexUID: "films", Position: &far}, true)
	d.Happened(&api.Event{IndexUID: "films", Conversion: true}, true)
	a := d.report(t, api.AnalyticsQuery{})
	if a.Cell != (Cell{5, 1, 2, 1}) || a.ClickPositions[3] != 1 || a.ClickPositions[10] != 1 || a.Interval != api.DayInterval || len(a.Times) != 1 || a.From != "2026-11-20" || a.To != "2026-11-26" {
		t.Errorf("%+v", a)
	}
	if len(a.Queries) != 3 || a.Queries[0] != (QueryAnswer{"films", "sea change", 2, 2}) || len(a.Empty) != 1 || a.Empty[0] != (QueryAnswer{"books", "nothing", 1, 1}) {
		t.Errorf("%+v %+v", a.Queries, a.Empty)
	}
	if p := a.Latency.P50; p < 1 || p > 1.25 {
		t.Errorf("the median of searches of 1 ms is %v ms", p)
	}
	day := time.Date(2026, 11, 26, 0, 0, 0, 0, time.UTC)
	one := d.report(t, api.AnalyticsQuery{IndexUID: "books", From: day, To: day})
	if one.Cell != (Cell{2, 1, 0, 0}) || one.Interval != api.HourInterval || len(one.Times) != 2 || !one.Times[1].At.Equal(day.Add(13*time.Hour)) || one.Times[1].Searches != 1 || len(one.Queries) != 2 || len(one.Indexes) != 1 {
		t.Errorf("%+v", one)
	}
}

// A click counts for the query whose answer had the uid, on the node that gave it.
func TestAClickCountsForItsQuery(t *testing.T) {
	d := newDesk(t)
	uid, err := d.QueryUID()
	if err != nil {
		t.Fatal(err)
	}
	if tag, ok := TagIn(uid); !ok || tag != 0xabc {
		t.Errorf("%s has the mark %x", uid, tag)
	}
	d.Searched(&api.CountedSearch{IndexUID: "films", Query: "heat", QueryUID: uid})
	other, err := d.QueryUID()
	if err != nil {
		t.Fatal(err)
	}
	if d.Happened(&api.Event{IndexUID: "films", QueryUID: other}, false) || d.Happened(&api.Event{IndexUID: "books", QueryUID: uid}, false) {
		t.Error("knows a query that it did not answer")
	}
	if !d.Happened(&api.Event{IndexUID: "films", QueryUID: uid}, false) {
		t.Error("does not know its query")
	}
	if a := d.report(t, api.AnalyticsQuery{}); len(a.Clicked) != 1 || a.Clicked[0] != (QueryAnswer{"films", "heat", 1, 1}) || a.Clicks != 1 {
		t.Errorf("%+v", a)
	}
	for range remembered { // as many as are remembered push it out
		uid, _ := d.QueryUID()
		d.Searched(&api.CountedSearch{IndexUID: "films", Query: "heat", QueryUID: uid})
	}
	if d.Happened(&api.Event{IndexUID: "films", QueryUID: uid}, false) || len(d.recent.of) != remembered {
		t.Errorf("%d queries are remembered", len(d.recent.of))
	}
}

// The first day is of no interest: a node that is started again, also after it was killed,
// goes on with what it had written.
func TestANodeThatIsStartedAgainGoesOnCounting(t *testing.T) {
	d := newDesk(t)
	for i := range counters + 5 { // more than there are counters
		d.search("films", fmt.Sprint("q", i%7000), false)
	}
	before := d.report(t, api.AnalyticsQuery{})
	d.Save()
	d.search("films", "lost with the process", false)
	d.open(t)
	after := d.report(t, api.AnalyticsQuery{})
	if after.Searches != counters+5 || fmt.Sprint(before) != fmt.Sprint(after) {
		t.Errorf("%v, then %v", before.Cell, after.Cell)
	}
	d.search("films", "q1", false)
	if a := d.report(t, api.AnalyticsQuery{}); a.Searches != counters+6 || a.Queries[0] != (QueryAnswer{"films", "q1", 3, 3}) {
		t.Errorf("%+v", a.Queries[0])
	}
}

func TestDaysAddUpAndOldOnesGo(t *testing.T) {
	d := newDesk(t)
	for range Days + 10 {
		d.search("films", "heat", false)
		if d.now.Day()%2 == 0 { // some days are written while they last, some after they ended
			d.Save()
		}
		d.now = d.now.Add(24 * time.Hour)
	}
	d.Save()
	files, err := os.ReadDir(d.dir)
	if err != nil || len(files) != Days-1 { // today has nothing yet
		t.Errorf("%d files: %v", len(files), err)
	}
	a := d.report(t, api.AnalyticsQuery{From: d.now.Add(-1000 * 24 * time.Hour)})
	if a.Searches != Days-1 || a.Queries[0] != (QueryAnswer{"films", "heat", Days - 1, Days - 1}) || len(a.Times) != Days-1 {
		t.Errorf("%+v of %s to %s", a.Cell, a.From, a.To)
	}
	d.now = d.now.Add(-5 * 24 * time.Hour) // the clock is set back to a day that has a file
	d.search("films", "heat", false)
	d.Save()
	d.open(t)
	if a := d.report(t, api.AnalyticsQuery{From: d.now, To: d.now}); a.Searches != 2 {
		t.Errorf("%d searches on a day that came twice", a.Searches)
	}
}

func TestTextsAreForgottenOnceTheyAreNotWanted(t *testing.T) {
	d := newDesk(t)
	uid, _ := d.QueryUID()
	d.search("films", "alice smith", true)
	d.now = d.now.Add(24 * time.Hour)
	d.Searched(&api.CountedSearch{IndexUID: "films", Query: "alice smith", QueryUID: uid})
	d.Save()
	d.open(t) // it must not matter that the node was started in between
	d.settings.Queries = false
	d.search("films", "bob", true)
	if a := d.report(t, api.AnalyticsQuery{}); len(a.Queries)+len(a.Empty)+len(a.Clicked) != 0 || a.Searches != 3 {
		t.Errorf("%+v", a)
	}
	d.Save()
	d.settings.Queries = true
	if a := d.report(t, api.AnalyticsQuery{}); len(a.Queries)+len(a.Empty) != 0 || a.Searches != 3 || a.Cell.Empty != 2 {
		t.Errorf("%+v", a)
	}
	if len(d.recent.of) != 0 {
		t.Error("the queries of uids are still remembered")
	}
}

func TestNothingIsCountedWhileAnalyticsAreOff(t *testing.T) {
	d := newDesk(t)
	d.settings = api.Analytics{}
	d.search("films", "heat", false)
	d.Happened(&api.Event{IndexUID: "films"}, true)
	d.Save()
	if files, err := os.ReadDir(d.dir); err != nil || len(files) != 0 {
		t.Errorf("%d files: %v", len(files), err)
	}
}

func TestADayWithADamagedFileIsLostAndSaysSo(t *testing.T) {
	d := newDesk(t)
	d.search("films", "heat", false)
	d.Save()
	path := filepath.Join(d.dir, "2026-11-26")
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	content[len(content)/2] ^= 4
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	d.open(t)
	if a := d.report(t, api.AnalyticsQuery{}); a.Searches != 0 || !strings.Contains(d.log.String(), "is lost") {
		t.Errorf("%+v %s", a, d.log.String())
	}
}

func TestAFullDiskIsToldOnceAndTriedAgain(t *testing.T) {
	d := newDesk(t)
	d.search("films", "heat", false)
	if err := os.RemoveAll(d.dir); err != nil {
		t.Fatal(err)
	}
	d.Save()
	d.Save()
	if n := strings.Count(d.log.String(), "not written"); n != 1 {
		t.Errorf("told %d times: %s", n, d.log.String())
	}
	if err := os.MkdirAll(d.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	d.Save()
	d.open(t)
	if a := d.report(t, api.AnalyticsQuery{}); a.Searches != 1 {
		t.Errorf("%+v", a)
	}
}

func TestManyIndexesShareTheLastPlace(t *testing.T) {
	d := newDesk(t)
	for i := range 2000 {
		d.search(fmt.Sprint("i", i), "heat", false)
	}
	a := d.report(t, api.AnalyticsQuery{})
	if a.Searches != 2000 || len(a.Indexes) != maxIndexes+1 || a.Indexes[0].Index != Others || a.Indexes[0].Searches != 2000-maxIndexes {
		t.Errorf("%d indexes, the first %+v", len(a.Indexes), a.Indexes[0])
	}
}

func TestQueriesAreCountedInOneForm(t *testing.T) {
	for q, want := range map[string]string{
		"  Sea\tCHANGE ":                  "sea change",
		strings.Repeat("ä", 100):          strings.Repeat("ä", 64),
		"x" + strings.Repeat("ä", 1000):   "x" + strings.Repeat("ä", 63),
		strings.Repeat(" ", 1000) + "far": "",
		"\xff\xfeheat":                    "heat",
	} {
		if got := normalized(q); got != want || len(got) > maxQuery {
			t.Errorf("%.20q becomes %q, want %q", q, got, want)
		}
	}
}

// truth counts exactly what sketches estimate.
type truth map[key]uint64

// check tells whether a list keeps its promise: each item is within its bounds, and what is
// not listed is at most the floor.
func (tr truth) check(t *testing.T, list Top) {
	t.Helper()
	in := map[key]bool{}
	for _, i := range list.Items {
		k := key{i.Index, i.Query}
		in[k] = true
		if n := tr[k]; n > i.Count || n < i.Count-i.Over {
			t.Fatalf("%v was counted %d times, the list says %d to %d", k, n, i.Count-i.Over, i.Count)
		}
	}
	for k, n := range tr {
		if !in[k] && n > list.Floor {
			t.Fatalf("%v was counted %d times and is not in the list, whose floor is %d", k, n, list.Floor)
		}
	}
}

// Half of the searches are for a few queries, the others for a million, each once or twice.
func TestFrequentQueriesAreFoundAmongAMillion(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	frequent := rand.NewZipf(random, 1.2, 1, 5000)
	s, exact := newSketch(counters), truth{}
	n := uint64(0)
	for range 500_000 {
		for _, q := range []string{fmt.Sprint("f", frequent.Uint64()), fmt.Sprint("r", random.IntN(1_000_000))} {
			s.add(key{"films", q}, 1)
			exact[key{"films", q}]++
			n++
		}
	}
	list := s.top()
	exact.check(t, list)
	if list.Floor > n/counters {
		t.Errorf("the error is %d of %d searches", list.Floor, n)
	}
	for i, item := range list.cut(10).Items {
		if want := fmt.Sprint("f", i); item.Query != want {
			t.Errorf("place %d has %s (%d to %d), want %s", i, item.Query, item.Count-item.Over, item.Count, want)
		}
	}
	t.Logf("floor %d of %d searches, %d different queries", list.Floor, n, len(exact))
}

// Days and nodes are added up from lists that were cut, in any grouping.
func TestSumsOfListsKeepTheirBounds(t *testing.T) {
	for seed := range uint64(50) {
		random := rand.New(rand.NewPCG(seed, 3))
		exact := truth{}
		var all tops
		for range 4 { // nodes
			var node tops
			for range 3 { // days
				s := newSketch(20 + random.IntN(30))
				for range random.IntN(2000) {
					k := key{"films", fmt.Sprint(int(random.ExpFloat64() * 30))}
					s.add(k, 1)
					exact[k]++
				}
				if random.IntN(2) == 0 { // a restart
					s = sketchOf(s.most, s.top())
				}
				node.add(s.top().cut(5+random.IntN(30)), "")
			}
			all.add(node.list(5+random.IntN(40)), "")
		}
		exact.check(t, all.list(1+random.IntN(50)))
	}
}

func TestASketchGoesOnFromAList(t *testing.T) {
	exact := truth{}
	s := newSketch(10)
	random := rand.New(rand.NewPCG(5, 5))
	for range 5 {
		for range 500 {
			k := key{"films", fmt.Sprint(int(random.ExpFloat64() * 10))}
			s.add(k, 1)
			exact[k]++
		}
		exact.check(t, s.top())
		s = sketchOf(10, s.top().cut(4))
	}
	exact.check(t, s.top())
}

func TestQuantilesAreAtMostAFifthTooLong(t *testing.T) {
	for _, d := range []time.Duration{time.Microsecond, 7 * time.Microsecond, 999 * time.Microsecond, 1500 * time.Microsecond, 80 * time.Millisecond, 9 * time.Second} {
		times := count(nil, bucket(d))
		got, want := quantile(times, 0.5), float64(d.Microseconds())/1000
		if got < want || got > want*1.26+0.001 {
			t.Errorf("%v ms for %v ms", got, want)
		}
	}
	if quantile(nil, 0.5) != 0 {
		t.Error("nothing took time")
	}
}

func BenchmarkSearched(b *testing.B) {
	for name, queries := range map[string]bool{"numbers": false, "queries": true} {
		b.Run(name, func(b *testing.B) {
			r, err := Open(Config{Files: machine.Disk(), Dir: filepath.Join(b.TempDir(), "a"), Now: time.Now, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
				Settings: func() api.Analytics { return api.Analytics{Enabled: true, Queries: queries} }})
			if err != nil {
				b.Fatal(err)
			}
			words := make([]string, 1<<16)
			for i := range words {
				words[i] = fmt.Sprint("query number ", i)
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				r.Searched(&api.CountedSearch{IndexUID: "films", Query: words[i&(1<<16-1)], Took: time.Millisecond})
			}
		})
	}
}
