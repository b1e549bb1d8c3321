package admin

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
	"shoal/httpfront/openapi"
	"shoal/httpfront/routing"
)

// NetworkRoutes are the rows of other instances.
func (h *Handlers) NetworkRoutes() []routing.Route {
	return []routing.Route{
		{Method: "GET", Pattern: "/network", Actions: []string{"network.get"}, Serve: h.serveNetwork},
		{Method: "PATCH", Pattern: "/network", Actions: []string{"network.update"}, Serve: h.serveUpdateNetwork, Leased: true, Body: networkFields},
		{Method: "POST", Pattern: "/network/control", Actions: []string{"network.update"}, Serve: serveNetworkControl, Leased: true, Schema: controlSchema},
	}
}

var networkFields = decode.NewObject(
	decode.Tristate("remotes", apierr.CodeInvalidNetworkRemotes, decode.Map(decode.OrNull(remoteFields.Read)),
		func(p *api.NetworkPatch) *decode.Field[[]decode.Entry[*api.RemotePatch]] { return &p.Remotes }),
	decode.Tristate("shards", apierr.CodeInvalidNetworkShards, decode.Map(decode.OrNull(shardFields.Read)),
		func(p *api.NetworkPatch) *decode.Field[[]decode.Entry[*api.ShardPatch]] { return &p.Shards }),
	decode.Custom[api.NetworkPatch]("previousShards", apierr.CodeInvalidNetworkShards, func(*api.NetworkPatch, *decode.Loc, *jsonvalue.Value) *apierr.Error { return nil }),
	decode.Tristate("self", apierr.CodeInvalidNetworkSelf, decode.String, func(p *api.NetworkPatch) *decode.Field[string] { return &p.Self }),
	decode.Tristate("leader", apierr.CodeInvalidNetworkLeader, decode.String, func(p *api.NetworkPatch) *decode.Field[string] { return &p.Leader }),
	decode.Custom("previousRemotes", apierr.CodeInvalidNetworkRemotes, func(p *api.NetworkPatch, _ *decode.Loc, v *jsonvalue.Value) *apierr.Error {
		p.PreviousRemotes = !v.IsNull()
		return nil
	}),
)

var remoteFields = decode.NewObject(
	decode.Tristate("url", apierr.CodeInvalidNetworkURL, decode.String, func(p *api.RemotePatch) *decode.Field[string] { return &p.URL }),
	decode.Tristate("searchApiKey", apierr.CodeInvalidNetworkSearchAPIKey, decode.String, func(p *api.RemotePatch) *decode.Field[string] { return &p.SearchAPIKey }),
	decode.Tristate("writeApiKey", apierr.CodeInvalidNetworkWriteAPIKey, decode.String, func(p *api.RemotePatch) *decode.Field[string] { return &p.WriteAPIKey }),
)

var shardFields = decode.NewObject(
	decode.Tristate("remotes", apierr.CodeInvalidNetworkRemotes, decode.StringSet, func(p *api.ShardPatch) *decode.Field[[]string] { return &p.Remotes }),
	decode.Tristate("addRemotes", apierr.CodeInvalidNetworkRemotes, decode.StringSet, func(p *api.ShardPatch) *decode.Field[[]string] { return &p.AddRemotes }),
	decode.Tristate("removeRemotes", apierr.CodeInvalidNetworkRemotes, decode.StringSet, func(p *api.ShardPatch) *decode.Field[[]string] { return &p.RemoveRemotes }),
)

// gateNetworkRoute refuses the routes while their feature is off.
func gateNetworkRoute(x *routing.Exchange, doing string) error {
	if x.Features().Network {
		return nil
	}
	return apierr.FeatureNotEnabled(doing, "network", 805)
}

func (h *Handlers) serveNetwork(x *routing.Exchange) error {
	if err := gateNetworkRoute(x, "Using the /network route"); err != nil {
		return err
	}
	return x.Answer(http.StatusOK, networkView(h.Network.Network()))
}

func (h *Handlers) serveUpdateNetwork(x *routing.Exchange) error {
	var patch api.NetworkPatch
	if err := routing.ReadBody(x, networkFields, &patch); err != nil {
		return err
	}
	if err := gateNetworkRoute(x, "Using the /network route"); err != nil {
		return err
	}
	if patch.PreviousRemotes {
		return apierr.New(apierr.CodeUnexpectedNetworkPreviousRemotes, "Unexpected `previousRemotes` in network call.\n  - Note: `previousRemote` is reserved for internal use.")
	}
	if patch.Leader.IsSet() {
		return apierr.New(apierr.CodeRequiresEnterpriseEdition, "Meilisearch Enterprise Edition is required to set `network.leader`")
	}
	if err := checkRemotes(&patch, h.Network.Network()); err != nil {
		return err
	}
	network, err := h.Network.UpdateNetwork(x.Context(), &patch)
	if err != nil {
		return err
	}
	return x.Answer(http.StatusOK, networkView(network))
}

