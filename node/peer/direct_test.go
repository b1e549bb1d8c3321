package peer

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"shoal/api/apierr"
	"shoal/node/machine"
	"shoal/wire"
)

// straight returns a direct stream to node n.
func straight(t *testing.T, l *Link, method string) *ClientStream {
	t.Helper()
	given := make(chan *ClientStream, 1)
	l.Straighten("n", method, func(s *ClientStream, end context.CancelFunc) {
		t.Cleanup(end)
		given <- s
	})
	select {
	case s := <-given:
		l.direct.work.Wait() // the next one may be made
		return s
	case <-time.After(10 * time.Second):
		t.Fatal("no direct stream was made")
		return nil
	}
}

// within is the error of what has to end soon.
func within(t *testing.T, f func() error) error {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err := <-done:
		return err
	case <-time.After(10 * time.Second):
		t.Fatal("it lasts for ever")
		return nil
	}
}

func askDirect(s *ClientStream, text string) (string, error) {
	if err := s.Ask(&echo{Text: text}); err != nil {
		return "", err
	}
	var e echo
	err := s.Recv(&e)
	return e.Text, err
}

func TestMessagesOfADirectStream(t *testing.T) {
	s := straight(t, start(t, secretOfTests, secretOfTests), "upper")
	if !s.Direct() || !s.Current() {
		t.Error("it does not say that it is direct, or that its node is where it was")
	}
	for _, size := range []int{0, 1, 100, 20 << 10, 300 << 10, 5} {
		want := strings.Repeat("A", size)
		if got, err := askDirect(s, strings.ToLower(want)); err != nil || got != want {
			t.Fatalf("%d bytes came back as %d: %v", size, len(got), err)
		}
	}
}

func TestErrorsOfADirectStreamAreThoseOfTheHandler(t *testing.T) {
	link := start(t, secretOfTests, secretOfTests)
	var client *apierr.Error
	if _, err := askDirect(straight(t, link, "refuse"), ""); !errors.As(err, &client) || client.Code != apierr.CodeIndexNotFound {
		t.Errorf("an error of the client's came as %v", err)
	}
	if _, err := askDirect(straight(t, link, "behind"), ""); !errors.Is(err, wire.ErrBehind) {
		t.Errorf("a condition came as %v", err)
	}
	if _, err := askDirect(straight(t, link, "panic"), ""); !errors.Is(err, wire.ErrCrashed) {
		t.Errorf("a crash came as %v", err)
	}
	if _, err := askDirect(straight(t, link, "nosuch"), ""); !errors.Is(err, wire.ErrUnavailable) {
		t.Errorf("an unknown method came as %v", err)
	}
	if got, err := askDirect(straight(t, link, "caller"), ""); err != nil || got != "client" {
		t.Errorf("the caller is %q: %v", got, err)
	}
}

// directNode is a node whose handler of "work" the test gives; stop ends it.
func directNode(t *testing.T, bar func(wire.NodeID, string) error, work func(Stream) error) (l *Link, stop func()) {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	ln, err := Listen(machine.System{}, "127.0.0.1:0", identify(t, "n"), log)
	if err != nil {
		t.Fatal(err)
	}
	srv := NewServer(log)
	srv.Bar(bar)
	srv.HandleStream("work", work)
	served := make(chan error, 1)
	go func() { served <- srv.Serve(ln.RPC()) }()
	addr := ln.Addr().String()
	l = NewLink(machine.System{}, identify(t, "client"), func(wire.NodeID) (string, bool) { return addr, true })
	ended := false
	stop = func() {
		if ended {
			return
		}
		ended = true
		srv.Close()
		if err := errors.Join(ln.Close(), <-served); err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		stop()
	})
	return l, stop
}

func admitAll(wire.NodeID, string) error { return nil }

