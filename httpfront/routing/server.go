package routing

import (
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"runtime/debug"
	"strings"
	"time"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/settings"
	"shoal/httpfront/auth"
	"shoal/httpfront/connection"
	"shoal/httpfront/console"
	"shoal/httpfront/metrics"
	"shoal/httpfront/queue"
	"shoal/wire/span"
)

// Server receives requests, checks them against the rows of a table and sends the answers
// of the handlers. It is safe for concurrent use.
type Server struct {
	*connection.Server
	cfg   Config
	gate  Gate
	paths *pathNode
	queue *queue.Queue
	room  *bodyRoom
	large *largeTable
	keys  *keyTable
	log   *slog.Logger
	stats *metrics.Requests
}

// Gate is what the router consults before a handler runs. All of it is called on every
// request and must not block.
type Gate struct {
	Lease    Lease
	Features func() settings.Features
	// SlowLog says which requests are logged as slow.
	SlowLog func() api.SlowLog
	Auth    *auth.Authenticator
	// Console, if set, answers browsers.
	Console *console.Console
}

// New returns a router for the rows. stats measures its requests.
func New(cfg Config, gate Gate, stats *metrics.Requests, table []Route) *Server {
	cfg = cfg.withDefaults()
	s := &Server{cfg: cfg, gate: gate, log: cfg.Log, stats: stats, paths: newPathTree(table)}
	s.queue = queue.New(queue.Config{Cores: cfg.Cores, Running: cfg.SearchesRunning, Size: *cfg.SearchQueueSize, Patience: cfg.DropSearchAfter})
	stats.AddQueue(s.queue.Figures)
	s.room = &bodyRoom{left: waitingBodies}
	s.large = &largeTable{clients: map[string]int{}}
	s.keys = newKeyTable()
	s.Server = connection.NewServer(s, cfg.Connections, cfg.Log)
	return s
}

// ServeHTTP answers one request (spec search-api 1.2, 1.4): path and method,
// authorisation, body, handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	cutFragment(r)
	conn := connection.Of(r.Context())
	conn.Begin()
	defer conn.End()
	in := conn.Body(r.Body)
	if r.Method == http.MethodOptions {
		in.Settle(w, r, http.StatusOK)
	}
	if preflight(w, r) {
		return
	}
	setCORS(w.Header(), r)
	if s.gate.Console != nil && s.gate.Console.Answer(w, r) {
		return
	}
	node, params := s.paths.find(r.URL.EscapedPath())
	if node == nil {
		s.stats.Unmatched(r.Method, "", http.StatusNotFound)
		in.Settle(w, r, http.StatusNotFound)
		conn.Send(w, http.StatusNotFound, nil)
		return
	}
	row := node.route(r.Method)
	if row == nil {
		w.Header().Set("Allow", node.allow())
		s.stats.Unmatched(r.Method, node.routes[0].Pattern, http.StatusMethodNotAllowed)
		in.Settle(w, r, http.StatusMethodNotAllowed)
		conn.Send(w, http.StatusMethodNotAllowed, nil)
		return
	}
	x := exchanges.Get().(*Exchange)
	x.server, x.HTTP, x.writer, x.route, x.params, x.conn, x.in = s, r, w, row, params, conn, in
	defer x.release()
	s.serve(x)
}

// cutFragment ignores what follows a # in the request line, as the reference does. Package
// net/http makes it a part of the path or query.
func cutFragment(r *http.Request) {
	target, _, found := strings.Cut(r.RequestURI, "#")
	if !found {
		return
	}
	if u, err := url.ParseRequestURI(target); err == nil {
		r.URL, r.RequestURI = u, target
	}
}

func (s *Server) serve(x *Exchange) {
	start := time.Now()
	var piece span.Span
	if s.cfg.Tracer != nil {
		piece = x.trace(s.cfg.Tracer)
	}
	slow := s.gate.SlowLog()
	if slow.Threshold > 0 {
		x.watch(slow.Query)
	}
	defer func() {
		x.depart()
		x.traced(piece)
		took := time.Since(start)
		if remembered, logged := metrics.Slowness(slow, x.searched, took); remembered {
			s.noteSlow(x, took, logged)
		}
		if x.searchEnded != nil {
			x.searchEnded()
		}
		s.stats.Answered(&metrics.Request{
			Method: x.route.Method, Path: x.route.Pattern, Status: x.told(), Took: time.Since(start),
			Searched: x.searched, Open: len(x.route.Actions) == 0, Timed: s.gate.Features().Metrics,
		})
		if s.log.Enabled(x.Context(), slog.LevelDebug) {
			s.log.Debug("request", "route", x.route.Name(), "status", x.status, "took", time.Since(start))
		}
	}()
	switch err := s.handle(x); {
	case errors.Is(err, errNotAcceptable):
		x.refuseEncoding()
		return
	case err != nil:
		x.fail(err)
	}
	s.audit(x)
	x.finish()
}

// clientLeft is the status under which requests are counted whose clients left before a
// failure could be told. Searches as people type are given up all the time.
const clientLeft = 499

// told is the status of the answer as the client has seen it.
func (x *Exchange) told() int {
	if x.status >= http.StatusInternalServerError && x.HTTP.Context().Err() != nil {
		return clientLeft
	}
	return x.status
}

// handle runs the checks and the handler; a panic becomes an internal error.
func (s *Server) handle(x *Exchange) (err error) {
	defer func() {
		if p := recover(); p != nil {
			if aborted, ok := p.(error); ok && errors.Is(aborted, http.ErrAbortHandler) {
				panic(p)
			}
			s.log.Error("panic in a handler", "route", x.route.Name(), "panic", p, "stack", string(debug.Stack()))
			err = apierr.New(apierr.CodeInternal, "An internal error has occurred. The request was not processed.")
		}
	}()
	if len(x.route.Actions) == 0 {
		return x.route.Serve(x)
	}
	old, err := s.checkLease(x)
	if err != nil {
		return err
	}
	err = s.answer(x)
	var refused *apierr.Error
	if old && errors.As(err, &refused) && refused.Code == apierr.CodeInvalidAPIKey {
		return apierr.KeysMayBeOld()
	}
	return err
}

// authorize finds what the caller may do, by the keys that this node knows now.
func (s *Server) authorize(x *Exchange) (err error) {
	wants := auth.Need{Actions: x.route.Actions}
	if x.route.OnIndex {
		wants.Index = &x.params[0]
	}
	x.Auth, err = s.gate.Auth.Authorize(x.HTTP, wants)
	return err
}

// Authorized tells whether the caller's key is still valid for the route. Long answers ask
// again.
func (x *Exchange) Authorized() bool {
	was := x.Auth
	defer func() { x.Auth = was }()
	return x.server.authorize(x) == nil
}

// answer authorizes the caller and runs the handler.
func (s *Server) answer(x *Exchange) error {
	if err := s.authorize(x); err != nil {
		return err
	}
	if err := s.keys.request(x.Auth.Key); err != nil {
		return err
	}
	if s.gate.Lease.Importing() && !x.route.Partial {
		return apierr.ImportRunning()
	}
	if x.route.writes() && s.gate.Lease.Follows() {
		return apierr.StandbyOnly()
	}
	return x.route.Serve(x)
}
