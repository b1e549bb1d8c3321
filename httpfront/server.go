package httpfront

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"shoal/api/apierr"
	"shoal/httpfront/console"
)

// Config are the options of the HTTP side. Zero values of numbers mean the
// defaults named beside them.
type Config struct {
	// MasterKey guards everything; empty means an open server.
	MasterKey string
	// PayloadLimit bounds decoded request bodies in bytes (100,000,000).
	PayloadLimit int64
	// SearchesRunning is how many searches run at once (4 per core) and
	// SearchQueueSize how many more may wait (nil = 1000, 0 = none).
	SearchesRunning int
	SearchQueueSize *int
	// DropSearchAfter is how long a search may wait (60 s).
	DropSearchAfter time.Duration
	// Connections is how many clients may be connected at once (10,000).
	Connections int
	// MaxStaleness is how long a node without contact to the leader goes on
	// answering reads (0 = refuse at once).
	MaxStaleness time.Duration
	// LeaseWait is how long a request that needs contact to the leader waits for
	// it before it is refused (0 = not at all).
	LeaseWait time.Duration
	// CommitSHA and CommitDate are shown by /version ("unknown" when empty).
	CommitSHA, CommitDate string
	// Families are shown by /metrics beside those of the front; nil: no others.
	Families prometheus.Gatherer
	// AlwaysTimed: request times are counted even while the feature metrics is off,
	// because somebody else reads them.
	AlwaysTimed bool
	// Console, if set, answers browsers.
	Console *console.Console
	// Now is the time by which keys and tokens expire (this machine's).
	Now func() time.Time
	// Log receives faults and, at debug level, requests. Never a key.
	Log *slog.Logger
}

