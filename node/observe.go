package node

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/pprof"
	"time"

	"shoal/httpfront"
)

// openObservation serves --metrics-addr: metrics, profiles and the probes, for those
// who watch the node. It needs no key, so it belongs on an address that only they
// reach.
func (n *Node) openObservation(context.Context) error {
	if n.cfg.MetricsAddr == "" {
		return nil
	}
	ln, err := net.Listen("tcp", n.cfg.MetricsAddr)
	if err != nil {
		return addressFault("--metrics-addr", n.cfg.MetricsAddr, err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", n.serveMetrics)
	mux.Handle("GET /livez", n.front)
	mux.Handle("GET /readyz", n.front)
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/cmdline", http.NotFound) // it could show a secret
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	s := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := s.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
			n.fail(fmt.Errorf("serve metrics: %w", err))
		}
	}()
	n.opened("service for metrics", func() error {
		err := s.Close()
		<-done
		return err
	})
	n.log.Info("serving metrics", "addr", ln.Addr().String())
	return nil
}

// metricsWithin bounds the making of one answer.
const metricsWithin = 10 * time.Second

func (n *Node) serveMetrics(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), metricsWithin)
	defer cancel()
	var b bytes.Buffer
	if err := n.front.WriteMetrics(ctx, &b); err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", httpfront.MetricsType)
	_, _ = w.Write(b.Bytes()) // a reader that left wants nothing more
}
