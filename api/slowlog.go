package api

import (
	"strconv"
	"time"

	"shoal/api/decode"
	"shoal/api/jsonvalue"
)

// SlowLog says which requests are logged as slow.
type SlowLog struct {
	// Threshold is how many milliseconds a request may take before it is logged. 0 logs
	// none.
	Threshold uint64 `json:"thresholdMs"`
	// Query: the log shows the query of the search.
	Query bool `json:"showQuery"`
}

// SlowLogPatch changes the slow log. Absent members stay, null resets.
type SlowLogPatch struct {
	Threshold decode.Field[uint64]
	Query     decode.Field[bool]
}

// Apply returns the slow log as the patch leaves it.
func (l SlowLog) Apply(p *SlowLogPatch) SlowLog {
	if p.Threshold.Given() {
		l.Threshold = p.Threshold.Value
	}
	if p.Query.Given() {
		l.Query = p.Query.Value
	}
	return l
}

// AppendJSON appends the settings. The threshold of a slow log that is off is null.
func (l SlowLog) AppendJSON(dst []byte) []byte {
	o := jsonvalue.ObjectWriter{Buf: dst}
	o.Member("thresholdMs")
	if l.Threshold == 0 {
		o.Buf = append(o.Buf, "null"...)
	} else {
		o.Buf = strconv.AppendUint(o.Buf, l.Threshold, 10)
	}
	o.Member("showQuery")
	o.Buf = strconv.AppendBool(o.Buf, l.Query)
	return o.End()
}

// Slow tells whether a request of this duration is logged.
func (l SlowLog) Slow(took time.Duration) bool {
	return l.Threshold > 0 && took >= time.Duration(min(l.Threshold, 1<<31))*time.Millisecond
}
