package search

import (
	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
	"shoal/api/parameter"
	"shoal/httpfront/routing"
)

func (h *Handlers) serveFacetSearch(x *routing.Exchange) error {
	body, err := x.AdmitBody()
	if err != nil {
		return err
	}
	if body.Kind() == jsonvalue.KindObject {
		body = knownMembers(&body, parameter.FacetBody.Names())
	}
	r := &api.FacetSearchRequest{SearchRequest: *api.NewSearchRequest()}
	if err := parameter.FacetBody.Decode(decode.BodyRoot(apierr.CodeBadRequest), &body, r); err != nil {
		return err
	}
	uid, err := x.IndexUID()
	if err != nil {
		return err
	}
	if err := gateNetwork(x.Features(), r.UseNetwork); err != nil {
		return err
	}
	x.Asks(r.Q, r.Filter)
	r.Filter = x.Auth.Restrict(uid, r.Filter)
	return x.Show(h.Search.FacetSearch(x.Context(), uid, r))
}

// knownMembers keeps only members with one of the names. Unlike other routes, a facet search
// ignores unknown members.
func knownMembers(v *jsonvalue.Value, names []string) jsonvalue.Value {
	var kept []jsonvalue.Member
	for _, m := range v.Members() {
		for _, name := range names {
			if m.Name == name {
				kept = append(kept, m)
				break
			}
		}
	}
	return jsonvalue.ObjectValue(kept...)
}
