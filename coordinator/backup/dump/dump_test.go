package dump

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"shoal/api"
	"shoal/api/decode"
	"shoal/api/payload"
	"shoal/api/settings"
	"shoal/coordinator"
	"shoal/coordinator/admin"
	"shoal/coordinator/backup/restore"
	"shoal/coordinator/task"
	"shoal/wire"
)

const referenceDump = "../../../shared/datasets/reference-v6.dump"

// fill creates three indexes, a key, a webhook, and tasks that failed.
func fill(w *world) {
	var films strings.Builder
	for i := range 500 {
		fmt.Fprintf(&films, `{"id":%d,"title":"film %d","tags":["a",%d],"long":{"x":"line\nbreak","y":1.50}}`+"\n", i*7%500, i, i%3)
	}
	w.Settings("movies", `{"filterableAttributes":["tags"],"sortableAttributes":["id"],"rankingRules":["sort","words"],"synonyms":{"film":["movie"]}}`)
	w.Upload("movies", films.String())
	w.Upload("books", `{"isbn_id":"a","name":"A <&> B"}`+"\n"+`{"isbn_id":"b","name":null}`)
	must(w.Writer.CreateIndex(w.T.Context(), "empty", nil))
	w.Idle()
	must(w.Writer.DeleteDocuments(w.T.Context(), "movies", []string{"3", "4"}, nil))
	w.Upload("movies", `{"title":"no id"}`)
	w.Settings("empty", `{"embedders":{"e":{"source":"rest","url":"http://localhost:1/","apiKey":"a secret that is long enough","dimensions":2,"request":"{{text}}","response":"{{embedding}}"}}}`)
	w.Idle()
	ctx := w.T.Context()
	expires := "2099-01-01T00:00:00+02:00"
	must(admin.NewKeys(w.Log).Create(ctx, &api.Key{UID: "11111111-1111-4111-8111-111111111111", Actions: []string{"search"}, Indexes: []string{"movies*"},
		ExpiresAt: &expires, ExpiresAtNanos: must(parseDate(expires)).UnixNano()}))
	must(admin.NewWebhooks(w.Log, "", "").CreateWebhook(ctx, &api.WebhookPatch{URL: decode.Set("http://example.org/"),
		Headers: decode.Set([]decode.Entry[*string]{{Name: "X-A", Value: &expires}})}))
	must(admin.NewChats(w.Log).UpdateSettings(ctx, "talk", &api.ChatSettingsPatch{Key: decode.Set("a secret")}))
	rules := admin.NewSearchRules(w.Log, w.Writer, func() settings.Features { return settings.Features{} })
	patch := &api.SearchRulePatch{Description: decode.Set("d"), Actions: decode.Set(api.RuleActions{Pins: []api.RulePin{{ID: "1", Position: 2}}})}
	must(rules.UpdateRule(ctx, "pin", patch, nil))
	w.Idle()
	yes := true
	must(admin.NewFeatures(w.Log, settings.Features{}).UpdateFeatures(ctx, &settings.FeaturesPatch{ContainsFilter: &yes}))
}

// fields lists the field names in order, without _vectors, which is a field only after an
// upload with vectors.
func fields(x *wire.Index) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(x.Fields), func(n string) bool { return n == "_vectors" }), " ")
}

