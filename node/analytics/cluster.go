package analytics

import (
	"context"
	"encoding/json"
	"time"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/coordinator"
	"shoal/coordinator/admin"
	"shoal/node/peer"
	"shoal/node/poll"
	"shoal/wire"
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

// settings is an alias because a field named Analytics would hide the method.
type settings = admin.Analytics

// Cluster counts on this node and reports what all nodes counted. Safe for concurrent use.
type Cluster struct {
	*Recorder
	*settings
	members *poll.Members
	now     func() time.Time

	summaries poll.Question[analyticsRequest, Summary]
	events    poll.Question[eventRequest, eventReply]
}

// OpenCluster returns a recorder with the cluster's settings that other members may ask. A
// node of a program without analytics refuses such questions.
func OpenCluster(cfg Config, s *admin.Analytics, m *poll.Members, server *peer.Server) (*Cluster, error) {
	cfg.Settings, cfg.Now, cfg.Tag = s.Analytics, m.Group.Now, TagOf(m.Self)
	r, err := Open(cfg)
	if err != nil {
		return nil, err
	}
	c := &Cluster{Recorder: r, settings: s, members: m, now: cfg.Now}
	c.summaries = poll.NewQuestion(m, server, "cluster.analytics", c.serveSummary)
	c.events = poll.NewQuestion(m, server, "cluster.event", c.serveEvent)
	return c, nil
}

// serveSummary answers for this node.
func (c *Cluster) serveSummary(ctx context.Context, r *analyticsRequest) (*Summary, error) {
	return c.Summary(ctx, r.From, r.To, r.Index, max(time.Duration(r.Interval), time.Hour))
}

// serveEvent counts an event if this node answered its query.
func (c *Cluster) serveEvent(_ context.Context, r *eventRequest) (*eventReply, error) {
	e := &api.Event{Conversion: r.Conversion, IndexUID: r.Index, QueryUID: r.Query}
	if r.Positioned {
		e.Position = &r.Position
	}
	return &eventReply{c.Happened(e, false)}, nil
}

// Searched counts a search, by an alias for the index behind it. It changes s.
func (c *Cluster) Searched(s *api.CountedSearch) {
	s.IndexUID = c.behind(s.IndexUID)
	c.Recorder.Searched(s)
}

// behind returns the uid of the index that a name means, or the name if there is none here.
func (c *Cluster) behind(name string) string {
	if x, ok := coordinator.Named(c.members.Group.Catalog(), name); ok {
		return x.UID
	}
	return name
}

// Event counts an event on the node that answered its query, so that the click counts for the
// query. If that node is away, or forgot the query, it counts here without one.
func (c *Cluster) Event(ctx context.Context, e *api.Event) error {
	x, ok := coordinator.Named(c.members.Group.Catalog(), e.IndexUID)
	if !ok {
		return apierr.IndexNotFound(e.IndexUID)
	}
	e.IndexUID = x.UID
	if c.Happened(e, false) {
		return nil
	}
	if tag, ok := TagIn(e.QueryUID); ok && c.Analytics().Queries {
		for _, d := range c.members.Nodes() {
			if d.ID != c.members.Self && TagOf(d.ID) == tag && c.tellEvent(ctx, d.ID, e) {
				return nil
			}
		}
	}
	c.Happened(e, true)
	return nil
}

// tellEvent has another node count an event, if it answered the query.
func (c *Cluster) tellEvent(ctx context.Context, node wire.NodeID, e *api.Event) bool {
	ctx, cancel := context.WithTimeout(ctx, eventWithin)
	defer cancel()
	r := &eventRequest{Conversion: e.Conversion, Index: e.IndexUID, Query: e.QueryUID}
	if e.Position != nil {
		r.Positioned, r.Position = true, *e.Position
	}
	reply, err := c.events.Node(ctx, node, r)
	return err == nil && reply.Counted // otherwise the event counts without its query
}

// Report adds up what all nodes counted. It names those that are away or run an older
// program.
func (c *Cluster) Report(ctx context.Context, q *api.AnalyticsQuery) (json.RawMessage, error) {
	if q.IndexUID != "" {
		q.IndexUID = c.behind(q.IndexUID)
	}
	r := NewReport(q, c.now())
	nodes := c.members.Nodes()
	ask := &analyticsRequest{From: r.First, To: r.Last, Index: q.IndexUID, Interval: int64(r.Slot)}
	for i, found := range c.summaries.Each(ctx, analyticsWithin, nodes, ask) {
		r.Add(nodes[i].Name, found)
	}
	return json.Marshal(r.Answer(c.Analytics()))
}
