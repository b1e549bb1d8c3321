package search_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"shoal/api"
	"shoal/api/settings"
	"shoal/cluster-test/solo"
	"shoal/coordinator"
	"shoal/coordinator/driver"
	"shoal/coordinator/schedule"
	"shoal/coordinator/search"
	"shoal/shard"
	"shoal/wire"
)

// holders are the nodes that hold shard 0, 1, 2 and 3. Two nodes hold all of them.
var holders = [][]wire.NodeID{{"a", "d"}, {"a", "b"}, {"b", "c"}, {"c", "d"}}

// spread is a catalogue in which the shards of every index are spread over nodes.
type spread struct{ coordinator.Catalog }

func (s spread) Index(uid string) (*wire.Index, bool) {
	x, ok := s.Catalog.Index(uid)
	if !ok {
		return nil, false
	}
	x = x.Clone()
	for i := range x.Shards {
		x.Shards[i].Replicas = nil
		for _, n := range holders[i] {
			x.Shards[i].Replicas = append(x.Shards[i].Replicas, wire.Replica{Node: n, State: wire.InSync})
		}
	}
	return x, true
}

func (spread) Node(id wire.NodeID) (*wire.Node, bool) {
	return &wire.Node{ID: id, Version: wire.Version}, true
}

func (spread) Spoken() int { return wire.Version }

// mortal are the shards of all nodes, one of which dies after some number of messages.
type mortal struct {
	coordinator.Shards
	host *shard.Host

	mu    sync.Mutex
	dying wire.NodeID
	left  int
	asked map[wire.NodeID]int // messages to it
	said  map[wire.NodeID]int // messages from it
	parts int                 // answers in two parts
}

func (m *mortal) Suspect(wire.NodeID) bool { return false }

// lives counts a message; false when the node is dead.
func (m *mortal) lives(node wire.NodeID, heard map[wire.NodeID]int) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	heard[node]++
	if node != m.dying {
		return true
	}
	m.left--
	return m.left >= 0
}

func (m *mortal) OpenSearch(ctx context.Context, node wire.NodeID, r *wire.SearchOpen) (wire.Session, error) {
	for _, number := range append([]wire.PinnedShard{{Shard: r.Index.Key.Shard}}, r.Others...) {
		if !slices.Contains(holders[number.Shard], node) {
			return nil, wire.ErrNoShard
		}
	}
	if !m.lives(node, m.asked) {
		return nil, wire.ErrUnavailable
	}
	session, err := m.host.OpenSearch(ctx, r)
	if err != nil {
		return nil, err
	}
	s := &mortalSession{all: m, node: node}
	s.Session = driver.NewPrefetchServer(session, func() (wire.Session, error) { return m.host.OpenSearch(ctx, r) }, func(part *wire.SearchReply) error {
		m.parts++
		s.said = append(s.said, part)
		return nil
	})
	return s, nil
}

// mortalSession is a fanout.Sender.
type mortalSession struct {
	wire.Session
	all  *mortal
	node wire.NodeID
	said []*wire.SearchReply // not received yet
}

func (s *mortalSession) Step(ctx context.Context, step *wire.SearchStep) (*wire.SearchReply, error) {
	if _, err := s.Send(ctx, step); err != nil {
		return nil, err
	}
	return s.hear()
}

func (s *mortalSession) Send(ctx context.Context, step *wire.SearchStep) (sent bool, err error) {
	if !s.all.lives(s.node, s.all.asked) {
		return false, wire.ErrUnavailable
	}
	reply, err := s.Session.Step(ctx, step)
	s.said = append(s.said, reply)
	return err == nil, err
}

func (s *mortalSession) Receive(context.Context) (*wire.SearchReply, error) {
	if !s.all.lives(s.node, s.all.said) {
		return nil, wire.ErrUnavailable
	}
	return s.hear()
}

func (s *mortalSession) hear() (*wire.SearchReply, error) {
	next := s.said[0]
	s.said = s.said[1:]
	return next, nil
}

