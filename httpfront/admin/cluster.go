package admin

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"

	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/httpfront/routing"
)

// Cluster is the port of the routes under /cluster, which are ours: they show and steer
// what the rest of the API hides.
type Cluster interface {
	// Status is the state of nodes and shards as a JSON object.
	Status(ctx context.Context) (json.RawMessage, error)
	// State is a sentence about what the cluster can do now, as a JSON object.
	State(ctx context.Context) (json.RawMessage, error)
	// UpdateIndex sets the number of shards and replicas of an index (nil = unchanged) and
	// returns its placement, or apierr.IndexNotFound.
	UpdateIndex(ctx context.Context, uid string, shards, replicas *uint64) (json.RawMessage, error)
	// Drain moves replicas off a node, named by name or id. off ends the draining.
	Drain(ctx context.Context, node string, off bool) (json.RawMessage, error)
	// RemoveNode removes a node from the cluster for good. With force it does so even if
	// data is lost.
	RemoveNode(ctx context.Context, node string, force bool) (json.RawMessage, error)
	// Explain says how a query is understood and why hits rank as they do.
	Explain(ctx context.Context, uid, q string, limit uint64) (string, error)
	// Activity is what the nodes are doing, as a JSON object.
	Activity(ctx context.Context) (json.RawMessage, error)
	// History is what the nodes were doing over the last day, in at most that many points, as
	// a JSON object.
	History(ctx context.Context, points int) (json.RawMessage, error)
	// SlowRequests lists requests that took long, of all nodes, as a JSON object.
	SlowRequests(ctx context.Context) (json.RawMessage, error)
	// LogLines returns the newest lines of the log of a node ("" for this one) that contain a
	// text, as a JSON object.
	LogLines(ctx context.Context, node string, most int, contains string) (json.RawMessage, error)
	// Debug returns a ZIP archive for diagnosing a node ("" for this one), without
	// documents and secrets. With seconds it first takes a CPU profile of that length.
	Debug(ctx context.Context, node string, seconds uint64) ([]byte, error)
	// Verify makes a node ("" for this one) compare all its data with the checksums. It
	// returns the findings as a JSON object.
	Verify(ctx context.Context, node string) (json.RawMessage, error)
	// Promote ends following another cluster, so that writes are accepted. It returns
	// apierr.NoStandby if the cluster does not follow one.
	Promote(ctx context.Context) (json.RawMessage, error)
}

// ClusterRoutes need a key with all actions, but for the one that says what a key may do.
func (h *Handlers) ClusterRoutes() []routing.Route {
	return append([]routing.Route{
		h.rightsRoute(),
		{Method: "GET", Pattern: "/cluster/status", Actions: []string{"*"}, Serve: h.serveClusterStatus, Partial: true},
		{Method: "GET", Pattern: "/cluster/state", Actions: []string{"*"}, Serve: h.serveClusterState, Partial: true},
		{Method: "PATCH", Pattern: "/cluster/indexes/{index_uid}", Actions: []string{"*"}, Serve: h.serveClusterIndex, Leased: true, Partial: true, Body: placementMembers},
		{Method: "POST", Pattern: "/cluster/nodes/{node}/drain", Actions: []string{"*"}, Serve: h.serveDrain, Leased: true, Partial: true, NoBody: true},
		{Method: "DELETE", Pattern: "/cluster/nodes/{node}/drain", Actions: []string{"*"}, Serve: h.serveUndrain, Leased: true, Partial: true},
		{Method: "DELETE", Pattern: "/cluster/nodes/{node}", Actions: []string{"*"}, Serve: h.serveRemoveNode, Leased: true, Partial: true, Query: removalParameters},
		{Method: "POST", Pattern: "/cluster/explain", Actions: []string{"*"}, Serve: h.serveExplain, Leased: true, Reads: true, Partial: true, Body: explainMembers},
		{Method: "GET", Pattern: "/cluster/activity", Actions: []string{"*"}, Serve: h.serveActivity, Partial: true},
		{Method: "GET", Pattern: "/cluster/history", Actions: []string{"*"}, Serve: h.serveHistory, Partial: true, Query: historyParameters},
		{Method: "GET", Pattern: "/cluster/slow-requests", Actions: []string{"*"}, Serve: h.serveSlowRequests, Partial: true},
		{Method: "GET", Pattern: "/cluster/log", Actions: []string{"*"}, Serve: h.serveLogLines, Partial: true, Query: logLinesParameters},
		{Method: "GET", Pattern: "/cluster/debug", Actions: []string{"*"}, Serve: h.serveDebug, Partial: true, Query: debugParameters},
		{Method: "POST", Pattern: "/cluster/verify", Actions: []string{"*"}, Serve: h.serveVerify, Partial: true, NoBody: true, Query: verifyParameters},
		{Method: "POST", Pattern: "/cluster/promote", Actions: []string{"*"}, Serve: h.servePromote, Leased: true, Partial: true, NoBody: true},
	}, slices.Concat(h.keyLimitRoutes(), h.slowLogRoutes(), h.analyticsRoutes(), h.aliasRoutes())...)
}