// A handler at work for a search that nobody waited for any more went on to its end.
func TestAHandlerOfADirectStreamIsToldThatItsCallerIsGone(t *testing.T) {
	begun, told := make(chan struct{}), make(chan error, 1)
	l, _ := directNode(t, admitAll, func(st Stream) error {
		if err := st.Recv(new(echo)); err != nil {
			return err
		}
		close(begun)
		<-st.Context().Done()
		told <- st.Context().Err()
		return st.Context().Err()
	})
	s := straight(t, l, "work")
	if err := s.Ask(&echo{}); err != nil {
		t.Fatal(err)
	}
	<-begun
	s.Abandon()
	s.cancel()
	if err := within(t, func() error { return <-told }); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// What comes while a handler works long is the next message it asks for.
func TestMessagesToAHandlerThatWorksLongAreNotLost(t *testing.T) {
	l, _ := directNode(t, admitAll, func(st Stream) error {
		for {
			var e echo
			if err := st.Recv(&e); err != nil {
				return err
			}
			if strings.HasPrefix(e.Text, "slow") {
				time.Sleep(3 * directWork)
			}
			if err := st.Send(&e); err != nil {
				return err
			}
		}
	})
	s := straight(t, l, "work")
	texts := []string{"a", "slow b", "c", "slow d", "slow e", "f", "g"}
	err := within(t, func() error {
		for _, text := range texts {
			if err := s.Notify(&echo{Text: text}); err != nil {
				return err
			}
		}
		return nil
	})
	var got []string
	for range texts {
		var e echo
		err = errors.Join(err, s.Recv(&e))
		got = append(got, e.Text)
	}
	if err != nil || !slices.Equal(got, texts) {
		t.Errorf("%q came back, %v", got, err)
	}
}

func TestANodeThatStopsEndsDirectStreamsAndWaitsForTheirHandlers(t *testing.T) {
	ended := false
	l, stop := directNode(t, admitAll, func(st Stream) error {
		if err := st.Recv(new(echo)); err != nil {
			return err
		}
		_ = st.Send(&echo{})
		err := st.Recv(new(echo))
		time.Sleep(20 * time.Millisecond) // what it had begun
		ended = true
		return err
	})
	s := straight(t, l, "work")
	if _, err := askDirect(s, ""); err != nil {
		t.Fatal(err)
	}
	stop()
	if !ended {
		t.Error("the server was closed while a handler was at work")
	}
	if _, err := askDirect(s, ""); !errors.Is(err, wire.ErrUnavailable) {
		t.Errorf("a stream to a node that has stopped: %v", err)
	}
}

func TestACallerThatIsBarredHasNoDirectStream(t *testing.T) {
	l, _ := directNode(t, func(n wire.NodeID, _ string) error {
		if n == "client" {
			return wire.ErrFenced
		}
		return nil
	}, func(st Stream) error { return st.Send(&echo{}) })
	if _, err := askDirect(straight(t, l, "work"), ""); !errors.Is(err, wire.ErrFenced) {
		t.Errorf("a removed node is answered with %v", err)
	}
}

func TestDirectStreamsToANodeAreBounded(t *testing.T) {
	l, _ := directNode(t, admitAll, func(st Stream) error { return st.Recv(new(echo)) })
	streams := make([]*ClientStream, 0, maxDirect)
	for range maxDirect {
		streams = append(streams, straight(t, l, "work"))
	}
	l.Straighten("n", "work", func(*ClientStream, context.CancelFunc) { t.Error("there is one more") })
	l.direct.work.Wait()
	streams[0].cancel()
	straight(t, l, "work")
}

func TestANodeWithAnOlderProgramHasNoDirectStreams(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	older := identify(t, "n").stretched.server()
	older.NextProtos = []string{protoRPC, ProtoRaft}
	accepted := make(chan error, 1)
	go func() {
		c, err := ln.Accept()
		if err == nil {
			err = errors.Join(tls.Server(c, older).Handshake(), c.Close())
		}
		accepted <- err
	}()
	at := target{"n", ln.Addr().String()}
	link := NewLink(machine.System{}, identify(t, "client"), func(wire.NodeID) (string, bool) { return at.addr, true })
	defer link.Close()
	for range 2 { // the second time nobody is asked
		link.Straighten("n", "upper", func(*ClientStream, context.CancelFunc) { t.Error("one was made") })
		link.direct.work.Wait()
	}
	if err := errors.Join(<-accepted, ln.Close()); err != nil {
		t.Error(err)
	}
	if until := link.direct.pause[at]; time.Until(until) <= 0 {
		t.Error("it is tried again at once")
	}
}
