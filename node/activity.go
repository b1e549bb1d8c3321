package node

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"shoal/node/observe"
	"shoal/node/peer"
	"shoal/wire"
)

const methodActivity = "cluster.activity"

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
func (n *Node) serveActivity(context.Context, *activityRequest) (*activity, error) {
	now := time.Now()
	f := n.host.Figures()
	a := &activity{ID: n.self.ID, At: now.UnixMilli(), Documents: f.Derived, Memory: observe.ResidentBytes(), DiskUsed: f.DiskBytes}
	if front := n.served.Load(); front != nil {
		var p50, p99 time.Duration
		a.Searches, p50, p99 = front.SearchTimes(now)
		a.SearchP50, a.SearchP99 = float64(p50.Microseconds())/1000, float64(p99.Microseconds())/1000
	}
	a.DiskFree, _ = n.space()
	return a, nil
}

// activityWithin bounds the answer of another node.
const activityWithin = time.Second

// Activity lists the activity of each node that answers in time.
func (c clusterPort) Activity(ctx context.Context) (json.RawMessage, error) {
	found := gather(ctx, c.n, methodActivity, &activityRequest{}, c.n.serveActivity)
	list := make([]*activity, len(found))
	for i := range found {
		list[i] = found[i].reply
	}
	return json.Marshal(map[string]any{"nodes": list})
}

// said is what a node replied.
type said[R any] struct {
	node  wire.Node
	reply *R
}

// gather makes all members answer a request at the same time, this node by serve and the
// others by the method. Members that do not answer in time, or run a program that does not
// know the method, are not listed. The list is sorted by the ids of the nodes.
func gather[Q, R any](ctx context.Context, n *Node, method string, request *Q, serve func(context.Context, *Q) (*R, error)) []said[R] {
	ctx, cancel := context.WithTimeout(ctx, activityWithin)
	defer cancel()
	nodes := n.group.Catalog().Nodes()
	found := make([]said[R], len(nodes))
	var asking sync.WaitGroup
	for i, d := range nodes {
		asking.Go(func() {
			var r *R
			var err error
			if d.ID == n.self.ID {
				r, err = serve(ctx, request)
			} else {
				r, err = peer.Call[Q, R](ctx, n.link, d.ID, method, request)
			}
			if err == nil {
				found[i] = said[R]{*d, r}
			}
		})
	}
	asking.Wait()
	found = slices.DeleteFunc(found, func(s said[R]) bool { return s.reply == nil })
	slices.SortFunc(found, func(a, b said[R]) int { return cmp.Compare(a.node.ID, b.node.ID) })
	return found
}
