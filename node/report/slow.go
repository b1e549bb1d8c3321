package report

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"shoal/httpfront/metrics"
)

type slowRequest struct{}

// slowReply holds slow requests, the newest first.
type slowReply struct {
	Requests []metrics.SlowRequest `msgpack:"r"`
}

// serveSlow answers for this node.
func (r *Reports) serveSlow(context.Context, *slowRequest) (*slowReply, error) {
	return &slowReply{Requests: r.Front.Metrics.SlowRequests()}, nil
}

// mostSlow bounds the slow requests of an answer.
const mostSlow = 100

// SlowRequests lists the newest slow requests of all nodes.
func (r *Reports) SlowRequests(ctx context.Context) (json.RawMessage, error) {
	all := []metrics.SlowRequest{}
	for _, a := range r.slow.All(ctx, &slowRequest{}) {
		for _, slow := range a.Answer.Requests {
			slow.Node = a.Node.Name
			if slow.Steps == nil { // an empty list, as another node sent it
				slow.Steps = []metrics.SlowStep{}
			}
			all = append(all, slow)
		}
	}
	slices.SortStableFunc(all, func(a, b metrics.SlowRequest) int { return cmp.Compare(b.At, a.At) })
	return json.Marshal(map[string]any{"results": all[:min(len(all), mostSlow)]})
}