// same compares what clients can see of two clusters, except the dump task.
func same(t *testing.T, a, b *world) {
	t.Helper()
	for _, x := range a.Log.Catalog().Indexes() {
		y, ok := b.Log.Catalog().Index(x.UID)
		if !ok {
			t.Fatalf("index %s is missing", x.UID)
		}
		if diff := cmp.Diff(a.Content(x.UID), b.Content(x.UID)); diff != "" {
			t.Errorf("documents of %s: %s", x.UID, diff)
		}
		if diff := cmp.Diff(string(settings.AppendClear(nil, x.DecodedSettings(), everything)), string(settings.AppendClear(nil, y.DecodedSettings(), everything))); diff != "" {
			t.Errorf("settings of %s: %s", x.UID, diff)
		}
		if x.CreatedAt != y.CreatedAt || x.UpdatedAt != y.UpdatedAt || fields(x) != fields(y) || (x.PrimaryKey == nil) != (y.PrimaryKey == nil) {
			t.Errorf("index %s: %+v became %+v", x.UID, x, y)
		}
	}
	if n, m := len(a.Log.Catalog().Indexes()), len(b.Log.Catalog().Indexes()); n != m {
		t.Errorf("%d indexes became %d", n, m)
	}
	if diff := cmp.Diff(admin.NewKeys(a.Log).Keys(), admin.NewKeys(b.Log).Keys()); diff != "" {
		t.Errorf("keys: %s", diff)
	}
	if diff := cmp.Diff(admin.NewWebhooks(a.Log, "", "").Webhooks(), admin.NewWebhooks(b.Log, "", "").Webhooks()); diff != "" {
		t.Errorf("webhooks: %s", diff)
	}
	if diff := cmp.Diff(admin.NewChats(a.Log).Settings("talk"), admin.NewChats(b.Log).Settings("talk")); diff != "" {
		t.Errorf("chats: %s", diff)
	}
	if diff := cmp.Diff(string(restore.StoredRules(a.Log.Catalog())), string(restore.StoredRules(b.Log.Catalog()))); diff != "" {
		t.Errorf("search rules: %s", diff)
	}
	if diff := cmp.Diff(admin.NewFeatures(a.Log, settings.Features{}).Features(), admin.NewFeatures(b.Log, settings.Features{}).Features()); diff != "" {
		t.Errorf("features: %s", diff)
	}
}

// Everything is restored: documents in order, settings, keys, tasks with their numbers and
// dates, batches.
func TestADumpRestoresEverything(t *testing.T) {
	for _, shards := range [][2]int{{1, 1}, {1, 3}, {3, 1}} {
		t.Run(fmt.Sprint(shards), func(t *testing.T) {
			a, b := newWorld(t, shards[0], true), newWorld(t, shards[1], true)
			fill(a)
			before := a.Tasks()
			file := a.dump()
			if err := b.load(file); err != nil {
				t.Fatal(err)
			}
			same(t, a, b)
			after := b.Tasks()
			if len(after) != len(before)+1 || after[len(before)].Kind != task.DumpCreation || after[len(before)].Status != wire.Succeeded {
				t.Fatalf("%d tasks became %d", len(before), len(after))
			}
			ignored := cmpopts.IgnoreFields(wire.Task{}, "Body", "Payload")
			if diff := cmp.Diff(before, after[:len(before)], ignored); diff != "" {
				t.Errorf("tasks: %s", diff)
			}
			// The batch of the dump itself is not in it.
			if diff := cmp.Diff(a.Batches()[1:], b.Batches()); diff != "" {
				t.Errorf("batches: %s", diff)
			}
			// Numbers continue where they ended, and the scheduler with them.
			b.Upload("books", `{"isbn_id":"c"}`)
			b.Idle()
			if got := b.Tasks(); got[len(got)-1].UID != uint32(len(before))+1 || got[len(got)-1].Status != wire.Succeeded || len(b.Content("books")) != 3 {
				t.Errorf("next task %+v", got[len(got)-1])
			}
		})
	}
}

// Enqueued tasks are restored with their payloads and run after the import.
func TestEnqueuedTasksRunAfterImport(t *testing.T) {
	a, b := newWorld(t, 1, false), newWorld(t, 1, true)
	a.Settings("movies", `{"filterableAttributes":["n"]}`)
	var big strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&big, `{"id":%d,"n":%d,"text":"some words %d"}`+"\n", i, i%10, i)
	}
	a.Upload("movies", big.String())
	a.Upload("movies", `{"id":1,"n":5,"nested":{"a":
 1}}`)
	ctx := t.Context()
	must(a.Writer.DeleteDocuments(ctx, "movies", []string{"2", "3"}, nil))
	must(a.Writer.DeleteByFilter(ctx, "movies", []byte(`"n = 9"`), nil))
	must(a.Writer.CreateIndex(ctx, "other", nil))
	must(a.Writer.SwapIndexes(ctx, []api.SwapPair{{Indexes: [2]string{"movies", "other"}}}))
	must(a.Writer.CancelTasks(ctx, []uint32{4}, "?uids=4"))
	a.Upload("movies", `{"key":1}`)
	if err := b.load(a.dump()); err != nil {
		t.Fatal(err)
	}
	b.Idle()
	status := ""
	for _, x := range b.Tasks() {
		status += task.StatusNames[x.Status][:3] + " "
	}
	if status != "suc suc suc suc can suc suc suc fai suc " {
		t.Errorf("statuses %s", status)
	}
	docs := b.Content("other")
	if len(docs) != 1998 || !strings.Contains(docs[1], `"nested"`) {
		t.Errorf("%d documents, %s", len(docs), docs[1])
	}
}