func (h *Handlers) serveClusterStatus(x *routing.Exchange) error {
	return x.Relay(h.Cluster.Status(x.Context()))
}

func (h *Handlers) serveClusterState(x *routing.Exchange) error {
	return x.Relay(h.Cluster.State(x.Context()))
}

func (h *Handlers) serveActivity(x *routing.Exchange) error {
	return x.Relay(h.Cluster.Activity(x.Context()))
}

func (h *Handlers) servePromote(x *routing.Exchange) error {
	return x.Relay(h.Cluster.Promote(x.Context()))
}

// placementBody is the body of PATCH /cluster/indexes/{uid}.
type placementBody struct {
	Shards, Replicas *uint64
}

var placementMembers = decode.NewObject(
	decode.Optional("shards", apierr.CodeBadRequest, decode.Uint, func(b *placementBody) **uint64 { return &b.Shards }),
	decode.Optional("replicas", apierr.CodeBadRequest, decode.Uint, func(b *placementBody) **uint64 { return &b.Replicas }),
)

func (h *Handlers) serveClusterIndex(x *routing.Exchange) error {
	uid, err := x.IndexUID()
	if err != nil {
		return err
	}
	var body placementBody
	if err := routing.ReadBody(x, placementMembers, &body); err != nil {
		return err
	}
	return x.Relay(h.Cluster.UpdateIndex(x.Context(), uid, body.Shards, body.Replicas))
}

func (h *Handlers) serveDrain(x *routing.Exchange) error   { return h.drain(x, false) }
func (h *Handlers) serveUndrain(x *routing.Exchange) error { return h.drain(x, true) }

func (h *Handlers) drain(x *routing.Exchange, off bool) error {
	return x.Relay(h.Cluster.Drain(x.Context(), x.Param(0), off))
}

// debugQuery is the query string of GET /cluster/debug.
type debugQuery struct {
	node    string
	seconds uint64
}

// maxProfile is the longest CPU profile, in seconds.
const maxProfile = 60

var debugParameters = decode.NewObject(
	decode.Plain("node", apierr.CodeBadRequest, decode.String, func(q *debugQuery) *string { return &q.node }),
	decode.Plain("cpuSeconds", apierr.CodeBadRequest, decode.Decoder[uint64](decode.QueryUint).Then(func(at *decode.Loc, n uint64) *apierr.Error {
		if n > maxProfile {
			return at.Invalid("a CPU profile takes at most " + strconv.Itoa(maxProfile) + " seconds")
		}
		return nil
	}), func(q *debugQuery) *uint64 { return &q.seconds }),
)

var verifyParameters = decode.NewObject(
	decode.Plain("node", apierr.CodeBadRequest, decode.String, func(node *string) *string { return node }),
)

func (h *Handlers) serveVerify(x *routing.Exchange) error {
	var node string
	if err := routing.ReadQuery(x, verifyParameters, &node); err != nil {
		return err
	}
	return x.Relay(h.Cluster.Verify(x.Context(), node))
}

func (h *Handlers) serveDebug(x *routing.Exchange) error {
	var q debugQuery
	if err := routing.ReadQuery(x, debugParameters, &q); err != nil {
		return err
	}
	archive, err := h.Cluster.Debug(x.Context(), q.node, q.seconds)
	if err != nil {
		return err
	}
	return x.RespondAs(http.StatusOK, "application/zip", append(x.Buffer(), archive...))
}

// removalQuery is the query string of DELETE /cluster/nodes/{node}.
type removalQuery struct{ force bool }

var removalParameters = decode.NewObject(
	decode.Plain("force", apierr.CodeBadRequest, decode.QueryBool, func(q *removalQuery) *bool { return &q.force }),
)

func (h *Handlers) serveRemoveNode(x *routing.Exchange) error {
	var q removalQuery
	if err := routing.ReadQuery(x, removalParameters, &q); err != nil {
		return err
	}
	return x.Relay(h.Cluster.RemoveNode(x.Context(), x.Param(0), q.force))
}

// explainBody is the body of POST /cluster/explain.
type explainBody struct {
	IndexUID, Q string
	Limit       uint64
}

var explainMembers = decode.NewObject(
	decode.Plain("indexUid", apierr.CodeBadRequest, decode.String, func(b *explainBody) *string { return &b.IndexUID }).Required(apierr.CodeBadRequest),
	decode.Plain("q", apierr.CodeBadRequest, decode.String, func(b *explainBody) *string { return &b.Q }),
	decode.Plain("limit", apierr.CodeBadRequest, decode.Uint, func(b *explainBody) *uint64 { return &b.Limit }),
)

func (h *Handlers) serveExplain(x *routing.Exchange) error {
	body := explainBody{Limit: 5}
	if err := routing.ReadBody(x, explainMembers, &body); err != nil {
		return err
	}
	text, err := h.Cluster.Explain(x.Context(), body.IndexUID, body.Q, body.Limit)
	if err != nil {
		return err
	}
	return x.Answer(http.StatusOK, struct {
		Text string `json:"text"`
	}{text})
}