// checkRemotes refuses remotes without a usable URL.
func checkRemotes(patch *api.NetworkPatch, current *api.Network) error {
	for _, e := range patch.Remotes.Value {
		if e.Value == nil {
			continue
		}
		place := ".remotes." + e.Name + ".url"
		_, known := current.Remotes[e.Name]
		switch {
		case e.Value.URL.IsNull():
			return apierr.New(apierr.CodeInvalidNetworkURL, "Field `"+place+"` cannot be set to `null`")
		case e.Value.URL.IsSet():
			if fault := urlFault(e.Value.URL.Value); fault != "" {
				return apierr.New(apierr.CodeInvalidNetworkURL, "Invalid `"+place+"` (`"+e.Value.URL.Value+"`): "+fault)
			}
		case !known || patch.Remotes.IsNull():
			return apierr.New(apierr.CodeMissingNetworkURL, "Missing field `"+place+"`")
		}
	}
	return nil
}

// urlFault explains why a text is not an absolute URL, or returns "". The texts are those
// of the reference's URL library.
func urlFault(text string) string {
	scheme, rest, ok := strings.Cut(strings.TrimSpace(text), ":")
	if !ok || scheme == "" || !isScheme(scheme) {
		return "relative URL without a base"
	}
	switch strings.ToLower(scheme) {
	case "http", "https", "ws", "wss", "ftp":
		if strings.Trim(rest, "/\\") == "" {
			return "empty host"
		}
	}
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil {
		if !hasNumericPort(rest) {
			return "invalid port number"
		}
		return "invalid international domain name"
	}
	if port := u.Port(); port != "" {
		if _, err := strconv.ParseUint(port, 10, 16); err != nil {
			return "invalid port number"
		}
	}
	return ""
}

// hasNumericPort tells whether the port of the URL, if it has one, is a number. rest is the
// URL after its scheme.
func hasNumericPort(rest string) bool {
	host, _, _ := strings.Cut(strings.TrimLeft(rest, "/"), "/")
	_, port, found := strings.Cut(host[strings.LastIndexAny(host, "]@")+1:], ":")
	return !found || strings.Trim(port, "0123456789") == ""
}

func isScheme(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i] | 0x20
		letter := 'a' <= c && c <= 'z'
		if !letter && (i == 0 || !('0' <= s[i] && s[i] <= '9' || s[i] == '+' || s[i] == '-' || s[i] == '.')) {
			return false
		}
	}
	return true
}

// shownRemote is a remote as clients see it. Keys are in clear, as in the reference.
type shownRemote struct {
	URL          string  `json:"url"`
	SearchAPIKey *string `json:"searchApiKey"`
	WriteAPIKey  *string `json:"writeApiKey"`
	Status       string  `json:"status"`
}

type shownNetwork struct {
	Self    *string                     `json:"self"`
	Remotes map[string]shownRemote      `json:"remotes"`
	Shards  map[string]api.NetworkShard `json:"shards"`
	Leader  *string                     `json:"leader"`
	Version string                      `json:"version"`
}

func networkView(n *api.Network) shownNetwork {
	view := shownNetwork{Self: n.Self, Remotes: map[string]shownRemote{}, Shards: n.Shards, Leader: n.Leader, Version: n.Version}
	for name, r := range n.Remotes {
		view.Remotes[name] = shownRemote{URL: r.URL, SearchAPIKey: r.SearchAPIKey, WriteAPIKey: r.WriteAPIKey, Status: "available"}
	}
	return view
}

// serveNetworkControl answers as the community edition does.
func serveNetworkControl(x *routing.Exchange) error {
	body, err := x.BodyValue()
	if err != nil {
		return err
	}
	if body.Kind() != jsonvalue.KindObject || !slices.ContainsFunc(body.Members(), func(m jsonvalue.Member) bool { return m.Name == "origin" }) {
		return apierr.New(apierr.CodeBadRequest, "Json deserialize error: missing field `origin` at line 1 column 2")
	}
	if err := gateNetworkRoute(x, "Using the /network/control route"); err != nil {
		return err
	}
	return apierr.New(apierr.CodeRequiresEnterpriseEdition, "Meilisearch Enterprise Edition is required to call this route")
}

// Network is the configuration of other instances.
type Network interface {
	Network() *api.Network
	UpdateNetwork(ctx context.Context, p *api.NetworkPatch) (*api.Network, error)
}

// controlSchema describes the checked members of a message between instances.
func controlSchema() jsonvalue.Value {
	return jsonvalue.ObjectValue(openapi.Named("type", jsonvalue.StringValue("object")), openapi.Named("required", jsonvalue.ArrayOfStrings([]string{"origin"})))
}
