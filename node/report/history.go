package report

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"shoal/wire"
	"shoal/wire/await"
)

// A node remembers its activity of the last day, a sample a minute. It forgets them when it
// ends.
const (
	historyEvery = time.Minute
	historyKept  = 24 * 60
)

type historyRequest struct {
	// Points is how many samples to return at most.
	Points int `msgpack:"p"`
}

// historyReply holds samples without the id of their node, the oldest first.
type historyReply struct {
	Samples []activity `msgpack:"s"`
}

// history is the activity of this node over the last day. Safe for concurrent use.
type history struct {
	mu   sync.Mutex
	list []activity // the oldest first
}

func (h *history) add(a activity) {
	a.ID = ""
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.list) == historyKept {
		h.list = append(h.list[:0], h.list[1:]...)
	}
	h.list = append(h.list, a)
}

// thinned returns at most that many samples at equal distances, the newest among them. A
// sample has the worst p99 of those that are left out before it.
func (h *history) thinned(points int) []activity {
	h.mu.Lock()
	defer h.mu.Unlock()
	step := max(1, (len(h.list)+points-1)/points)
	found := make([]activity, 0, points)
	worst := 0.0
	for i, a := range h.list {
		worst = max(worst, a.SearchP99)
		if (len(h.list)-1-i)%step == 0 {
			a.SearchP99, worst = worst, 0
			found = append(found, a)
		}
	}
	return found
}

// Run takes a sample a minute, until ctx ends.
func (r *Reports) Run(ctx context.Context) {
	for await.Sleep(ctx, await.Until(historyEvery)) == nil {
		if a, err := r.serveActivity(ctx, &activityRequest{}); err == nil {
			r.history.add(*a)
		}
	}
}

// serveHistory answers for this node. The last sample is of now.
func (r *Reports) serveHistory(ctx context.Context, q *historyRequest) (*historyReply, error) {
	now, err := r.serveActivity(ctx, &activityRequest{})
	if err != nil {
		return nil, err
	}
	now.ID = ""
	return &historyReply{Samples: append(r.history.thinned(min(max(q.Points, 1), historyKept)), *now)}, nil
}

// History is the activity of all nodes over the last day, in at most that many points.
func (r *Reports) History(ctx context.Context, points int) (json.RawMessage, error) {
	type line struct {
		ID      wire.NodeID `json:"id"`
		Name    string      `json:"name"`
		Samples []activity  `json:"samples"`
	}
	lines := []line{}
	for _, a := range r.histories.All(ctx, &historyRequest{Points: points}) {
		lines = append(lines, line{a.Node.ID, a.Node.Name, a.Answer.Samples})
	}
	slices.SortFunc(lines, func(a, b line) int { return cmp.Compare(a.Name, b.Name) })
	return json.Marshal(map[string]any{"nodes": lines})
}
