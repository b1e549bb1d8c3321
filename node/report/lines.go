package report

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"

	"shoal/node/poll"
	"shoal/node/redaction"
)

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
func (r *Reports) serveLines(_ context.Context, q *linesRequest) (*linesReply, error) {
	wanted := bytes.ToLower([]byte(q.Contains))
	lines := bytes.Split(bytes.TrimRight(redaction.Text(r.Logs.Recent(), r.secrets()), "\n"), []byte("\n"))
	reply := &linesReply{Lines: []string{}}
	for _, line := range slices.Backward(lines) {
		if len(reply.Lines) >= q.Most {
			break
		}
		if len(line) > 0 && bytes.Contains(bytes.ToLower(line), wanted) {
			reply.Lines = append(reply.Lines, string(line))
		}
	}
	slices.Reverse(reply.Lines)
	return reply, nil
}

// LogLines returns the newest lines of the log of a node, "" for this one.
func (r *Reports) LogLines(ctx context.Context, node string, most int, contains string) (json.RawMessage, error) {
	reply, err := r.lines.Named(ctx, node, poll.Within, &linesRequest{Most: most, Contains: contains})
	if err != nil {
		return nil, err
	}
	return json.Marshal(map[string]any{"lines": append([]string{}, reply.Lines...)})
}
