package connection

import (
	"io"
	"net/http"
	"time"
)

// Body is the body of a request while it comes in. Each read must bring something within 30
// s. It belongs to the goroutine of the request.
type Body struct {
	from io.Reader
	conn *Conn
	// end is when the whole body must have come, the zero time for no limit.
	end  time.Time
	done bool
}

// Body returns the body of a request of the connection.
func (c *Conn) Body(from io.Reader) Body { return Body{from: from, conn: c} }

// Within bounds the time for the whole body, from now on.
func (b *Body) Within(d time.Duration) { b.end = time.Now().Add(d) }

// Read implements io.Reader.
func (b *Body) Read(p []byte) (int, error) {
	if b.conn != nil {
		within := bodyPause
		if !b.end.IsZero() {
			within = min(within, time.Until(b.end))
		}
		b.conn.reading(within)
		defer b.conn.reading(0)
	}
	n, err := b.from.Read(p)
	if err != nil {
		b.done = true
	}
	return n, err
}

// rest bounds the unread part of a body that is read after the answer so that the
// connection can be used again, in bytes.
const rest = 64 << 10

// Settle decides, before the answer of this status is written, what happens to a body that
// the handler did not read to its end. If the key was refused or much is to come, the
// connection is closed. Otherwise the rest has a second to come.
func (b *Body) Settle(w http.ResponseWriter, r *http.Request, status int) {
	if b.done || r.ContentLength == 0 {
		return
	}
	within := time.Second
	if status == http.StatusUnauthorized || status == http.StatusForbidden || r.ContentLength < 0 || r.ContentLength > rest {
		w.Header()["Connection"] = []string{"close"}
		within = 0
	}
	// net/http clears the deadline before the next request. An error means that there is no
	// connection to wait for.
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(within))
}