// spreadIndex returns documents on four nodes, and a function that searches them.
func spreadIndex(t *testing.T) (host *shard.Host, ask func(m *mortal, self wire.NodeID, body string) string) {
	n := solo.Open(t, len(holders))
	n.Schedule(schedule.Jobs{})
	n.Settings("docs", `{"filterableAttributes":["n"],"sortableAttributes":["n"]}`)
	var docs strings.Builder
	words := strings.Fields("sun flower sunflower flawer sunny red bird birds redbird")
	for i := range 120 {
		fmt.Fprintf(&docs, `{"id":%d,"title":"%s %s","n":%d}`+"\n", i, words[i%len(words)], words[i*7/3%len(words)], i%5)
	}
	n.Upload("docs", docs.String())
	n.Idle()
	return n.Host, func(m *mortal, self wire.NodeID, body string) string {
		t.Helper()
		m.asked, m.said = map[wire.NodeID]int{}, map[wire.NodeID]int{}
		s := search.New(search.Config{
			Catalog: func() coordinator.Catalog { return spread{n.Log.Catalog()} }, Shards: m, Self: self,
			Features: func() settings.Features { return settings.Features{} },
		})
		r := api.NewSearchRequest()
		if err := json.Unmarshal([]byte(body), r); err != nil {
			t.Fatal(err)
		}
		answer, err := s.Search(t.Context(), "docs", r)
		if err != nil {
			t.Fatalf("%s with %s dying after %d messages: %v", body, m.dying, m.left, err)
		}
		answer.ProcessingTimeMs = 0
		return string(answer.AppendJSON(nil, &api.Envelope{}))
	}
}

// A node that is asked beside this one counts facets along with the rest. Facets used to take a
// round trip of their own.
func TestFacetsTakeNoRoundTripOfTheirOwn(t *testing.T) {
	host, ask := spreadIndex(t)
	for _, body := range []string{
		`{"q":"sunny","facets":["n"]}`, `{"q":"","facets":["*"]}`, `{"q":"bird","filter":"n > 1","facets":["n"],"attributesToHighlight":["*"]}`,
	} {
		m := &mortal{host: host}
		ask(m, "a", body)
		if m.asked["c"] != 2 { // to open, and for all of the answer
			t.Errorf("%s: another node got %d messages", body, m.asked["c"])
		}
	}
}

// Whichever node dies after whichever message, the answer is the one that living nodes give.
func TestASearchGoesOnWhenANodeDiesBetweenItsPhases(t *testing.T) {
	host, ask := spreadIndex(t)
	defer func(n uint64) { driver.DividedDocs = n }(driver.DividedDocs)
	parts := 0
	for i, body := range []string{
		`{"q":"sun flower","showRankingScore":true,"facets":["n"]}`, `{"q":"sunflowr bird","limit":50,"attributesToHighlight":["*"]}`,
		`{"q":"","sort":["n:desc"],"filter":"n > 1","facets":["n"]}`, `{"q":"birds","distinct":"n"}`,
		`{"q":"sunny"}`, `{"q":"red","facets":["n"]}`, `{"q":"birds","limit":3}`,
	} {
		driver.DividedDocs = 1 + uint64(i%2)<<20
		var first string
		for _, self := range []wire.NodeID{"front", "a"} { // one has no shards, one has half of them
			living := &mortal{host: host}
			want := ask(living, self, body)
			parts += living.parts
			if first = cmp.Or(first, want); want != first {
				t.Errorf("%s answers %s\n%s\nwant\n%s", self, body, want, first)
			}
			if len(living.asked) != 2 {
				t.Errorf("%s: %d nodes were asked, two hold all", body, len(living.asked))
			}
			died := 0
			for node := range living.asked {
				for left := range living.asked[node] + living.said[node] {
					m := &mortal{host: host, dying: node, left: left}
					if got := ask(m, self, body); got != want {
						t.Fatalf("%s dies after %d messages: %s\n%s\nwant\n%s", node, left, body, got, want)
					}
					died++
				}
			}
			if died < 4 {
				t.Errorf("%s: nodes died in %d places only", body, died)
			}
		}
	}
	if parts == 0 {
		t.Error("no node answered in two parts")
	}
}
