package connection

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

// answer answers as the router does: /health at once, /search when its body has come, 401 to
// /secret and 404 to any other path.
func answer(w http.ResponseWriter, r *http.Request) {
	c := Of(r.Context())
	c.Begin()
	defer c.End()
	body, status := c.Body(r.Body), http.StatusNotFound
	switch r.URL.Path {
	case "/health":
		status = http.StatusOK
	case "/secret":
		status = http.StatusUnauthorized
	case "/search":
		status = http.StatusOK
		if _, err := io.ReadAll(&body); err != nil {
			status = http.StatusBadRequest
		}
	}
	body.Settle(w, r, status)
	c.Send(w, status, nil)
}

// listening is a server with real connections.
type listening struct {
	*Server
	t    *testing.T
	addr string
}

func newServer(most int) *Server {
	return NewServer(http.HandlerFunc(answer), most, slog.New(slog.DiscardHandler))
}

func listen(t *testing.T, most int) *listening {
	t.Helper()
	return serve(t, newServer(most))
}

func serve(t *testing.T, s *Server) *listening {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- s.Serve(l) }()
	t.Cleanup(func() {
		_ = s.http.Close()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return &listening{s, t, l.Addr().String()}
}

// open sends the beginning of a request on a connection of its own.
func (l *listening) open(beginning string) net.Conn {
	l.t.Helper()
	c, err := net.Dial("tcp", l.addr)
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() { _ = c.Close() })
	if err := c.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		l.t.Fatal(err)
	}
	if _, err := io.WriteString(c, beginning); err != nil {
		l.t.Fatal(err)
	}
	return c
}

// answered reads one answer.
func (l *listening) answered(c net.Conn) (status int, body string) {
	l.t.Helper()
	res, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		l.t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		l.t.Fatal(err)
	}
	return res.StatusCode, string(b)
}

// until waits for a condition.
func (l *listening) until(what string, ok func() bool) {
	l.t.Helper()
	for end := time.Now().Add(10 * time.Second); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			l.t.Fatalf("%s: not within 10 s", what)
		}
	}
}

// each counts the connections for which is holds.
func (l *listening) each(is func(*Conn) bool) (n int) {
	l.table.mu.Lock()
	defer l.table.mu.Unlock()
	for _, c := range l.table.all {
		if is(c) {
			n++
		}
	}
	return n
}

// connections is the number of connections.
func (l *listening) connections() int { return l.each(func(*Conn) bool { return true }) }

// stuck is the number of connections with a deadline for their next bytes.
func (l *listening) stuck() int { return l.each(func(c *Conn) bool { return c.reads.Load() != 0 }) }

// idle is the number of connections that wait for a request.
func (l *listening) idle() int { return l.each(func(c *Conn) bool { return c.waiting.Load() != 0 }) }

const (
	searchHead = "POST /search HTTP/1.1\r\nHost: x\r\n"
	ask        = "GET /health HTTP/1.1\r\nHost: x\r\n\r\n"
)

// Slow bodies of requests without a key once used up all connections.
func TestABodyWhoseKeyIsRefusedEndsItsConnection(t *testing.T) {
	l := listen(t, 1000)
	for _, length := range []string{"Content-Length: 1000", "Content-Length: 90000000", "Transfer-Encoding: chunked"} {
		var all []net.Conn
		for range 100 {
			all = append(all, l.open("POST /secret HTTP/1.1\r\nHost: x\r\n"+length+"\r\n\r\n"))
		}
		for _, c := range all {
			if status, body := l.answered(c); status != 401 {
				t.Fatalf("%s: %d %s", length, status, body)
			}
			if _, err := c.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
				t.Fatalf("%s: the connection goes on: %v", length, err)
			}
		}
		l.until("the connections to end", func() bool { return l.connections() == 0 })
	}
}

func TestABodyThatStandsStillIsCutOff(t *testing.T) {
	l := listen(t, 1000)
	c := l.open(searchHead + "Content-Length: 1000\r\n\r\n{")
	l.until("the body to be read", func() bool { return l.stuck() > 0 })
	l.table.cut(time.Now().UnixNano())
	if l.connections() != 1 {
		t.Fatal("a body that came in just now was cut")
	}
	l.table.cut(time.Now().Add(bodyPause + time.Second).UnixNano())
	if status, _ := l.answered(c); status != 400 {
		t.Errorf("status %d", status)
	}
	l.until("the connection to end", func() bool { return l.connections() == 0 })
}

