package node

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/coordinator"
	"shoal/coordinator/admin"
	"shoal/node/analytics"
	"shoal/node/folder"
	"shoal/node/peer"
	"shoal/wire"
)

// Calls between nodes. A node of a program without analytics refuses them.
const (
	methodAnalytics = "cluster.analytics"
	methodEvent     = "cluster.event"
)

// Bounds of the calls to other nodes: a report reads up to 90 files there.
const (
	analyticsWithin = 10 * time.Second
	eventWithin     = time.Second
)

// analyticsRequest asks a node for what it counted.
type analyticsRequest struct {
	From     int64  `msgpack:"f"` // days since 1970
	To       int64  `msgpack:"t"`
	Index    string `msgpack:"x"`
	Interval int64  `msgpack:"i"` // nanoseconds
}

// eventRequest is an event of a query that the node may have answered.
type eventRequest struct {
	Conversion bool   `msgpack:"c"`
	Index      string `msgpack:"x"`
	Query      string `msgpack:"q"`
	Positioned bool   `msgpack:"h"`
	Position   uint64 `msgpack:"p"`
}

// eventReply tells whether the node counted the event.
type eventReply struct {
	Counted bool `msgpack:"c"`
}

// openAnalytics begins to count, and goes on until the node closes.
func (n *Node) openAnalytics(settings *admin.Analytics) (*analytics.Recorder, error) {
	r, err := analytics.Open(analytics.Config{
		Files: n.on.Files, Dir: n.dir(folder.DirAnalytics), Settings: settings.Analytics, Now: n.group.Now, Tag: analytics.TagOf(n.self.ID),
		Log: n.log.With("component", "analytics"),
	})
	if err != nil {
		return nil, err
	}
	n.opened("analytics", func() error { r.Save(); return nil })
	n.run(r.Run)
	return r, nil
}

// serveAnalytics answers for this node.
func (n *Node) serveAnalytics(ctx context.Context, r *analyticsRequest) (*analytics.Summary, error) {
	return n.work.recorder.Summary(ctx, r.From, r.To, r.Index, max(time.Duration(r.Interval), time.Hour))
}

// serveEvent counts an event if this node answered its query.
func (n *Node) serveEvent(_ context.Context, r *eventRequest) (*eventReply, error) {
	e := &api.Event{Conversion: r.Conversion, IndexUID: r.Index, QueryUID: r.Query}
	if r.Positioned {
		e.Position = &r.Position
	}
	return &eventReply{n.work.recorder.Happened(e, false)}, nil
}

// analyticsPort counts and reports for the front.
type analyticsPort struct {
	*analytics.Recorder
	settings *admin.Analytics
	n        *Node
}

// Analytics implements httpfront/admin.Analytics.
func (p analyticsPort) Analytics() api.Analytics { return p.settings.Analytics() }

// UpdateAnalytics implements httpfront/admin.Analytics.
func (p analyticsPort) UpdateAnalytics(ctx context.Context, patch *api.AnalyticsPatch) (api.Analytics, error) {
	return p.settings.UpdateAnalytics(ctx, patch)
}

// Searched counts a search, by an alias for the index behind it. It changes s.
func (p analyticsPort) Searched(s *api.CountedSearch) {
	s.IndexUID = p.behind(s.IndexUID)
	p.Recorder.Searched(s)
}

// behind returns the uid of the index that a name means, or the name if there is none here.
func (p analyticsPort) behind(name string) string {
	if x, ok := coordinator.Named(p.n.group.Catalog(), name); ok {
		return x.UID
	}
	return name
}

// Event counts an event on the node that answered its query, so that the click counts for the
// query. If that node is away, or forgot the query, it counts here without one.
func (p analyticsPort) Event(ctx context.Context, e *api.Event) error {
	cat := p.n.group.Catalog()
	x, ok := coordinator.Named(cat, e.IndexUID)
	if !ok {
		return apierr.IndexNotFound(e.IndexUID)
	}
	e.IndexUID = x.UID
	if p.Happened(e, false) {
		return nil
	}
	if tag, ok := analytics.TagIn(e.QueryUID); ok && p.Analytics().Queries {
		for _, d := range cat.Nodes() {
			if d.ID != p.n.self.ID && analytics.TagOf(d.ID) == tag && p.n.tellEvent(ctx, d.ID, e) {
				return nil
			}
		}
	}
	p.Happened(e, true)
	return nil
}

// tellEvent has another node count an event, if it answered the query.
func (n *Node) tellEvent(ctx context.Context, node wire.NodeID, e *api.Event) bool {
	ctx, cancel := context.WithTimeout(ctx, eventWithin)
	defer cancel()
	r := &eventRequest{Conversion: e.Conversion, Index: e.IndexUID, Query: e.QueryUID}
	if e.Position != nil {
		r.Positioned, r.Position = true, *e.Position
	}
	reply, err := peer.Call[eventRequest, eventReply](ctx, n.link, node, methodEvent, r)
	return err == nil && reply.Counted // otherwise the event counts without its query
}

// Report adds up what all nodes counted.
func (p analyticsPort) Report(ctx context.Context, q *api.AnalyticsQuery) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, analyticsWithin)
	defer cancel()
	if q.IndexUID != "" {
		q.IndexUID = p.behind(q.IndexUID)
	}
	r := analytics.NewReport(q, p.n.group.Now())
	ask := &analyticsRequest{From: r.First, To: r.Last, Index: q.IndexUID, Interval: int64(r.Slot)}
	nodes := p.n.group.Catalog().Nodes()
	found := make([]*analytics.Summary, len(nodes))
	var asking sync.WaitGroup
	for i, d := range nodes {
		asking.Go(func() {
			var s *analytics.Summary
			var err error
			if d.ID == p.n.self.ID {
				s, err = p.n.serveAnalytics(ctx, ask)
			} else {
				s, err = peer.Call[analyticsRequest, analytics.Summary](ctx, p.n.link, d.ID, methodAnalytics, ask)
			}
			if err == nil { // otherwise it is away, or runs an older program: the report says so
				found[i] = s
			}
		})
	}
	asking.Wait()
	for i, d := range nodes {
		r.Add(d.Name, found[i])
	}
	return json.Marshal(r.Answer(p.Analytics()))
}
