package admin

import (
	"net/http"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/httpfront/routing"
)

// keyLimitRoutes are the rows of the limits of API keys. They are separate from /keys,
// whose bodies and answers are the reference's.
func (h *Handlers) keyLimitRoutes() []routing.Route {
	return []routing.Route{
		{Method: "GET", Pattern: "/cluster/keys/{key}", Actions: []string{"*"}, Serve: h.serveKeyLimits},
		{Method: "PATCH", Pattern: "/cluster/keys/{key}", Actions: []string{"*"}, Serve: h.serveUpdateKeyLimits, Leased: true, Body: keyLimitMembers},
	}
}

var keyLimitMembers = decode.NewObject(
	decode.Tristate("requestsPerSecond", apierr.CodeBadRequest, decode.NonZero, func(p *api.KeyLimitsPatch) *decode.Field[uint64] { return &p.RequestsPerSecond }),
	decode.Tristate("searchesAtOnce", apierr.CodeBadRequest, decode.NonZero, func(p *api.KeyLimitsPatch) *decode.Field[uint64] { return &p.SearchesAtOnce }),
)

func (h *Handlers) serveKeyLimits(x *routing.Exchange) error {
	key, err := h.keyOfPath(x)
	if err != nil {
		return err
	}
	return x.Respond(http.StatusOK, key.Limits.AppendJSON(x.Buffer(), key.UID))
}

func (h *Handlers) serveUpdateKeyLimits(x *routing.Exchange) error {
	var patch api.KeyLimitsPatch
	if err := routing.ReadBody(x, keyLimitMembers, &patch); err != nil {
		return err
	}
	key, err := h.keyOfPath(x)
	if err != nil {
		return err
	}
	limits, err := h.Keys.Limit(x.Context(), key.UID, &patch)
	if err != nil {
		return err
	}
	if limits == nil {
		return keyNotFound(key.UID)
	}
	return x.Respond(http.StatusOK, limits.AppendJSON(x.Buffer(), key.UID))
}
