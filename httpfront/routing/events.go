package routing

import (
	"net/http"
	"slices"
)

// Events is an answer of server-sent events. It belongs to the goroutine of the request.
type Events struct {
	x   *Exchange
	out http.ResponseWriter
}

// Events begins an answer of server-sent events, status 200.
func (x *Exchange) Events() *Events {
	e := &Events{x: x, out: x.Stream(http.StatusOK)}
	h := e.out.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Accel-Buffering", "no")
	e.out.WriteHeader(http.StatusOK)
	_ = e.write([]byte("retry: 10000\n\n")) // a client that has left shows at the first Send
	return e
}

// SendAs is Send for an event with a name.
func (e *Events) SendAs(name string, data []byte) error {
	return e.send("event: "+name+"\ndata: ", data)
}

// Send sends one event, whose data must be one line. An error means that the client has
// left or does not read.
func (e *Events) Send(data []byte) error { return e.send("data: ", data) }

func (e *Events) send(head string, data []byte) error {
	return e.write(slices.Concat([]byte(head), data, []byte("\n\n")))
}

// Beat sends a comment, so that no side and no proxy takes an idle connection for a dead
// one.
func (e *Events) Beat() error { return e.write([]byte(": \n\n")) }

func (e *Events) write(p []byte) error {
	e.x.conn.Sending()
	defer e.x.conn.Sent()
	if _, err := e.out.Write(p); err != nil {
		return err
	}
	return http.NewResponseController(e.out).Flush()
}
