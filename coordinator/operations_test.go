package coordinator

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"

	"shoal/api"
	"shoal/wire"
)

// metaLog is a Log that knows keys, values, tasks and batches, and nothing of
// indexes but their records.
type metaLog struct {
	Log
	mu       sync.Mutex
	state    metaState
	tasks    []*wire.Task
	batches  []*wire.Batch
	hidden   map[uint32]bool // not visible everywhere yet
	conflict func()          // runs before the next proposal
	changed  chan struct{}
}

type metaState struct {
	Catalog
	applied uint64
	keys    []*wire.Key
	values  []wire.Value
	indexes []*wire.Index
}

func newMetaLog() *metaLog { return &metaLog{hidden: map[uint32]bool{}, changed: make(chan struct{})} }

func (s metaState) Applied() uint64        { return s.applied }
func (s metaState) ClusterID() string      { return "cluster" }
func (s metaState) Keys() []*wire.Key      { return s.keys }
func (s metaState) Indexes() []*wire.Index { return s.indexes }
func (s metaState) Index(uid string) (*wire.Index, bool) {
	i := slices.IndexFunc(s.indexes, func(x *wire.Index) bool { return x.UID == uid })
	if i < 0 {
		return nil, false
	}
	return s.indexes[i], true
}

func (s metaState) Key(uid string) (*wire.Key, bool) {
	i := slices.IndexFunc(s.keys, func(k *wire.Key) bool { return k.UID == uid })
	if i < 0 {
		return nil, false
	}
	return s.keys[i], true
}

func (s metaState) Value(name string) (wire.Value, bool) {
	i := slices.IndexFunc(s.values, func(v wire.Value) bool { return v.Name == name })
	if i < 0 {
		return wire.Value{}, false
	}
	return s.values[i], true
}

func (l *metaLog) Catalog() Catalog {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state
}

func (l *metaLog) Barrier(context.Context) error { return nil }

func (l *metaLog) Propose(_ context.Context, cmd *wire.Command) (*wire.Result, error) {
	if f := l.conflict; f != nil {
		l.conflict = nil
		f()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if cmd.Enqueue != nil {
		t := cmd.Enqueue.Task
		t.UID, t.EnqueuedAt = uint32(len(l.tasks)), 1
		l.tasks = append(l.tasks, &t)
		return &wire.Result{Task: &t}, nil
	}
	u := cmd.Update
	if c := u.CompareValue; c != nil {
		if have, _ := l.state.Value(c.Name); !bytes.Equal(have.JSON, c.JSON) {
			return &wire.Result{Fenced: true}, nil
		}
	}
	if u.AbsentKey != nil {
		if _, taken := l.state.Key(*u.AbsentKey); taken {
			return &wire.Result{Fenced: true}, nil
		}
	}
	s := l.state
	s.applied++
	for _, c := range u.Changes {
		switch {
		case c.PutValue != nil:
			s.values = append(slices.DeleteFunc(slices.Clone(s.values), func(v wire.Value) bool { return v.Name == c.PutValue.Name }), *c.PutValue)
		case c.PutKey != nil:
			s.keys = append(slices.DeleteFunc(slices.Clone(s.keys), func(k *wire.Key) bool { return k.UID == c.PutKey.UID }), c.PutKey)
		case c.DropKey != nil:
			s.keys = slices.DeleteFunc(slices.Clone(s.keys), func(k *wire.Key) bool { return k.UID == *c.DropKey })
		}
	}
	l.state = s
	return &wire.Result{}, nil
}

func (l *metaLog) Task(uid uint32) (*wire.Task, bool, error) {
	if int(uid) >= len(l.tasks) {
		return nil, false, nil
	}
	return l.tasks[uid], true, nil
}

// Tasks pages through everything, newest first; only the paging is of interest.
func (l *metaLog) Tasks(q *wire.TaskQuery) (page []*wire.Task, total uint64, err error) {
	for i := len(l.tasks) - 1; i >= 0; i-- {
		t := l.tasks[i]
		if (q.From == nil || t.UID <= *q.From) && len(page) < q.Limit && (q.UIDs == nil || slices.Contains(q.UIDs, t.UID)) {
			page = append(page, t)
		}
	}
	return page, uint64(len(l.tasks)), nil
}

func (l *metaLog) Batches(q *wire.TaskQuery) (page []*wire.Batch, total uint64, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := slices.Clone(l.batches)
	if !q.Reverse {
		slices.Reverse(list)
	}
	for _, b := range list {
		if (q.From == nil || q.Reverse && b.UID >= *q.From || !q.Reverse && b.UID <= *q.From) && len(page) < q.Limit {
			page = append(page, b)
		}
	}
	return page, uint64(len(list)), nil
}

func (l *metaLog) TaskUIDs(q *wire.TaskQuery) ([]uint32, error) { return q.UIDs, nil }

func (l *metaLog) Pending() []*wire.Task { return nil }

func (l *metaLog) Visible(uid uint32) bool { return !l.hidden[uid] }

func (l *metaLog) Leading() (uint64, bool) { return 1, true }

func (l *metaLog) Changed() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.changed
}

