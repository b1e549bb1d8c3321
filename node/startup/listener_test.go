package startup

import (
	"context"
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

// attend listens at a free port.
func attend(t *testing.T, hold time.Duration) (d *Listener, url string) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	d = Attend(Config{
		Listener: ln, Interrupt: ln.(*net.TCPListener).SetDeadline, Hold: hold,
		Why: "it waits for b", Log: slog.New(slog.DiscardHandler),
	})
	return d, "http://" + ln.Addr().String()
}

// ask sends one request; the answer is its status and body.
func ask(ctx context.Context, method, url, body string) (string, error) {
	r, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return "", err
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	return fmt.Sprint(res.StatusCode, " ", string(b)), err
}

// untilWaiting returns once this number of connections wait.
func untilWaiting(t *testing.T, d *Listener, n int) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		d.mu.Lock()
		waiting := len(d.waiting)
		d.mu.Unlock()
		if waiting == n {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d connections wait, not %d", waiting, n)
		}
	}
}

func TestProbesAreAnsweredAndRequestsRefusedWhileANodeStarts(t *testing.T) {
	d, url := attend(t, 50*time.Millisecond)
	defer d.Close()
	for _, c := range []struct{ method, path, want string }{
		{"GET", "/livez", "200 ok\n"},
		{"HEAD", "/livez", "200 "},
		{"GET", "/readyz?verbose", "503 [-] part of a cluster: it waits for b\nnot ready\n"},
		{"GET", "/health", `503 {"message":"This node does not serve yet: it waits for b. Ask another node, or retry later.","code":"no_leader"`},
		{"POST", "/livez", `503 {"message":"This node does not serve yet`},
		{"POST", "/indexes/a/search?q=" + strings.Repeat("x", 2*maxHead), `503 {"message":"This node does not serve yet`},
	} {
		got, err := ask(t.Context(), c.method, url+c.path, "{}")
		if err != nil || !strings.HasPrefix(got, c.want) {
			t.Errorf("%s %.40s: %s, %v, want %s", c.method, c.path, got, err, c.want)
		}
	}
}

// Nothing that a client has sent is lost before the server answers it, whenever the server
// starts.
func TestRequestsThatWaitAreAnsweredByTheServer(t *testing.T) {
	d, url := attend(t, time.Minute)
	const n = 20
	answers := make(chan string, 2*n)
	send := func(i int) {
		got, err := ask(t.Context(), "POST", url+"/echo", fmt.Sprintf("%d %s", i, strings.Repeat("body ", 20_000)))
		if err != nil {
			got = err.Error()
		}
		answers <- got
	}
	for i := range n {
		go send(i)
	}
	// A client that has sent half of its head when the server starts.
	slow, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer slow.Close()
	if _, err := io.WriteString(slow, "POST /ec"); err != nil {
		t.Fatal(err)
	}
	untilWaiting(t, d, n+1)
	if err := d.Open(); err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		_, _ = fmt.Fprint(w, len(b), " ", strings.HasSuffix(string(b), "body "))
	})}
	done := make(chan error, 1)
	go func() { done <- server.Serve(d) }()
	for i := range n {
		go send(n + i)
	}
	for range 2 * n {
		if got := <-answers; !strings.HasPrefix(got, "200 1000") || !strings.HasSuffix(got, "true") {
			t.Errorf("answer %s", got)
		}
	}
	if _, err := io.WriteString(slow, "ho HTTP/1.0\r\nContent-Length: 5\r\n\r\nbody "); err != nil {
		t.Fatal(err)
	}
	if b, err := io.ReadAll(slow); err != nil || !strings.HasSuffix(string(b), "5 true") {
		t.Errorf("half a head: %s, %v", b, err)
	}
	if err := server.Close(); err != nil {
		t.Error(err)
	}
	if err := <-done; !errors.Is(err, http.ErrServerClosed) {
		t.Error(err)
	}
}

func TestClosingTheDoorEndsWhatWaits(t *testing.T) {
	d, url := attend(t, time.Minute)
	failed := make(chan error, 1)
	go func() {
		_, err := ask(t.Context(), "GET", url+"/indexes", "")
		failed <- err
	}()
	untilWaiting(t, d, 1)
	begin := time.Now()
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("closing took %s", took)
	}
	if err := <-failed; err == nil {
		t.Error("a request that waited was answered")
	}
}

// Strangers cannot hold more connections than the limit while a node starts.
func TestMoreConnectionsThanADoorHoldsAreClosed(t *testing.T) {
	d, url := attend(t, time.Minute)
	defer d.Close()
	var held []net.Conn
	defer func() {
		for _, c := range held {
			_ = c.Close()
		}
	}()
	dial := func() net.Conn {
		c, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, c)
		return c
	}
	for range maxConns {
		dial()
	}
	untilWaiting(t, d, maxConns)
	more := dial()
	if err := more.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if n, err := more.Read(make([]byte, 1)); n > 0 || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("connection %d is held: %d bytes, %v", maxConns+1, n, err)
	}
	// A client that leaves makes place for another one.
	if err := held[0].Close(); err != nil {
		t.Fatal(err)
	}
	untilWaiting(t, d, maxConns-1)
	if got, err := ask(t.Context(), "GET", url+"/livez", ""); err != nil || got != "200 ok\n" {
		t.Errorf("with room for one: %s, %v", got, err)
	}
}
