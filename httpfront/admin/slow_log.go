package admin

import (
	"context"
	"net/http"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/httpfront/routing"
)

// slowLogRoutes are the rows of the slow log.
func (h *Handlers) slowLogRoutes() []routing.Route {
	return []routing.Route{
		{Method: "GET", Pattern: "/cluster/slow-log", Actions: []string{"*"}, Serve: h.serveSlowLog, Partial: true},
		{Method: "PATCH", Pattern: "/cluster/slow-log", Actions: []string{"*"}, Serve: h.serveUpdateSlowLog, Leased: true, Partial: true, Body: slowLogMembers},
	}
}

var slowLogMembers = decode.NewObject(
	decode.Tristate("thresholdMs", apierr.CodeBadRequest, decode.NonZero, func(p *api.SlowLogPatch) *decode.Field[uint64] { return &p.Threshold }),
	decode.Tristate("showQuery", apierr.CodeBadRequest, decode.Bool, func(p *api.SlowLogPatch) *decode.Field[bool] { return &p.Query }),
)

func (h *Handlers) serveSlowLog(x *routing.Exchange) error {
	return x.Respond(http.StatusOK, h.SlowLog.SlowLog().AppendJSON(x.Buffer()))
}

func (h *Handlers) serveUpdateSlowLog(x *routing.Exchange) error {
	var patch api.SlowLogPatch
	if err := routing.ReadBody(x, slowLogMembers, &patch); err != nil {
		return err
	}
	return x.Show(h.SlowLog.UpdateSlowLog(x.Context(), &patch))
}

// SlowLog says which requests all nodes log as slow.
type SlowLog interface {
	// SlowLog returns the settings in force. It does not block.
	SlowLog() api.SlowLog
	UpdateSlowLog(ctx context.Context, p *api.SlowLogPatch) (api.SlowLog, error)
}
