package metrics

import (
	"sync"
	"time"

	"shoal/api"
)

// slowKept is how many slow requests a node remembers.
const slowKept = 50

// SlowRequest is a request that took long.
type SlowRequest struct {
	Node   string  `msgpack:"-" json:"node"` // name; set by the reader
	At     int64   `msgpack:"a" json:"at"`   // when it ended, in ms since 1970
	Route  string  `msgpack:"r" json:"route"`
	Index  string  `msgpack:"i" json:"indexUid,omitempty"`
	Key    string  `msgpack:"k" json:"key,omitempty"` // its uid
	Status int     `msgpack:"s" json:"status"`
	Took   float64 `msgpack:"t" json:"took"`   // ms
	Queued float64 `msgpack:"q" json:"queued"` // ms of these in the search queue
	// Steps says where the time went. It is empty while the slow log is off.
	Steps []SlowStep `msgpack:"w" json:"steps"`
	// Queries is what was searched for. It is empty unless the slow log shows queries.
	Queries []SlowQuery `msgpack:"x" json:"queries,omitempty"`
	// Trace is the trace of the request, "" for none.
	Trace string `msgpack:"o" json:"trace,omitempty"`
}

// SlowStep is a part of a request. Parts that run at the same time count in full each.
type SlowStep struct {
	Name string  `msgpack:"n" json:"name"`
	Took float64 `msgpack:"t" json:"took"` // ms
}

// SlowQuery is one query of a request. Long texts are cut.
type SlowQuery struct {
	Q      string `msgpack:"q" json:"q"`
	Filter string `msgpack:"f" json:"filter,omitempty"` // JSON
}

// Slowness tells whether a request that took so long is remembered, and logged: the slow log
// decides or, while it is off, searches of more than a second are remembered.
func Slowness(l api.SlowLog, searched bool, took time.Duration) (remembered, logged bool) {
	if l.Threshold == 0 {
		return searched && took > slowSearch, false
	}
	return l.Slow(took), l.Slow(took)
}

// slowRequests remembers the newest slow requests. Safe for concurrent use.
type slowRequests struct {
	mu   sync.Mutex
	list [slowKept]SlowRequest
	next int // where the next one goes
	n    int
}

func (l *slowRequests) add(r *SlowRequest) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list[l.next] = *r
	l.next = (l.next + 1) % slowKept
	l.n = min(l.n+1, slowKept)
}

// Slow remembers a slow request.
func (m *Requests) Slow(r *SlowRequest) { m.slow.add(r) }

// SlowRequests returns the newest slow requests of this node, the newest first: those of the
// slow log or, while it is off, searches of more than a second.
func (m *Requests) SlowRequests() []SlowRequest {
	l := &m.slow
	l.mu.Lock()
	defer l.mu.Unlock()
	found := make([]SlowRequest, l.n)
	for i := range found {
		found[i] = l.list[(l.next-1-i+slowKept)%slowKept]
	}
	return found
}
