package api

import (
	"strconv"
	"time"

	"shoal/api/decode"
	"shoal/api/jsonvalue"
)

// Analytics says what the nodes count of searches.
type Analytics struct {
	// Enabled: searches and events are counted.
	Enabled bool `json:"enabled"`
	// Queries: the texts of queries are counted, too.
	Queries bool `json:"queries"`
}

// DefaultAnalytics counts numbers, but no text that a person typed.
func DefaultAnalytics() Analytics { return Analytics{Enabled: true} }

// AnalyticsPatch changes what is counted. Absent members stay, null resets.
type AnalyticsPatch struct {
	Enabled decode.Field[bool]
	Queries decode.Field[bool]
}

// Apply returns the settings as the patch leaves them.
func (a Analytics) Apply(p *AnalyticsPatch) Analytics {
	fresh := DefaultAnalytics()
	if p.Enabled.Given() {
		a.Enabled = p.Enabled.Or(fresh.Enabled)
	}
	if p.Queries.Given() {
		a.Queries = p.Queries.Or(fresh.Queries)
	}
	return a
}

// AppendJSON appends the settings.
func (a Analytics) AppendJSON(dst []byte) []byte {
	o := jsonvalue.ObjectWriter{Buf: dst}
	o.Member("enabled")
	o.Buf = strconv.AppendBool(o.Buf, a.Enabled)
	o.Member("queries")
	o.Buf = strconv.AppendBool(o.Buf, a.Queries)
	return o.End()
}

// CountedSearch is an answered search, as analytics see it.
type CountedSearch struct {
	IndexUID string
	Query    string // "" for none
	// QueryUID is the uid in the metadata of the answer, "" if it has none.
	QueryUID string
	// Empty: nothing was found.
	Empty bool
	Took  time.Duration
}

// Event is what a client tells about a hit that was shown.
type Event struct {
	// Conversion tells a conversion from a click.
	Conversion bool
	IndexUID   string
	// QueryUID is the uid of the query that showed the hit, "" if unknown.
	QueryUID string
	// Position is the place of the hit, from 0 on; nil if unknown.
	Position *uint64
}

// AnalyticsInterval is the length of the slots of a report.
type AnalyticsInterval string

// The intervals.
const (
	HourInterval AnalyticsInterval = "hour"
	DayInterval  AnalyticsInterval = "day"
)

// AnalyticsQuery asks for a report.
type AnalyticsQuery struct {
	// IndexUID is the only index that counts, "" for all.
	IndexUID string
	// From and To are the first and the last day (UTC). The zero time means today, and six
	// days before To.
	From, To time.Time
	// Interval is "" for hours in reports of two days at most, and days in longer ones.
	Interval AnalyticsInterval
	// Limit bounds the lists of queries and of indexes.
	Limit uint64
}
