package admin

import (
	"net/http"

	"shoal/api/jsonvalue"
	"shoal/httpfront/routing"
)

// rightsRoute tells each caller what its own key may do. Every key that may do anything
// opens it; the console shows what it lists.
func (h *Handlers) rightsRoute() routing.Route {
	return routing.Route{Method: "GET", Pattern: "/cluster/rights", Serve: h.serveRights, Partial: true}
}

func (h *Handlers) serveRights(x *routing.Exchange) error {
	actions, indexes, err := h.Auth.Granted(x.HTTP)
	if err != nil {
		return err
	}
	answer := jsonvalue.ObjectValue(
		jsonvalue.Member{Name: "actions", Value: jsonvalue.ArrayOfStrings(actions)},
		jsonvalue.Member{Name: "indexes", Value: jsonvalue.ArrayOfStrings(indexes)})
	return x.Respond(http.StatusOK, answer.AppendJSON(x.Buffer()))
}
