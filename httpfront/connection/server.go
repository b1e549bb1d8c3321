package connection

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

// Time limits of connections. A body or an answer may take hours as long as it makes
// progress.
const (
	// headTime bounds the time for the head of a request.
	headTime = 10 * time.Second
	// bodyPause bounds the time between two reads of a body, answerPause the time for each
	// MiB of an answer.
	bodyPause   = 30 * time.Second
	answerPause = 60 * time.Second
	// idleTime is how long a connection may wait for its next request.
	idleTime = 120 * time.Second
)

// maxHead bounds the head of a request including the query string, in bytes.
const maxHead = 128 << 10

// Server accepts connections and passes their requests to a handler. It is safe for
// concurrent use.
type Server struct {
	http  *http.Server
	table *table
}

// NewServer returns a server for at most `most` connections at a time. The context of each
// request that reaches the handler holds its connection (Of). log receives the faults of
// connections at debug level.
func NewServer(handler http.Handler, most int, log *slog.Logger) *Server {
	t := newTable(most)
	return &Server{table: t, http: &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: headTime,
		MaxHeaderBytes:    maxHead,
		IdleTimeout:       idleTime,
		ConnContext:       t.keep,
		ConnState:         t.changed,
		// The handler answers OPTIONS *, too.
		DisableGeneralOptionsHandler: true,
		ErrorLog:                     slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}}
}

// Serve answers connections of the listener until Shutdown, then returns nil.
func (s *Server) Serve(l net.Listener) error {
	ctx, stop := context.WithCancel(context.Background())
	var watched sync.WaitGroup
	watched.Go(func() { s.table.watch(ctx) })
	defer watched.Wait()
	defer stop()
	if err := s.http.Serve(clientListener{l, s.table}); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// Shutdown stops accepting and waits until running requests end. If ctx ends first, their
// connections are cut.
func (s *Server) Shutdown(ctx context.Context) error {
	err := s.http.Shutdown(ctx)
	if err != nil {
		return errors.Join(err, s.http.Close())
	}
	return nil
}
