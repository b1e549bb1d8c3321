package peer

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"shoal/api/apierr"
	"shoal/node/machine"
	"shoal/wire"
)

// openTo returns a stream to node n.
func openTo(t *testing.T, l *Link, method string) *ClientStream {
	t.Helper()
	s, err := l.OpenLasting(t.Context(), "n", method, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// within returns the error of a function that must end soon.
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

func ask(s *ClientStream, text string) (string, error) {
	if err := s.Ask(&echo{Text: text}); err != nil {
		return "", err
	}
	var e echo
	err := s.Recv(&e)
	return e.Text, err
}

func TestMessagesOfAllSizesCrossAStream(t *testing.T) {
	s := openTo(t, start(t, secretOfTests, secretOfTests), "upper")
	for _, size := range []int{0, 1, 100, 20 << 10, 300 << 10, 5} {
		want := strings.Repeat("A", size)
		if got, err := ask(s, strings.ToLower(want)); err != nil || got != want {
			t.Fatalf("%d bytes came back as %d: %v", size, len(got), err)
		}
	}
}

func TestErrorsOfAStreamAreThoseOfTheHandler(t *testing.T) {
	link := start(t, secretOfTests, secretOfTests)
	var client *apierr.Error
	if _, err := ask(openTo(t, link, "refuse"), ""); !errors.As(err, &client) || client.Code != apierr.CodeIndexNotFound {
		t.Errorf("an error of the client's came as %v", err)
	}
	if _, err := ask(openTo(t, link, "behind"), ""); !errors.Is(err, wire.ErrBehind) {
		t.Errorf("a condition came as %v", err)
	}
	if _, err := ask(openTo(t, link, "panic"), ""); !errors.Is(err, wire.ErrCrashed) {
		t.Errorf("a crash came as %v", err)
	}
	if _, err := ask(openTo(t, link, "nosuch"), ""); !errors.Is(err, wire.ErrUnavailable) {
		t.Errorf("an unknown method came as %v", err)
	}
	if got, err := ask(openTo(t, link, "caller"), ""); err != nil || got != "client" {
		t.Errorf("the caller is %q: %v", got, err)
	}
	if n := connections(link); n != 1 {
		t.Errorf("five exchanges, one after the other, took %d connections", n)
	}
}

// connections is how many connections to other nodes a link has.
func connections(l *Link) (n int) {
	l.pool.mu.Lock()
	defer l.pool.mu.Unlock()
	for _, of := range l.pool.lanes {
		n += len(of.live)
	}
	return n
}

// workNode is a node whose handler of "work" the test gives; stop ends it.
func workNode(t *testing.T, bar func(wire.NodeID, string) error, work func(Stream) error) (l *Link, stop func()) {
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

// A handler for a search that nobody waited for any more ran to its end.
func TestAHandlerIsToldThatItsCallerIsGone(t *testing.T) {
	begun, told := make(chan struct{}), make(chan error, 1)
	l, _ := workNode(t, admitAll, func(st Stream) error {
		if err := st.Recv(new(echo)); err != nil {
			return err
		}
		close(begun)
		<-st.Context().Done()
		told <- st.Context().Err()
		return st.Context().Err()
	})
	s := openTo(t, l, "work")
	if err := s.Ask(&echo{}); err != nil {
		t.Fatal(err)
	}
	<-begun
	s.Abandon()
	s.Close()
	if err := within(t, func() error { return <-told }); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// A message that arrives while a handler works long is the next one that it reads.
func TestMessagesToAHandlerThatWorksLongAreNotLost(t *testing.T) {
	l, _ := workNode(t, admitAll, func(st Stream) error {
		for {
			var e echo
			if err := st.Recv(&e); err != nil {
				return err
			}
			if strings.HasPrefix(e.Text, "slow") {
				time.Sleep(3 * workTime)
			}
			if err := st.Send(&e); err != nil {
				return err
			}
		}
	})
	s := openTo(t, l, "work")
	texts := []string{"a", "slow b", "c", "slow d", "slow e", "f", "g"}
	err := within(t, func() error {
		for _, text := range texts {
			if err := s.Send(&echo{Text: text}); err != nil {
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

func TestANodeThatStopsEndsStreamsAndWaitsForTheirHandlers(t *testing.T) {
	ended := false
	l, stop := workNode(t, admitAll, func(st Stream) error {
		if err := st.Recv(new(echo)); err != nil {
			return err
		}
		_ = st.Send(&echo{})
		err := st.Recv(new(echo))
		time.Sleep(20 * time.Millisecond) // what it had begun
		ended = true
		return err
	})
	s := openTo(t, l, "work")
	if _, err := ask(s, ""); err != nil {
		t.Fatal(err)
	}
	stop()
	if !ended {
		t.Error("the server was closed while a handler was at work")
	}
	if _, err := ask(s, ""); !errors.Is(err, wire.ErrUnavailable) {
		t.Errorf("a stream to a node that has stopped: %v", err)
	}
}

func TestACallerThatIsBarredIsNotAnswered(t *testing.T) {
	l, _ := workNode(t, func(n wire.NodeID, _ string) error {
		if n == "client" {
			return wire.ErrFenced
		}
		return nil
	}, func(st Stream) error { return st.Send(&echo{}) })
	if _, err := ask(openTo(t, l, "work"), ""); !errors.Is(err, wire.ErrFenced) {
		t.Errorf("a removed node is answered with %v", err)
	}
}

// A session that its caller has left ends soon on the other side, and costs no message if
// another exchange follows.
func TestAnExchangeThatWasLeftEndsWithTheNextOneOrSoon(t *testing.T) {
	ended := make(chan error, 8)
	l, _ := workNode(t, admitAll, func(st Stream) error {
		for {
			if err := errors.Join(st.Recv(new(echo)), st.Send(&echo{})); err != nil {
				ended <- err
				return err
			}
		}
	})
	for i := range 3 {
		s := openTo(t, l, "work")
		if _, err := ask(s, ""); err != nil {
			t.Fatal(err)
		}
		s.Leave()
		if i > 0 && !s.Reused() {
			t.Error("another connection was made")
		}
	}
	for range 3 {
		if err := within(t, func() error { return <-ended }); !errors.Is(err, io.EOF) {
			t.Errorf("the handler was told %v", err)
		}
	}
	if n := connections(l); n != 1 {
		t.Errorf("%d connections", n)
	}
}

// An answer that was still on its way when its caller left must not reach the next
// exchange.
func TestALateAnswerIsNotThatOfTheNextExchange(t *testing.T) {
	l, _ := workNode(t, admitAll, func(st Stream) error {
		var e echo
		if err := st.Recv(&e); err != nil {
			return err
		}
		if err := st.Send(&e); err != nil {
			return err
		}
		return st.Send(&echo{Text: "late " + e.Text}) // nobody asked for it
	})
	for range 50 {
		s := openTo(t, l, "work")
		if got, err := ask(s, "a"); err != nil || got != "a" {
			t.Fatalf("%q, %v", got, err)
		}
		s.Leave()
	}
}

// The rest of an upload whose handler had failed was sent to the end, perhaps gigabytes.
func TestAnUploadStopsWhenItsHandlerHasFailed(t *testing.T) {
	l, _ := workNode(t, admitAll, func(st Stream) error {
		if err := st.Recv(new(echo)); err != nil {
			return err
		}
		return wire.ErrTooLarge
	})
	big := strings.Repeat("x", 256<<10)
	const most = 10_000
	sent := 0
	err := Upload(t.Context(), l, "n", "work", func(send func(any) error) error {
		for ; sent < most; sent++ {
			if err := send(&echo{Text: big}); err != nil {
				return err
			}
		}
		return nil
	}, new(echo))
	if !errors.Is(err, wire.ErrTooLarge) || sent == most {
		t.Errorf("after %d messages: %v", sent, err)
	}
	if err := Upload(t.Context(), l, "n", "work", func(func(any) error) error { return io.ErrUnexpectedEOF }, new(echo)); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("content that cannot be read: %v", err)
	}
}

func TestAMessageThatIsTooLongIsSaidToBe(t *testing.T) {
	l, _ := workNode(t, admitAll, func(st Stream) error {
		if err := st.Recv(new(echo)); err != nil {
			return err
		}
		return st.Send(&echo{Text: strings.Repeat("x", maxFrame)})
	})
	if _, err := ask(openTo(t, l, "work"), strings.Repeat("x", maxFrame)); err == nil || !strings.Contains(err.Error(), "are allowed") {
		t.Errorf("a question: %v", err)
	}
	if _, err := ask(openTo(t, l, "work"), ""); err == nil || !strings.Contains(err.Error(), "are allowed") {
		t.Errorf("an answer: %v", err)
	}
}
