package node

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"shoal/consensus"
	"shoal/node/machine"
	"shoal/node/peer"
	"shoal/wire"
)

// reported is a leader that takes reports, and a node that sends them.
type reported struct {
	t *testing.T
	reports
	answer         atomic.Pointer[answer]
	calls, streams atomic.Int64 // reports that came by each
}

// answer is what the leader does with a report.
type answer func(at int64) (*consensus.Reply, error)

// report sends one report and returns its answer.
func (r *reported) report(ctx context.Context, at int64) (*consensus.Reply, error) {
	return r.ask(ctx, "leader", &raftCall{Request: consensus.Request{Report: &consensus.Report{Node: "follower", At: at}}})
}

// answers replaces what the leader does, and returns what it did before.
func (r *reported) answers(f answer) (before *answer) { return r.answer.Swap(&f) }

// expect sends a report and wants its own answer, by what it came.
func (r *reported) expect(at, calls, streams int64) {
	r.t.Helper()
	reply, err := r.report(r.t.Context(), at)
	if err != nil || reply.Watermark != at {
		r.t.Fatalf("report %d was answered %+v, %v", at, reply, err)
	}
	if c, s := r.calls.Load(), r.streams.Load(); c != calls || s != streams {
		r.t.Fatalf("after report %d: %d came by call, %d by stream; wanted %d and %d", at, c, s, calls, streams)
	}
}

// newReported starts both; a leader of an older program takes no streams and says nothing.
func newReported(t *testing.T, older bool) *reported {
	secret, err := peer.NewSecret(peer.RandomSecret())
	if err != nil {
		t.Fatal(err)
	}
	server, err := secret.Identify("leader")
	if err != nil {
		t.Fatal(err)
	}
	client, err := secret.Identify("follower")
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	ln, err := peer.Listen(machine.System{}, "127.0.0.1:0", server, log)
	if err != nil {
		t.Fatal(err)
	}
	r := &reported{t: t}
	r.answers(func(at int64) (*consensus.Reply, error) { return &consensus.Reply{Watermark: at, Stream: !older}, nil })
	take := func(count *atomic.Int64) func(context.Context, *raftCall) (*consensus.Reply, error) {
		return func(_ context.Context, call *raftCall) (*consensus.Reply, error) {
			count.Add(1)
			return (*r.answer.Load())(call.Request.Report.At)
		}
	}
	srv := peer.NewServer(log)
	peer.Handle(srv, methodRaft, take(&r.calls))
	if !older {
		peer.HandleEach(srv, methodReports, take(&r.streams))
	}
	done := make(chan error, 1)
	go func() { done <- srv.Serve(ln.RPC()) }()
	r.link = peer.NewLink(machine.System{}, client, func(wire.NodeID) (string, bool) { return ln.Addr().String(), true })
	ctx, stop := context.WithCancel(context.Background())
	r.ctx = ctx
	t.Cleanup(func() {
		stop()
		err := r.link.Close()
		srv.Close()
		if err := errors.Join(err, ln.Close(), <-done); err != nil {
			t.Error(err)
		}
	})
	return r
}

func TestReportsGoByAStreamOnceTheLeaderSaidSo(t *testing.T) {
	r := newReported(t, false)
	r.expect(1, 1, 0)
	for at := int64(2); at < 20; at++ {
		r.expect(at, 1, at-1)
	}
}

func TestALeaderOfAnOlderProgramIsCalled(t *testing.T) {
	r := newReported(t, true)
	for at := int64(1); at < 5; at++ {
		r.expect(at, at, 0)
	}
}

func TestALateAnswerIsNotTakenForThatOfTheNextReport(t *testing.T) {
	r := newReported(t, false)
	r.expect(1, 1, 0)
	r.expect(2, 1, 1)
	came, late := make(chan struct{}), make(chan struct{})
	usual := *r.answer.Load()
	r.answers(func(at int64) (*consensus.Reply, error) {
		if at == 3 {
			close(came)
			<-late
		}
		return usual(at)
	})
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	go func() {
		<-came
		cancel()
	}()
	if reply, err := r.report(ctx, 3); !errors.Is(err, context.Canceled) {
		t.Fatalf("a report that was given up: %+v, %v", reply, err)
	}
	close(late)
	r.expect(4, 2, 2)
	r.expect(5, 2, 3)
}

func TestARefusedReportIsTriedAgainByACall(t *testing.T) {
	r := newReported(t, false)
	r.expect(1, 1, 0)
	r.expect(2, 1, 1)
	usual := r.answers(func(int64) (*consensus.Reply, error) { return nil, wire.ErrNotLeader })
	if _, err := r.report(t.Context(), 3); !errors.Is(err, wire.ErrNotLeader) {
		t.Fatalf("a report to a node that does not lead: %v", err)
	}
	r.answers(*usual)
	r.expect(4, 2, 2)
	r.expect(5, 2, 3)
}