func TestKeys(t *testing.T) {
	ctx, log := context.Background(), newMetaLog()
	keys := NewKeys(log)
	for range 2 { // the second round finds them
		if err := keys.EnsureDefaults(ctx); err != nil {
			t.Fatal(err)
		}
	}
	var names []string
	for _, k := range keys.Keys() {
		names = append(names, *k.Name)
	}
	if got := strings.Join(names, ", "); got != "Default Search API Key, Default Admin API Key, Default Read-Only Admin API Key, Default Chat API Key" {
		t.Errorf("default keys: %s", got)
	}
	first := keys.Keys()
	shown := "2090-01-01T00:00:00+02:00"
	created, err := keys.Create(ctx, &api.Key{UID: "u", Actions: []string{"search"}, Indexes: []string{"a"}, ExpiresAt: &shown, ExpiresAtNanos: 5})
	if err != nil || created.CreatedAt == 0 {
		t.Fatal(created, err)
	}
	if &first[0] == &keys.Keys()[0] || keys.Keys()[0].UID != "u" || *keys.Keys()[0].ExpiresAt != shown {
		t.Errorf("list after creation: %+v", keys.Keys()[0])
	}
	if a, b := keys.Keys(), keys.Keys(); &a[0] != &b[0] {
		t.Error("the list changed without a change")
	}
	if _, err := keys.Create(ctx, &api.Key{UID: "u"}); err == nil || err.Error() != "`uid` field value `u` is already an existing API key." {
		t.Errorf("created twice: %v", err)
	}
	changed, err := keys.Update(ctx, "u", &api.KeyPatch{Name: api.Set("n"), Description: api.Null[string]()})
	if err != nil || *changed.Name != "n" || changed.Description != nil || changed.UpdatedAt < created.UpdatedAt {
		t.Errorf("update: %+v %v", changed, err)
	}
	if missing, err := keys.Update(ctx, "x", &api.KeyPatch{}); missing != nil || err != nil {
		t.Errorf("update of none: %v %v", missing, err)
	}
	if found, err := keys.Delete(ctx, "u"); !found || err != nil {
		t.Errorf("delete: %v %v", found, err)
	}
	if found, err := keys.Delete(ctx, "u"); found || err != nil {
		t.Errorf("delete twice: %v %v", found, err)
	}
}

func TestFeatures(t *testing.T) {
	ctx, log := context.Background(), newMetaLog()
	f := NewFeatures(log, api.Features{Metrics: true, LegacySearch: true})
	if got := f.Features(); !got.Metrics || !got.LegacySearch || got.Network {
		t.Errorf("at first: %+v", got)
	}
	on, off := true, false
	// Somebody else's change between reading and writing is not lost.
	log.conflict = func() {
		if _, err := NewFeatures(log, api.Features{}).UpdateFeatures(ctx, &api.FeaturesPatch{ContainsFilter: &on}); err != nil {
			t.Error(err)
		}
	}
	got, err := f.UpdateFeatures(ctx, &api.FeaturesPatch{Network: &on, Metrics: &off})
	if err != nil || !got.Network || !got.Metrics || !got.ContainsFilter || f.Features() != got {
		t.Errorf("after: %+v %v", got, err)
	}
}

