package observe

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/pprof"
	"time"

	"golang.org/x/net/netutil"

	"shoal/httpfront"
	"shoal/httpfront/admin"
	"shoal/node/address"
)

// Server serves the operators and monitors of a node.
type Server struct {
	server *http.Server
	front  *httpfront.Server
	addr   net.Addr
	done   chan struct{}
}

const (
	// maxWatchers bounds the connections. A further one waits until another ends, at most
	// watchTime.
	maxWatchers = 32
	// watchTime bounds one answer, and so the length of a profile.
	watchTime = 2 * time.Minute
)

// Serve serves metrics, profiles and the probes at addr, until Close. It needs no key, so
// only the node's monitors should reach that address. failed is called with the error if
// serving ends otherwise.
func Serve(addr string, front *httpfront.Server, failed func(error)) (*Server, error) {
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, address.Fault("--metrics-addr", addr, err)
	}
	ln = netutil.LimitListener(ln, maxWatchers)
	o := &Server{front: front, addr: ln.Addr(), done: make(chan struct{})}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", o.serveMetrics)
	mux.Handle("GET /livez", front)
	mux.Handle("GET /readyz", front)
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/cmdline", http.NotFound) // it could show a secret
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	o.server = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: watchTime, IdleTimeout: 10 * time.Second}
	go func() {
		defer close(o.done)
		if err := o.server.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
			failed(fmt.Errorf("serve metrics: %w", err))
		}
	}()
	return o, nil
}

// Addr is the address that was bound.
func (o *Server) Addr() string { return o.addr.String() }

// Close ends the service and waits for it.
func (o *Server) Close() error {
	err := o.server.Close()
	<-o.done
	return err
}

// metricsWithin bounds the time for making one answer.
const metricsWithin = 10 * time.Second

func (o *Server) serveMetrics(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), metricsWithin)
	defer cancel()
	var b bytes.Buffer
	if err := o.front.WriteMetrics(ctx, &b); err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", admin.MetricsType)
	_, _ = w.Write(b.Bytes()) // an error means that the reader has left
}