func (c Config) withDefaults() Config {
	if c.PayloadLimit == 0 {
		c.PayloadLimit = 100_000_000
	}
	if c.Connections <= 0 {
		c.Connections = 10_000
	}
	if c.DropSearchAfter == 0 {
		c.DropSearchAfter = 60 * time.Second
	}
	if c.CommitSHA == "" {
		c.CommitSHA = "unknown"
	}
	if c.CommitDate == "" {
		c.CommitDate = "unknown"
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c
}

// Server answers the HTTP API. It is safe for concurrent use.
type Server struct {
	cfg   Config
	ports Ports
	paths *pathNode
	auth  *authenticator
	queue *searchQueue
	room  *bodyRoom
	conns *connTable
	log   *slog.Logger
	stats *requestMetrics
	http  *http.Server
}

// New returns a server over the ports; every port must be set.
func New(cfg Config, ports Ports) *Server {
	cfg = cfg.withDefaults()
	s := &Server{cfg: cfg, ports: ports, log: cfg.Log, paths: newPathTree(routes())}
	s.auth = newAuthenticator(cfg.MasterKey, ports.Keys, cfg.Now)
	s.queue = newSearchQueue(cfg)
	s.room = &bodyRoom{left: waitingBodies}
	s.stats = newRequestMetrics()
	s.stats.always = cfg.AlwaysTimed
	s.conns = newConnTable(cfg.Connections)
	s.http = &http.Server{
		Handler:           s,
		ReadHeaderTimeout: headTime,
		MaxHeaderBytes:    maxHead,
		IdleTimeout:       idleTime,
		ConnContext:       s.conns.keep,
		ConnState:         s.conns.changed,
		ErrorLog:          slog.NewLogLogger(cfg.Log.Handler(), slog.LevelDebug),
	}
	return s
}

// maxHead is the largest head of a request, query string and all, in bytes.
const maxHead = 128 << 10

// Serve answers connections of the listener until Shutdown, then returns nil.
func (s *Server) Serve(l net.Listener) error {
	ctx, stop := context.WithCancel(context.Background())
	var watched sync.WaitGroup
	watched.Go(func() { s.conns.watch(ctx) })
	defer watched.Wait()
	defer stop()
	if err := s.http.Serve(clientListener{l, s.conns}); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// Shutdown stops accepting, lets running requests end and returns; when ctx ends
// first, their connections are cut.
func (s *Server) Shutdown(ctx context.Context) error {
	err := s.http.Shutdown(ctx)
	if err != nil {
		return errors.Join(err, s.http.Close())
	}
	return nil
}

// ServeHTTP answers one request (spec search-api 1.2, 1.4): path and method,
// authorisation, body, handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	conn := connOf(r.Context())
	conn.serving()
	defer conn.resting()
	in := incoming{from: r.Body, conn: conn}
	if r.Method == http.MethodOptions {
		in.settle(w, r, http.StatusOK)
	}
	if preflight(w, r) {
		return
	}
	setCORS(w.Header(), r)
	if s.cfg.Console != nil && s.cfg.Console.Answer(w, r) {
		return
	}
	node, params := s.paths.find(r.URL.EscapedPath())
	if node == nil {
		s.stats.count(r.Method, unmatchedPath, http.StatusNotFound)
		in.settle(w, r, http.StatusNotFound)
		writeWhole(w, conn, http.StatusNotFound, nil)
		return
	}
	row := node.route(r.Method)
	if row == nil {
		w.Header().Set("Allow", node.allow())
		s.stats.count(r.Method, node.routes[0].pattern, http.StatusMethodNotAllowed)
		in.settle(w, r, http.StatusMethodNotAllowed)
		writeWhole(w, conn, http.StatusMethodNotAllowed, nil)
		return
	}
	x := exchanges.Get().(*exchange)
	x.server, x.http, x.writer, x.route, x.params, x.conn, x.in = s, r, w, row, params, conn, in
	defer x.release()
	s.serve(x)
}

func (s *Server) serve(x *exchange) {
	start := time.Now()
	defer func() {
		x.depart()
		s.stats.observe(x.route, x.status, time.Since(start), s.ports.Features.Features().Metrics)
		if s.log.Enabled(x.context(), slog.LevelDebug) {
			s.log.Debug("request", "route", x.route.name(), "status", x.status, "took", time.Since(start))
		}
	}()
	if err := s.handle(x); err != nil {
		x.fail(err)
	}
	x.finish()
}

// handle runs the checks and the handler; a panic becomes an internal error.
func (s *Server) handle(x *exchange) (err error) {
	defer func() {
		if p := recover(); p != nil {
			if aborted, ok := p.(error); ok && errors.Is(aborted, http.ErrAbortHandler) {
				panic(p)
			}
			s.log.Error("panic in a handler", "route", x.route.name(), "panic", p, "stack", string(debug.Stack()))
			err = apierr.New(apierr.CodeInternal, "An internal error has occurred. The request was not processed.")
		}
	}()
	if len(x.route.actions) == 0 {
		return x.route.serve(x)
	}
	if err := s.auth.authorize(x); err != nil {
		return err
	}
	if s.ports.Lease.Importing() && !x.route.partial {
		return apierr.ImportRunning()
	}
	if err := s.checkLease(x); err != nil {
		return err
	}
	return x.route.serve(x)
}

// admit waits for a search permit, which the exchange holds until its answer is ready to
// be sent. It comes before the request is decoded, so that only those that run take
// memory.
func (x *exchange) admit() (err error) {
	begun := time.Now()
	x.permit, err = x.server.queue.enter(x.context(), x.client())
	x.waited = time.Since(begun)
	return err
}

// depart gives the permit back, if there is one.
func (x *exchange) depart() {
	if x.permit.queue != nil {
		x.permit.leave()
		x.permit = permit{}
	}
}

// awaitLease waits until this node hears from a leader: most of the time without
// one is an election.
func (s *Server) awaitLease(ctx context.Context) bool {
	if s.cfg.LeaseWait == 0 {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, s.cfg.LeaseWait)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-tick.C:
		}
		if fresh, _ := s.ports.Lease.Lease(); fresh {
			return true
		}
	}
}

// checkLease refuses what a node without contact to the leader must not answer
// and marks what it still answers (architecture 1, promise 4).
func (s *Server) checkLease(x *exchange) error {
	fresh, stale := s.ports.Lease.Lease()
	if !fresh && x.route.leased {
		fresh = s.awaitLease(x.context())
	}
	if fresh {
		return nil
	}
	if x.route.leased || time.Duration(stale)*time.Second > s.cfg.MaxStaleness {
		return apierr.NoLeader()
	}
	x.writer.Header().Set("Shoal-Stale", strconv.Itoa(stale))
	return nil
}