func TestNetworkMerge(t *testing.T) {
	ctx, log := context.Background(), newMetaLog()
	n := NewNetwork(log)
	if v := n.Network().Version; v != "00000000-0000-0000-0000-000000000000" {
		t.Errorf("first version %s", v)
	}
	remote := func(url string) *api.RemotePatch {
		return &api.RemotePatch{URL: api.Set(url), SearchAPIKey: api.Set("k")}
	}
	update := func(p *api.NetworkPatch) string {
		t.Helper()
		got, err := n.UpdateNetwork(ctx, p)
		if err != nil {
			t.Fatal(err)
		}
		version := got.Version
		shown := *got
		shown.Version = ""
		data, err := json.Marshal(shown)
		if err != nil || len(version) != 36 || version[14] != '7' {
			t.Fatal(version, err)
		}
		return string(data)
	}
	for _, c := range []struct {
		patch *api.NetworkPatch
		want  string
	}{
		{&api.NetworkPatch{Self: api.Set("a"), Remotes: api.Set([]api.Entry[*api.RemotePatch]{{Name: "a", Value: remote("u")}, {Name: "b", Value: remote("v")}})},
			`{"self":"a","remotes":{"a":{"url":"u","searchApiKey":"k","writeApiKey":null},"b":{"url":"v","searchApiKey":"k","writeApiKey":null}},"shards":{},"leader":null,"version":""}`},
		{&api.NetworkPatch{Shards: api.Set([]api.Entry[*api.ShardPatch]{{Name: "s", Value: &api.ShardPatch{Remotes: api.Set([]string{"a"}), AddRemotes: api.Set([]string{"b"})}}, {Name: "t", Value: &api.ShardPatch{Remotes: api.Set([]string{"b"})}}})},
			`{"self":"a","remotes":{"a":{"url":"u","searchApiKey":"k","writeApiKey":null},"b":{"url":"v","searchApiKey":"k","writeApiKey":null}},"shards":{"s":{"remotes":["a","b"]},"t":{"remotes":["b"]}},"leader":null,"version":""}`},
		{&api.NetworkPatch{Remotes: api.Set([]api.Entry[*api.RemotePatch]{{Name: "b"}, {Name: "a", Value: &api.RemotePatch{SearchAPIKey: api.Null[string](), WriteAPIKey: api.Set("w")}}})},
			`{"self":"a","remotes":{"a":{"url":"u","searchApiKey":null,"writeApiKey":"w"}},"shards":{"s":{"remotes":["a"]}},"leader":null,"version":""}`},
		{&api.NetworkPatch{Self: api.Null[string](), Remotes: api.Null[[]api.Entry[*api.RemotePatch]]()},
			`{"self":null,"remotes":{},"shards":{},"leader":null,"version":""}`},
	} {
		if got := update(c.patch); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

func TestWebhooks(t *testing.T) {
	ctx, log := context.Background(), newMetaLog()
	w := NewWebhooks(log, "http://cmd/", "secret")
	created, err := w.CreateWebhook(ctx, &api.WebhookPatch{URL: api.Set("http://a/"), Headers: api.Set([]api.Entry[*string]{{Name: "X"}})})
	if err != nil {
		t.Fatal(err)
	}
	value := "v"
	changed, err := w.UpdateWebhook(ctx, created.UUID, &api.WebhookPatch{Headers: api.Set([]api.Entry[*string]{{Name: "X"}, {Name: "A", Value: &value}})})
	if err != nil || changed.URL != "http://a/" || len(changed.Headers) != 1 || changed.Headers[0].Name != "A" {
		t.Errorf("update: %+v %v", changed, err)
	}
	if list := w.Webhooks(); len(list) != 2 || list[0].Editable || list[0].Headers[0].Value != "secret" || list[1].UUID != created.UUID {
		t.Errorf("list: %+v", list)
	}
	if err := w.DeleteWebhook(ctx, list0(w)); err == nil || !strings.Contains(err.Error(), "is immutable") {
		t.Errorf("the command line's: %v", err)
	}
	if err := w.DeleteWebhook(ctx, created.UUID); err != nil {
		t.Fatal(err)
	}
	if err := w.DeleteWebhook(ctx, created.UUID); err == nil || err.Error() != "Webhook `"+created.UUID+"` not found." {
		t.Errorf("deleted twice: %v", err)
	}
	for range api.MaxWebhooks {
		if _, err = w.CreateWebhook(ctx, &api.WebhookPatch{URL: api.Set("http://a/")}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err = w.CreateWebhook(ctx, &api.WebhookPatch{URL: api.Set("http://a/")}); err == nil {
		t.Error("one webhook too many")
	}
}

func list0(w *Webhooks) string { return w.Webhooks()[0].UUID }

func TestTaskPages(t *testing.T) {
	ctx, log := context.Background(), newMetaLog()
	index := "i"
	for i := range 5 {
		log.tasks = append(log.tasks, &wire.Task{UID: uint32(i), Kind: "indexCreation", IndexUID: &index, Status: wire.Failed, Error: &wire.Failure{Message: "m", Code: "index_not_found"}, StartedAt: 1, FinishedAt: 2})
	}
	log.hidden[4] = true
	tasks := NewTasks(log, NewWriter(log, nil, ""), nil)
	page, err := tasks.Tasks(ctx, &wire.TaskQuery{Limit: 2})
	if err != nil || len(page.Results) != 2 || *page.From != 4 || *page.Next != 2 || page.Total != 5 {
		t.Fatalf("%+v %v", page, err)
	}
	if a, b := page.Results[0], page.Results[1]; a.Status != "processing" || a.Error != nil || a.FinishedAt != 0 || b.Status != "failed" || b.Error.Code.Status != 404 {
		t.Errorf("%+v\n%+v", a, b)
	}
	page, err = tasks.Tasks(ctx, &wire.TaskQuery{Limit: 0})
	if err != nil || len(page.Results) != 0 || page.From != nil || *page.Next != 4 {
		t.Errorf("no limit: %+v %v", page, err)
	}
	if task, err := tasks.Task(ctx, 9, nil); task != nil || err != nil {
		t.Errorf("no such task: %v %v", task, err)
	}
	summary, err := tasks.Cancel(ctx, &wire.TaskQuery{UIDs: []uint32{1, 2}}, "?uids=1,2")
	if err != nil || summary.TaskUID != 5 || string(log.tasks[5].Details) != `{"matchedTasks":2,"canceledTasks":null,"originalFilter":"?uids=1,2"}` {
		t.Errorf("%+v %v %s", summary, err, log.tasks[5].Details)
	}
	key, size := "0123456789abcdef", uint64(24<<20)
	if _, err = tasks.Export(ctx, &api.ExportRequest{URL: "http://x", APIKey: &key, PayloadSize: &size, Indexes: []api.Entry[api.ExportIndex]{{Name: "*"}}}); err != nil {
		t.Fatal(err)
	}
	if got := string(log.tasks[6].Details); got != `{"url":"http://x","apiKey":"01XXXX...","payloadSize":"24 MiB","indexes":{"*":{"filter":null,"overrideSettings":false}}}` {
		t.Errorf("export: %s", got)
	}
}

func TestStats(t *testing.T) {
	ctx, log := context.Background(), newMetaLog()
	log.state.indexes = []*wire.Index{
		{UID: "a", UpdatedAt: 5, Stats: []wire.ShardStats{
			{Documents: 2, RawBytes: 10, Fields: []wire.FieldCount{{Field: "id", Count: 2}, {Field: "x", Count: 1}}},
			{Documents: 1, RawBytes: 5, Embeddings: 3, EmbeddedDocuments: 1, Fields: []wire.FieldCount{{Field: "gone"}, {Field: "id", Count: 1}}},
		}},
		{UID: "b", UpdatedAt: 9},
	}
	stats := NewStats(log, nil)
	got, err := stats.Stats(ctx, []string{"a*"})
	if err != nil {
		t.Fatal(err)
	}
	if text := string(got.AppendJSON(nil, api.StatsForm{})); text != `{"databaseSize":4096,"usedDatabaseSize":4096,"lastUpdate":"1970-01-01T00:00:00.000000005Z","indexes":{"a":{"numberOfDocuments":3,"rawDocumentDbSize":4096,"avgDocumentSize":1357,"isIndexing":false,"numberOfEmbeddings":3,"numberOfEmbeddedDocuments":1,"fieldDistribution":{"id":3,"x":1}}}}` {
		t.Error(text)
	}
	if _, err := stats.IndexStats(ctx, "zz"); err == nil {
		t.Error("stats of no index")
	}
}