// A regression test: no shard of an empty index has written its settings yet, and a deletion by
// filter failed because the attribute was not filterable.
func TestFiltersOfAnEmptyIndexWorkAfterImport(t *testing.T) {
	a, b := newWorld(t, 1, true), newWorld(t, 3, true)
	a.Settings("movies", `{"filterableAttributes":["n"]}`)
	a.Idle()
	if err := b.load(a.dump()); err != nil {
		t.Fatal(err)
	}
	must(b.Writer.DeleteByFilter(t.Context(), "movies", []byte(`"n = 9"`), nil))
	b.Idle()
	b.Upload("movies", `{"id":1,"n":9}`)
	b.Idle()
	must(b.Writer.DeleteByFilter(t.Context(), "movies", []byte(`"n = 9"`), nil))
	b.Idle()
	all := b.Tasks()
	for _, x := range all[len(all)-3:] {
		if x.Status != wire.Succeeded {
			t.Errorf("task %d is %s: %+v", x.UID, task.StatusNames[x.Status], x.Error)
		}
	}
	if docs := b.Content("movies"); len(docs) != 0 {
		t.Errorf("left are %s", docs)
	}
}

// The real dump of the reference.
func TestReferenceDump(t *testing.T) {
	if _, err := os.Stat(referenceDump); err != nil {
		t.Skip("the reference's dump is not here")
	}
	s, err := Verify(t.Context(), referenceDump)
	if err != nil || *s != (Summary{Indexes: 3, Documents: 1420, Tasks: 9, Keys: 5}) {
		t.Fatalf("%+v, %v", s, err)
	}
	w := newWorld(t, 0, true)
	if err := w.load(referenceDump); err != nil {
		t.Fatal(err)
	}
	for uid, n := range map[string]int{"movies": 800, "cities": 600, "vectors": 20} {
		if got := len(w.Content(uid)); got != n {
			t.Errorf("%s: %d documents", uid, got)
		}
	}
	x, _ := w.Log.Catalog().Index("movies")
	if s := x.DecodedSettings(); fmt.Sprint(s.SearchableAttributes, s.StopWords, s.TypoTolerance.OneTypo, s.MaxValuesPerFacet) != "[title extract cast] [a the] 4 20" {
		t.Errorf("settings %s", settings.AppendClear(nil, s, everything))
	}
	tasks := w.Tasks()
	if len(tasks) != 9 || tasks[7].Error == nil || tasks[7].Error.Code != "missing_document_id" ||
		string(tasks[2].Details) != `{"receivedDocuments":800,"indexedDocuments":800}` || string(tasks[0].Details) != `{"primaryKey":"id"}` {
		t.Errorf("tasks %+v", tasks)
	}
	if _, total, err := w.Log.Batches(&wire.TaskQuery{Limit: 1}); total != 8 || err != nil {
		t.Errorf("%d batches, %v", total, err)
	}
	keys := admin.NewKeys(w.Log).Keys()
	if len(keys) != 5 || keys[0].UID != "11111111-1111-4111-8111-111111111111" || *keys[0].ExpiresAt != "2099-01-01T00:00:00Z" {
		t.Errorf("keys %+v", keys)
	}
	// The imported data can be dumped and imported again.
	again := newWorld(t, 2, true)
	if err := again.load(w.dump()); err != nil {
		t.Fatal(err)
	}
	same(t, w, again)
}