func TestABodyThatMovesSlowlyArrives(t *testing.T) {
	l := listen(t, 1000)
	body := `{"q":"` + strings.Repeat("a", 50) + `"}`
	c := l.open(searchHead + fmt.Sprintf("Content-Length: %d\r\n\r\n", len(body)))
	for i := range len(body) {
		l.until("the body to be read", func() bool { return l.stuck() > 0 })
		// Just before the pause of the body is over nothing has happened yet.
		l.table.cut(time.Now().Add(bodyPause - 5*time.Second).UnixNano())
		if _, err := io.WriteString(c, body[i:i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if status, answer := l.answered(c); status != 200 {
		t.Errorf("%d %s", status, answer)
	}
}

func TestABodyHasTheDeadlineThatItsReaderSets(t *testing.T) {
	c := &Conn{}
	var due int64
	in := c.Body(readerFunc(func([]byte) (int, error) { due = c.reads.Load(); return 0, io.EOF }))
	in.Within(-time.Second)
	if _, err := in.Read(make([]byte, 1)); !errors.Is(err, io.EOF) || due >= time.Now().UnixNano() {
		t.Errorf("a body that is late may stand still until %s (%v)", time.Unix(0, due), err)
	}
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func TestTooManyConnectionsAreRefusedInWords(t *testing.T) {
	l := listen(t, 2)
	head := searchHead + "Content-Length: 10\r\n\r\n"
	l.open(head)
	l.open(head)
	l.until("two bodies to be read", func() bool { return l.stuck() == 2 })
	status, body := l.answered(l.open(ask))
	if status != 503 || body != string(errTooManyConnections.AppendJSON(nil)) {
		t.Errorf("%d %s", status, body)
	}
}

func TestIdleConnectionsMakePlaceForNewOnes(t *testing.T) {
	l := listen(t, 2)
	first, second := l.open(ask), l.open(ask)
	for _, c := range []net.Conn{first, second} {
		if status, _ := l.answered(c); status != 200 {
			t.Fatal(status)
		}
	}
	l.until("both to be idle", func() bool { return l.idle() == 2 })
	if status, body := l.answered(l.open(ask)); status != 200 {
		t.Errorf("%d %s", status, body)
	}
}

func TestARefusedBodyThatIsSmallKeepsItsConnection(t *testing.T) {
	l := listen(t, 1000)
	c := l.open("POST /nowhere HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody" + ask)
	r := bufio.NewReader(c)
	for _, want := range []int{404, 200} {
		res, err := http.ReadResponse(r, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, res.Body); err != nil || res.StatusCode != want {
			t.Errorf("%d, want %d (%v)", res.StatusCode, want, err)
		}
		if err := res.Body.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestAConnectionWhoseAnswerNobodyReadsIsCut(t *testing.T) {
	l := listen(t, 1000)
	before, _ := net.Pipe()
	e := &Conn{conn: before}
	w := &stuckWriter{conn: e}
	e.Send(w, 200, make([]byte, 3*answerPiece))
	if w.pieces != 3 || time.Until(w.due) < answerPause-5*time.Second {
		t.Errorf("%d pieces, the last one due in %s", w.pieces, time.Until(w.due))
	}
	l.table.keep(t.Context(), before)
	l.table.mu.Lock()
	l.table.all[before] = e
	l.table.mu.Unlock()
	l.table.cut(w.due.Add(time.Second).UnixNano())
	if _, err := before.Write([]byte("x")); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the connection goes on: %v", err)
	}
	l.table.changed(before, http.StateClosed)
}

// stuckWriter notes when each piece is due.
type stuckWriter struct {
	conn   *Conn
	head   http.Header
	pieces int
	due    time.Time
}

func (w *stuckWriter) Header() http.Header {
	if w.head == nil {
		w.head = http.Header{}
	}
	return w.head
}

func (w *stuckWriter) WriteHeader(int) {}

func (w *stuckWriter) Write(p []byte) (int, error) {
	w.pieces++
	w.due = time.Unix(0, w.conn.writes.Load())
	return len(p), nil
}

func TestConnectionsThatIdleAreClosed(t *testing.T) {
	s := newServer(1000)
	if s.http.IdleTimeout != idleTime {
		t.Errorf("connections may idle for %s", s.http.IdleTimeout)
	}
	s.http.IdleTimeout = 50 * time.Millisecond
	l := serve(t, s)
	c := l.open(ask)
	if status, _ := l.answered(c); status != 200 {
		t.Fatal(status)
	}
	l.until("the connection to end", func() bool { return l.connections() == 0 })
}
