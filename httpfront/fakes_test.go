package httpfront

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/settings"
	"shoal/httpfront/admin"
	"shoal/httpfront/metrics"
	"shoal/httpfront/routing"
	"shoal/wire"
)

// fake implements all ports in memory. It records the calls of the handlers.
type fake struct {
	keys     []*api.Key
	features settings.Features
	// wide: a hit has a field of that many bytes.
	wide    int
	network api.Network
	stale   int
	// importing: a dump is being read in.
	follows   bool
	importing bool
	// outside says why the node has no state of its cluster yet.
	outside   string
	slow      api.SlowLog
	analytics api.Analytics
	counting  sync.Mutex // of counted
	counted   []api.CountedSearch
	events    []api.Event
	aliases   []*wire.Alias
	dawdle    bool // a search takes more than a millisecond

	searched   *api.SearchRequest
	many       []api.IndexQuery
	federation *api.FederatedRequest
	facet      *api.FacetSearchRequest
	similar    *api.SimilarRequest
	taskQuery  *wire.TaskQuery
	filter     string
	authorized []string
	hold       chan struct{} // when not nil, searches receive from it: once they have begun, and before they end
	// badFilter is the query whose filter is refused, counted from 1; 0: none.
	badFilter int
}

func (f *fake) Search(ctx context.Context, uid string, r *api.SearchRequest) (*api.SearchResponse, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if uid == "missing" {
		return nil, apierr.IndexNotFound(uid)
	}
	if uid == "panics" {
		panic("on purpose")
	}
	f.searched = r
	for begun := time.Now(); f.dawdle && time.Since(begun) < 2*time.Millisecond; {
		continue
	}
	if f.hold != nil {
		<-f.hold
		<-f.hold
	}
	found := &api.SearchResponse{
		Hits:       []api.Hit{{Document: []byte(`{"id":1,"t":"<a>"}`)}, {Document: []byte(`{}`)}},
		Pagination: r.Pagination(2),
	}
	if r.Q != nil {
		found.Query = *r.Q
	}
	if f.wide > 0 {
		found.Hits[0].Document = []byte(`{"t":"` + strings.Repeat("w", f.wide) + `"}`)
	}
	if r.InlineRule != nil {
		found.InlineRule = []byte(`{"of":"` + r.InlineRule.UID + `"}`)
	}
	return found, nil
}

func (f *fake) SearchMany(ctx context.Context, queries []api.IndexQuery) ([]*api.SearchResponse, int, error) {
	f.many = queries
	var out []*api.SearchResponse
	for i := range queries {
		found, err := f.Search(ctx, queries[i].IndexUID, &queries[i].SearchRequest)
		if err != nil {
			return nil, i, err
		}
		out = append(out, found)
	}
	return out, 0, nil
}

func (f *fake) Federated(_ context.Context, r *api.FederatedRequest) (*api.FederatedResponse, error) {
	f.federation = r
	return &api.FederatedResponse{Pagination: api.Pagination{Limit: r.Federation.Limit}, Metadata: make([]api.QueryMetadata, len(r.Queries))}, nil
}

func (f *fake) CheckFirst(string, json.RawMessage) error {
	if f.badFilter != 1 {
		return nil
	}
	return apierr.New(apierr.CodeInvalidSearchFilter, "bad filter")
}

func (f *fake) CheckFederated(r *api.FederatedRequest) error {
	if f.badFilter == 0 || f.badFilter > len(r.Queries) {
		return nil
	}
	return apierr.InsideQuery(uint64(f.badFilter-1), apierr.New(apierr.CodeInvalidSearchFilter, "bad filter"))
}

func (f *fake) FacetSearch(_ context.Context, _ string, r *api.FacetSearchRequest) (*api.FacetSearchResponse, error) {
	f.facet = r
	return &api.FacetSearchResponse{FacetHits: []api.FacetValue{{Value: "x", Count: 2}}, FacetQuery: r.FacetQuery}, nil
}

func (f *fake) Similar(_ context.Context, _ string, r *api.SimilarRequest) (*api.SimilarResponse, error) {
	f.similar = r
	return &api.SimilarResponse{ID: "1", Pagination: api.Pagination{Limit: r.Limit, Offset: r.Offset}}, nil
}

