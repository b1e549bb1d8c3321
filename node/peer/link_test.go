package peer

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"shoal/api/apierr"
	"shoal/node/machine"
	"shoal/wire"
)

func TestMain(m *testing.M) {
	if os.Getenv(echoVariable) != "" {
		os.Exit(serveEcho())
	}
	goleak.VerifyTestMain(m)
}

type echo struct {
	Text string `msgpack:"t"`
}

// start serves as node n on a loopback port with the given secret and returns a
// link to it.
func start(t *testing.T, serverSecret, clientSecret string) *Link {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	ss, err := NewSecret(serverSecret)
	if err != nil {
		t.Fatal(err)
	}
	cs, err := NewSecret(clientSecret)
	if err != nil {
		t.Fatal(err)
	}
	server, err := ss.Identify("n")
	if err != nil {
		t.Fatal(err)
	}
	client, err := cs.Identify("client")
	if err != nil {
		t.Fatal(err)
	}
	ln, err := Listen(machine.System{}, "127.0.0.1:0", server, log)
	if err != nil {
		t.Fatal(err)
	}
	srv := NewServer(log)
	Handle(srv, "echo", func(_ context.Context, e *echo) (*echo, error) { return e, nil })
	Handle(srv, "slow", func(_ context.Context, e *echo) (*echo, error) { time.Sleep(2 * patience); return e, nil })
	Handle(srv, "behind", func(context.Context, *echo) (*echo, error) { return nil, wire.ErrBehind })
	Handle(srv, "refuse", func(context.Context, *echo) (*echo, error) {
		return nil, apierr.New(apierr.CodeIndexNotFound, "Index `x` not found.").At(3)
	})
	Handle(srv, "caller", func(ctx context.Context, _ *echo) (*echo, error) {
		node, _ := Caller(ctx)
		return &echo{Text: string(node)}, nil
	})
	Handle(srv, "panic", func(context.Context, *echo) (*echo, error) { panic("boom") })
	srv.HandleStream("upper", func(st Stream) error {
		for {
			var e echo
			if err := st.Recv(&e); err != nil {
				if errors.Is(err, io.EOF) {
					return nil
				}
				return err
			}
			if err := st.Send(&echo{Text: strings.ToUpper(e.Text)}); err != nil {
				return err
			}
		}
	})
	served := make(chan error, 1)
	go func() { served <- srv.Serve(ln.RPC()) }()
	addr := ln.Addr().String()
	link := NewLink(machine.System{}, client, func(wire.NodeID) (string, bool) { return addr, true })
	t.Cleanup(func() {
		if err := link.Close(); err != nil {
			t.Error(err)
		}
		srv.Close()
		if err := ln.Close(); err != nil {
			t.Error(err)
		}
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return link
}

func TestCallsAndErrorsCrossTheLink(t *testing.T) {
	for _, secret := range []string{secretOfTests, RandomSecret()} {
		link := start(t, secret, secret)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		got, err := Call[echo, echo](ctx, link, "n", "echo", &echo{Text: "hello"})
		if err != nil || got.Text != "hello" {
			t.Fatalf("echo: %v %v", got, err)
		}
		if _, err := Call[echo, echo](ctx, link, "n", "behind", &echo{}); !errors.Is(err, wire.ErrBehind) {
			t.Errorf("a condition lost its identity: %v", err)
		}
		var ae *apierr.Error
		if _, err := Call[echo, echo](ctx, link, "n", "refuse", &echo{}); !errors.As(err, &ae) || ae.Code != apierr.CodeIndexNotFound || ae.Place != 3 {
			t.Errorf("an api error changed on the way: %v", err)
		}
		if _, err := Call[echo, echo](ctx, link, "n", "panic", &echo{}); !errors.Is(err, wire.ErrCrashed) || errors.Is(err, wire.ErrUnavailable) {
			t.Errorf("a panic on the other side looks like %v: callers that see a node away ask again without end", err)
		}
		if _, err := Call[echo, echo](ctx, link, "n", "nosuch", &echo{}); !errors.Is(err, wire.ErrUnavailable) {
			t.Errorf("unknown method: %v", err)
		}
		st, err := link.Open(ctx, "n", "upper")
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range []string{"a", "bc"} {
			if err := st.Send(&echo{Text: w}); err != nil {
				t.Fatal(err)
			}
			var e echo
			if err := st.Recv(&e); err != nil || e.Text != strings.ToUpper(w) {
				t.Fatalf("stream: %q %v", e.Text, err)
			}
		}
		if err := st.CloseSend(); err != nil {
			t.Fatal(err)
		}
		if err := st.Recv(&echo{}); !errors.Is(err, io.EOF) {
			t.Errorf("end of stream: %v", err)
		}
	}
}

func TestAnotherSecretIsRefused(t *testing.T) {
	link := start(t, secretOfTests, RandomSecret())
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	if _, err := Call[echo, echo](ctx, link, "n", "echo", &echo{}); err == nil {
		t.Fatal("a peer with another secret was served")
	}
}
