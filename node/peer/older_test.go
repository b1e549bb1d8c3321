package peer

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"shoal/node/machine"
	"shoal/wire"
)

// called is what an earlier program sends and reads: gRPC messages with frames in them.
func called(t *testing.T, l *Link, method string, texts ...string) (answers []string, fault error) {
	t.Helper()
	addr, _ := l.resolve("n")
	tr := &http.Transport{ForceAttemptHTTP2: true, DialTLSContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return greet(ctx, machine.System{}, addr, l.self.client("n", addr, protoDirect, protoGRPC))
	}}
	defer tr.CloseIdleConnections()
	var body bytes.Buffer
	for _, text := range texts {
		f, err := messageFrame(&echo{Text: text})
		if err != nil {
			t.Fatal(err)
		}
		body.Write(binary.BigEndian.AppendUint32([]byte{0}, uint32(1+len(f.data))))
		body.Write(append([]byte{f.kind}, f.data...))
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://n"+olderPrefix+method, &body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/grpc")
	resp, err := tr.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	in := &olderCall{body: resp.Body}
	for {
		var f frame
		if err := in.await(&f); err != nil {
			t.Fatal(err)
		}
		var e echo
		switch err := f.take(&e); {
		case errors.Is(err, io.EOF):
			if got := resp.Trailer.Get("Grpc-Status"); resp.StatusCode != http.StatusOK || got != "0" {
				t.Fatalf("status %d, status of gRPC %q", resp.StatusCode, got)
			}
			return answers, fault
		case err != nil:
			fault = err
		default:
			answers = append(answers, e.Text)
		}
	}
}

func TestProgramsBeforeThisOneAreAnswered(t *testing.T) {
	l := start(t, secretOfTests, secretOfTests)
	big := strings.Repeat("a", 3<<20)
	for _, c := range []struct {
		method string
		texts  []string
		want   []string
		fault  error
	}{
		{"echo", []string{"a"}, []string{"a"}, nil},
		{"upper", []string{"a", "bc", big}, []string{"A", "BC", strings.ToUpper(big)}, nil},
		{"caller", []string{""}, []string{"client"}, nil},
		{"behind", []string{""}, nil, wire.ErrBehind},
		{"nosuch", []string{""}, nil, wire.ErrUnavailable},
	} {
		got, fault := called(t, l, c.method, c.texts...)
		if strings.Join(got, " ") != strings.Join(c.want, " ") || !errors.Is(fault, c.fault) {
			t.Errorf("%s: %d answers, %v", c.method, len(got), fault)
		}
	}
}

// olderNode answers like an earlier program: one exchange per connection, whose frames have
// no numbers.
func olderNode(t *testing.T) (addr string) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	conf := identify(t, "n").server()
	conf.NextProtos = []string{protoDirect, protoGRPC, ProtoRaft}
	done := make(chan error, 1)
	go func() {
		for {
			raw, err := ln.Accept()
			if err != nil {
				done <- nil
				return
			}
			c := &framing{Conn: tls.Server(raw, conf), older: true}
			var open, message frame
			if err := errors.Join(c.receive(&open), c.receive(&message)); err != nil {
				done <- err
				return
			}
			answer := &message
			if string(open.data) == "behind" {
				answer = errorFrame(wire.ErrBehind)
			}
			if err := errors.Join(c.send(answer), c.Close()); err != nil {
				done <- err
				return
			}
		}
	}()
	t.Cleanup(func() {
		if err := errors.Join(ln.Close(), <-done); err != nil {
			t.Error(err)
		}
	})
	return ln.Addr().String()
}

func TestProgramsBeforeThisOneAreAsked(t *testing.T) {
	addr := olderNode(t)
	l := NewLink(machine.System{}, identify(t, "client"), func(wire.NodeID) (string, bool) { return addr, true })
	defer l.Close()
	for range 3 {
		if got, err := Call[echo, echo](t.Context(), l, "n", "echo", &echo{Text: "a"}); err != nil || got.Text != "a" {
			t.Errorf("a call: %v", err)
		}
		if _, err := Call[echo, echo](t.Context(), l, "n", "behind", &echo{}); !errors.Is(err, wire.ErrBehind) {
			t.Errorf("a call that fails: %v", err)
		}
		s := openTo(t, l, "echo")
		if got, err := ask(s, "b"); err != nil || got != "b" {
			t.Errorf("a stream: %v", err)
		}
		s.Leave()
		var e echo
		if err := Upload(t.Context(), l, "n", "echo", func(send func(any) error) error { return send(&echo{Text: "c"}) }, &e); err != nil || e.Text != "c" {
			t.Errorf("an upload: %v", err)
		}
	}
	if n := connections(l); n != 0 {
		t.Errorf("%d connections are kept that carry nothing any more", n)
	}
}