func (f *fake) Kinds() []wire.Kind {
	return []wire.Kind{
		"documentAdditionOrUpdate", "documentEdition", "documentDeletion", "settingsUpdate", "indexCreation", "indexDeletion", "indexUpdate", "indexSwap",
		"taskCancelation", "taskDeletion", "dumpCreation", "snapshotCreation", "export", "upgradeDatabase", "indexCompaction", "networkTopologyChange", "dsrUpdate", "dsrClear",
	}
}

func (f *fake) Tasks(_ context.Context, q *wire.TaskQuery) (*api.TaskPage, error) {
	f.taskQuery = q
	return &api.TaskPage{Limit: uint32(q.Limit)}, nil
}

func (f *fake) Batches(_ context.Context, q *wire.TaskQuery) (*api.BatchPage, error) {
	f.taskQuery = q
	return &api.BatchPage{Limit: uint32(q.Limit)}, nil
}

func (f *fake) Task(_ context.Context, uid uint32, authorized []string) (*api.Task, error) {
	f.authorized = authorized
	if uid != 7 {
		return nil, nil
	}
	index, batch := "movies", uint32(3)
	return &api.Task{
		UID: 7, BatchUID: &batch, IndexUID: &index, Status: "failed", Type: "documentDeletion", Details: []byte(`{"deletedDocuments":0}`),
		Error: apierr.IndexNotFound("movies"), EnqueuedAt: 1e9, StartedAt: 2e9, FinishedAt: 2e9 + 1500000,
	}, nil
}

func (f *fake) Batch(context.Context, uint32, []string) (*api.Batch, error) { return nil, nil }

func (f *fake) Cancel(_ context.Context, q *wire.TaskQuery, originalFilter string) (*api.TaskSummary, error) {
	f.taskQuery, f.filter = q, originalFilter
	return &api.TaskSummary{TaskUID: 9, Type: "taskCancelation", EnqueuedAt: 1e9}, nil
}

func (f *fake) Delete(ctx context.Context, q *wire.TaskQuery, originalFilter string) (*api.TaskSummary, error) {
	return f.Cancel(ctx, q, originalFilter)
}

func (f *fake) Payload(context.Context, uint32) (io.ReadCloser, error) {
	return io.NopCloser(strings.NewReader("{\"id\":1}\n")), nil
}

func (f *fake) Dump(context.Context) (*api.TaskSummary, error) {
	return &api.TaskSummary{Type: "dumpCreation", EnqueuedAt: 1e9}, nil
}

func (f *fake) Snapshot(ctx context.Context) (*api.TaskSummary, error) { return f.Dump(ctx) }

func (f *fake) Export(ctx context.Context, _ *api.ExportRequest) (*api.TaskSummary, error) {
	return f.Dump(ctx)
}

func (f *fake) Keys() []*api.Key { return f.keys }

func (f *fake) Create(_ context.Context, k *api.Key) (*api.Key, error) {
	if slices.ContainsFunc(f.keys, func(o *api.Key) bool { return o.UID == k.UID }) {
		return nil, apierr.APIKeyAlreadyExists(k.UID)
	}
	created := *k
	created.CreatedAt, created.UpdatedAt = 1e9, 1e9
	f.keys = append([]*api.Key{&created}, f.keys...)
	return &created, nil
}

func (f *fake) Update(_ context.Context, uid string, p *api.KeyPatch) (*api.Key, error) {
	for i, k := range f.keys {
		if k.UID == uid {
			changed := *k
			if p.Name.IsSet() {
				changed.Name = &p.Name.Value
			}
			f.keys = slices.Clone(f.keys)
			f.keys[i] = &changed
			return &changed, nil
		}
	}
	return nil, nil
}

func (f *fake) Limit(_ context.Context, uid string, p *api.KeyLimitsPatch) (*api.KeyLimits, error) {
	i := slices.IndexFunc(f.keys, func(k *api.Key) bool { return k.UID == uid })
	if i < 0 {
		return nil, nil
	}
	changed := *f.keys[i]
	changed.Limits = changed.Limits.Apply(p)
	f.keys = slices.Clone(f.keys)
	f.keys[i] = &changed
	return &changed.Limits, nil
}

