package admin

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/settings"
	"shoal/coordinator/coordtest"
	"shoal/wire"
)

func TestKeys(t *testing.T) {
	ctx, log := context.Background(), coordtest.NewMetaLog()
	keys := NewKeys(log)
	for range 2 { // the second round finds the keys of the first
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
	changed, err := keys.Update(ctx, "u", &api.KeyPatch{Name: decode.Set("n"), Description: decode.Null[string]()})
	if err != nil || *changed.Name != "n" || changed.Description != nil || changed.UpdatedAt < created.UpdatedAt {
		t.Errorf("update: %+v %v", changed, err)
	}
	if missing, err := keys.Update(ctx, "x", &api.KeyPatch{}); missing != nil || err != nil {
		t.Errorf("update of none: %v %v", missing, err)
	}
	before := keys.Keys()
	limits, err := keys.Limit(ctx, "u", &api.KeyLimitsPatch{RequestsPerSecond: decode.Set[uint64](3), SearchesAtOnce: decode.Set[uint64](2)})
	if err != nil || *limits != (api.KeyLimits{RequestsPerSecond: 3, SearchesAtOnce: 2}) || keys.Keys()[0].Limits != *limits || before[0].Limits == *limits {
		t.Errorf("limits: %+v %v", limits, err)
	}
	if limits, err = keys.Limit(ctx, "u", &api.KeyLimitsPatch{RequestsPerSecond: decode.Null[uint64]()}); err != nil || *limits != (api.KeyLimits{SearchesAtOnce: 2}) {
		t.Errorf("one limit cleared: %+v %v", limits, err)
	}
	if limits, err = keys.Limit(ctx, "x", &api.KeyLimitsPatch{}); limits != nil || err != nil {
		t.Errorf("limits of none: %v %v", limits, err)
	}
	if found, err := keys.Delete(ctx, "u"); !found || err != nil {
		t.Errorf("delete: %v %v", found, err)
	}
	if _, err := keys.Create(ctx, &api.Key{UID: "u"}); err != nil || keys.Keys()[0].Limits != (api.KeyLimits{}) {
		t.Errorf("a new key has the limits of an old one: %+v %v", keys.Keys()[0], err)
	}
	if found, err := keys.Delete(ctx, "u"); !found || err != nil {
		t.Errorf("delete: %v %v", found, err)
	}
	if found, err := keys.Delete(ctx, "u"); found || err != nil {
		t.Errorf("delete twice: %v %v", found, err)
	}
}

// A key may be deleted while its name is changed. It may also be deleted, and made again with
// the same uid, while limits are set for the old one. Neither brings back the old key or its
// limits.
func TestAConcurrentlyDeletedKeyStaysDeleted(t *testing.T) {
	ctx := context.Background()
	limit := &api.KeyLimitsPatch{SearchesAtOnce: decode.Set[uint64](2)}
	for what, change := range map[string]func(*Keys) (bool, error){
		"name": func(k *Keys) (bool, error) {
			got, err := k.Update(ctx, "u", &api.KeyPatch{Name: decode.Set("n")})
			return got != nil, err
		},
		"limits": func(k *Keys) (bool, error) { got, err := k.Limit(ctx, "u", limit); return got != nil, err },
		"delete": func(k *Keys) (bool, error) { return k.Delete(ctx, "u") },
	} {
		log := coordtest.NewMetaLog()
		keys, other := NewKeys(log), NewKeys(log)
		if _, err := keys.Create(ctx, &api.Key{UID: "u"}); err != nil {
			t.Fatal(err)
		}
		log.Conflict = func() {
			if found, err := other.Delete(ctx, "u"); !found || err != nil {
				t.Errorf("%s: deleted meanwhile: %t %v", what, found, err)
			}
		}
		if found, err := change(keys); found || err != nil {
			t.Errorf("%s: a change of a key that is gone: %t %v", what, found, err)
		}
		if list := keys.Keys(); len(list) != 0 {
			t.Errorf("%s: the key is back: %+v", what, list[0])
		}
		if v, ok := log.Catalog().Value(ValueKeyLimits); ok && string(v.JSON) != "{}" {
			t.Errorf("%s: what stays behind is %s", what, v.JSON)
		}
		if _, err := keys.Create(ctx, &api.Key{UID: "u"}); err != nil || keys.Keys()[0].Limits != (api.KeyLimits{}) {
			t.Errorf("%s: a new key of the same uid: %+v %v", what, keys.Keys()[0], err)
		}
	}
}

// A deletion also removes limits that were set while it ran. Limits of other keys stay.
func TestConcurrentlySetLimitsGoWithTheirKey(t *testing.T) {
	ctx, log := context.Background(), coordtest.NewMetaLog()
	keys := NewKeys(log)
	for _, uid := range []string{"u", "v"} {
		if _, err := keys.Create(ctx, &api.Key{UID: uid}); err != nil {
			t.Fatal(err)
		}
	}
	set := func(uid string) {
		if limits, err := NewKeys(log).Limit(ctx, uid, &api.KeyLimitsPatch{SearchesAtOnce: decode.Set[uint64](2)}); limits == nil || err != nil {
			t.Errorf("limits of %s: %v %v", uid, limits, err)
		}
	}
	set("v")
	log.Conflict = func() { set("u") }
	if found, err := keys.Delete(ctx, "u"); !found || err != nil {
		t.Errorf("delete: %t %v", found, err)
	}
	if v, _ := log.Catalog().Value(ValueKeyLimits); string(v.JSON) != `{"v":{"searchesAtOnce":2}}` {
		t.Errorf("what stays is %s", v.JSON)
	}
}

func TestFeatures(t *testing.T) {
	ctx, log := context.Background(), coordtest.NewMetaLog()
	f := NewFeatures(log, settings.Features{Metrics: true, LegacySearch: true})
	if got := f.Features(); !got.Metrics || !got.LegacySearch || got.Network {
		t.Errorf("at first: %+v", got)
	}
	on, off := true, false
	// A concurrent change between reading and writing is not lost.
	log.Conflict = func() {
		if _, err := NewFeatures(log, settings.Features{}).UpdateFeatures(ctx, &settings.FeaturesPatch{ContainsFilter: &on}); err != nil {
			t.Error(err)
		}
	}
	got, err := f.UpdateFeatures(ctx, &settings.FeaturesPatch{Network: &on, Metrics: &off})
	if err != nil || !got.Network || !got.Metrics || !got.ContainsFilter || f.Features() != got {
		t.Errorf("after: %+v %v", got, err)
	}
}

func TestNetworkMerge(t *testing.T) {
	ctx, log := context.Background(), coordtest.NewMetaLog()
	n := NewNetwork(log)
	if v := n.Network().Version; v != "00000000-0000-0000-0000-000000000000" {
		t.Errorf("first version %s", v)
	}
	remote := func(url string) *api.RemotePatch {
		return &api.RemotePatch{URL: decode.Set(url), SearchAPIKey: decode.Set("k")}
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
		{&api.NetworkPatch{Self: decode.Set("a"), Remotes: decode.Set([]decode.Entry[*api.RemotePatch]{{Name: "a", Value: remote("u")}, {Name: "b", Value: remote("v")}})},
			`{"self":"a","remotes":{"a":{"url":"u","searchApiKey":"k","writeApiKey":null},"b":{"url":"v","searchApiKey":"k","writeApiKey":null}},"shards":{},"leader":null,"version":""}`},
		{&api.NetworkPatch{Shards: decode.Set([]decode.Entry[*api.ShardPatch]{{Name: "s", Value: &api.ShardPatch{Remotes: decode.Set([]string{"a"}), AddRemotes: decode.Set([]string{"b"})}}, {Name: "t", Value: &api.ShardPatch{Remotes: decode.Set([]string{"b"})}}})},
			`{"self":"a","remotes":{"a":{"url":"u","searchApiKey":"k","writeApiKey":null},"b":{"url":"v","searchApiKey":"k","writeApiKey":null}},"shards":{"s":{"remotes":["a","b"]},"t":{"remotes":["b"]}},"leader":null,"version":""}`},
		{&api.NetworkPatch{Remotes: decode.Set([]decode.Entry[*api.RemotePatch]{{Name: "b"}, {Name: "a", Value: &api.RemotePatch{SearchAPIKey: decode.Null[string](), WriteAPIKey: decode.Set("w")}}})},
			`{"self":"a","remotes":{"a":{"url":"u","searchApiKey":null,"writeApiKey":"w"}},"shards":{"s":{"remotes":["a"]}},"leader":null,"version":""}`},
		{&api.NetworkPatch{Self: decode.Null[string](), Remotes: decode.Null[[]decode.Entry[*api.RemotePatch]]()},
			`{"self":null,"remotes":{},"shards":{},"leader":null,"version":""}`},
	} {
		if got := update(c.patch); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

func TestWebhooks(t *testing.T) {
	ctx, log := context.Background(), coordtest.NewMetaLog()
	w := NewWebhooks(log, "http://cmd/", "secret")
	created, err := w.CreateWebhook(ctx, &api.WebhookPatch{URL: decode.Set("http://a/"), Headers: decode.Set([]decode.Entry[*string]{{Name: "X"}})})
	if err != nil {
		t.Fatal(err)
	}
	value := "v"
	changed, err := w.UpdateWebhook(ctx, created.UUID, &api.WebhookPatch{Headers: decode.Set([]decode.Entry[*string]{{Name: "X"}, {Name: "A", Value: &value}})})
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
	for range apierr.MaxWebhooks {
		if _, err = w.CreateWebhook(ctx, &api.WebhookPatch{URL: decode.Set("http://a/")}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err = w.CreateWebhook(ctx, &api.WebhookPatch{URL: decode.Set("http://a/")}); err == nil {
		t.Error("one webhook too many")
	}
}

func list0(w *Webhooks) string { return w.Webhooks()[0].UUID }

func TestStats(t *testing.T) {
	ctx, log := context.Background(), coordtest.NewMetaLog()
	log.State.AllIndexes = []*wire.Index{
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
	const newer = `{"numberOfDocuments":3,"indexSize":"7.81 KiB","usedIndexSize":"7.81 KiB","rawDocumentDbSize":"4 KiB",`
	stats.IndexBytes = func(id uint32) (uint64, error) { return 8000 + uint64(id), nil }
	a, err := stats.IndexStats(ctx, "a")
	if err != nil {
		t.Fatal(err)
	}
	if text := string(a.AppendJSON(nil, api.StatsForm{Newer: true, Human: true})); !strings.HasPrefix(text, newer) {
		t.Error(text)
	}
	if _, err := stats.IndexStats(ctx, "zz"); err == nil {
		t.Error("stats of no index")
	}
}