// One document that a partial update had given its id a second time made a whole dump useless.
func TestADumpWithAnIDThatIsSpelledTwiceIsImported(t *testing.T) {
	w, again := newWorld(t, 2, true), newWorld(t, 1, true)
	key := "a.b"
	for _, doc := range []string{`{"a":{"b":1},"x":1}`, `{"a.b":1,"y":2}`} {
		must(w.Writer.AddDocuments(t.Context(), &payload.Upload{IndexUID: "books", Format: payload.NDJSON, Update: true, CreateIndex: true, PrimaryKey: &key, Body: strings.NewReader(doc)}))
		w.Idle()
	}
	if err := again.load(w.dump()); err != nil {
		t.Fatal(err)
	}
	if got := again.Content("books"); len(got) != 1 || got[0] != `{"a.b":1,"a":{"b":1},"x":1,"y":2}` {
		t.Errorf("imported %v", got)
	}
}

// A damaged dump changes nothing.
func TestDamagedDumpIsRefused(t *testing.T) {
	a, b := newWorld(t, 1, true), newWorld(t, 1, true)
	a.Upload("books", `{"id":1,"text":"`+strings.Repeat("words of some length ", 400)+`"}`)
	a.Idle()
	whole := must(os.ReadFile(a.dump()))
	applied := b.Log.Catalog().Applied()
	try := func(name string, data []byte) {
		file := filepath.Join(t.TempDir(), "x.dump")
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := b.load(file); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, cut := range []int{0, 1, 10, len(whole) / 2, len(whole) - 9, len(whole) - 1} {
		try(fmt.Sprint("cut at ", cut), whole[:cut])
	}
	for i := 11; i < len(whole); i += 97 {
		flipped := append([]byte(nil), whole...)
		flipped[i] ^= 0x10
		if content, err := unpacked(flipped); err == nil && bytes.Equal(content, must(unpacked(whole))) {
			continue // a padding bit at the end of the stream
		}
		try(fmt.Sprint("flipped at ", i), flipped)
	}
	if now := b.Log.Catalog().Applied(); now != applied {
		t.Errorf("the log grew from %d to %d", applied, now)
	}
}

// A regression test: a dump with a flipped bit in the format's name was reported as a dump of
// another version.
func TestADamagedFormatNameIsReportedAsDamage(t *testing.T) {
	a, b := newWorld(t, 1, true), newWorld(t, 1, true)
	a.Upload("books", `{"id":1}`)
	a.Idle()
	older := rewrite(t, a.dump(), "metadata.json", `{"dumpVersion":"V5"}`)
	if err := b.load(older); err == nil || errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), `"V5"`) {
		t.Errorf("a whole dump of another format: %v", err)
	}
	data := must(os.ReadFile(older))
	data[len(data)-5] ^= 0x10 // in the checksum of the file, which comes last
	if err := os.WriteFile(older, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := b.load(older); !errors.Is(err, ErrDamaged) {
		t.Errorf("a damaged one: %v", err)
	}
}

// unpacked returns the content of a gzip file.
func unpacked(data []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// An import that fails midway leaves an empty cluster, and a second import succeeds.
func TestFailedImportIsUndone(t *testing.T) {
	a, b := newWorld(t, 1, true), newWorld(t, 1, true)
	a.Upload("books", `{"id":1}`)
	a.Idle()
	good := a.dump()
	bad := rewrite(t, good, "indexes/books/documents.jsonl", `{"id":1,"_geo":"nowhere"}`+"\n")
	bad = rewrite(t, bad, "indexes/books/settings.json", `{"sortableAttributes":["_geo"]}`)
	if err := b.load(bad); err == nil || errors.Is(err, ErrDamaged) {
		t.Fatalf("a document that cannot be indexed: %v", err)
	}
	c := b.Log.Catalog()
	if len(c.Indexes()) != 0 || len(b.Tasks()) != 0 || coordinator.Importing(c) != coordinator.ImportNone {
		t.Errorf("left: %v, %v", c.Indexes(), b.Tasks())
	}
	if err := b.load(good); err != nil {
		t.Fatal(err)
	}
	same(t, a, b)
	if err := b.load(good); !errors.Is(err, restore.ErrNotEmpty) {
		t.Errorf("a second import: %v", err)
	}
}
