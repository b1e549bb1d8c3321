package node

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"shoal/httpfront/routing"
	"shoal/node/redaction"
)

const (
	methodSlow      = "cluster.slow"
	methodLastLines = "cluster.log"
)

type slowRequest struct{}

// slowReply holds slow requests, the newest first.
type slowReply struct {
	Requests []routing.SlowRequest `msgpack:"r"`
}

// serveSlow answers for this node.
func (n *Node) serveSlow(context.Context, *slowRequest) (*slowReply, error) {
	reply := &slowReply{}
	if front := n.served.Load(); front != nil {
		reply.Requests = front.SlowRequests()
	}
	return reply, nil
}

// mostSlow bounds the slow requests of an answer.
const mostSlow = 100

// SlowRequests implements admin.Cluster.
func (c clusterPort) SlowRequests(ctx context.Context) (json.RawMessage, error) {
	all := []routing.SlowRequest{}
	for _, s := range gather(ctx, c.n, methodSlow, &slowRequest{}, c.n.serveSlow) {
		for _, r := range s.reply.Requests {
			r.Node = s.node.Name
			if r.Steps == nil { // an empty list, as another node sent it
				r.Steps = []routing.SlowStep{}
			}
			all = append(all, r)
		}
	}
	slices.SortStableFunc(all, func(a, b routing.SlowRequest) int { return cmp.Compare(b.At, a.At) })
	return json.Marshal(map[string]any{"results": all[:min(len(all), mostSlow)]})
}

type linesRequest struct {
	// Most is how many lines to return at most, Contains what each of them must contain in
	// any case of letters.
	Most     int    `msgpack:"m"`
	Contains string `msgpack:"c"`
}

// linesReply holds lines of the log, the oldest first.
type linesReply struct {
	Lines []string `msgpack:"l"`
}

// serveLines returns the newest lines of the log that this node remembers, without secrets.
func (n *Node) serveLines(_ context.Context, r *linesRequest) (*linesReply, error) {
	wanted := bytes.ToLower([]byte(r.Contains))
	lines := bytes.Split(bytes.TrimRight(redaction.Text(n.logs.Recent(), n.secrets()), "\n"), []byte("\n"))
	reply := &linesReply{Lines: []string{}}
	for _, line := range slices.Backward(lines) {
		if len(reply.Lines) >= r.Most {
			break
		}
		if len(line) > 0 && bytes.Contains(bytes.ToLower(line), wanted) {
			reply.Lines = append(reply.Lines, string(line))
		}
	}
	slices.Reverse(reply.Lines)
	return reply, nil
}

// LogLines implements admin.Cluster.
func (c clusterPort) LogLines(ctx context.Context, node string, most int, contains string) (json.RawMessage, error) {
	reply, err := askMember(ctx, c.n, node, methodLastLines, activityWithin, &linesRequest{Most: most, Contains: contains}, c.n.serveLines)
	if err != nil {
		return nil, err
	}
	return json.Marshal(map[string]any{"lines": append([]string{}, reply.Lines...)})
}
