package httpfront

import (
	"cmp"
	"context"
	"io"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"shoal/api"
	"shoal/api/settings"
	"shoal/httpfront/admin"
	"shoal/httpfront/auth"
	"shoal/httpfront/console"
	"shoal/httpfront/indexes"
	"shoal/httpfront/mcp"
	"shoal/httpfront/metrics"
	"shoal/httpfront/routing"
	"shoal/httpfront/search"
)

// Change is a request that changed something.
type Change = routing.Change

// Config holds the options of the HTTP side. A zero number means the default that stands in
// brackets.
type Config struct {
	// MasterKey guards everything; empty means an open server.
	MasterKey string
	// Routing are the options of the router.
	Routing routing.Config
	// Version is the version of the API that answers follow (1.50).
	Version api.Version
	// CommitSHA and CommitDate are shown by /version ("unknown" when empty).
	CommitSHA, CommitDate string
	// Families are shown by /metrics beside those of the front. May be nil.
	Families prometheus.Gatherer
	// AlwaysTimed: request times are recorded even while the feature metrics is off,
	// because something else reads them.
	AlwaysTimed bool
	// Console, if set, answers browsers.
	Console *console.Console
	// Now is the clock for the expiry of keys and tokens (time.Now).
	Now func() time.Time
}

// router are the options of the router: requests with the master key have a name in the audit
// log.
func (c *Config) router() routing.Config {
	r := c.Routing
	if write := r.Audit; write != nil && c.MasterKey != "" {
		r.Audit = func(change Change) {
			change.Key = cmp.Or(change.Key, "master")
			write(change)
		}
	}
	return r
}

// Server answers the HTTP API. It is safe for concurrent use.
type Server struct {
	*routing.Server
	// Metrics is what is measured about the requests.
	Metrics *metrics.Requests
	admin   *admin.Handlers
	mcp     *mcp.Handlers
}

// New returns a server over the ports; every port must be set.
func New(cfg Config, ports Ports) *Server {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	stats := metrics.New(cfg.AlwaysTimed)
	keys := auth.New(cfg.MasterKey, ports.Keys, cfg.Now)
	h := newHandlers(&cfg, &ports, keys, stats)
	g := routing.Gate{
		Lease: ports.Lease, Auth: keys, Console: cfg.Console,
		Features: func() settings.Features { return ports.Features.Features() }, SlowLog: func() api.SlowLog { return ports.SlowLog.SlowLog() },
	}
	return &Server{routing.New(cfg.router(), g, stats, routes(h)), stats, h.admin, h.mcp}
}

// Shutdown ends endless answers and lets other requests finish. If ctx ends first, their
// connections are cut.
func (s *Server) Shutdown(ctx context.Context) error {
	s.mcp.Close()
	return s.Server.Shutdown(ctx)
}

// handlers are the handlers that the rows of routes call.
type handlers struct {
	search  *search.Handlers
	indexes *indexes.Handlers
	admin   *admin.Handlers
	mcp     *mcp.Handlers
}

func newHandlers(cfg *Config, ports *Ports, keys *auth.Authenticator, stats *metrics.Requests) handlers {
	h := handlers{
		search:  &search.Handlers{Search: ports.Search, Chats: ports.Chats, Completions: ports.Completions, Reranker: ports.Reranker, Indexes: ports.Indexes, Analytics: ports.Analytics},
		indexes: &indexes.Handlers{Indexes: ports.Indexes, Documents: ports.Documents, Writes: ports.Writes},
		admin: &admin.Handlers{
			Tasks: ports.Tasks, Streams: ports.Streams, Keys: ports.Keys, Features: ports.Features, Network: ports.Network, Webhooks: ports.Webhooks, Rules: ports.Rules,
			Stats: ports.Stats, Lease: ports.Lease, Logs: ports.Logs, Cluster: ports.Cluster, Probes: ports.Probes, SlowLog: ports.SlowLog, Analytics: ports.Analytics, Aliases: ports.Aliases,
			Auth: keys, Now: cfg.Now, MaxStaleness: cfg.Routing.MaxStaleness, Requests: stats.Gatherer(), Families: cfg.Families,
			CommitSHA: cmp.Or(cfg.CommitSHA, "unknown"), CommitDate: cmp.Or(cfg.CommitDate, "unknown"),
			Version: cmp.Or(cfg.Version, api.Version150),
		},
	}
	h.mcp = mcp.New(h.admin.Version, apiRoutes(h))
	return h
}

// KeyValues are the values of all API keys.
func (s *Server) KeyValues() (values []string) {
	for _, k := range s.admin.Keys.Keys() {
		values = append(values, s.admin.Auth.Value(k.UID))
	}
	return values
}

// WriteMetrics writes all metrics of this node in the text format of Prometheus, sorted by
// name.
func (s *Server) WriteMetrics(ctx context.Context, to io.Writer) error {
	return s.admin.WriteMetrics(ctx, to)
}
