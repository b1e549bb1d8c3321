package main

import (
	"bytes"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"regexp"
	"strconv"
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
			if r.In.URL.Path == multiSearch {
				r.Out.Header.Del("Accept-Encoding") // atOnce reads the answer
			}
		},
		ModifyResponse: atOnce,
		Transport:      &http.Transport{MaxIdleConnsPerHost: 32, DisableCompression: true},
		FlushInterval:  -1,
		ErrorLog:       log.New(log.Writer(), "proxy: ", 0),
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

const multiSearch = "/multi-search"

// searchTime is the one figure of an answer that depends on the machine.
var searchTime = regexp.MustCompile(`"processingTimeMs":\d+`)

// atOnce makes the answer to a multi-search one of zero milliseconds: the suite
// compares whole answers of that route with such ones, which a busy machine misses.
func atOnce(answer *http.Response) error {
	if answer.Request.URL.Path != multiSearch {
		return nil
	}
	body, err := io.ReadAll(answer.Body)
	if err := errors.Join(err, answer.Body.Close()); err != nil {
		return err
	}
	body = searchTime.ReplaceAll(body, []byte(`"processingTimeMs":0`))
	answer.Body, answer.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	answer.Header.Set("Content-Length", strconv.Itoa(len(body)))
	return nil
}
