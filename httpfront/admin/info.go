package admin

import (
	"context"
	"net/http"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/httpfront/routing"
)

// ProcessRoutes are the rows about the instance as a whole.
func (h *Handlers) ProcessRoutes() []routing.Route {
	return []routing.Route{
		{Method: "GET", Pattern: "/", Serve: serveRoot},
		{Method: "GET", Pattern: "/health", Serve: h.serveHealth},
		{Method: "GET", Pattern: "/livez", Serve: serveLivez},
		{Method: "GET", Pattern: "/readyz", Serve: h.serveReadyz},
		{Method: "GET", Pattern: "/version", Actions: []string{"version"}, Serve: h.serveVersion, Partial: true},
		{Method: "GET", Pattern: "/stats", Actions: []string{"stats.get"}, Serve: h.serveStats, Query: statsParameters},
		{Method: "GET", Pattern: "/indexes/{index_uid}/stats", Actions: []string{"stats.get"}, Serve: h.serveIndexStats, OnIndex: true, Query: statsParameters},
		{Method: "GET", Pattern: "/metrics", Actions: []string{"metrics.get"}, Serve: h.serveMetrics, Partial: true},
	}
}

func serveRoot(x *routing.Exchange) error {
	return x.Respond(http.StatusOK, append(x.Buffer(), `{"status":"Meilisearch is running"}`...))
}

func (h *Handlers) serveHealth(x *routing.Exchange) error {
	if err := h.Stats.Health(x.Context()); err != nil {
		return err
	}
	return x.Respond(http.StatusOK, append(x.Buffer(), `{"status":"available"}`...))
}

func (h *Handlers) serveVersion(x *routing.Exchange) error {
	return x.Answer(http.StatusOK, struct {
		CommitSHA  string `json:"commitSha"`
		CommitDate string `json:"commitDate"`
		PkgVersion string `json:"pkgVersion"`
	}{h.CommitSHA, h.CommitDate, string(h.Version)})
}

// statsQuery are the parameters of both stats routes.
type statsQuery struct {
	Internal bool
	Format   string
}

var statsParameters = decode.NewObject(
	decode.Plain("showInternalDatabaseSizes", apierr.CodeInvalidStatsShowInternalDatabaseSizes, decode.QueryBool, func(q *statsQuery) *bool { return &q.Internal }),
	decode.Plain("sizeFormat", apierr.CodeInvalidStatsSizeFormat, decode.OneOf("raw", "human"), func(q *statsQuery) *string { return &q.Format }),
)

func (h *Handlers) statsForm(x *routing.Exchange) (api.StatsForm, error) {
	var q statsQuery
	if err := routing.ReadQuery(x, statsParameters, &q); err != nil {
		return api.StatsForm{}, err
	}
	return api.StatsForm{Human: q.Format == "human", Internal: q.Internal, Newer: h.Version.Newer()}, nil
}

func (h *Handlers) serveStats(x *routing.Exchange) error {
	form, err := h.statsForm(x)
	if err != nil {
		return err
	}
	stats, err := h.Stats.Stats(x.Context(), x.Auth.Indexes())
	if err != nil {
		return err
	}
	return x.Respond(http.StatusOK, stats.AppendJSON(x.Buffer(), form))
}

func (h *Handlers) serveIndexStats(x *routing.Exchange) error {
	form, err := h.statsForm(x)
	if err != nil {
		return err
	}
	uid, err := x.IndexUID()
	if err != nil {
		return err
	}
	stats, err := h.Stats.IndexStats(x.Context(), uid)
	if err != nil {
		return err
	}
	return x.Respond(http.StatusOK, stats.AppendJSON(x.Buffer(), form))
}

// Stats are the statistics of the instance and its indexes.
type Stats interface {
	// Stats covers the indexes that match the patterns (nil = all).
	Stats(ctx context.Context, authorized []string) (*api.Stats, error)
	// IndexStats returns apierr.IndexNotFound if there is no such index.
	IndexStats(ctx context.Context, uid string) (*api.IndexStats, error)
	// TaskCounts are the counters of the metrics route.
	TaskCounts(ctx context.Context) (*api.TaskCounts, error)
	// Health is nil while the instance can serve.
	Health(ctx context.Context) error
}
