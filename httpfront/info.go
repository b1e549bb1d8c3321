package httpfront

import (
	"context"
	"net/http"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/decode"
)

// processRoutes are the rows about the instance as a whole.
func processRoutes() []route {
	return []route{
		{Method: "GET", Pattern: "/", Serve: serveRoot},
		{Method: "GET", Pattern: "/health", Serve: serveHealth},
		{Method: "GET", Pattern: "/livez", Serve: serveLivez},
		{Method: "GET", Pattern: "/readyz", Serve: serveReadyz},
		{Method: "GET", Pattern: "/version", Actions: []string{"version"}, Serve: serveVersion, Partial: true},
		{Method: "GET", Pattern: "/stats", Actions: []string{"stats.get"}, Serve: serveStats, Query: statsParameters},
		{Method: "GET", Pattern: "/indexes/{index_uid}/stats", Actions: []string{"stats.get"}, Serve: serveIndexStats, OnIndex: true, Query: statsParameters},
		{Method: "GET", Pattern: "/metrics", Actions: []string{"metrics.get"}, Serve: serveMetrics, Partial: true},
	}
}

// compatibleVersion is what clients detect features by.
const compatibleVersion = "1.50.0"

func serveRoot(x *exchange) error {
	return x.respond(http.StatusOK, append(x.body[:0], `{"status":"Meilisearch is running"}`...))
}

func serveHealth(x *exchange) error {
	if err := x.server.ports.Stats.Health(x.context()); err != nil {
		return err
	}
	return x.respond(http.StatusOK, append(x.body[:0], `{"status":"available"}`...))
}

func serveVersion(x *exchange) error {
	return x.answer(http.StatusOK, struct {
		CommitSHA  string `json:"commitSha"`
		CommitDate string `json:"commitDate"`
		PkgVersion string `json:"pkgVersion"`
	}{x.server.cfg.CommitSHA, x.server.cfg.CommitDate, compatibleVersion})
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

func (x *exchange) statsForm() (api.StatsForm, error) {
	var q statsQuery
	if err := readQuery(x, statsParameters, &q); err != nil {
		return api.StatsForm{}, err
	}
	return api.StatsForm{Human: q.Format == "human", Internal: q.Internal}, nil
}

func serveStats(x *exchange) error {
	form, err := x.statsForm()
	if err != nil {
		return err
	}
	stats, err := x.server.ports.Stats.Stats(x.context(), x.auth.indexes())
	if err != nil {
		return err
	}
	return x.respond(http.StatusOK, stats.AppendJSON(x.body[:0], form))
}

func serveIndexStats(x *exchange) error {
	form, err := x.statsForm()
	if err != nil {
		return err
	}
	uid, err := x.indexUID()
	if err != nil {
		return err
	}
	stats, err := x.server.ports.Stats.IndexStats(x.context(), uid)
	if err != nil {
		return err
	}
	return x.respond(http.StatusOK, stats.AppendJSON(x.body[:0], form))
}

// Stats are the figures of the instance and its indexes.
type Stats interface {
	// Stats covers the indexes that match the patterns (nil = all).
	Stats(ctx context.Context, authorized []string) (*api.Stats, error)
	// IndexStats is apierr.IndexNotFound when there is no such index.
	IndexStats(ctx context.Context, uid string) (*api.IndexStats, error)
	// TaskCounts are the counters of the metrics route.
	TaskCounts(ctx context.Context) (*api.TaskCounts, error)
	// Health is nil while the instance can serve.
	Health(ctx context.Context) error
}
