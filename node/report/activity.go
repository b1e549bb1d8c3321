package report

import (
	"context"
	"encoding/json"
	"time"

	"shoal/node/observe"
	"shoal/wire"
)

type activityRequest struct{}

// activity is what one node is doing. Searches and Documents only grow until the node
// restarts, so two readings give a rate.
type activity struct {
	ID        wire.NodeID `msgpack:"i" json:"id,omitempty"`
	At        int64       `msgpack:"a" json:"at"`        // ms since 1970, by the node's clock
	Searches  uint64      `msgpack:"s" json:"searches"`  // answered
	Documents uint64      `msgpack:"d" json:"documents"` // indexed
	SearchP50 float64     `msgpack:"p" json:"searchP50"` // ms, of the last minutes
	SearchP99 float64     `msgpack:"q" json:"searchP99"`
	Memory    uint64      `msgpack:"m" json:"memory"`   // bytes of the process
	DiskUsed  uint64      `msgpack:"u" json:"diskUsed"` // bytes of its shards
	DiskFree  uint64      `msgpack:"f" json:"diskFree"` // of their disk
}

// serveActivity answers for this node.
func (r *Reports) serveActivity(context.Context, *activityRequest) (*activity, error) {
	now := time.Now()
	f := r.Host.Figures()
	a := &activity{ID: r.Self.ID, At: now.UnixMilli(), Documents: f.Derived, Memory: observe.ResidentBytes(), DiskUsed: f.DiskBytes}
	var p50, p99 time.Duration
	a.Searches, p50, p99 = r.Front.Metrics.SearchTimes(now)
	a.SearchP50, a.SearchP99 = float64(p50.Microseconds())/1000, float64(p99.Microseconds())/1000
	a.DiskFree, _ = r.Disk.Space()
	return a, nil
}

// Activity lists the activity of each node that answers in time.
func (r *Reports) Activity(ctx context.Context) (json.RawMessage, error) {
	list := []*activity{}
	for _, a := range r.activities.All(ctx, &activityRequest{}) {
		list = append(list, a.Answer)
	}
	return json.Marshal(map[string]any{"nodes": list})
}
