package routing

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

// listening is a server with real connections.
type listening struct {
	*Server
	t    *testing.T
	addr string
}

func listen(t *testing.T, cfg Config) *listening {
	t.Helper()
	return serve(t, rig(cfg, ""))
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

const searchHead = "POST /indexes/movies/search HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"

// It is refused and disconnected before its body is read. Slow bodies of such requests once
// used up all connections.
func TestARequestWithoutAKeyIsRefusedBeforeItsBody(t *testing.T) {
	l := serve(t, rig(Config{}, "a master key of the tests"))
	for _, length := range []string{"Content-Length: 1000", "Content-Length: 90000000", "Transfer-Encoding: chunked"} {
		var all []net.Conn
		for range 100 {
			all = append(all, l.open(searchHead+length+"\r\n\r\n"))
		}
		for _, c := range all {
			if status, body := l.answered(c); status != 401 {
				t.Fatalf("%s: %d %s", length, status, body)
			}
			if _, err := c.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
				t.Fatalf("%s: the connection goes on: %v", length, err)
			}
		}
		l.until("the connections to end", func() bool { return l.conns.count() == 0 })
	}
}

func TestABodyThatStandsStillIsCutOff(t *testing.T) {
	l := listen(t, Config{})
	c := l.open(searchHead + "Content-Length: 1000\r\n\r\n{")
	l.until("the body to be read", func() bool { return l.stuck() > 0 })
	l.conns.cut(time.Now().UnixNano())
	if l.conns.count() != 1 {
		t.Fatal("a body that came in just now was cut")
	}
	l.conns.cut(time.Now().Add(bodyPause + time.Second).UnixNano())
	if status, _ := l.answered(c); status != 400 {
		t.Errorf("status %d", status)
	}
	l.until("the connection to end", func() bool { return l.conns.count() == 0 })
}

// stuck is the number of connections with a deadline for their next bytes.
func (l *listening) stuck() (n int) {
	l.conns.mu.Lock()
	defer l.conns.mu.Unlock()
	for _, e := range l.conns.all {
		if e.reads.Load() != 0 {
			n++
		}
	}
	return n
}

func TestABodyThatMovesSlowlyArrives(t *testing.T) {
	l := listen(t, Config{})
	body := `{"q":"` + strings.Repeat("a", 50) + `"}`
	c := l.open(searchHead + fmt.Sprintf("Content-Length: %d\r\n\r\n", len(body)))
	for i := range len(body) {
		l.until("the body to be read", func() bool { return l.stuck() > 0 })
		// Just before the pause of the body is over nothing has happened yet.
		l.conns.cut(time.Now().Add(bodyPause - 5*time.Second).UnixNano())
		if _, err := io.WriteString(c, body[i:i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if status, answer := l.answered(c); status != 200 {
		t.Errorf("%d %s", status, answer)
	}
}

func TestTheBodyOfASearchHasADeadline(t *testing.T) {
	in := incoming{from: io.NopCloser(strings.NewReader("x")), conn: &clientConn{}, end: time.Now().Add(-time.Second)}
	var due int64
	in.from = io.NopCloser(readerFunc(func(p []byte) (int, error) { due = in.conn.reads.Load(); return 0, io.EOF }))
	if _, err := in.Read(make([]byte, 1)); !errors.Is(err, io.EOF) || due >= time.Now().UnixNano() {
		t.Errorf("a body that is late may stand still until %s (%v)", time.Unix(0, due), err)
	}
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func TestTooManyConnectionsAreRefusedInWords(t *testing.T) {
	l := listen(t, Config{Connections: 2})
	head := searchHead + "Content-Length: 10\r\n\r\n"
	l.open(head)
	l.open(head)
	l.until("two bodies to be read", func() bool { return l.stuck() == 2 })
	status, body := l.answered(l.open("GET /health HTTP/1.1\r\nHost: x\r\n\r\n"))
	if status != 503 || body != string(errTooManyConnections.AppendJSON(nil)) {
		t.Errorf("%d %s", status, body)
	}
}

func TestIdleConnectionsMakePlaceForNewOnes(t *testing.T) {
	l := listen(t, Config{Connections: 2})
	const ask = "GET /health HTTP/1.1\r\nHost: x\r\n\r\n"
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

// idle is the number of connections that wait for a request.
func (l *listening) idle() (n int) {
	l.conns.mu.Lock()
	defer l.conns.mu.Unlock()
	for _, e := range l.conns.all {
		if e.waiting.Load() != 0 {
			n++
		}
	}
	return n
}

func TestARefusedBodyThatIsSmallKeepsItsConnection(t *testing.T) {
	l := listen(t, Config{})
	c := l.open("POST /nowhere HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbodyGET /health HTTP/1.1\r\nHost: x\r\n\r\n")
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
	l := listen(t, Config{})
	before, _ := net.Pipe()
	e := &clientConn{conn: before}
	w := &stuckWriter{conn: e}
	writeWhole(w, e, 200, make([]byte, 3*answerPiece))
	if w.pieces != 3 || time.Until(w.due) < answerPause-5*time.Second {
		t.Errorf("%d pieces, the last one due in %s", w.pieces, time.Until(w.due))
	}
	l.conns.keep(t.Context(), before)
	l.conns.mu.Lock()
	l.conns.all[before] = e
	l.conns.mu.Unlock()
	l.conns.cut(w.due.Add(time.Second).UnixNano())
	if _, err := before.Write([]byte("x")); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the connection goes on: %v", err)
	}
	l.conns.changed(before, http.StateClosed)
}

// stuckWriter notes when each piece is due.
type stuckWriter struct {
	conn   *clientConn
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
	s := rig(Config{}, "")
	if s.http.IdleTimeout != idleTime {
		t.Errorf("connections may idle for %s", s.http.IdleTimeout)
	}
	s.http.IdleTimeout = 50 * time.Millisecond
	l := serve(t, s)
	c := l.open("GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
	if status, _ := l.answered(c); status != 200 {
		t.Fatal(status)
	}
	l.until("the connection to end", func() bool { return l.conns.count() == 0 })
}
