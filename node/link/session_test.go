package link

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"shoal/api"
	"shoal/api/settings"
	"shoal/cluster-test/solo"
	"shoal/coordinator"
	"shoal/coordinator/replica"
	"shoal/coordinator/schedule"
	"shoal/coordinator/search"
	"shoal/node/machine"
	"shoal/node/peer"
	"shoal/shard"
	"shoal/wire"
)

// far is a node that has all documents, with what another node needs to reach it.
type far struct {
	t      *testing.T
	host   *shard.Host
	shards *Shards
	search *search.Search
	addr   string
	stop   func()
	mu     sync.Mutex
	opened int // sessions
}

// secret is any.
const secret = "a secret that only this test has"

func identify(t *testing.T, name wire.NodeID) *peer.Identity {
	t.Helper()
	s, err := peer.NewSecret(secret)
	if err != nil {
		t.Fatal(err)
	}
	id, err := s.Identify(name)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// distant is a catalogue whose shards are all on another node.
type distant struct{ coordinator.Catalog }

func (d distant) Index(uid string) (*wire.Index, bool) {
	x, ok := d.Catalog.Index(uid)
	if !ok {
		return nil, false
	}
	x = x.Clone()
	for i := range x.Shards {
		x.Shards[i].Replicas = []wire.Replica{{Node: "far", State: wire.InSync}}
	}
	return x, true
}

func (distant) Node(id wire.NodeID) (*wire.Node, bool) {
	return &wire.Node{ID: id, Version: wire.Version}, true
}

func (distant) Spoken() int { return wire.Version }

func newFar(t *testing.T) *far {
	t.Helper()
	n := solo.Open(t, 2)
	n.Schedule(schedule.Jobs{})
	n.Settings("docs", `{"filterableAttributes":["n"]}`)
	var docs strings.Builder
	for i := range 50 {
		fmt.Fprintf(&docs, `{"id":%d,"title":"bird %d","n":%d}`+"\n", i, i, i%5)
	}
	n.Upload("docs", docs.String())
	n.Idle()
	f := &far{t: t, host: n.Host, addr: "127.0.0.1:0"}
	f.serve()
	l := peer.NewLink(machine.System{}, identify(t, "front"), func(wire.NodeID) (string, bool) { return f.addr, true })
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		f.stop()
	})
	f.shards = New("front", nil, l, func(wire.NodeID) bool { return false })
	f.search = search.New(search.Config{
		Catalog: func() coordinator.Catalog { return distant{n.Log.Catalog()} }, Shards: f.shards, Self: "front",
		Features: func() settings.Features { return settings.Features{} },
	})
	return f
}

// serve lets the node answer, at the address it had before.
func (f *far) serve() {
	f.t.Helper()
	log := slog.New(slog.DiscardHandler)
	ln, err := peer.Listen(machine.System{}, f.addr, identify(f.t, "far"), log)
	if err != nil {
		f.t.Fatal(err)
	}
	f.addr = ln.Addr().String()
	srv := peer.NewServer(log)
	srv.HandleStream(methodSearch, func(st peer.Stream) error {
		f.mu.Lock()
		f.opened++
		f.mu.Unlock()
		return serveSearch(st, f.host.Searches)
	})
	served := make(chan error, 1)
	go func() { served <- srv.Serve(ln.RPC()) }()
	f.stop = func() {
		srv.Close()
		if err := errors.Join(ln.Close(), <-served); err != nil {
			f.t.Error(err)
		}
	}
}

func (f *far) ask(ctx context.Context, body string) (string, error) {
	r := api.NewSearchRequest()
	if err := json.Unmarshal([]byte(body), r); err != nil {
		return "", err
	}
	answer, err := f.search.Search(ctx, "docs", r)
	if err != nil {
		return "", err
	}
	answer.ProcessingTimeMs = 0
	return string(answer.AppendJSON(nil, &api.Envelope{})), nil
}

// want searches for birds and compares the answer.
func (f *far) want(first *string) {
	f.t.Helper()
	got, err := f.ask(f.t.Context(), `{"q":"bird","facets":["n"]}`)
	if err != nil {
		f.t.Fatal(err)
	}
	if *first == "" {
		*first = got
	}
	if got != *first || !strings.Contains(got, `"estimatedTotalHits":50`) {
		f.t.Fatalf("%s\nwant\n%s", got, *first)
	}
}

func TestTheSessionOfASearchIsOverSoonAfterIt(t *testing.T) {
	f := newFar(t)
	var first string
	for range 20 {
		f.want(&first)
	}
	for deadline := time.Now().Add(10 * time.Second); f.views() > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the last search was never ended")
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.opened != 20 {
		t.Errorf("20 searches opened %d sessions", f.opened)
	}
}

// views is the number of open views of the node.
func (f *far) views() int64 { return f.host.Figures().Views }

// Unused connections may lead to a process that has ended. They must not make a search fail
// once its node is back.
func TestANodeThatRestartedIsAskedAtOnce(t *testing.T) {
	f := newFar(t)
	var first string
	var wg sync.WaitGroup
	for range 8 { // several connections
		wg.Go(func() {
			if _, err := f.ask(t.Context(), `{"q":"bird"}`); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	f.want(&first)
	f.stop()
	f.serve()
	f.want(&first)
}

// A search whose local part takes long once mistook the end of a kept connection for the
// end of its node.
func TestANodeThatRestartedIsAskedAgainDuringALongSearch(t *testing.T) {
	f := newFar(t)
	var first string
	f.want(&first)
	f.stop()
	f.serve()
	x, ok := f.search.Catalog().Index("docs")
	if !ok {
		t.Fatal("no index")
	}
	meanwhile := 0
	session, err := f.shards.OpenSearch(t.Context(), "far", &wire.SearchOpen{
		Index: replica.PinVersion(x, &x.Shards[0]), DeadlineMillis: 1000,
		Meanwhile: func() { meanwhile++; time.Sleep(2 * atOnce) },
	})
	// The first search runs when the end of the connection is already known.
	if err != nil || meanwhile < 1 || meanwhile > 2 {
		t.Fatalf("the node is not asked again: %v, %d times", err, meanwhile)
	}
	if err := session.Close(); err != nil {
		t.Error(err)
	}
}

func TestANodeThatMovedIsNotAskedWhereItWas(t *testing.T) {
	f := newFar(t)
	var first string
	f.want(&first)
	stopped := f.stop
	t.Cleanup(stopped)
	f.addr = "127.0.0.1:0"
	f.serve()
	f.want(&first)
}

// A refused search ends its exchange, and an abandoned one ends its connection. Neither
// affects the next search.
func TestASearchThatFailedLeavesNothingToTheNextOne(t *testing.T) {
	f := newFar(t)
	var first string
	f.want(&first)
	if _, err := f.ask(t.Context(), `{"q":"bird","filter":"title = 1"}`); err == nil {
		t.Error("a filter on a field that is not filterable was taken")
	}
	f.want(&first)
	for i := range 20 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i)*50*time.Microsecond)
		_, _ = f.ask(ctx, `{"q":"bird 1"}`) // some have an answer
		cancel()
		f.want(&first)
	}
}
