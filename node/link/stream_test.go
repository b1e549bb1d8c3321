package link

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
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

// far is a node that has all documents, and what another one has to reach it.
type far struct {
	t      *testing.T
	host   *shard.Host
	shards *Shards
	search *search.Search
	addr   string
	stop   func()
	// streams counts those that were begun, opened the searches, released the messages that
	// end one.
	mu                        sync.Mutex
	streams, opened, released int
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
	var handlers sync.WaitGroup // which Close of the server does not wait for
	srv.HandleStream(methodSearch, func(st peer.Stream) error {
		handlers.Add(1)
		defer handlers.Done()
		f.mu.Lock()
		f.streams++
		f.mu.Unlock()
		return serveSearch(counted{st, f}, f.host)
	})
	served := make(chan error, 1)
	go func() { served <- srv.Serve(ln.RPC()) }()
	f.stop = func() {
		srv.Close()
		handlers.Wait()
		if err := errors.Join(ln.Close(), <-served); err != nil {
			f.t.Error(err)
		}
	}
}

// counted counts the searches of a stream.
type counted struct {
	peer.Stream
	far *far
}

func (c counted) Recv(v any) error {
	err := c.Stream.Recv(v)
	step, next := v.(*wire.SearchStep)
	c.far.mu.Lock()
	defer c.far.mu.Unlock()
	switch {
	case err != nil:
	case !next || step.Open != nil:
		c.far.opened++
	case step.Release:
		c.far.released++
	}
	return err
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

// want asks for birds and compares the answer.
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

func TestSearchesUseAStreamOneAfterTheOther(t *testing.T) {
	f := newFar(t)
	var first string
	for range 20 {
		f.want(&first)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	// The first one, and the direct one that was made when that was used again.
	if f.streams > 2 || f.opened != 20 {
		t.Errorf("%d searches on %d streams", f.opened, f.streams)
	}
}

// Each search was ended by a message of its own, although the next one ends it, too.
func TestASearchThatAnotherOneFollowsNeedsNoMessageToEnd(t *testing.T) {
	f := newFar(t)
	var first string
	f.want(&first)
	begun := time.Now()
	for range 20 {
		f.want(&first)
	}
	most := int(time.Since(begun)/releaseTime) + 2 // one of them on the stream that a direct one came after
	deadline := time.Now().Add(10 * time.Second)
	for {
		f.mu.Lock()
		released := f.released
		f.mu.Unlock()
		switch {
		case released > most:
			t.Fatalf("%d messages ended searches, want at most %d", released, most)
		case time.Now().After(deadline):
			t.Fatal("the last search was never ended")
		case released > 0 && f.views() == 0:
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// views is the number of open views of the node.
func (f *far) views() int64 { return f.host.Figures().Views }

// Streams that nobody uses do not know that their node has gone: they must not make a
// search fail once it is back.
func TestANodeThatRestartedIsAskedAtOnce(t *testing.T) {
	f := newFar(t)
	var first string
	var wg sync.WaitGroup
	for range 8 { // several streams
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

// The stream to where a node was before was used as long as somebody answered there, and
// waited for when nobody did.
// A search whose own part takes long took the end of a stream that had been kept for that
// of its node.
func TestANodeThatRestartedIsAskedAgainHoweverLongTheWorkHereTakes(t *testing.T) {
	f := newFar(t)
	var first string
	for direct := false; !direct; { // a message to one that has ended is not refused
		f.want(&first)
		if kept := f.shards.idle.take("far"); kept != nil {
			direct = kept.Direct()
			f.shards.idle.put(kept)
		}
	}
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
	// Once only when the message to the old stream could not even be sent.
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
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.streams != 2 {
		t.Errorf("%d streams to a node with two addresses", f.streams)
	}
}

// Of the streams of a burst only that one was looked at which was used last: the others
// stayed for ever, as did those to nodes that had left.
func TestStreamsThatNobodyUsesEnd(t *testing.T) {
	f := newFar(t)
	var first string
	f.want(&first)
	used := f.shards.idle.take("far")
	ended := 0
	for _, node := range []wire.NodeID{"far", "far", "gone"} {
		x, err := f.shards.begin(t.Context(), "far", false, false)
		if err != nil {
			t.Fatal(err)
		}
		end := x.end
		x.node, x.end = node, func() { ended++; end() }
		f.shards.idle.put(x)
		x.idle = time.Now().Add(-2 * idleTime)
	}
	f.shards.idle.put(used)
	f.want(&first)
	f.shards.idle.mu.Lock()
	defer f.shards.idle.mu.Unlock()
	// A direct one may have come meanwhile.
	kept := slices.DeleteFunc(slices.Clone(f.shards.idle.of["far"]), func(x *stream) bool { return x.Direct() })
	if n := len(f.shards.idle.of); ended != 3 || n != 1 || len(kept) != 1 {
		t.Errorf("%d streams ended, %d are kept of %d nodes", ended, len(kept), n)
	}
}

// A refused search ends its stream, one that was given up does, too: neither reaches the
// next search.
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
