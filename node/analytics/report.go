package analytics

import (
	"cmp"
	"slices"
	"time"

	"shoal/api"
)

// Report is what the nodes of a cluster counted in some days. It is used by one goroutine at a
// time.
type Report struct {
	// First and Last are the days, since 1970, both included. Slot is the length of a slot.
	First, Last int64
	Slot        time.Duration

	limit          int
	sum            Sum
	nodes, missing []string
}

// usual is how many days a report has that names none.
const usual = 7

// NewReport returns an empty report of the days that the query names, cut to those that are kept.
func NewReport(q *api.AnalyticsQuery, now time.Time) *Report {
	r := &Report{Last: numberOf(now), Slot: 24 * time.Hour, limit: int(min(q.Limit, listed))}
	oldest := r.Last - Days + 1
	if !q.To.IsZero() {
		r.Last = min(r.Last, numberOf(q.To))
	}
	r.First = r.Last - usual + 1
	if !q.From.IsZero() {
		r.First = numberOf(q.From)
	}
	r.First = max(r.First, oldest)
	if q.Interval == api.HourInterval || q.Interval == "" && r.Last-r.First < 2 {
		r.Slot = time.Hour
	}
	r.sum = Sum{Index: q.IndexUID, Interval: r.Slot}
	return r
}

// Add adds what a node counted, nil if it did not answer.
func (r *Report) Add(node string, s *Summary) {
	if s == nil {
		r.missing = append(r.missing, node)
		return
	}
	r.nodes = append(r.nodes, node)
	r.sum.Add(s)
}

// Answer is a report as clients see it.
type Answer struct {
	From     string                `json:"from"`
	To       string                `json:"to"`
	Interval api.AnalyticsInterval `json:"interval"`
	Settings api.Analytics         `json:"settings"`
	// Nodes are those whose counts are in the report, Missing those that did not answer,
	// by name.
	Nodes   []string `json:"nodes"`
	Missing []string `json:"missingNodes"`
	Figures
	// Indexes are those with the most searches first.
	Indexes []IndexAnswer `json:"indexes"`
	Times   []TimeAnswer  `json:"times"`
	Queries []QueryAnswer `json:"queries"`
	Empty   []QueryAnswer `json:"queriesWithoutResults"`
	Clicked []QueryAnswer `json:"clickedQueries"`
}

// Figures are the numbers of an index, or of all.
type Figures struct {
	Cell
	// ClickPositions counts clicks on the first ten positions, and on all further ones.
	ClickPositions [positions]uint64 `json:"clickPositions"`
	Latency        Latency           `json:"latencyMs"`
}

// Latency tells how long searches took, in ms.
type Latency struct {
	P50 float64 `json:"p50"`
	P95 float64 `json:"p95"`
	P99 float64 `json:"p99"`
}

// IndexAnswer are the numbers of an index.
type IndexAnswer struct {
	Index string `json:"indexUid"`
	Figures
}

// TimeAnswer is an hour or a day.
type TimeAnswer struct {
	At time.Time `json:"at"`
	Cell
}

// QueryAnswer is a query. It was counted Count times for certain, and at most AtMost times.
type QueryAnswer struct {
	Index  string `json:"indexUid"`
	Query  string `json:"q"`
	Count  uint64 `json:"count"`
	AtMost uint64 `json:"atMost"`
}

func (c *Counts) figures() Figures {
	f := Figures{Cell: c.Sum, Latency: Latency{quantile(c.Times, 0.5), quantile(c.Times, 0.95), quantile(c.Times, 0.99)}}
	copy(f.ClickPositions[:], c.Positions)
	return f
}

// Answer returns the report.
func (r *Report) Answer(settings api.Analytics) *Answer {
	s := r.sum.Summary(r.limit)
	a := &Answer{
		From: fileName(r.First), To: fileName(r.Last), Interval: api.DayInterval, Settings: settings,
		Nodes: sorted(r.nodes), Missing: sorted(r.missing), Indexes: []IndexAnswer{}, Times: []TimeAnswer{},
		Queries: s.Queries.answer(), Empty: s.Empty.answer(), Clicked: s.Clicked.answer(),
	}
	if r.Slot == time.Hour {
		a.Interval = api.HourInterval
	}
	var all Counts
	for i := range s.Indexes {
		all.add(&s.Indexes[i])
		a.Indexes = append(a.Indexes, IndexAnswer{s.Indexes[i].Index, s.Indexes[i].figures()})
	}
	a.Figures = all.figures()
	slices.SortStableFunc(a.Indexes, func(x, y IndexAnswer) int { return cmp.Compare(y.Searches, x.Searches) })
	a.Indexes = a.Indexes[:min(len(a.Indexes), r.limit)]
	for _, slot := range s.Slots {
		a.Times = append(a.Times, TimeAnswer{time.Unix(slot.At, 0).UTC(), slot.Cell})
	}
	return a
}

// sorted returns names in order, never nil.
func sorted(names []string) []string {
	return append([]string{}, slices.Sorted(slices.Values(names))...)
}

func (t Top) answer() []QueryAnswer {
	out := make([]QueryAnswer, len(t.Items))
	for i, q := range t.Items {
		out[i] = QueryAnswer{q.Index, q.Query, q.Count - q.Over, q.Count}
	}
	return out
}
