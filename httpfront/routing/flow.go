package routing

import (
	"errors"
	"io"
	"net/http"
	"sync"

	"shoal/api/apierr"
	"shoal/httpfront/coding"
)

// Limits of answers that are sent while they are made, per node and per client. Each holds
// a piece of some MiB, and the sources that it reads.
const (
	largeAnswers   = 16
	largePerClient = largeAnswers / 2
)

// largeTable counts the answers that are sent while they are made. Safe for concurrent use.
type largeTable struct {
	mu      sync.Mutex
	all     int
	clients map[string]int // by host
}

func (t *largeTable) enter(host string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.all >= largeAnswers || t.clients[host] >= largePerClient {
		return false
	}
	t.all++
	t.clients[host]++
	return true
}

func (t *largeTable) leave(host string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.all--
	if t.clients[host]--; t.clients[host] == 0 {
		delete(t.clients, host)
	}
}

// Flow is an answer that is sent while it is made. It holds no place in the search queue
// while a piece is sent, so that a slow reader delays nobody else. It belongs to the
// goroutine of the request.
type Flow struct {
	x    *Exchange
	host string
	out  io.Writer
	pack *coding.Writer // nil for a plain answer
}

// Flow begins a JSON answer of status 200. It fails if too many such answers are being
// sent. The handler ends the answer with End or Break.
func (x *Exchange) Flow() (*Flow, error) {
	chosen, ok := coding.Negotiate(x.HTTP.Header["Accept-Encoding"])
	if !ok {
		return nil, errNotAcceptable
	}
	f := &Flow{x: x, host: x.client().Host}
	if !x.server.large.enter(f.host) {
		return nil, apierr.TooManyLargeAnswers(largeAnswers)
	}
	x.in.Settle(x.writer, x.HTTP, http.StatusOK)
	h := x.writer.Header()
	h["Content-Type"] = []string{"application/json"}
	if chosen != coding.Identity {
		h["Content-Encoding"] = []string{chosen.String()}
		h.Add("Vary", "accept-encoding")
	}
	f.out = pieceWriter{x}
	x.Stream(http.StatusOK).WriteHeader(http.StatusOK)
	if chosen != coding.Identity {
		f.pack = coding.NewWriter(f.out, chosen)
		f.out = f.pack
	}
	return f, nil
}

// errNotAcceptable: the client accepts no coding that we have.
var errNotAcceptable = errors.New("no acceptable encoding")

// Send gives back the exchange's place in the search queue and sends a piece. An error
// means that the client has left.
func (f *Flow) Send(piece []byte) error {
	f.x.depart()
	_, err := f.out.Write(piece)
	return err
}

// Resume waits for a place in the search queue again, if the exchange had one.
func (f *Flow) Resume() (err error) {
	x := f.x
	if !x.searched || x.permit.Held() {
		return nil
	}
	if x.permit, err = x.server.queue.Enter(x.Context(), x.client()); err != nil {
		return err
	}
	x.begin()
	return nil
}

// End sends the rest.
func (f *Flow) End() error {
	f.x.depart()
	defer f.close()
	if f.pack != nil {
		return f.pack.Close()
	}
	return nil
}

// Break ends the answer early and closes the connection, so that the client sees that the
// answer is incomplete. It logs the reason. It does not return.
func (f *Flow) Break(reason error) {
	f.close()
	if f.x.Context().Err() == nil {
		f.x.server.log.Warn("an answer was not sent to its end", "route", f.x.route.Name(), "error", reason)
	}
	panic(http.ErrAbortHandler)
}

func (f *Flow) close() {
	f.x.server.large.leave(f.host)
	if f.pack != nil {
		f.pack.Release()
	}
}

// pieceWriter writes to the client. No time limit runs while the next piece is made.
type pieceWriter struct{ x *Exchange }

func (w pieceWriter) Write(p []byte) (int, error) { return w.x.conn.Write(w.x.writer, p) }
