package main

import (
	"errors"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync/atomic"

	clustertest "shoal/cluster-test"
)

// spread serves a loopback address whose every request goes to the next node.
// It returns the base URL and a function that stops it.
func spread(nodes []*clustertest.Node) (string, func() error, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	var turn atomic.Uint64
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			n := nodes[turn.Add(1)%uint64(len(nodes))]
			r.SetURL(&url.URL{Scheme: "http", Host: n.HTTP})
		},
		Transport:     &http.Transport{MaxIdleConnsPerHost: 32, DisableCompression: true},
		FlushInterval: -1,
		ErrorLog:      log.New(log.Writer(), "proxy: ", 0),
	}
	srv := &http.Server{Handler: proxy}
	done := make(chan error, 1)
	go func() { done <- srv.Serve(l) }()
	stop := func() error {
		err := srv.Close()
		if served := <-done; !errors.Is(served, http.ErrServerClosed) {
			err = errors.Join(err, served)
		}
		return err
	}
	return "http://" + l.Addr().String(), stop, nil
}
