package peer

import (
	"context"
	"errors"
	"net"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"shoal/node/machine"
	"shoal/wire"
)

// silent accepts connections and answers nothing, like a frozen process.
func silent(t *testing.T) net.Listener {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ln.Close() })
	return ln
}

func TestAHangingNodeIsGivenUpAndSuspect(t *testing.T) {
	ln := silent(t)
	link := NewLink(machine.System{}, identify(t, "client"), func(wire.NodeID) (string, bool) { return ln.Addr().String(), true })
	defer link.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	begin := time.Now()
	_, err := Call[echo, echo](ctx, link, "n", "echo", &echo{})
	if !errors.Is(err, wire.ErrUnavailable) {
		t.Fatalf("a call of a hanging node: %v", err)
	}
	if took := time.Since(begin); took > 2*(patience+pulseTime) {
		t.Errorf("it took %s to give up", took)
	}
	if !link.Suspect("n") {
		t.Error("the node is not suspect")
	}
}

// A search was silent for 1.25 s when a node hung, although another node had the same
// shards.
func TestAHangingNodeThatCanBeSparedIsGivenUpSooner(t *testing.T) {
	ln := silent(t)
	link := NewLink(machine.System{}, identify(t, "client"), func(wire.NodeID) (string, bool) { return ln.Addr().String(), true })
	defer link.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	begin := time.Now()
	st, err := link.OpenLasting(ctx, "n", "echo", true)
	if err == nil {
		err = st.Recv(new(echo))
	}
	if !errors.Is(err, wire.ErrUnavailable) {
		t.Fatalf("a stream to a hanging node: %v", err)
	}
	if took := time.Since(begin); took < sparePatience+sparePulse || took >= patience+pulseTime {
		t.Errorf("it took %s to give up", took)
	}
	if !link.Suspect("n") {
		t.Error("the node is not suspect")
	}
}

func TestADeadNodeIsSuspectUntilItAnswers(t *testing.T) {
	good := start(t, secretOfTests, secretOfTests)
	addr, _ := good.resolve("n")
	dead := silent(t)
	if err := dead.Close(); err != nil {
		t.Fatal(err)
	}
	var at atomic.Value
	at.Store(dead.Addr().String())
	link := NewLink(machine.System{}, identify(t, "client"), func(wire.NodeID) (string, bool) { return at.Load().(string), true })
	defer link.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if _, err := Call[echo, echo](ctx, link, "n", "echo", &echo{}); !errors.Is(err, wire.ErrUnavailable) {
		t.Fatalf("a call of a dead node: %v", err)
	}
	if !link.Suspect("n") {
		t.Fatal("the node is not suspect")
	}
	at.Store(addr)
	if link.Suspect("n") {
		t.Error("another address of the node is suspect")
	}
	// The suspicion of an address ends when it answers.
	link.health.suspect(target{"n", addr})
	for link.Suspect("n") {
		if ctx.Err() != nil {
			t.Fatal("a living node stays suspect")
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// A node that was back stayed a suspect for three seconds or more, because a connection
// with lost packets waited ever longer before it retried. When another node hung in that
// time, searches were silent for 1.25 s, because no other node seemed to have its shards.
func TestANodeThatIsBackIsSoonNoSuspect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var back, lossy atomic.Bool
		h := newHealth(func(ctx context.Context, _ target) error {
			if back.Load() && !lossy.Load() {
				return nil
			}
			lossy.Store(true)
			<-ctx.Done()
			return ctx.Err()
		}, func(target) { lossy.Store(false) }, func(target) bool { return true })
		defer h.close()
		at := target{"n", "somewhere"}
		for range 40 { // whenever it comes back
			back.Store(false)
			h.suspect(at)
			time.Sleep(time.Minute + 101*time.Millisecond)
			back.Store(true)
			time.Sleep(2 * time.Second)
			synctest.Wait()
			if h.suspected(at) {
				t.Fatal("it is a suspect still")
			}
		}
	})
}

// After a disk was replaced, the other nodes called the former node twice a second for
// ever, and the new node warned of each handshake: 106 times in 43 s.
func TestASuspectThatWasReplacedIsAskedNoMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var replaced atomic.Bool
		var asked, renewed atomic.Int64
		h := newHealth(func(context.Context, target) error {
			asked.Add(1)
			return errors.New("refused")
		}, func(target) { renewed.Add(1) }, func(target) bool { return !replaced.Load() })
		defer h.close()
		at := target{"n", "somewhere"}
		h.suspect(at)
		time.Sleep(time.Minute)
		if n := asked.Load(); n < 50 {
			t.Errorf("a dead node was asked %d times in a minute", n)
		}
		replaced.Store(true)
		before := asked.Load()
		time.Sleep(time.Minute)
		synctest.Wait()
		if n := asked.Load() - before; n > 1 || h.suspected(at) || renewed.Load() == 0 {
			t.Errorf("a node that was replaced was asked %d times, is a suspect: %v, its connection was closed %d times", n, h.suspected(at), renewed.Load())
		}
	})
}

func TestAConnectionToASuspectIsMadeAnew(t *testing.T) {
	link := start(t, secretOfTests, secretOfTests)
	addr, _ := link.resolve("n")
	first := openTo(t, link, "upper")
	if _, err := ask(first, "a"); err != nil {
		t.Fatal(err)
	}
	link.pool.renew(target{"n", addr})
	if _, err := ask(first, "a"); !errors.Is(err, wire.ErrUnavailable) {
		t.Errorf("an exchange on the connection before: %v", err)
	}
	second := openTo(t, link, "upper")
	if got, err := ask(second, "a"); err != nil || got != "A" || second.Reused() {
		t.Errorf("%q on the connection before: %v", got, err)
	}
}

func TestASlowNodeIsWaitedFor(t *testing.T) {
	link := start(t, secretOfTests, secretOfTests)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if _, err := Call[echo, echo](ctx, link, "n", "slow", &echo{}); err != nil {
		t.Fatal(err)
	}
	if link.Suspect("n") {
		t.Error("a slow node is suspect")
	}
}
