package admin

import (
	"fmt"

	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/httpfront/routing"
)

// Bounds of what the routes below return, and what they return unless asked for more.
const (
	maxPoints, usualPoints = 1440, 144
	maxLines, usualLines   = 1000, 100
)

// within reads a number from least to most.
func within(least, most uint64) decode.Decoder[uint64] {
	return decode.Decoder[uint64](decode.QueryUint).Then(func(at *decode.Loc, n uint64) *apierr.Error {
		if n < least || n > most {
			return at.Invalid(fmt.Sprintf("it is a number from %d to %d", least, most))
		}
		return nil
	})
}

var historyParameters = decode.NewObject(
	decode.Plain("points", apierr.CodeBadRequest, within(1, maxPoints), func(points *uint64) *uint64 { return points }),
)

func (h *Handlers) serveHistory(x *routing.Exchange) error {
	points := uint64(usualPoints)
	if err := routing.ReadQuery(x, historyParameters, &points); err != nil {
		return err
	}
	return x.Relay(h.Cluster.History(x.Context(), int(points)))
}

func (h *Handlers) serveSlowRequests(x *routing.Exchange) error {
	return x.Relay(h.Cluster.SlowRequests(x.Context()))
}

// logLinesQuery is the query string of GET /cluster/log.
type logLinesQuery struct {
	node, contains string
	lines          uint64
}

var logLinesParameters = decode.NewObject(
	decode.Plain("node", apierr.CodeBadRequest, decode.String, func(q *logLinesQuery) *string { return &q.node }),
	decode.Plain("contains", apierr.CodeBadRequest, decode.String, func(q *logLinesQuery) *string { return &q.contains }),
	decode.Plain("lines", apierr.CodeBadRequest, within(1, maxLines), func(q *logLinesQuery) *uint64 { return &q.lines }),
)

func (h *Handlers) serveLogLines(x *routing.Exchange) error {
	q := logLinesQuery{lines: usualLines}
	if err := routing.ReadQuery(x, logLinesParameters, &q); err != nil {
		return err
	}
	return x.Relay(h.Cluster.LogLines(x.Context(), q.node, int(q.lines), q.contains))
}
