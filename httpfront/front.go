package httpfront

import (
	"cmp"
	"context"
	"io"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"

	"shoal/api"
	"shoal/api/settings"
	"shoal/httpfront/admin"
	"shoal/httpfront/auth"
	"shoal/httpfront/console"
	"shoal/httpfront/indexes"
	"shoal/httpfront/mcp"
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
	// PayloadLimit bounds decoded request bodies in bytes (100,000,000).
	PayloadLimit int64
	// Cores is how many cores searches may use (GOMAXPROCS).
	Cores int
	// SearchesRunning is how many searches run at once (4 per core) and
	// SearchQueueSize how many more may wait (nil = 1000, 0 = none).
	SearchesRunning int
	SearchQueueSize *int
	// DropSearchAfter is how long a search may wait (60 s).
	DropSearchAfter time.Duration
	// Connections is how many clients may be connected at once (10,000).
	Connections int
	// MaxStaleness is how long a node without contact to the leader still answers reads (0
	// = refuse at once).
	MaxStaleness time.Duration
	// LeaseWait is how long a request that needs the leader waits for contact before it is
	// refused (0 = not at all).
	LeaseWait time.Duration
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
	// Tracer makes spans of requests. May be nil.
	Tracer trace.Tracer
	// Audit receives each request that changed something, before its answer is sent. It is
	// called concurrently. May be nil.
	Audit func(Change)
	// Log receives faults and, at debug level, requests. It never receives a key.
	Log *slog.Logger
}

// router are the options of the router.
func (c *Config) router() routing.Config {
	audit := c.Audit
	if audit != nil && c.MasterKey != "" {
		audit = func(change Change) {
			change.Key = cmp.Or(change.Key, "master")
			c.Audit(change)
		}
	}
	return routing.Config{
		Audit:        audit,
		PayloadLimit: c.PayloadLimit, Cores: c.Cores, SearchesRunning: c.SearchesRunning, SearchQueueSize: c.SearchQueueSize, DropSearchAfter: c.DropSearchAfter,
		Connections: c.Connections, MaxStaleness: c.MaxStaleness, LeaseWait: c.LeaseWait, Tracer: c.Tracer, Log: c.Log,
	}
}

// Server answers the HTTP API. It is safe for concurrent use.
type Server struct {
	*routing.Server
	admin *admin.Handlers
	mcp   *mcp.Handlers
}

// New returns a server over the ports; every port must be set.
func New(cfg Config, ports Ports) *Server {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	stats := routing.NewMetrics(cfg.AlwaysTimed)
	keys := auth.New(cfg.MasterKey, ports.Keys, cfg.Now)
	h := newHandlers(&cfg, &ports, keys, stats)
	g := routing.Gate{
		Lease: ports.Lease, Auth: keys, Console: cfg.Console,
		Features: func() settings.Features { return ports.Features.Features() }, SlowLog: func() api.SlowLog { return ports.SlowLog.SlowLog() },
	}
	return &Server{routing.New(cfg.router(), g, stats, routes(h)), h.admin, h.mcp}
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

func newHandlers(cfg *Config, ports *Ports, keys *auth.Authenticator, stats *routing.Metrics) handlers {
	h := handlers{
		search:  &search.Handlers{Search: ports.Search, Chats: ports.Chats, Completions: ports.Completions, Reranker: ports.Reranker, Indexes: ports.Indexes, Analytics: ports.Analytics},
		indexes: &indexes.Handlers{Indexes: ports.Indexes, Documents: ports.Documents, Writes: ports.Writes},
		admin: &admin.Handlers{
			Tasks: ports.Tasks, Streams: ports.Streams, Keys: ports.Keys, Features: ports.Features, Network: ports.Network, Webhooks: ports.Webhooks, Rules: ports.Rules,
			Stats: ports.Stats, Lease: ports.Lease, Logs: ports.Logs, Cluster: ports.Cluster, Probes: ports.Probes, SlowLog: ports.SlowLog, Analytics: ports.Analytics, Aliases: ports.Aliases,
			Auth: keys, Now: cfg.Now, MaxStaleness: cfg.MaxStaleness, Requests: stats.Gatherer(), Families: cfg.Families,
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