func (f *fake) DeleteKey(uid string) bool {
	before := len(f.keys)
	f.keys = slices.DeleteFunc(slices.Clone(f.keys), func(k *api.Key) bool { return k.UID == uid })
	return len(f.keys) < before
}

// fakeKeys adds Delete of the key store, because the Delete of tasks has the same name.
type fakeKeys struct{ *fake }

func (f fakeKeys) Delete(_ context.Context, uid string) (bool, error) { return f.DeleteKey(uid), nil }

func (f *fake) Features() settings.Features { return f.features }

func (f *fake) UpdateFeatures(_ context.Context, p *settings.FeaturesPatch) (settings.Features, error) {
	f.features = f.features.Apply(p)
	return f.features, nil
}

func (f *fake) SlowLog() api.SlowLog { return f.slow }

func (f *fake) UpdateSlowLog(_ context.Context, p *api.SlowLogPatch) (api.SlowLog, error) {
	f.slow = f.slow.Apply(p)
	return f.slow, nil
}

func (f *fake) Analytics() api.Analytics { return f.analytics }

func (f *fake) UpdateAnalytics(_ context.Context, p *api.AnalyticsPatch) (api.Analytics, error) {
	f.analytics = f.analytics.Apply(p)
	return f.analytics, nil
}

func (f *fake) Searched(s *api.CountedSearch) {
	f.counting.Lock()
	defer f.counting.Unlock()
	f.counted = append(f.counted, *s)
}

func (f *fake) QueryUID() (string, error) { return "01900000-0000-7000-8000-000000000000", nil }

func (f *fake) Event(_ context.Context, e *api.Event) error {
	if e.IndexUID == "unknown" {
		return apierr.IndexNotFound(e.IndexUID)
	}
	f.events = append(f.events, *e)
	return nil
}

func (f *fake) Report(_ context.Context, q *api.AnalyticsQuery) (json.RawMessage, error) {
	return json.Marshal(q)
}

func (f *fake) Aliases() []*wire.Alias { return f.aliases }

func (f *fake) Targets(patterns []string) (uids []string) {
	for _, a := range f.aliases {
		if api.MatchesIndex(patterns, a.Name) {
			uids = append(uids, a.Index)
		}
	}
	return uids
}

func (f *fake) Turn(_ context.Context, name, uid string, _ *string) (*wire.Alias, error) {
	return &wire.Alias{Name: name, Index: uid}, nil
}

func (f *fake) Remove(context.Context, string) error { return nil }

func (f *fake) Network() *api.Network { return &f.network }

func (f *fake) UpdateNetwork(context.Context, *api.NetworkPatch) (*api.Network, error) {
	return &f.network, nil
}

func (f *fake) Webhooks() []api.Webhook {
	return []api.Webhook{{UUID: admin.NilUUID, URL: "http://x/", Headers: []decode.Entry[string]{{Name: "Authorization", Value: "Bearer abcdefghijklmnopqrstuvwxyz0123456789"}}}}
}

func (f *fake) CreateWebhook(_ context.Context, p *api.WebhookPatch) (*api.Webhook, error) {
	return &api.Webhook{UUID: admin.NilUUID, Editable: true, URL: p.URL.Value}, nil
}

func (f *fake) UpdateWebhook(_ context.Context, uuid string, _ *api.WebhookPatch) (*api.Webhook, error) {
	return nil, apierr.WebhookNotFound(uuid)
}

func (f *fake) DeleteWebhook(_ context.Context, uuid string) error {
	return apierr.WebhookNotFound(uuid)
}

func (f *fake) Stats(_ context.Context, authorized []string) (*api.Stats, error) {
	f.authorized = authorized
	return &api.Stats{DatabaseSize: 2048, UsedDatabaseSize: 1024, Indexes: []decode.Entry[api.IndexStats]{
		{Name: "movies", Value: api.IndexStats{Documents: 1, Bytes: 64, RawDocumentBytes: 12, AvgDocumentBytes: 12, FieldDistribution: []api.FacetValue{{Value: "id", Count: 1}}}},
	}}, nil
}

