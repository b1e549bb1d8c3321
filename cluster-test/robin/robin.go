package robin

import (
	"errors"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
	"sync/atomic"

	clustertest "shoal/cluster-test"
)

// Robin serves an address of the loopback interface. Safe for concurrent use.
type Robin struct {
	// URL is where clients send their requests.
	URL string

	server *http.Server
	served chan error
	turn   atomic.Uint64
	mu     sync.RWMutex
	nodes  []*clustertest.Node
}

// Between is what is altered on the way, each nil for nothing.
type Between struct {
	Request func(*http.Request)
	Answer  func(*http.Response) error
}

// New serves with these nodes until Close.
func New(nodes []*clustertest.Node, alter Between) (*Robin, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &Robin{URL: "http://" + l.Addr().String(), served: make(chan error, 1), nodes: nodes}
	r.server = &http.Server{Handler: &httputil.ReverseProxy{
		Rewrite: func(p *httputil.ProxyRequest) {
			p.SetURL(&url.URL{Scheme: "http", Host: r.next()})
			if alter.Request != nil {
				alter.Request(p.Out)
			}
		},
		ModifyResponse: alter.Answer,
		Transport:      &http.Transport{MaxIdleConnsPerHost: 32, DisableCompression: true},
		FlushInterval:  -1,
		ErrorLog:       log.New(log.Writer(), "round robin: ", 0),
	}}
	go func() { r.served <- r.server.Serve(l) }()
	return r, nil
}

// To lets these nodes have the requests from now on. Those under way end where they are.
func (r *Robin) To(nodes []*clustertest.Node) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.nodes = nodes
}

// next is the address of the node whose turn it is. Without nodes it is none, which
// clients see as 502.
func (r *Robin) next() string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if len(r.nodes) == 0 {
		return ""
	}
	return r.nodes[r.turn.Add(1)%uint64(len(r.nodes))].HTTP
}

// Close ends the address and what is under way.
func (r *Robin) Close() error {
	err := r.server.Close()
	if served := <-r.served; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}
