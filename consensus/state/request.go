package state

import (
	"github.com/cockroachdb/pebble/v2"

	"shoal/wire"
)

// Answered request ids are remembered for an hour of log time, at most this many
// of them. A front retries for seconds, so both bounds are far away; they are
// part of the state machine and may not differ between nodes.
const (
	RequestWindow = int64(3600e9) // nanoseconds
	requestLimit  = 1 << 17
)

// request is what a proposal with this id was answered: a retry gets the same.
type request struct {
	ID      string   `msgpack:"id"`
	At      int64    `msgpack:"at"`
	Task    *uint32  `msgpack:"t"`
	Indexes []uint32 `msgpack:"x"`
	Fenced  bool     `msgpack:"f"`
}

// requests is the window of remembered ids, [FirstRequest, NextRequest) of the
// figures. Only apply uses it.
type requests struct {
	byID  map[string]*request
	order []*request // oldest first; order[0] has number FirstRequest
}

func newRequests() *requests { return &requests{byID: make(map[string]*request)} }

func (q *requests) load(r *request) {
	q.byID[r.ID] = r
	q.order = append(q.order, r)
}

// remember stores an answer and forgets those that left the window.
func (q *requests) remember(f *figures, batch *pebble.Batch, r *request) error {
	body, err := wire.Marshal(r)
	if err != nil {
		return err
	}
	if err := batch.Set(u64Key(requestPrefix, f.NextRequest), body, nil); err != nil {
		return err
	}
	f.NextRequest++
	q.load(r)
	for len(q.order) > requestLimit || r.At-q.order[0].At > RequestWindow {
		if err := batch.Delete(u64Key(requestPrefix, f.FirstRequest), nil); err != nil {
			return err
		}
		f.FirstRequest++
		delete(q.byID, q.order[0].ID)
		q.order[0] = nil
		q.order = q.order[1:]
	}
	return nil
}