func (f *fake) IndexStats(_ context.Context, uid string) (*api.IndexStats, error) {
	return nil, apierr.IndexNotFound(uid)
}

func (f *fake) TaskCounts(context.Context) (*api.TaskCounts, error) {
	return &api.TaskCounts{
		Running:  []api.BatchSteps{{UID: 3, Steps: []api.BatchStep{{Name: "indexing", Value: 0.5}}}},
		Finished: &api.BatchSteps{UID: 2, Steps: []api.BatchStep{{Name: "processing tasks", Value: 12}}},
		Indexed:  &api.IndexedBatch{UID: 1, Index: "movies", Documents: 7, DurationMillis: 9},
	}, nil
}

func (f *fake) Health(context.Context) error { return nil }

func (f *fake) Lease() (bool, int) { return f.stale == 0, f.stale }

func (f *fake) Outside() string { return f.outside }

func (f *fake) Importing() bool { return f.importing }

func (f *fake) Follows() bool { return f.follows }

func (f *fake) Stream(_ context.Context, _, _ string, w io.Writer, flush func()) (bool, error) {
	if _, err := io.WriteString(w, "line\n"); err != nil {
		return false, err
	}
	flush()
	return false, nil
}

func (f *fake) Interrupt() {}

func (f *fake) SetTarget(string) {}

// front is a server over a fake.
// front is a server over the fake; change may replace ports.
func (f *fake) front(cfg Config, change ...func(*Ports)) *Server {
	p := Ports{Search: f, Tasks: f, Streams: fakeStreams{}, Keys: fakeKeys{f}, Features: f, Network: f, Webhooks: f, Stats: f, Lease: f, Logs: f, Probes: &fakeProbes{}, SlowLog: f, Analytics: f, Aliases: f}
	for _, c := range change {
		c(&p)
	}
	return New(cfg, p)
}

// fakeStreams have one change each, and then a gap.
type fakeStreams struct{ ended bool }

func (fakeStreams) FollowTasks(context.Context, []string) (admin.Stream, error) {
	return &fakeStreams{}, nil
}

func (fakeStreams) FollowBatches(context.Context, []string) (admin.Stream, error) {
	return &fakeStreams{}, nil
}

func (s *fakeStreams) Next(context.Context, time.Duration) ([][]byte, error) {
	if s.ended {
		return nil, wire.ErrGone
	}
	s.ended = true
	return [][]byte{[]byte(`{"uid":1}`)}, nil
}

func (*fakeStreams) Close() {}

// call sends one request; headers are "Name: value" lines. A body makes the
// content type JSON unless a header says otherwise.
func call(t *testing.T, s *Server, method, target, body string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(method, target, bytes.NewReader([]byte(body)))
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		if value == "-" {
			r.Header.Del(name)
			continue
		}
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

// expect checks status and body.
func expect(t *testing.T, w *httptest.ResponseRecorder, status int, body string) {
	t.Helper()
	if w.Code != status || w.Body.String() != body {
		t.Errorf("got %d %s\nwant %d %s", w.Code, w.Body.String(), status, body)
	}
}

// refusal is the JSON of an error.
func refusal(code apierr.Code, message string) string {
	return string(apierr.New(code, message).AppendJSON(nil))
}

// expectError checks an error answer.
func expectError(t *testing.T, w *httptest.ResponseRecorder, status int, code apierr.Code, message string) {
	t.Helper()
	expect(t, w, status, refusal(code, message))
	if ct := w.Header().Get("Content-Type"); ct != "application/json" {
		t.Errorf("content type %q", ct)
	}
}

var _ http.Handler = (*Server)(nil)

// table are the rows of routes, without ports.
func table() []routing.Route {
	return routes(newHandlers(&Config{Now: time.Now}, &Ports{Tasks: &fake{}}, nil, metrics.New(false)))
}

// parametersOf are the names of the parameters of a route.
func parametersOf(name string) (names []string) {
	for _, r := range table() {
		if r.Name() == name {
			for _, d := range r.Query.DescribeQuery() {
				names = append(names, d.Name)
			}
		}
	}
	return names
}
